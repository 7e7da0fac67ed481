"""Demo ticket sales: shared seats, a promo code, orders and tickets of every status, and a waiting list.

The events are those of the events' demo; sales are matched by event, orders by the buyer's address. No events are emitted and no
emails sent.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.demo import data_beside, missing, pick
from commerce.common.services import next_number
from commerce.payments.services import store_payment, store_refund
from commerce.payments.types import Method, ProviderName
from commerce.sales.services import redeem

from .models import AttendeeTicket, PromoCode, Reservation, ReservedSeats, TicketOrder, TicketSales, TicketType, WaitingEntry
from .selectors.events import EventDate, dates_on_offer, find_event, own_date
from .selectors.offers import CODES, Quote, quote
from .services.buying import fill_order, store_items
from .services.issuing import issue_tickets
from .services.promos import save_promo_code
from .services.sales import save_sales
from .types.orders import FIRST_NUMBER, NUMBERS, PAYABLE, OrderStatus, TicketStatus, order_number

PENDING, PAID, CANCELLED, REFUNDED = OrderStatus
DOMAIN = "tickets.example"
DATA = data_beside(__file__)
#: How long the seats of pending orders wait.
PENDING_FOR = timedelta(days=30)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing; nothing for events that are not there."""
    dates = {slug: found for slug in DATA["sales"] if (found := _dates(slug))}
    for slug, found in dates.items():
        if not TicketSales.objects.filter(pk=found[0].event.pk).exists():
            _sell(found[0], **DATA["sales"][slug])
            progress(1)
    for _, row in missing(DATA["promo_codes"], PromoCode.objects, "code"):
        save_promo_code(values={**row, "percent": Decimal(row["percent"])})
        progress(1)
    known = set(TicketOrder.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    plan = DATA["orders"]
    for number in range(len(plan) * scale):
        planned, round_number = pick(plan, number), number // len(plan)
        if round_number and planned["event"] in DATA["instead"]:
            planned = {"status": planned["status"], **DATA["instead"][planned["event"]]}
        if planned["event"] in dates and f"guest{number + 1}@{DOMAIN}" not in known:
            _order(number, planned, pick(dates[planned["event"]], planned.get("date", 0) + round_number))
            progress(1)
    if DATA["waiting"]["event"] in dates:
        _wait(dates[DATA["waiting"]["event"]][0], progress)


def _dates(slug: str) -> list[EventDate]:
    """Return the next dates of an event, or the only one that is over."""
    event = find_event(slug)
    if event is None:
        return []
    own = own_date(event)
    return dates_on_offer(event) or ([own] if own is not None else [])


def _sell(date: EventDate, *, types: list[Any], quotas: Sequence[Any] = (), **values: Any) -> None:
    save_sales(event=date.event, values={"asks_names": True, "questions": [], **values}, quotas=quotas, types=types)


@transaction.atomic
def _order(number: int, planned: Mapping[str, Any], date: EventDate) -> None:
    """Store an order with its tickets, or its reservation, and its money."""
    name, email = pick(DATA["people"], number), f"guest{number + 1}@{DOMAIN}"
    types = {each.name: each for each in TicketType.objects.filter(event=date.event).select_related("quota")}
    lines = [(types[each], count, _price(types[each], number)) for each, count in planned["tickets"].items()]
    priced = quote(lines, event_id=date.event.pk, code=planned.get("code", ""), email=email)
    now, starts_at = timezone.now(), date.starts_at or timezone.now()
    at = min(now, starts_at) - timedelta(days=1 + number % 9, hours=number % 11, minutes=number * 7 % 60)
    if planned["status"] == PENDING:
        at = now - timedelta(minutes=10 + number % 40)
    order = TicketOrder(created_at=at)
    buyer = {"name": name, "email": email, "attendees": _attendees(number, priced, DATA["sales"][planned["event"]])}
    fill_order(order, date, buyer, priced, None)
    if priced.code is not None:
        redeem(CODES, order, priced.code, order.subtotal_cents)
    if planned["status"] == PENDING:
        order.reservation = _reserve(date, lines, at)
    order.updated_at = at
    order.number = order_number(next_number(NUMBERS, first=FIRST_NUMBER))
    order.save()
    store_items(order, priced)
    get_search_backend().add(order)
    if planned["status"] == CANCELLED:
        order.status, order.has_lapsed = CANCELLED, number % 2 == 0
        order.cancelled_at = order.updated_at = at + timedelta(minutes=31)
        order.save(update_fields=["status", "has_lapsed", "cancelled_at", "updated_at"])
    elif planned["status"] != PENDING:
        _pay(order, planned, date, number)


def _price(ticket_type: TicketType, number: int) -> int:
    """Return the price; buyers who name it pay what is suggested, or the least."""
    is_generous = ticket_type.suggested_cents is not None and number % 3
    return ticket_type.suggested_cents or 0 if is_generous else ticket_type.price_cents


def _attendees(number: int, priced: Quote, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    questions = given.get("questions", [])
    return [
        {
            "name": pick(DATA["people"], number + place * 3),
            "answers": [
                {"question": each["label"], "answer": DATA["answers"][each["key"]] if (number + place) % 4 == 0 else None}
                for each in questions
            ],
        }
        for place in range(priced.count)
    ]


def _reserve(date: EventDate, lines: list[tuple[TicketType, int, int]], at: datetime) -> Reservation:
    until = timezone.now() + PENDING_FOR
    reservation = Reservation.objects.create(event=date.event, start=date.start, until=until, is_placed=True, created_at=at)
    ReservedSeats.objects.bulk_create(
        ReservedSeats(reservation=reservation, ticket_type=each, quantity=count, unit_price_cents=cents)
        for each, count, cents in lines
    )
    return reservation


def _pay(order: TicketOrder, planned: Mapping[str, Any], date: EventDate, number: int) -> None:
    """Issue the tickets of an order, store its money, and what became of them since."""
    order.status, order.paid_at = PAID, order.created_at + timedelta(minutes=4)
    order.updated_at = order.paid_at
    tickets = issue_tickets(order)
    order.attendees = []
    order.save()
    own = AttendeeTicket.objects.filter(order=order)
    own.update(created_at=order.paid_at, updated_at=order.paid_at)
    if order.total_cents:
        _store_money(order, planned, number)
    if planned.get("arrived") and date.starts_at is not None:
        arrived_at = date.starts_at - timedelta(minutes=3 + number * 7 % 25)
        arrived = own.filter(pk__in=[each.pk for each in tickets[: planned["arrived"]]])
        arrived.update(status=TicketStatus.CHECKED_IN, checked_in_at=arrived_at, updated_at=arrived_at)
    void = tickets if planned["status"] == REFUNDED else tickets[:1] if planned.get("is_partly_refunded") else []
    own.filter(pk__in=[each.pk for each in void]).update(
        status=TicketStatus.VOID, voided_at=order.updated_at, updated_at=order.updated_at
    )


def _store_money(order: TicketOrder, planned: Mapping[str, Any], number: int) -> None:
    paid_at: Any = order.paid_at
    by_hand = number % 7 == 3
    payment = store_payment(
        payable=PAYABLE,
        record_id=order.pk,
        amount=order.total,
        method=Method.CASH if by_hand else Method.ONLINE,
        paid_at=paid_at,
        description=f"Tickets {order.number}: {order.title}",
        email=order.email,
        provider="" if by_hand else ProviderName.OFFLINE,
    )
    share = 1 if planned["status"] == REFUNDED else 3 if planned.get("is_partly_refunded") else 0
    back = order.total_cents // share if share else 0
    if back:
        refunded_at = min(paid_at + timedelta(hours=20), timezone.now())
        store_refund(payment=payment, amount_cents=back, refunded_at=refunded_at, reason="Can't come.")
        order.status, order.refunded_cents, order.updated_at = planned["status"], back, refunded_at
        order.save(update_fields=["status", "refunded_cents", "updated_at"])


def _wait(date: EventDate, progress: Callable[[int], None]) -> None:
    """Put people on the waiting list of the only ticket type of a date."""
    (ticket_type,) = TicketType.objects.filter(event=date.event).order_by("pk")[:1]
    now = timezone.now()
    known = set(WaitingEntry.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    for place, row in enumerate(DATA["waiting"]["entries"]):
        email = f"waiting{place + 1}@{DOMAIN}"
        if email in known:
            continue
        at = now - timedelta(hours=20 - place * 3)
        name = DATA["people"][place + 2]
        entry = WaitingEntry(ticket_type=ticket_type, start=date.start, name=name, email=email, **row)
        entry.created_at = entry.updated_at = at
        entry.save()
        progress(1)
