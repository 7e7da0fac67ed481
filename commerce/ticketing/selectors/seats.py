"""Seats: counted from tickets and reservations, never kept as a number."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from ..models import AttendeeTicket, Reservation, ReservedSeats, TicketOrderItem, TicketType, WaitingEntry
from ..types.orders import ADMITS
from ..types.sales import ON_LIST, Limits, Party, Seats, WaitingStatus

ORDERED = "{} has been ordered and can't be deleted. Stop offering it instead."
RESERVED = "Somebody is buying {}, or has an offer of it. Stop offering it instead, or delete it once nobody has reserved any."
WAITED_FOR = "People wait for {}. Stop offering it instead, or take them off the waiting list first."


def is_active(now: datetime, prefix: str = "") -> Q:
    """Return the condition of reservations that take seats."""
    return Q(**{f"{prefix}until__gt": now}) | Q(**{f"{prefix}is_placed": True})


def types_of(event_id: int) -> list[TicketType]:
    """Return all ticket types of an event, in their order (one statement)."""
    return list(TicketType.objects.filter(event=event_id).select_related("quota"))


def limits_of(types: Sequence[TicketType]) -> dict[int, Limits]:
    return {each.pk: each.limits for each in types}


def count_sold(event_id: int, start: str) -> dict[int, int]:
    """Return how many tickets of each type are sold for a date and not void."""
    tickets = AttendeeTicket.objects.filter(event=event_id, start=start, status__in=ADMITS).order_by()
    return dict(tickets.values_list("ticket_type").annotate(Count("pk")))


def sold_at(dates: Collection[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """Return how many tickets are sold for dates, each an event's id and a local start (one statement)."""
    events, starts = {event for event, _ in dates}, {start for _, start in dates}
    tickets = AttendeeTicket.objects.filter(event__in=events, start__in=starts, status__in=ADMITS).order_by()
    return {(event, start): number for event, start, number in tickets.values_list("event_id", "start").annotate(Count("pk"))}


def count_reserved(event_id: int, start: str, *, but: Reservation | None = None) -> dict[int, int]:
    """Return how many seats of each type are reserved for a date, apart from those of one reservation."""
    seats = ReservedSeats.objects.filter(
        is_active(timezone.now(), "reservation__"), reservation__event=event_id, reservation__start=start
    ).order_by()
    if but is not None:
        seats = seats.exclude(reservation=but)
    return dict(seats.values_list("ticket_type").annotate(Sum("quantity")))


def unpaid_seats_of(network: str, event_id: int, start: str) -> dict[int, int]:
    """Return how many seats of each type visitors of a network hold at a date, and have not begun to pay for."""
    seats = ReservedSeats.objects.filter(
        is_active(timezone.now(), "reservation__"),
        reservation__event=event_id,
        reservation__start=start,
        reservation__network=network,
    ).exclude(reservation__order__is_processing=True)
    return dict(seats.order_by().values_list("ticket_type").annotate(Sum("quantity")))


def free_tickets_of(network: str, event_id: int, start: str) -> dict[int, int]:
    """Return how many tickets of each type visitors of a network got for a date without paying."""
    orders = {"order__network": network, "order__total_cents": 0}
    found = AttendeeTicket.objects.filter(event=event_id, start=start, status__in=ADMITS, **orders).order_by()
    return dict(found.values_list("ticket_type").annotate(Count("pk")))


def waited_for(type_id: int, start: str, network: str, *, but: WaitingEntry | None = None) -> int:
    """Return how many seats of a ticket type visitors of a network wait for at a date, or have an offer of."""
    entries = WaitingEntry.objects.filter(network=network, ticket_type=type_id, start=start, status__in=ON_LIST)
    if but is not None:
        entries = entries.exclude(pk=but.pk)
    found: int = entries.aggregate(sum=Sum("quantity", default=0))["sum"]
    return found


def count_taken(event_id: int, start: str, types: Sequence[TicketType], *, but: Reservation | None = None) -> Seats:
    """Return the count of seats that nobody else can have: sold and reserved ones (two statements).

    `types` are all of the event.
    """
    found = Seats(limits_of(types), count_sold(event_id, start))
    for pk, quantity in count_reserved(event_id, start, but=but).items():
        found.take(pk, quantity)
    return found


def types_in_use(event_id: int) -> list[tuple[TicketType, str]]:
    """Return the ticket types of an event that people rely on, each with why it can't be deleted (four statements).

    An offer to somebody on the waiting list is reserved seats. The sales of the event are locked.
    """
    types = types_of(event_id)
    own = {"ticket_type__in": [each.pk for each in types]}
    found: tuple[tuple[QuerySet[Any], str], ...] = (
        (TicketOrderItem.objects.filter(**own), ORDERED),
        (ReservedSeats.objects.filter(is_active(timezone.now(), "reservation__"), **own), RESERVED),
        (WaitingEntry.objects.filter(status=WaitingStatus.WAITING, **own), WAITED_FOR),
    )
    reasons: dict[int, str] = {}
    for rows, reason in found:
        for pk in rows.order_by().values_list("ticket_type", flat=True).distinct():
            reasons.setdefault(pk, reason)
    return [(each, reasons[each.pk].format(each.name)) for each in types if each.pk in reasons]


def line_for(seats: Seats, start: str, types: Collection[int]) -> list[WaitingEntry]:
    """Return the people who wait for seats of some types at a date, in turn, without parties that are too large for any."""
    most = seats.largest_party(types)
    waiting = WaitingEntry.objects.filter(ticket_type__in=types, start=start, status=WaitingStatus.WAITING)
    if most is not None:
        waiting = waiting.filter(quantity__lte=most)
    return list(waiting.order_by("pk")) if most != 0 else []


def party_of(entry: WaitingEntry) -> Party:
    return Party(entry.ticket_type_id, entry.quantity)


def dates_waited_for() -> QuerySet[WaitingEntry, tuple[int, str]]:
    """Return the event's id and the local start of each date that somebody waits for."""
    waiting = WaitingEntry.objects.filter(status=WaitingStatus.WAITING).order_by("ticket_type__event_id", "start")
    return waiting.values_list("ticket_type__event_id", "start").distinct()


def ended_reservations(now: datetime) -> QuerySet[Reservation]:
    """Return the reservations that have ended without an order."""
    return Reservation.objects.filter(until__lte=now, is_placed=False).order_by("until", "pk")
