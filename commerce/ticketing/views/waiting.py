"""The waiting list of a sold-out ticket type: joining it, the checkout of offered seats, and leaving it."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from cms_api.auth.services import visitors
from cms_api.content.models import ContentItem
from cms_api.core.errors import TooManyAttempts
from cms_api.forms.services.answering import answer_form, stamp_of
from cms_api.forms.types import FormField
from cms_api.forms.types.inputs import read_inputs, show_inputs
from cms_api.http.query import whole_number
from commerce.sales.views import checkout_once

from ..models import WaitingEntry
from ..resources import pages
from ..resources.pages import CODE, OCCURRENCE
from ..selectors.events import EventDate, date_at, event_by_id, find_event, sells_tickets
from ..selectors.offers import Offer, offers_for
from ..selectors.orders import OFFER_LINK, WAITING_LINK, waiting_list
from ..services.waiting import join_waiting_list, leave_waiting_list, read_entry
from ..types.sales import ON_LIST, WaitingStatus
from . import checkout
from .reserve import guess_code, read_entered

PURPOSE = "ticketing:waiting"
#: The parameter of the page that says that somebody is on the list now.
JOINED = "joined"
CLOSED = "There is no waiting list for this ticket."

FIELDS = (
    FormField("name", "Your name", "text", required=True),
    FormField("email", "Your email address", "email", required=True, help_text="We'll email you when tickets become available."),
    FormField("quantity", "Number of tickets", "number", required=True),
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def wait(request: HttpRequest, slug: str) -> HttpResponse:
    """Puts a visitor on the waiting list of the ticket type and date in the query."""
    event = find_event(slug)
    if event is None or sells_tickets(event.pk) is None:
        raise Http404
    asked = read_entered(request.GET)
    try:
        if asked[CODE]:
            guess_code(request, asked[CODE], event.pk)
    except TooManyAttempts:
        asked[CODE] = ""
    date = date_at(event, asked[OCCURRENCE])
    offer = _offer(date, request.GET.get("type", ""), asked[CODE]) if date is not None else None
    if date is None or offer is None:
        return redirect(pages.tickets_path(event))
    page = Waiting(request, event, date, offer, asked[CODE])
    if request.method == "POST":
        return page.receive()
    return page.show()


def _offer(date: EventDate, text: str, code: str) -> Offer | None:
    pk = whole_number(text)
    return next((each for each in offers_for(date, code=code) if each.ticket_type.pk == pk), None)


class Waiting:
    """The form for one ticket type and date."""

    def __init__(self, request: HttpRequest, event: ContentItem, date: EventDate, offer: Offer, code: str) -> None:
        self.request, self.event, self.date, self.offer, self.code = request, event, date, offer, code
        user, each = request.user, offer.ticket_type
        self.typed: dict[str, Any] = {"quantity": str(each.min_per_order)}
        if request.method == "POST":
            self.typed = read_inputs(FIELDS, request.POST)
        elif user.is_authenticated:
            self.typed |= {"name": user.get_full_name(), "email": user.email}

    def receive(self) -> HttpResponse:
        return answer_form(self.request, carry_out=self._join, show=self.show)

    def _join(self, visit: visitors.Visit) -> HttpResponse:
        each = self.offer.ticket_type
        given = {**self.typed, "quantity": whole_number(str(self.typed["quantity"] or "").strip())}
        # Mistakes cost nothing of the budget.
        read_entry(each, **given)
        # A robot learns nothing.
        if not visitors.judge(purpose=PURPOSE, visit=visit, texts=[str(given["name"])]):
            join_waiting_list(
                event=self.event,
                start=self.date.start,
                ticket_type=each.pk,
                code=self.code,
                network=visitors.network_key(visit.address),
                user=self.request.user,
                **given,
            )
        query = {**{name: self.request.GET[name] for name in self.request.GET}, JOINED: 1}
        return HttpResponseRedirect(f"{self.request.path}?{urlencode(query)}", status=303)

    def show(self, *, errors: Mapping[str, Sequence[str]] | None = None, notice: str = "", status: int = 200) -> HttpResponse:
        wrong = errors or {}
        inputs, listed = show_inputs(FIELDS, self.typed, wrong, id_prefix="waiting")
        known = {each.key for each in FIELDS}
        others = [(each[0], "") for path, each in wrong.items() if path not in known]
        context = {
            "event": self.event,
            "tickets_path": f"{pages.tickets_path(self.event)}?{urlencode({OCCURRENCE: self.date.start}, safe=':')}",
            "event_path": pages.event_path(self.event),
            "ticket_type": self.offer.ticket_type,
            "when": self.date.words,
            "is_joined": JOINED in self.request.GET and self.request.method != "POST",
            "is_open": self.offer.can_wait,
            "inputs": inputs,
            "errors": [*listed, *others],
            "notice": notice,
            "stamp": stamp_of(self.request, PURPOSE, notice=notice),
        }
        return render(self.request, "ticketing/waiting.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@checkout_once
def offer(request: HttpRequest, token: str) -> HttpResponse:
    """The checkout of seats that are offered to somebody on the waiting list, until the offer ends."""
    entry = _entry_or_404(OFFER_LINK, token, "reservation")
    if entry.status != WaitingStatus.OFFERED or entry.reservation is None:
        start = entry.start if entry.status in ON_LIST else ""
        return checkout.show_ended(request, is_offer=True, event=event_by_id(entry.ticket_type.event_id), start=start)
    return checkout.answer(request, entry.reservation, is_offer=True)


@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, token: str) -> HttpResponse:
    """Asks, because mail scanners follow links; a POST takes somebody off the waiting list."""
    entry = _entry_or_404(WAITING_LINK, token)
    was_on = entry.status in ON_LIST
    is_done = request.method == "POST" and leave_waiting_list(entry=entry)
    event = event_by_id(entry.ticket_type.event_id)
    date = date_at(event, entry.start) if event is not None else None
    if is_done:
        state = "done"
    elif entry.status == WaitingStatus.BOUGHT:
        state = "bought"
    elif was_on and request.method == "POST":
        state = "buying"
    else:
        state = "asked" if was_on else "before"
    shown = {"entry": entry, "event": event, "when": date.words if date is not None else "", "state": state}
    return render(request, "ticketing/leave.html", shown)


def _entry_or_404(link: Any, token: str, *related: str) -> WaitingEntry:
    found: WaitingEntry = link.get(waiting_list().select_related("ticket_type", "ticket_type__event", *related), token)
    return found
