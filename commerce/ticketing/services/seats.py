"""Takes and gives back seats. Nothing else writes reservations.

Everybody who takes seats of an event, or gives some back, has locked the row of its ticket sales: nobody else counts meanwhile.
An order is locked before it, a waiting list entry after it.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.errors import Invalid

from ..models import Reservation, ReservedSeats, TicketSales, TicketType
from ..selectors.seats import free_seats, limits_of, taken, types_of, wanted_by_others
from ..types.sales import FEW, VERSION, does_fit, event_tag

#: Seats and the price of one, by ticket type.
Wanted = Mapping[TicketType, tuple[int, int]]

SOLD_OUT = "There are no tickets left."


def lock_sales(event_id: int) -> TicketSales | None:
    """Lock the ticket sales of an event until the transaction ends; None if it has none, or was deleted."""
    return TicketSales.objects.select_for_update().filter(pk=event_id).first()


def reserve(
    *, event_id: int, start: str, wanted: Wanted, until: datetime, code: str = "", user: Any = None, is_offer: bool = False
) -> Reservation:
    """Reserve seats for a date, with the sales of its event locked, and return the reservation.

    People on the waiting list come first, unless this `is_offer` to one of them. Raises Invalid (`quantity`) if there are not
    enough seats.
    """
    types = types_of(event_id)
    by_id = {each.pk: quantity for each, (quantity, _) in wanted.items()}
    seats = taken(event_id, start)
    if not is_offer:
        for pk, quantity in wanted_by_others(event_id, start).items():
            seats[pk] = seats.get(pk, 0) + quantity
    if not does_fit(by_id, limits_of(types), seats):
        raise Invalid({"quantity": _sold_out(event_id, start, types, by_id)})
    now = timezone.now()
    reservation = Reservation.objects.create(
        event_id=event_id,
        start=start,
        code=code,
        until=until,
        user=user if getattr(user, "is_authenticated", False) else None,
        created_at=now,
    )
    ReservedSeats.objects.bulk_create(
        ReservedSeats(reservation=reservation, ticket_type=each, quantity=quantity, unit_price_cents=cents)
        for each, (quantity, cents) in wanted.items()
    )
    invalidate_if_few(event_id, start, sum(by_id.values()))
    return reservation


def reserve_again(reservation: Reservation, *, until: datetime) -> bool:
    """Extend a reservation, with the sales of its event locked; return False if it has ended, and others have its seats."""
    if not reservation.is_active(timezone.now()):
        types = types_of(reservation.event_id)
        wanted = dict(reservation.seats.values_list("ticket_type_id", "quantity"))
        if not does_fit(wanted, limits_of(types), taken(reservation.event_id, reservation.start)):
            return False
    reservation.until = until
    reservation.save(update_fields=["until"])
    return True


def release(reservations: QuerySet[Reservation]) -> None:
    """Give back the seats of reservations of events whose sales are locked."""
    dates = set(reservations.values_list("event_id", flat=True))
    reservations.delete()
    invalidate(*dates)


def invalidate(*event_ids: int) -> None:
    """Invalidate the pages that show the tickets of events."""
    if event_ids:
        versions.bump(VERSION, tags=[event_tag(pk) for pk in event_ids])


def invalidate_if_few(event_id: int, start: str, change: int) -> None:
    """Invalidate the pages of an event that say how few seats are left; a change among plenty shows nowhere."""
    free = free_seats(event_id, start, types_of(event_id)).values()
    if any(left is not None and left <= FEW + change for left in free):
        invalidate(event_id)


def _sold_out(event_id: int, start: str, types: list[TicketType], wanted: Mapping[int, int]) -> str:
    left = free_seats(event_id, start, types)
    for each in types:
        free = left.get(each.pk)
        if free is not None and wanted.get(each.pk, 0) > free:
            return f"Only {free} left of {each.name}." if free else f"{each.name} is sold out."
    return SOLD_OUT
