"""Reserves tickets for a visitor, and turns a reservation into an order that waits for its payment."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log
from wagtail.search.backends import get_search_backend

from cms_api.auth.services import visitors
from cms_api.content.models import ContentItem
from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.core.writing import insert
from cms_api.fields import Context
from cms_api.fields.base import FieldPath
from cms_api.flags.selectors import get_setting, site_timezone
from cms_api.forms.types import clean_data, in_words
from commerce.common.resources import stored_taxes
from commerce.common.selectors import format_money
from commerce.common.services import next_number
from commerce.common.services.checks import is_amount
from commerce.common.services.discounts import lock_codes
from commerce.common.types import MAX_NAME, read_email
from commerce.common.types.discounts import code_key
from commerce.common.types.money import Money
from commerce.payments.selectors import payment_refusal
from commerce.payments.services import close_payments, close_payments_later
from commerce.payments.types import SHORTEST_PAGE_LIFETIME
from commerce.sales.services import AlreadyPaid, give_up_use, redeem

from ..models import PromoCode, Reservation, TicketOrder, TicketOrderItem, TicketSales, TicketType
from ..selectors.events import EventDate, date_at, event_by_id, event_data, is_repeating
from ..selectors.offers import CODES, Line, Quote, is_for, is_known_code, is_unlocked, offers_for, quote
from ..types.orders import FIRST_NUMBER, MAX_TICKETS, NUMBERS, PAYABLE, OrderStatus, order_number
from ..types.sales import LARGEST_PRICE, Pricing, SaleState
from .paying import ORDERS
from .seats import check_free, lock_sales, release, reserve, reserve_again
from .waiting import offer_seats

NOT_ON_SALE = "Tickets for this date aren't on sale."
NO_DATE = "Choose one of the dates."
MOVED = "The date has changed to {}. Review your order and try again."
ENDED = "Your reservation has ended, and the tickets are gone. Please choose again."

_SENTENCES = {
    SaleState.NOT_YET: "{} isn't on sale yet.",
    SaleState.ENDED: "{} isn't on sale any more.",
    SaleState.SOLD_OUT: "{} is sold out.",
    SaleState.RESERVED: "All tickets of {} are reserved at the moment. Try again in a few minutes.",
}


@transaction.atomic
def reserve_tickets(
    *,
    event: ContentItem,
    start: str,
    quantities: Mapping[int, Any],
    prices: Mapping[int, Any] | None = None,
    code: str = "",
    user: Any = None,
    network: str = "",
) -> Reservation:
    """Reserve tickets for one date of an event, for some minutes.

    `quantities` and `prices` are by the id of the ticket type; prices, in minor units, are only of types whose buyers name them.
    `code` unlocks hidden types, or is a promo code for the checkout. Unpaid seats of one `network` are limited; see
    `visitors.network_key`. Raises Invalid: `occurrence`, `quantity`, `code`,
    `quantity.<id>`, `price.<id>`.
    """
    if lock_sales(event.pk) is None:
        raise Invalid({"occurrence": NOT_ON_SALE})
    date = date_at(event, start)
    if date is None:
        raise Invalid({"occurrence": NO_DATE})
    if not date.takes_place:
        raise Invalid({"occurrence": NOT_ON_SALE})
    if code.strip() and not is_known_code(code, event.pk):
        raise Invalid({"code": "This code isn't valid."})
    wanted = _read_wanted(date, quantities, prices or {}, code)
    until = _reservation_end()
    return reserve(date=date, wanted=wanted, until=until, code=code_key(code), user=user, network=network)


@transaction.atomic
def give_up_reservation(*, reservation: Reservation) -> bool:
    """Give back the seats of a visitor who chooses again; return False if an order or offer has them, or nobody has."""
    lock_sales(reservation.event_id)
    own = Reservation.objects.filter(pk=reservation.pk, is_placed=False, offer=None)
    if not own.exists():
        return False
    release(own)
    offer_seats(reservation.event_id, reservation.start)
    return True


def _reservation_end() -> datetime:
    """Return until when tickets that a visitor chooses now are reserved."""
    return timezone.now() + timedelta(minutes=max(1, int(get_setting("ticketing.reservation_minutes"))))


def _read_wanted(
    date: EventDate, quantities: Mapping[int, Any], prices: Mapping[int, Any], code: str
) -> dict[TicketType, tuple[int, int]]:
    errors = ErrorCollector()
    offers = {each.ticket_type.pk: each for each in offers_for(date, code=code)}
    wanted: dict[TicketType, tuple[int, int]] = {}
    for pk, quantity in quantities.items():
        if quantity in {0, None}:
            continue
        offer, path = offers.get(pk), f"quantity.{pk}"
        if offer is None:
            errors.add(path, "This ticket isn't on sale.")
            continue
        each = offer.ticket_type
        if offer.state != SaleState.ON_SALE:
            errors.add(path, _SENTENCES[offer.state].format(each.name))
        elif isinstance(quantity, bool) or not isinstance(quantity, int) or not each.min_per_order <= quantity:
            errors.add(path, f"Choose at least {each.min_per_order} of {each.name}.")
        elif quantity > each.max_per_order:
            errors.add(path, f"Choose at most {each.max_per_order} of {each.name}.")
        else:
            with errors.under():
                wanted[each] = quantity, _price(each, prices.get(pk))
    errors.raise_if_any()
    if not wanted:
        raise Invalid({"quantity": "Choose at least one ticket."})
    if sum(quantity for quantity, _ in wanted.values()) > MAX_TICKETS:
        raise Invalid({"quantity": f"An order may have at most {MAX_TICKETS} tickets."})
    return wanted


def _price(ticket_type: TicketType, named: Any) -> int:
    """Return the price of one ticket; `named` is the buyer's. Raises Invalid (`price.<id>`)."""
    if ticket_type.pricing == Pricing.FREE:
        return 0
    if ticket_type.pricing == Pricing.FIXED:
        return ticket_type.price_cents
    cents = ticket_type.suggested_cents if named is None else named
    cents = ticket_type.price_cents if cents is None else cents
    if not is_amount(cents) or not ticket_type.price_cents <= cents <= LARGEST_PRICE:
        least = format_money(Money(ticket_type.price_cents, settings.SITE_CURRENCY))
        raise Invalid({f"price.{ticket_type.pk}": f"Enter a price of {least} or more."})
    return int(cents)


