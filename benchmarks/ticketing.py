"""Cost of door lists and of the lists of tickets among few and many, and check-ins per second: `python -m benchmarks.ticketing`.

On SQLite or, with --postgresql or DATABASE_URL, on databases of its own there.
"""

import sys
from datetime import timedelta
from typing import Any

from .growth import OLDEST_DAYS, Growth, compare
from .visitors import Visitor, Visits, arguments, measure

#: How much more CPU a list may take among so many more tickets.
MAX_CPU_RATIO = 1.3
BATCH_ORDERS = 2_000
#: Tickets of the event whose doors are measured, in the large set, and in the small one.
MANY_TICKETS, FEW_TICKETS = 20_000, 1_000
#: Buyers have a handful of orders in either set, of two tickets each.
ORDERS_EACH, TICKETS_EACH = 5, 2
#: Statuses of 100 successive tickets.
STATUSES = ("valid",) * 60 + ("checked_in",) * 36 + ("void",) * 4

LIST = "/api/v1/ticketing/tickets"
PATHS = {
    "API: ticket orders, cursor": "/api/v1/ticketing/orders?cursor=",
    "API: ticket orders, email": "/api/v1/ticketing/orders?email=buyer7@example.com",
    "API: tickets": LIST,
    "API: tickets, cursor": f"{LIST}?cursor=",
    "API: tickets, status=checked_in": f"{LIST}?status=checked_in",
    "API: tickets, status=checked_in, cursor": f"{LIST}?status=checked_in&cursor=",
    "API: tickets, order_id": f"{LIST}?order_id=7",
    "API: tickets, email": f"{LIST}?email=buyer7@example.com",
}


def main() -> int:
    options = arguments("python -m benchmarks.ticketing", __doc__, "lists", "door", "check-in")
    missed = False
    if "lists" in options.case:
        missed = compare(Growth("tickets", fill, ("events",), "ticketing:read", PATHS, MAX_CPU_RATIO, few=FEW_TICKETS), options)
    if "door" in options.case:
        options.many = min(options.many, MANY_TICKETS)
        lists = {"door list of all tickets": door_list, "counts at the door": counts, "seats left": seats}
        # A list of all tickets grows with them: its figure is the time for each of 20,000.
        compare(
            Growth("tickets", fill, ("events",), "ticketing:read", {}, MANY_TICKETS / FEW_TICKETS, lists, FEW_TICKETS), options
        )
    if "check-in" in options.case:
        measure(CHECK_INS, options)
    return 1 if missed else 0


# Lists and doors.


def fill(total: int) -> None:
    """Create so many tickets of one event, in paid orders of two years."""
    event, start, kind = add_event()
    add_tickets(event, start, kind, total)


def add_event() -> tuple[int, str, int]:
    """Create an event that sells tickets; return its id, its start, and the id of its ticket type."""
    from django.utils import timezone

    from cms_api.content.selectors import all_types
    from cms_api.content.services.items import create_item
    from commerce.ticketing.models import TicketType
    from commerce.ticketing.selectors.events import dates_on_offer
    from commerce.ticketing.services.sales import save_sales
    from events.services.builtin import create

    create()
    day = timezone.localdate() + timedelta(days=30)
    date = {"title": "Midsummer quartet", "event_date": {"start": f"{day}T19:30"}, "venue": "The great hall"}
    event = create_item(item_type=all_types()["events"], values={"status": "published", "data": date})
    adult = {"name": "Adult", "pricing": "fixed", "price_cents": 3200, "size": 100_000, "max_per_order": 100}
    save_sales(event=event, values={"asks_names": False}, quotas=[], types=[adult])
    return event.pk, dates_on_offer(event)[0].start, TicketType.objects.get().pk


def add_tickets(event: int, start: str, kind: int, total: int) -> None:
    """Create paid orders of two tickets each, in bulk. They are not in the search index."""
    from django.db import transaction
    from django.utils import timezone

    from commerce.ticketing.models import AttendeeTicket, TicketOrder, TicketOrderItem

    now, orders = timezone.now(), total // TICKETS_EACH
    for first in range(0, orders, BATCH_ORDERS):
        numbers = range(first, min(first + BATCH_ORDERS, orders))
        with transaction.atomic():
            made = TicketOrder.objects.bulk_create(an_order(number, orders, event, start, now) for number in numbers)
            price = {"ticket_type_id": kind, "name": "Adult", "unit_price_cents": 3200, "quantity": TICKETS_EACH}
            items = TicketOrderItem.objects.bulk_create(TicketOrderItem(order=order, **price) for order in made)
            AttendeeTicket.objects.bulk_create(
                a_ticket(item, TICKETS_EACH * number + place, now)
                for number, item in zip(numbers, items, strict=True)
                for place in range(TICKETS_EACH)
            )


