"""The people who have tickets for a date, have ordered some, or wait for some."""

from dataclasses import dataclass

from django.db.models import Q

from ..models import AttendeeTicket, TicketOrder, WaitingEntry
from ..types.orders import ADMITS, OrderStatus
from ..types.sales import ON_LIST


@dataclass(frozen=True, slots=True)
class Attendee:
    """Somebody with valid tickets for a date: by an own order, or by a transfer."""

    email: str
    name: str
    tickets: int
    #: One of the orders that the tickets belong to: the attendee's own, if there is one.
    order: TicketOrder


def attendees_of(event_id: int, start: str) -> list[Attendee]:
    """Return the attendees of valid tickets for a date, by address (one statement)."""
    found = AttendeeTicket.objects.filter(event_id=event_id, start=start, status__in=ADMITS).select_related("order")
    by_email: dict[str, list[AttendeeTicket]] = {}
    for ticket in found.order_by("pk"):
        by_email.setdefault(ticket.email, []).append(ticket)
    return [_attendee(email, tickets) for email, tickets in sorted(by_email.items())]


@dataclass(frozen=True, slots=True)
class Buyer:
    """Somebody without tickets for a date whose orders wait for their payments, or whose payments are on their way."""

    email: str
    orders: tuple[TicketOrder, ...]


def buyers_at(event_id: int, start: str) -> list[Buyer]:
    """Return the buyers of orders for a date that are not paid yet, by address (one statement)."""
    by_email: dict[str, list[TicketOrder]] = {}
    for order in TicketOrder.objects.filter(event_id=event_id, start=start, status=OrderStatus.PENDING).order_by("pk"):
        by_email.setdefault(order.email, []).append(order)
    return [Buyer(email, tuple(orders)) for email, orders in sorted(by_email.items())]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody without tickets for a date who waits for some, of one or several types, or has an offer."""

    email: str
    entries: tuple[WaitingEntry, ...]


def waiting_at(event_id: int, start: str) -> list[Waiting]:
    """Return the people on the waiting list of a date, by address (one statement)."""
    found = WaitingEntry.objects.filter(ticket_type__event=event_id, start=start, status__in=ON_LIST)
    by_email: dict[str, list[WaitingEntry]] = {}
    for entry in found.select_related("ticket_type", "reservation").order_by("pk"):
        by_email.setdefault(entry.email, []).append(entry)
    return [Waiting(email, tuple(entries)) for email, entries in sorted(by_email.items())]


def people_of(event_id: int, start: str) -> list[Attendee | Buyer | Waiting]:
    """Return the attendees of a date, the buyers who have not paid yet, and the people who only wait (three statements).

    Each address is there once; they are sorted by it.
    """
    people: list[Attendee | Buyer | Waiting] = [*attendees_of(event_id, start), *buyers_at(event_id, start)]
    people += waiting_at(event_id, start)
    found: dict[str, Attendee | Buyer | Waiting] = {}
    for each in people:
        found.setdefault(each.email, each)
    return [found[email] for email in sorted(found)]


def starts_waited_for(event_id: int) -> set[str]:
    """Return the local starts of the dates that somebody waits for, or has an offer for."""
    waiting = WaitingEntry.objects.filter(ticket_type__event=event_id, status__in=ON_LIST).order_by()
    return set(waiting.values_list("start", flat=True).distinct())


def has_tickets(event_id: int, start: str, email: str) -> bool:
    """Return whether somebody has valid tickets for a date (one statement)."""
    own = Q(holder_email=email) | Q(holder_email="", order__email=email)
    return AttendeeTicket.objects.filter(own, event_id=event_id, start=start, status__in=ADMITS).exists()


def _attendee(email: str, tickets: list[AttendeeTicket]) -> Attendee:
    own = next((each for each in tickets if not each.holder_email), None)
    shown = own or tickets[0]
    return Attendee(email, shown.order.name if own else shown.attendee, len(tickets), shown.order)
