"""Public RSVP views: the form on the event's page, and cancelling by the link in the email. They work without scripts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cms_api.auth.selectors import client_ip
from cms_api.auth.services.visitors import HONEYPOT, Visit
from cms_api.content.models import ContentItem
from cms_api.content.views import detail_template
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.not_found import found_or_404
from cms_api.forms.types import FormField, visitor_sentence
from cms_api.forms.types.inputs import FLOOD_NOTICE
from cms_api.http import page_cache

from ..selectors import rsvps as selectors
from ..selectors.capacity import places_left
from ..services.attendance import is_replaced
from ..services.rsvps import cancel, reply
from ..types.rsvps import MAX_NAME, MAX_PARTY, RsvpStatus, places_text
from .details import dated_context
from .lists import term_archive

#: Maximum number of dates in the form.
OFFERED_DATES = 60
#: Query parameters of an event's page: an RSVP was just saved, and the requested date.
REPLIED, OCCURRENCE = "replied", "occurrence"
#: The value of REPLIED if there were not enough places.
WAITING = "waiting"

CLOSED_NOTICE = "We couldn't save your RSVP."
FIELDS = {
    "name": FormField("name", "Your name", "text", required=True),
    "email": FormField("email", "Your email address", "email", required=True),
    "party_size": FormField("party_size", "Number of people", "number", required=True),
    OCCURRENCE: FormField(OCCURRENCE, "Date", "select", required=True),
}


@dataclass(frozen=True)
class Attempt:
    """A rejected submission."""

    values: Mapping[str, str]
    #: Errors by field.
    errors: Mapping[str, str] = field(default_factory=dict)
    notice: str = ""


@dataclass(frozen=True)
class Choice:
    value: str
    text: str
    is_chosen: bool


@require_http_methods(["GET", "HEAD", "POST"])
def rsvp(request: HttpRequest, slug: str) -> HttpResponse:
    """Saves an RSVP; a GET redirects to the event. A term may have the same address."""
    event = selectors.find_event(slug)
    if event is None and request.method != "POST":
        return term_archive(request, selectors.TYPE, slug, "rsvp")
    if event is None:
        raise Http404
    if request.method != "POST":
        return redirect(_path(event) + "#rsvp")
    values = {key: request.POST.get(key, "") for key in FIELDS}
    visit = Visit(client_ip(request), honeypot=request.POST.get(HONEYPOT, ""), stamp="")
    asked = {key: value for key, value in values.items() if key != OCCURRENCE}
    try:
        replied = reply(event=event, start=values[OCCURRENCE], visit=visit, user=request.user, **asked)
    except Invalid as refusal:
        errors = {path: sentences[0] for path, sentences in refusal.errors.items()}
        return _again(request, event, Attempt(values, errors), status=422)
    except TooManyAttempts:
        response = _again(request, event, Attempt(values, notice=FLOOD_NOTICE), status=429)
        response.headers["Retry-After"] = "3600"
        return response
    return HttpResponseRedirect(f"{_path(event)}?{REPLIED}={1 if replied.had_room else WAITING}#rsvp", status=303)


def _path(event: ContentItem) -> str:
    return reverse("item_detail", args=[event.type.slug, event.slug])


def _again(request: HttpRequest, event: ContentItem, attempt: Attempt, *, status: int) -> HttpResponse:
    """Show the event's page again, at the chosen date, with the submitted values and errors."""
    row = selectors.find_date(event, attempt.values[OCCURRENCE])
    date = selectors.date_of(row)["start"] if row and attempt.values[OCCURRENCE] else ""
    context = dated_context(event, date, request)
    context["meta"] = {**context["meta"], "title": f"Error: {context['meta']['title']}", "unlisted": True}
    return render(request, detail_template(event.type), {**context, "rsvp_attempt": attempt}, status=status)