def an_order(number: int, orders: int, event: int, start: str, now: Any) -> Any:
    """Return a paid order, unsaved: those with higher numbers are younger."""
    from commerce.ticketing.models import TicketOrder

    at = now - timedelta(days=OLDEST_DAYS) * (orders - number) / orders
    return TicketOrder(
        number=f"TIX-{number + 1001}",
        status="paid",
        event_id=event,
        event_data={"title": "Midsummer quartet", "slug": "midsummer-quartet", "starts_at": None, "venue": "The great hall"},
        start=start,
        email=f"buyer{number % (orders // ORDERS_EACH)}@example.com",
        name="Dana Reyes",
        currency="usd",
        subtotal_cents=6400,
        total_cents=6400,
        ticket_count=TICKETS_EACH,
        paid_at=at,
        created_at=at,
        updated_at=at,
    )


def a_ticket(item: Any, number: int, now: Any) -> Any:
    """Return a ticket, unsaved. Its code is its number in the letters of codes."""
    from commerce.ticketing.models import AttendeeTicket
    from commerce.ticketing.types.orders import ALPHABET, CODE_LENGTH

    order, status, rest, code = item.order, STATUSES[number * 37 % len(STATUSES)], number, ""
    while len(code) < CODE_LENGTH - 1:
        rest, place = divmod(rest, len(ALPHABET))
        code += ALPHABET[place]
    return AttendeeTicket(
        order=order,
        item=item,
        event_id=order.event_id,
        start=order.start,
        ticket_type_id=item.ticket_type_id,
        type_name=item.name,
        code=f"Z{code}",
        status=status,
        attendee_name=f"Attendee {number * 7919 % 100_003}",
        checked_in_at=now if status == "checked_in" else None,
        voided_at=now if status == "void" else None,
        created_at=order.created_at,
        updated_at=order.created_at,
    )


def the_date() -> tuple[int, str]:
    from commerce.ticketing.models import TicketOrder

    found: tuple[int, str] = TicketOrder.objects.values_list("event_id", "start")[0]
    return found


def door_list() -> list[Any]:
    """Return all rows of the door list, by name."""
    from commerce.ticketing.selectors.orders import door_list

    return list(door_list(*the_date()).values_list("attendee_name", "type_name", "code", "status"))


def counts() -> list[Any]:
    from commerce.ticketing.selectors.orders import counts_by_hour, counts_by_type

    return [counts_by_type(*the_date()), counts_by_hour(*the_date())]


def seats() -> dict[int, int | None]:
    """Return the free seats, as each reservation counts them."""
    from commerce.ticketing.selectors.events import date_at, event_by_id
    from commerce.ticketing.selectors.offers import free_seats

    event_id, start = the_date()
    event = event_by_id(event_id)
    assert event
    date = date_at(event, start)
    assert date
    return free_seats(date)


# Check-ins.


def add_valid_tickets() -> None:
    """Create the tickets of the check-ins; the ids begin at 1."""
    from commerce.ticketing.models import AttendeeTicket

    fill(MANY_TICKETS)
    AttendeeTicket.objects.update(status="valid", checked_in_at=None, voided_at=None)


def check_in(visitor: Visitor) -> None:
    """Check in a ticket that nobody else checks in, over the API."""
    answer = visitor.call(f"{LIST}/{visitor.number + 1}/check-in")
    assert answer["meta"] == {"already_checked_in": False}, answer


CHECK_INS = Visits(
    records="check-ins",
    path=f"{LIST}?status=checked_in",
    feature="events",
    fill="from benchmarks.ticketing import add_valid_tickets; add_valid_tickets()",
    visit=check_in,
    requests=1,
    environment={"API_RATE_PER_MINUTE": "10000000"},
)


if __name__ == "__main__":
    sys.exit(main())
