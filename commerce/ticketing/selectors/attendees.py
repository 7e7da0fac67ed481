"""The people who have tickets for a date."""

from dataclasses import dataclass

from ..models import AttendeeTicket, TicketOrder
from ..types.orders import ADMITS


@dataclass(frozen=True, slots=True)
class Attendee:
    """Somebody with valid tickets for a date: by an own order, or by a transfer."""

    email: str
    name: str
    tickets: int
    #: One of the orders that the tickets belong to, and whether it is the attendee's own.
    order: TicketOrder
    is_buyer: bool


def attendees_of(event_id: int, start: str) -> list[Attendee]:
    """Return the attendees of valid tickets for a date, by address (one statement)."""
    found = AttendeeTicket.objects.filter(event_id=event_id, start=start, status__in=ADMITS).select_related("order")
    by_email: dict[str, list[AttendeeTicket]] = {}
    for ticket in found.order_by("pk"):
        by_email.setdefault(ticket.email, []).append(ticket)
    return [_attendee(email, tickets) for email, tickets in sorted(by_email.items())]


def _attendee(email: str, tickets: list[AttendeeTicket]) -> Attendee:
    own = next((each for each in tickets if not each.holder_email), None)
    shown = own or tickets[0]
    return Attendee(email, shown.order.name if own else shown.attendee, len(tickets), shown.order, own is not None)
