"""Seats: counted from tickets and reservations, never kept as a number."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from ..models import AttendeeTicket, Reservation, ReservedSeats, TicketType, WaitingEntry
from ..types.orders import ADMITS
from ..types.sales import Limits, WaitingStatus, seats_left


def is_active(now: datetime, prefix: str = "") -> Q:
    """Return the condition of reservations that take seats."""
    return Q(**{f"{prefix}until__gt": now}) | Q(**{f"{prefix}is_placed": True})


def types_of(event_id: int) -> list[TicketType]:
    """Return all ticket types of an event, in their order (one statement)."""
    return list(TicketType.objects.filter(event=event_id).select_related("quota"))


def limits_of(types: Sequence[TicketType]) -> dict[int, Limits]:
    return {each.pk: each.limits for each in types}


def sold(event_id: int, start: str) -> dict[int, int]:
    """Return how many tickets of each type are sold for a date and not void."""
    tickets = AttendeeTicket.objects.filter(event=event_id, start=start, status__in=ADMITS).order_by()
    return dict(tickets.values_list("ticket_type").annotate(Count("pk")))


def sold_at(dates: Collection[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """Return how many tickets are sold for dates, each an event's id and a local start (one statement)."""
    events, starts = {event for event, _ in dates}, {start for _, start in dates}
    tickets = AttendeeTicket.objects.filter(event__in=events, start__in=starts, status__in=ADMITS).order_by()
    return {(event, start): number for event, start, number in tickets.values_list("event_id", "start").annotate(Count("pk"))}


def reserved(event_id: int, start: str, *, but: Reservation | None = None) -> dict[int, int]:
    """Return how many seats of each type are reserved for a date, apart from those of one reservation."""
    seats = ReservedSeats.objects.filter(
        is_active(timezone.now(), "reservation__"), reservation__event=event_id, reservation__start=start
    ).order_by()
    if but is not None:
        seats = seats.exclude(reservation=but)
    return dict(seats.values_list("ticket_type").annotate(Sum("quantity")))


def taken(event_id: int, start: str, *, but: Reservation | None = None) -> dict[int, int]:
    """Return the seats of each type that nobody else can have: sold and reserved ones (two statements)."""
    return _sum(sold(event_id, start), reserved(event_id, start, but=but))


def wanted_by_others(event_id: int, start: str) -> dict[int, int]:
    """Return how many seats of each type people on the waiting list wait for; they come first."""
    waiting = WaitingEntry.objects.filter(ticket_type__event=event_id, start=start, status=WaitingStatus.WAITING).order_by()
    return dict(waiting.values_list("ticket_type").annotate(Sum("quantity")))


def free_seats(event_id: int, start: str, types: Sequence[TicketType]) -> dict[int, int | None]:
    """Return the seats of each type that visitors can have; `types` are all of the event (three statements)."""
    return free_now_and_later(event_id, start, types)[0]


def free_now_and_later(
    event_id: int, start: str, types: Sequence[TicketType]
) -> tuple[dict[int, int | None], dict[int, int | None]]:
    """Return the seats of each type that visitors can have, and those if nobody bought what is reserved (three statements)."""
    limits, gone = limits_of(types), sold(event_id, start)
    wanted = _sum(reserved(event_id, start), wanted_by_others(event_id, start))
    return seats_left(limits, _sum(gone, wanted)), seats_left(limits, gone)


def _sum(first: Mapping[int, int], second: Mapping[int, int]) -> dict[int, int]:
    return {pk: first.get(pk, 0) + second.get(pk, 0) for pk in first.keys() | second.keys()}


def ended_reservations(now: datetime) -> QuerySet[Reservation]:
    """Return the reservations that have ended without an order."""
    return Reservation.objects.filter(until__lte=now, is_placed=False).order_by("until", "pk")