def lines_of(reservation: Reservation) -> list[Line]:
    """Return the tickets of a reservation with their prices (one statement)."""
    seats = reservation.seats.select_related("ticket_type", "ticket_type__quota")
    return [(each.ticket_type, each.quantity, each.unit_price_cents) for each in seats]


def place_order(*, reservation: Reservation, values: Mapping[str, Any], user: Any = None) -> TicketOrder:
    """Place the order of a reservation, or change the pending one that its last checkout placed.

    `values`: `name`, `email`, `attendees` (for each ticket in the order of the reservation a dictionary of `name` and `answers`
    by key), `discount_code` (by default the code of the reservation), and what the buyer agreed to: `total_cents`, and `when`,
    the words of the date. An order that costs nothing is paid at once. Raises Invalid by these names (`attendees.<n>.name`,
    `attendees.<n>.data.<key>`), for `reservation` and `payment`, and AlreadyPaid. First closes the payment page of the pending
    order, so it must not be called in a transaction.
    """
    former = TicketOrder.objects.filter(reservation=reservation).first()
    if former is not None and former.is_pending and not close_payments(payable=PAYABLE, record_id=former.pk):
        raise AlreadyPaid(former)
    return _place(reservation, values, user)


@transaction.atomic
def _place(reservation: Reservation, values: Mapping[str, Any], user: Any) -> TicketOrder:
    order = TicketOrder.objects.select_for_update().filter(reservation=reservation).first()
    sales = lock_sales(reservation.event_id)
    # Checkouts of one reservation wait for each other at the sales; the second one finds the order of the first.
    if order is None and (made := TicketOrder.objects.filter(reservation=reservation).first()) is not None:
        raise AlreadyPaid(made)
    current = Reservation.objects.filter(pk=reservation.pk).first()
    event = event_by_id(reservation.event_id)
    date = date_at(event, reservation.start) if event is not None else None
    if sales is None or current is None or date is None or not date.takes_place:
        raise Invalid({"reservation": ENDED if sales is None or current is None else NOT_ON_SALE})
    if (order is not None and ORDERS.is_too_late(order)) or not reserve_again(current, date=date, until=payment_end()):
        raise Invalid({"reservation": ENDED})
    lines = lines_of(current)
    if refusal := lines_refusal(current, lines):
        raise Invalid({"reservation": refusal})
    buyer = _read_buyer(sales, lines, values)
    code = current.code if values.get("discount_code") is None else str(values["discount_code"])
    priced = quote(lines, event_id=sales.pk, code=code, email=buyer["email"], order=order)
    _check(date, priced, values)
    if not priced.totals.total_cents:
        check_free(current)
    is_new = order is None
    order = order or TicketOrder(reservation=current)
    lock_codes(PromoCode, {order.promo_id, priced.code.pk if priced.code else None})
    give_up_use(CODES, order)
    fill_order(order, date, buyer, priced, user)
    order.network = "" if order.total_cents else current.network
    if priced.code is not None:
        redeem(CODES, order, priced.code, order.subtotal_cents)
    return _store(order, current, priced, is_new=is_new)


def lines_refusal(reservation: Reservation, lines: Sequence[Line]) -> str:
    """Return why the tickets of a reservation can't be ordered, whatever its buyer enters; empty if they can."""
    if not lines:
        return ENDED
    return "" if all(_is_offered(each, reservation) for each, _, _ in lines) else NOT_ON_SALE


def _is_offered(ticket_type: TicketType, reservation: Reservation) -> bool:
    return ticket_type.is_offered and is_for(ticket_type, reservation.start) and is_unlocked(ticket_type, reservation.code)


def payment_end() -> datetime:
    """Return until when the seats of an order wait for its payment: as long as a payment page lives."""
    return timezone.now() + SHORTEST_PAGE_LIFETIME


