"""The page on which tickets are chosen. It works without scripts, and is never cached."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.auth.services.guesses import guess
from cms_api.content.models import ContentItem
from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.forms.services.answering import carry_out_once, digest_of
from cms_api.forms.types.inputs import FLOOD_NOTICE, STAMP
from cms_api.http.query import whole_number
from commerce.common.services.discounts import CODES
from commerce.common.types.amounts import as_instruction, parse_amount
from commerce.common.views import is_own_request
from events.views.lists import term_archive

from ..resources import pages
from ..resources.pages import CODE, OCCURRENCE, PRICE, QUANTITY, Entered
from ..selectors.events import TYPE, find_event, sells_tickets
from ..selectors.offers import is_known_code
from ..selectors.orders import RESERVATION_LINK
from ..services.buying import reserve_tickets

PURPOSE = "ticketing:reserve"
#: Reservations, and codes that are tried out, of one address in an hour.
RESERVATIONS_PER_HOUR = 60
FOREIGN = "The request came from another site. Please try again."
UNKNOWN_CODE = "This code isn't valid."
#: Characters of an input that are read.
MAX_INPUT_CHARACTERS = 100


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def tickets(request: HttpRequest, slug: str) -> HttpResponse:
    """The tickets of an event; a POST reserves some of them, and leads to the checkout. A term may have the same address.

    Pages of events are cached and cannot have a token against forged requests; the Origin header, which every browser sends,
    takes its place.
    """
    event = find_event(slug)
    if event is None or sells_tickets(event.pk) is None:
        if request.method == "POST":
            raise Http404
        return term_archive(request, TYPE, slug, "tickets")
    sent = request.POST if request.method == "POST" else request.GET
    entered = read_entered(sent)
    try:
        if entered[CODE]:
            guess_code(request, entered[CODE], event.pk)
        if request.method == "POST" and STAMP in request.POST:
            # The form of the event's own page, which is cached, has no stamp.
            key = digest_of(request)
            return carry_out_once(key, lambda: _reserve(request, event, entered), lambda: show(request, event, entered))
        if request.method == "POST":
            return _reserve(request, event, entered)
    except TooManyAttempts as refusal:
        response = show(request, event, {**entered, CODE: ""}, notice=FLOOD_NOTICE, status=429)
        response.headers["Retry-After"] = refusal.headers["Retry-After"]
        return response
    errors = {"code": [UNKNOWN_CODE]} if entered[CODE] and not is_known_code(entered[CODE], event.pk) else {}
    return show(request, event, entered, errors=errors, status=422 if errors else 200)


def _reserve(request: HttpRequest, event: ContentItem, entered: Mapping[str, str]) -> HttpResponse:
    if not is_own_request(request):
        return show(request, event, entered, notice=FOREIGN, status=403)
    visitors.limit(purpose=PURPOSE, address=client_ip(request), an_hour=RESERVATIONS_PER_HOUR)
    shown = pages.picker(event, entered[OCCURRENCE])
    # The only date need not be named.
    start = entered[OCCURRENCE] or (shown.date.start if shown is not None and len(shown.dates) == 1 else "")
    try:
        reservation = reserve_tickets(
            event=event,
            start=start,
            quantities={pk: _quantity(text) for pk, text in _by_type(entered, QUANTITY).items()},
            prices={pk: _cents(pk, text) for pk, text in _by_type(entered, PRICE).items()},
            code=entered[CODE],
            user=request.user,
            network=visitors.network_key(client_ip(request)),
        )
    except Invalid as refusal:
        return show(request, event, entered, errors=refusal.errors, status=422)
    return HttpResponseRedirect(f"{RESERVATION_LINK.path(reservation)}?event={event.slug}", status=303)


def guess_code(request: HttpRequest, text: str, event_id: int) -> bool:
    """Return whether a code that a visitor entered is one of an event's. Raises TooManyAttempts: nobody finds codes by trying."""
    return guess(CODES, address=client_ip(request), target=f"event:{event_id}", check=lambda: is_known_code(text, event_id))


def read_entered(sent: Mapping[str, str]) -> dict[str, str]:
    """Return the inputs of the form. A NUL, which no browser sends, is not stored by databases."""
    names = (name for name in sent if name in {OCCURRENCE, CODE} or name.startswith((QUANTITY, PRICE)))
    found = {name: sent[name].replace("\0", " ").strip()[:MAX_INPUT_CHARACTERS] for name in names}
    return {OCCURRENCE: "", CODE: "", **found}


def _by_type(entered: Mapping[str, str], prefix: str) -> dict[int, str]:
    """Return the inputs of ticket types by their ids."""
    named = ((whole_number(name.removeprefix(prefix)), text) for name, text in entered.items() if name.startswith(prefix))
    return {pk: text for pk, text in named if pk is not None}


def _quantity(text: str) -> int:
    """Read a quantity; anything but a whole number is refused as the service refuses one that is out of range."""
    number = whole_number(text or "0")
    return -1 if number is None else number


def _cents(pk: int, text: str) -> int:
    """Read the price that a buyer names; an empty one is refused by the service, if tickets are bought at it. Raises Invalid."""
    try:
        return parse_amount(text).cents if text else -1
    except Invalid as refusal:
        raise Invalid({f"price.{pk}": as_instruction(refusal)}) from None


def show(
    request: HttpRequest,
    event: ContentItem,
    entered: Mapping[str, str],
    *,
    errors: Mapping[str, Any] | None = None,
    notice: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = pages.picker(event, entered[OCCURRENCE], Entered(entered, errors or {}))
    context = {
        "event": event,
        "event_path": pages.event_path(event),
        "picker": shown,
        "errors": shown.summary if shown else [(" ".join(each), "") for each in (errors or {}).values()],
        "notice": notice,
        "stamp": visitors.stamp(PURPOSE),
    }
    response = render(request, "ticketing/tickets.html", context, status=status)
    patch_cache_control(response, private=True, no_store=True)
    return response
