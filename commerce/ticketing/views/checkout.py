"""The checkout of reserved tickets: one page that works without scripts. Everything that costs money is read from our records."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from cms_api.auth.selectors import client_ip
from cms_api.auth.services import visitors
from cms_api.content.models import ContentItem
from cms_api.forms.types.inputs import ShownInput, read_inputs, show_inputs
from cms_api.http.query import whole_number
from commerce.common.selectors import format_money
from commerce.common.types import MAX_NAME
from commerce.common.types.money import Money
from commerce.common.views import NO_ERRORS, CodeForm, VisitorForm, add_refusals, errors_of, known_visitor
from commerce.payments.selectors import payment_refusal
from commerce.sales.views import answer_checkout, checkout_once, lead_to_payment

from ..models import Reservation, TicketOrder, TicketSales
from ..resources import pages, sums
from ..selectors.events import EventDate, date_at, event_by_id, find_event, sells_tickets, venue_of
from ..selectors.offers import Line, Quote, quote
from ..selectors.orders import ORDER_LINK, RESERVATION_LINK
from ..services.buying import give_up_reservation, lines_of, lines_refusal, place_order
from ..types.orders import PAYABLE
from .reserve import guess_code

#: Orders, and codes that are tried out, of one address in an hour.
ORDERS_PER_HOUR = 60
#: The button that only calculates the price.
APPLY = "_apply"
ORDERED = "Thank you! We've emailed your tickets."


class AttendeeForm(forms.Form):
    """The name of an attendee, if it is asked for, and the answers to the questions, if there are any yet."""

    name = forms.CharField(
        max_length=2 * MAX_NAME,
        label="Attendee's name",
        widget=forms.TextInput({"autocomplete": "name"}),
        error_messages={"required": "Fill in “Attendee's name”."},
    )

    def __init__(self, sales: TicketSales | None, number: int, typed: Mapping[str, str], sent: QueryDict | None) -> None:
        super().__init__(typed, prefix=f"attendee-{number}", auto_id="%s")
        if sales is None or not sales.asks_names:
            del self.fields["name"]
        self.number, self.questions = number, sales.schema if sales is not None else ()
        self.answers = read_inputs(self.questions, sent, prefix=f"answer-{number}-") if sent is not None else None

    def show(self, errors: Mapping[str, Sequence[str]]) -> tuple[list[ShownInput], list[tuple[str, str]]]:
        """Return the questions, and all errors of the attendee with the ids of their inputs."""
        path = f"attendees.{self.number}."
        if f"{path}name" in errors:
            add_refusals(self, {"name": errors[f"{path}name"]})
        name = f"answer-{self.number}"
        inputs, listed = show_inputs(self.questions, self.answers, errors, id_prefix=name, prefix=f"{name}-", path=f"{path}data.")
        return inputs, [*errors_of(self), *listed]


class Checkout:
    """A reservation with the input so far, and the price that it leads to."""

    def __init__(self, request: HttpRequest, reservation: Reservation) -> None:
        self.request, self.reservation = request, reservation
        sales = sells_tickets(reservation.event_id)
        self.lines: list[Line] = lines_of(reservation)
        self.order = TicketOrder.objects.filter(reservation=reservation).first()
        self.types = [each.name for each, quantity, _ in self.lines for _ in range(quantity)]
        sent = request.POST if request.method == "POST" else None
        typed = self._get_initial() if sent is None else sent
        self.code = typed.get("discount_code", "").strip()
        self.form = VisitorForm(typed, auto_id="checkout-%s")
        self.attendees = [AttendeeForm(sales, number, typed, sent) for number in range(len(self.types))]
        for each in (self.form, *self.attendees):
            if not each.is_valid() and (sent is None or APPLY in sent):
                # It is not sent yet, and shown as it is.
                each.errors.clear()
        if sent is None and self.quote.code is None and not self.quote.code_problem:
            # A code that unlocks a ticket type is no promo code.
            self.code = ""

    @cached_property
    def quote(self) -> Quote:
        """Return the price, which is calculated when it is shown."""
        return quote(self.lines, event_id=self.reservation.event_id, code=self.code, order=self.order)

    def _get_initial(self) -> dict[str, str]:
        """Return what the inputs begin with, by their names."""
        order, offer = self.order, getattr(self.reservation, "offer", None)
        if order is not None:
            names = [each.get("name", "") for each in order.attendees]
            known = {"name": order.name, "email": order.email, "discount_code": order.promo_code}
        else:
            known = {"name": offer.name, "email": offer.email} if offer is not None else known_visitor(self.request)
            names = [known.get("name", "")]
            known["discount_code"] = self.reservation.code
        return {**known, **{f"attendee-{number}-name": name for number, name in enumerate(names)}}

    @property
    def total_cents(self) -> int:
        return self.quote.totals.total_cents

    def values(self) -> dict[str, Any]:
        """Return the values that `place_order` takes."""
        total = whole_number(self.request.POST.get("total_cents", ""))
        # Anything but a number is refused like another price.
        agreed = -1 if total is None else total
        typed = {**self.form.cleaned_data, "discount_code": self.code, "when": self.request.POST.get("when")}
        attendees = [{**each.cleaned_data, "answers": each.answers} for each in self.attendees]
        return {**typed, "attendees": attendees, "total_cents": agreed}


@require_http_methods(["GET", "HEAD", "POST"])
@checkout_once
def checkout(request: HttpRequest, token: str) -> HttpResponse:
    """The checkout of a reservation; of one that has ended, where to choose again."""
    reservation = RESERVATION_LINK.find(Reservation.objects.select_related("offer"), token)
    return answer(request, reservation, give_up=reverse("tickets_give_up", args=[token]))


@require_POST
def give_up(request: HttpRequest, token: str) -> HttpResponse:
    """Gives back the seats of a visitor who chooses other tickets, and leads to the tickets of the event."""
    reservation = RESERVATION_LINK.find(Reservation.objects.all(), token)
    if reservation is None:
        return show_ended(request)
    event = event_by_id(reservation.event_id)
    chosen = {f"{pages.QUANTITY}{each.pk}": quantity for each, quantity, _ in lines_of(reservation)}
    query = {pages.OCCURRENCE: reservation.start, pages.CODE: reservation.code, **chosen}
    give_up_reservation(reservation=reservation)
    return redirect(f"{pages.tickets_path(event)}?{urlencode(query, safe=':')}" if event is not None else "/")


def answer(request: HttpRequest, reservation: Reservation | None, *, give_up: str = "", is_offer: bool = False) -> HttpResponse:
    """Return the checkout of a reservation, or place its order. Its seats may still be free after it has ended."""
    if reservation is None:
        return show_ended(request)
    page = Checkout(request, reservation)
    refusal = lines_refusal(reservation, page.lines)
    if request.method != "POST":
        # An order can be paid even if its tickets are not on sale any more.
        if page.order is not None and (page.order.is_processing or refusal):
            return redirect(ORDER_LINK.path(page.order))
        date = _date(event_by_id(reservation.event_id), reservation.start)
        if not refusal and reservation.is_active(timezone.now()) and date is not None and date.takes_place:
            return _show(page, give_up)
        return show_ended(request, reservation, said=refusal, is_offer=is_offer)

    def show(*, errors: Mapping[str, Sequence[str]], notice: str, status: int) -> HttpResponse:
        if "reservation" in errors:
            return show_ended(request, reservation, said=errors["reservation"][0], is_offer=is_offer)
        if status == 429:
            page.code = ""
        return _show(page, give_up, errors=errors, notice=notice, status=status)

    if APPLY in request.POST and not refusal:
        return answer_checkout(place=lambda: _guess_code(page), lead_on=lambda _: _show(page, give_up), show=show)
    return answer_checkout(place=lambda: _place(page), lead_on=lambda order: _lead_on(request, order), show=show)


def _guess_code(page: Checkout) -> None:
    if page.code:
        guess_code(page.request, page.code, page.reservation.event_id)


def _place(page: Checkout) -> TicketOrder:
    _guess_code(page)
    visitors.limit(purpose="ticketing:order", address=client_ip(page.request), an_hour=ORDERS_PER_HOUR)
    return place_order(reservation=page.reservation, values=page.values(), user=page.request.user)


def _lead_on(request: HttpRequest, order: TicketOrder) -> HttpResponse:
    if not order.is_pending:
        messages.success(request, ORDERED)
    return lead_to_payment(request, order, payable=PAYABLE, link=ORDER_LINK)


def show_ended(
    request: HttpRequest,
    reservation: Reservation | None = None,
    *,
    said: str = "",
    is_offer: bool = False,
    event: ContentItem | None = None,
    start: str = "",
) -> HttpResponse:
    """Return the page for a reservation that has ended, or an offer, with the way back to the event.

    `said` is why an order can't be placed. `event` and `start` are the date that an offer was for.
    """
    if reservation is not None:
        event, start = event_by_id(reservation.event_id), reservation.start
    date = _date(event, start)
    # Pages of events that are not published are 404.
    event = find_event(event.slug if event is not None else request.GET.get("event", "").replace("\0", "")[:255])
    shown = {
        "is_offer": is_offer,
        "is_cancelled": date is not None and date.is_cancelled,
        "is_closed": date is not None and not date.takes_place,
        "said": said,
        "event": event,
        "event_path": pages.event_path(event) if event is not None else "",
        "tickets_path": pages.tickets_path(event) if event is not None else "",
    }
    return render(request, "ticketing/ended.html", shown, status=422 if said and request.method == "POST" else 404)


def _date(event: ContentItem | None, start: str) -> EventDate | None:
    return date_at(event, start) if event is not None else None


def _show(
    page: Checkout, give_up: str, *, errors: Mapping[str, Sequence[str]] = NO_ERRORS, notice: str = "", status: int = 200
) -> HttpResponse:
    reservation, form = page.reservation, page.form
    code = CodeForm({"discount_code": page.code}, auto_id="checkout-%s")
    own = {path: found for path, found in errors.items() if not path.startswith("attendees.")}
    if page.quote.code_problem:
        own.setdefault("discount_code", [page.quote.code_problem])
    add_refusals(form, {path: found for path, found in own.items() if path in form.fields})
    add_refusals(code, {path: found for path, found in own.items() if path not in form.fields})
    attendees: list[tuple[str, AttendeeForm, list[ShownInput]]] = []
    wrong = errors_of(form)
    for attendee, name in zip(page.attendees, page.types, strict=True):
        inputs, found = attendee.show(errors)
        title = f"Ticket {attendee.number + 1}: " if len(page.types) > 1 else ""
        if attendee.fields or inputs:
            attendees.append((title + name, attendee, inputs))
        wrong += [(title + sentence, place) for sentence, place in found]
    wrong += errors_of(code)
    event = event_by_id(reservation.event_id)
    date = date_at(event, reservation.start) if event is not None else None
    context = {
        "checkout": page,
        "event": event,
        "when": date.words if date is not None else "",
        "where": venue_of(event) if event is not None else "",
        "form": form,
        "attendees": attendees,
        "code": code,
        "errors": wrong,
        "notice": notice,
        "lines": [(f"{quantity} x {each.name}", _amount(page, cents * quantity)) for each, quantity, cents in page.lines],
        "sums": sums.of_quote(page.quote),
        "total": format_money(page.quote.total),
        "payment_refusal": payment_refusal(page.quote.total),
        "until": pages.until_text(reservation),
        "until_stamp": str(int(reservation.until.timestamp())),
        "give_up": give_up if page.order is None else "",
    }
    if wrong and status == 200:
        status = 422
    return render(page.request, "ticketing/checkout.html", context, status=status)


def _amount(page: Checkout, cents: int) -> str:
    return format_money(Money(cents, page.quote.currency)) if cents else "Free"