def _read_buyer(sales: TicketSales, lines: Sequence[Line], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `name`, `email` and `attendees` of a valid checkout. Raises Invalid."""
    errors = ErrorCollector()
    found: dict[str, Any] = {}
    with errors.under():
        found["email"] = read_email(str(values.get("email") or ""))
    with errors.under():
        found["name"] = visitors.read_name(values.get("name"), FieldPath("name", "name"), 2 * MAX_NAME)
    if not found.get("name") and "name" not in errors.errors:
        errors.add("name", required_message("name"))
    given = values.get("attendees") or []
    attendees = []
    for number in range(sum(quantity for _, quantity, _ in lines)):
        entered = given[number] if number < len(given) else {}
        with errors.under(f"attendees.{number}"):
            attendees.append(_read_attendee(sales, entered))
    errors.raise_if_any()
    return {**found, "attendees": attendees}


def _read_attendee(sales: TicketSales, entered: Mapping[str, Any]) -> dict[str, Any]:
    errors = ErrorCollector()
    name, answers = "", []
    if sales.asks_names:
        with errors.under():
            name = visitors.read_name(entered.get("name"), FieldPath("name", "name"), 2 * MAX_NAME)
        if not name and "name" not in errors.errors:
            errors.add("name", required_message("name"))
    if sales.schema:
        with errors.under():
            cleaned = clean_data(sales.schema, entered.get("answers") or {}, Context(timezone=site_timezone()))
            answers = [{"question": field.label, "answer": in_words(cleaned[field.key]) or None} for field in sales.schema]
    errors.raise_if_any()
    return {"name": name, "answers": answers}


def is_other_date(seen: str | None, words: str) -> bool:
    """Return whether a page showed other words for a date than it has now: its day, hours or time zone have changed."""
    return seen is not None and seen.split() != words.split()


def _check(date: EventDate, priced: Quote, values: Mapping[str, Any]) -> None:
    """Raise Invalid for another date or total than was agreed to, a code that does not apply, or nothing to pay with."""
    if is_other_date(values.get("when"), date.words):
        raise Invalid({"when": MOVED.format(date.words)})
    if priced.code_problem:
        raise Invalid({"discount_code": priced.code_problem})
    total = priced.totals.total_cents
    if values.get("total_cents") not in {None, total}:
        changed = f"The total has changed to {format_money(priced.total)}. Review your order and try again."
        raise Invalid({"total_cents": changed})
    if refusal := payment_refusal(priced.total):
        raise Invalid({"payment": refusal})


def fill_order(order: TicketOrder, date: EventDate, buyer: Mapping[str, Any], priced: Quote, user: Any) -> None:
    """Copy everything into the order that must not change with the event, its prices and settings."""
    now, totals = timezone.now(), priced.totals
    order.status = OrderStatus.PENDING
    order.event_id, order.start = date.event.pk, date.start
    order.event_data, order.is_repeating = event_data(date), is_repeating(date.event)
    if order.email != buyer["email"]:
        order.set_new_link_key()
    order.name, order.email, order.attendees = buyer["name"], buyer["email"], buyer["attendees"]
    order.user = user if user is not None and user.is_authenticated else None
    order.currency, order.prices_include_tax = priced.currency, priced.prices_include_tax
    order.subtotal_cents, order.discount_cents = totals.subtotal_cents, totals.discount_cents
    order.fee_cents, order.tax_cents, order.total_cents = priced.fee_cents, totals.tax_cents, totals.total_cents
    order.taxes = stored_taxes(totals)
    order.promo, order.promo_code = priced.code, priced.code.code if priced.code else ""
    order.ticket_count = priced.count
    order.created_at = order.created_at or now
    order.updated_at = now


def _store(order: TicketOrder, reservation: Reservation, priced: Quote, *, is_new: bool) -> TicketOrder:
    reservation.is_placed = True
    reservation.save(update_fields=["is_placed"])
    if is_new:
        # As late as possible: all other checkouts wait for the number.
        order.number = order_number(next_number(NUMBERS, first=FIRST_NUMBER))
        insert([order])
    else:
        order.items.all().delete()
        order.save()
        # Somebody may have begun to pay the former order since its page was closed.
        close_payments_later(payable=PAYABLE, record_id=order.pk)
    store_items(order, priced)
    get_search_backend().add(order)
    log(instance=order, action="ticketing.place_order" if is_new else "ticketing.change_order", user=order.user)
    if not order.total_cents:
        ORDERS.become_paid(order)
    return order


def store_items(order: TicketOrder, priced: Quote) -> None:
    """Store what an order consists of."""
    TicketOrderItem.objects.bulk_create(
        TicketOrderItem(
            order=order,
            ticket_type=each,
            position=position,
            name=each.name,
            quantity=quantity,
            unit_price_cents=cents,
            discount_cents=total.discount_cents,
            tax_cents=total.tax_cents,
        )
        for position, ((each, quantity, cents), total) in enumerate(zip(priced.lines, priced.totals.lines, strict=True))
    )