def present_panel(event: ContentItem, request: HttpRequest | None, attempt: Attempt | None) -> dict[str, Any]:
    """The RSVP form of an event's page, or the thanks after it was submitted; empty where RSVPs are closed."""
    if request is None or not event.pk or not selectors.takes_replies(event) or is_replaced(event):
        return {}
    rows = selectors.offered_dates(event, OFFERED_DATES + 1)
    if rows and rows[0].ends_at:
        page_cache.good_until(rows[0].ends_at)
    if attempt is None and not rows:
        return {}
    values = attempt.values if attempt else {}
    errors = {key: _for_visitors(key, sentence) for key, sentence in attempt.errors.items()} if attempt else {}
    notice = attempt.notice or ("" if rows else CLOSED_NOTICE) if attempt else ""
    wanted = values.get(OCCURRENCE) or request.GET.get(OCCURRENCE, "")
    is_sent = attempt is None and REPLIED in request.GET
    offered, chosen = _choose_offered(event, rows, wanted)
    left = {} if is_sent else places_left(event.pk, offered)
    has_choice = bool(offered) and ([row.pk for row in offered] != [event.pk] or selectors.repeats(event))
    return {
        "event": event,
        "path": _path(event),
        "action": reverse("rsvp", args=[event.slug]),
        "is_sent": is_sent,
        "is_waiting": request.GET.get(REPLIED) == WAITING,
        "is_open": bool(rows),
        "notice": notice,
        "values": {"party_size": "1", **values},
        "errors": errors,
        "summary": [(sentence, _input(key, rows)) for key, sentence in errors.items()],
        "choices": [_choice(row, left, is_chosen=row is chosen) for row in offered] if has_choice else [],
        "left": None if has_choice else left.get(event.pk),
        "some_full": has_choice and 0 in left.values(),
        "max_party": MAX_PARTY,
        "max_name": MAX_NAME,
    }


def _choose_offered(event: ContentItem, rows: list[ContentItem], wanted: str) -> tuple[list[ContentItem], ContentItem | None]:
    """Return the dates to choose from, with the requested one even if it is later, and that one."""
    offered = rows[:OFFERED_DATES]
    found = selectors.find_date(event, wanted) if rows and wanted else None
    if found is None or not selectors.is_offered(found):
        return offered, None
    chosen = next((row for row in offered if row.pk == found.pk), None)
    return (offered, chosen) if chosen else ([*offered, found], found)


def _choice(row: ContentItem, left: Mapping[int, int], *, is_chosen: bool) -> Choice:
    date = selectors.date_of(row)
    words = selectors.words_of(date)
    if row.pk in left:
        # A narrow list cuts off the end.
        words = f"{words} ({places_text(left[row.pk])})" if left[row.pk] else f"{places_text(0)}: {words}"
    return Choice(selectors.start_of(date), words, is_chosen)


def _input(key: str, rows: list[ContentItem]) -> str:
    """Return the id of the input with the error; empty if the page has none."""
    return f"rsvp-{key}" if key in FIELDS and rows else ""


def _for_visitors(key: str, sentence: str) -> str:
    return visitor_sentence(FIELDS[key], sentence) if key in FIELDS else sentence


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def cancel_rsvp(request: HttpRequest, token: str) -> HttpResponse:
    """The cancel page linked from emails. A GET only asks, because mail scanners follow links; a POST cancels the RSVP."""
    found = found_or_404(selectors.find_by_token(token))
    was_off = found.status == RsvpStatus.CANCELLED
    is_done = request.method == "POST" and cancel(rsvp=found)
    context = {
        "rsvp": found,
        "date": selectors.promised_words(found),
        "event_path": _path(found.event) if selectors.takes_replies(found.event) else "",
        "is_waiting": found.status == RsvpStatus.WAITING,
        "state": "done" if is_done else "before" if was_off or request.method == "POST" else "asked",
        "meta": {
            "title": "Cancel your RSVP",
            "url": settings.BASE_URL + request.path,
            "kind": "website",
            "unlisted": True,
        },
    }
    return render(request, "events/cancel_rsvp.html", context)
