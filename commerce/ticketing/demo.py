"""Demo ticket sales: shared seats, a promo code, orders and tickets of every status, and a waiting list.

The events are those of the events' demo; sales are matched by event, orders by the buyer's address. No events are emitted and no
emails sent.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from commerce.common.services import next_number
from commerce.common.types.money import minor_units
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
from .types.sales import Pricing, WaitingStatus

PENDING, PAID, CANCELLED, REFUNDED = OrderStatus
DOMAIN = "tickets.example"
CODE = "EARLY10"
QUARTET, SUPPER, SHADOWS, KILN = "quartet-in-the-hall", "last-friday-supper", "night-of-long-shadows", "kiln-opening"
#: By the slug of the event. Prices are in units of the currency.
SALES: dict[str, dict[str, Any]] = {
    QUARTET: {
        "quotas": [{"name": "Hall", "size": 120}],
        "types": [
            {"name": "Adult", "price": 14, "quota": "Hall"},
            {"name": "Under 26", "price": 5, "quota": "Hall", "size": 40, "description": "Bring proof of your age."},
            {"name": "Front row", "price": 25, "size": 12, "access_code": "FRIENDS", "has_waiting_list": False},
        ],
        "questions": [{"key": "access", "label": "Do you need step-free access?", "type": "checkbox", "required": False}],
        "note": "Doors open at seven. Latecomers are seated between the movements.",
    },
    SUPPER: {
        "types": [
            {"name": "Supper", "pricing": Pricing.OPEN, "price": 5, "suggested": 12, "description": "One pot, one long table."},
            {"name": "Child", "pricing": Pricing.FREE, "description": "Up to twelve years."},
        ],
        "questions": [{"key": "diet", "label": "Anything you don't eat?", "type": "text", "required": False}],
        "note": "Seats aren't numbered.",
    },
    SHADOWS: {"types": [{"name": "Lantern walk", "price": 3, "size": 8, "max_per_order": 4}]},
    KILN: {"types": [{"name": "Visitor", "price": 6, "size": None}]},
}
PEOPLE = ("Dana Reyes", "Ömer Güneş", "Ruth Adeyemi", "Lena Brandt", "Tom Hale", "Priya Nair", "Noor de Vries")
ANSWERS = {"access": "Yes", "diet": "Nuts"}


@dataclass(frozen=True, slots=True)
class Plan:
    """An order: `date` is the place of its date among the next ones, `arrived` the number of tickets that were checked in."""

    event: str
    status: OrderStatus
    tickets: Mapping[str, int]
    date: int = 0
    arrived: int = 0
    has_code: bool = False
    #: Whether one of its tickets was given back, and refunded.
    is_partly_refunded: bool = False


#: The orders at scale 1.
PLAN: tuple[Plan, ...] = (
    *(Plan(KILN, PAID, {"Visitor": 2}, arrived=number) for number in (2, 2, 1, 0)),
    Plan(KILN, REFUNDED, {"Visitor": 1}),
    Plan(QUARTET, PAID, {"Adult": 2, "Under 26": 1}, has_code=True),
    Plan(QUARTET, PAID, {"Adult": 2}),
    Plan(QUARTET, PAID, {"Adult": 3}, is_partly_refunded=True),
    Plan(QUARTET, PAID, {"Under 26": 2}),
    Plan(QUARTET, PAID, {"Front row": 2}),
    Plan(QUARTET, PENDING, {"Adult": 2}),
    Plan(QUARTET, PENDING, {"Adult": 1, "Under 26": 1}),
    Plan(QUARTET, CANCELLED, {"Adult": 4}),
    Plan(QUARTET, CANCELLED, {"Under 26": 1}),
    Plan(QUARTET, REFUNDED, {"Adult": 2}),
    Plan(SUPPER, PAID, {"Supper": 2, "Child": 1}),
    Plan(SUPPER, PAID, {"Supper": 1}),
    Plan(SUPPER, PAID, {"Child": 2}),
    Plan(SUPPER, PAID, {"Supper": 2}, date=1),
    Plan(SUPPER, PAID, {"Supper": 4, "Child": 2}, date=1),
    Plan(SUPPER, PENDING, {"Supper": 2}, date=1),
    Plan(SUPPER, CANCELLED, {"Supper": 1}, date=1),
    Plan(SUPPER, REFUNDED, {"Supper": 2}, date=1),
    *(Plan(SHADOWS, PAID, {"Lantern walk": number}) for number in (4, 2, 2)),
)
#: The tickets that further rounds of a larger scale buy instead of those of events with few seats.
INSTEAD = {QUARTET: {"Supper": 2}, SHADOWS: {"Supper": 1, "Child": 1}}
#: The waiting list of the event that is sold out: how many tickets, and the status.
WAITING = ((2, WaitingStatus.WAITING), (1, WaitingStatus.WAITING), (1, WaitingStatus.EXPIRED), (4, WaitingStatus.LEFT))
#: How long the seats of pending orders wait.
PENDING_FOR = timedelta(days=30)


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing; nothing for events that are not there."""
    dates = {slug: found for slug in SALES if (found := _dates(slug))}
    for slug, found in dates.items():
        if not TicketSales.objects.filter(pk=found[0].event.pk).exists():
            _sell(found[0], SALES[slug])
            progress(1)
    if not PromoCode.objects.filter(code=CODE).exists():
        save_promo_code(values={"code": CODE, "kind": "percentage", "percent": Decimal(10), "note": "For the newsletter"})
        progress(1)
    known = set(TicketOrder.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    for number in range(len(PLAN) * scale):
        plan, is_further = PLAN[number % len(PLAN)], number >= len(PLAN)
        if is_further and plan.event in INSTEAD:
            plan = Plan(SUPPER, plan.status, INSTEAD[plan.event])
        if plan.event in dates and f"guest{number + 1}@{DOMAIN}" not in known:
            found = dates[plan.event]
            _order(number, plan, found[(plan.date + number // len(PLAN)) % len(found)])
            progress(1)
    if SHADOWS in dates:
        _wait(dates[SHADOWS][0], progress)


def _dates(slug: str) -> list[EventDate]:
    """Return the next dates of an event, or the only one that is over."""
    event = find_event(slug)
    if event is None:
        return []
    own = own_date(event)
    return dates_on_offer(event) or ([own] if own is not None else [])


def _sell(date: EventDate, given: Mapping[str, Any]) -> None:
    types = []
    for each in given["types"]:
        values = dict(each)
        suggested = values.pop("suggested", None)
        values["price_cents"] = _cents(values.pop("price", 0))
        types.append({**values, "suggested_cents": _cents(suggested) if suggested is not None else None})
    values = {"asks_names": True, "questions": given.get("questions", []), "note": given.get("note", "")}
    save_sales(event=date.event, values=values, quotas=given.get("quotas", []), types=types)


def _cents(amount: int) -> int:
    return minor_units(amount, settings.SITE_CURRENCY)


@transaction.atomic
def _order(number: int, plan: Plan, date: EventDate) -> None:
    """Store an order with its tickets, or its reservation, and its money."""
    name, email = PEOPLE[number % len(PEOPLE)], f"guest{number + 1}@{DOMAIN}"
    types = {each.name: each for each in TicketType.objects.filter(event=date.event).select_related("quota")}
    lines = [(types[each], count, _price(types[each], number)) for each, count in plan.tickets.items()]
    priced = quote(lines, event_id=date.event.pk, code=CODE if plan.has_code else "", email=email)
    now, starts_at = timezone.now(), date.starts_at or timezone.now()
    at = min(now, starts_at) - timedelta(days=1 + number % 9, hours=number % 11, minutes=number * 7 % 60)
    if plan.status == PENDING:
        at = now - timedelta(minutes=10 + number % 40)
    order = TicketOrder(created_at=at)
    buyer = {"name": name, "email": email, "attendees": _attendees(number, priced, SALES[plan.event])}
    fill_order(order, date, buyer, priced, None)
    if priced.code is not None:
        redeem(CODES, order, priced.code, order.subtotal_cents)
    if plan.status == PENDING:
        order.reservation = _reserve(date, lines, at)
    order.updated_at = at
    order.number = order_number(next_number(NUMBERS, first=FIRST_NUMBER))
    order.save()
    store_items(order, priced)
    get_search_backend().add(order)
    if plan.status == CANCELLED:
        order.status, order.has_lapsed = CANCELLED, number % 2 == 0
        order.cancelled_at = order.updated_at = at + timedelta(minutes=31)
        order.save(update_fields=["status", "has_lapsed", "cancelled_at", "updated_at"])
    elif plan.status != PENDING:
        _pay(order, plan, date, number)


def _price(ticket_type: TicketType, number: int) -> int:
    """Return the price; buyers who name it pay what is suggested, or the least."""
    is_generous = ticket_type.suggested_cents is not None and number % 3
    return ticket_type.suggested_cents or 0 if is_generous else ticket_type.price_cents


def _attendees(number: int, priced: Quote, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    questions = given.get("questions", [])
    return [
        {
            "name": PEOPLE[(number + place * 3) % len(PEOPLE)],
            "answers": [
                {"question": each["label"], "answer": ANSWERS[each["key"]] if (number + place) % 4 == 0 else None}
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


def _pay(order: TicketOrder, plan: Plan, date: EventDate, number: int) -> None:
    """Issue the tickets of an order, store its money, and what became of them since."""
    order.status, order.paid_at = PAID, order.created_at + timedelta(minutes=4)
    order.updated_at = order.paid_at
    tickets = issue_tickets(order)
    order.attendees = []
    order.save()
    own = AttendeeTicket.objects.filter(order=order)
    own.update(created_at=order.paid_at, updated_at=order.paid_at)
    if order.total_cents:
        _store_money(order, plan, number)
    if plan.arrived and date.starts_at is not None:
        arrived_at = date.starts_at - timedelta(minutes=3 + number * 7 % 25)
        arrived = own.filter(pk__in=[each.pk for each in tickets[: plan.arrived]])
        arrived.update(status=TicketStatus.CHECKED_IN, checked_in_at=arrived_at, updated_at=arrived_at)
    void = tickets if plan.status == REFUNDED else tickets[:1] if plan.is_partly_refunded else []
    own.filter(pk__in=[each.pk for each in void]).update(
        status=TicketStatus.VOID, voided_at=order.updated_at, updated_at=order.updated_at
    )


def _store_money(order: TicketOrder, plan: Plan, number: int) -> None:
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
    back = order.total_cents if plan.status == REFUNDED else order.total_cents // 3 if plan.is_partly_refunded else 0
    if back:
        refunded_at = min(paid_at + timedelta(hours=20), timezone.now())
        store_refund(payment=payment, amount_cents=back, refunded_at=refunded_at, reason="Can't come.")
        order.status, order.refunded_cents, order.updated_at = plan.status, back, refunded_at
        order.save(update_fields=["status", "refunded_cents", "updated_at"])


def _wait(date: EventDate, progress: Callable[[int], None]) -> None:
    """Put people on the waiting list of the only ticket type of a date."""
    (ticket_type,) = TicketType.objects.filter(event=date.event).order_by("pk")[:1]
    now = timezone.now()
    known = set(WaitingEntry.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    for place, (quantity, status) in enumerate(WAITING):
        email = f"waiting{place + 1}@{DOMAIN}"
        if email in known:
            continue
        at = now - timedelta(hours=20 - place * 3)
        entry = WaitingEntry(ticket_type=ticket_type, start=date.start, name=PEOPLE[place + 2], email=email, quantity=quantity)
        entry.status, entry.created_at, entry.updated_at = status, at, at
        entry.save()
        progress(1)
