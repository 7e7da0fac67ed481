"""Takes and gives back seats. Nothing else writes reservations.

Everybody who takes seats of an event, or gives some back, has locked the row of its ticket sales: nobody else counts meanwhile.
An order is locked before it, a waiting list entry after it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.errors import Invalid
from commerce.common.services.networks import most_orders
from commerce.common.types.shares import most_unpaid

from ..models import Reservation, ReservedSeats, TicketSales, TicketType
from ..selectors.events import EventDate
from ..selectors.offers import seats_for_visitors
from ..selectors.seats import count_taken, free_tickets_of, types_of, unpaid_seats_of
from ..types.orders import MAX_TICKETS
from ..types.sales import FEW_SEATS, VERSION, Seats, event_tag

#: Seats and the price of one, by ticket type.
Wanted = Mapping[TicketType, tuple[int, int]]

SOLD_OUT = "There are no tickets left."
HOLDS_TOO_MANY = "You can reserve at most {} tickets at a time. Buy these first, then the others."
#: Free tickets that one network may get, however few seats there are.
FEWEST_FREE_TICKETS = 20
GOT_MANY = "Many free tickets have already been ordered from your network. Write to us if you need more."
HOLDS_MANY = (
    "At most {} tickets can be reserved from one network at a time. Pay for those that you've reserved, or try again in a few "
    "minutes."
)


def lock_sales(event_id: int) -> TicketSales | None:
    """Lock the ticket sales of an event until the transaction ends; None if it has none, or was deleted."""
    return TicketSales.objects.select_for_update().filter(pk=event_id).first()


def reserve(
    *,
    date: EventDate,
    wanted: Wanted,
    until: datetime,
    code: str = "",
    user: Any = None,
    network: str = "",
    is_offer: bool = False,
) -> Reservation:
    """Reserve seats for a date, with the sales of its event locked, and return the reservation.

    People on the waiting list come first, unless this `is_offer` to one of them. Seats of a `network` are limited. Raises Invalid
    (`quantity`) if there are not enough seats, or the network has too many.
    """
    event_id, start = date.event.pk, date.start
    types = types_of(event_id)
    by_id = {each.pk: quantity for each, (quantity, _) in wanted.items()}
    seats = count_taken(event_id, start, types) if is_offer else seats_for_visitors(date, types)
    if not seats.fits(by_id):
        raise Invalid({"quantity": _sold_out(seats, types, by_id)})
    if network:
        _check_share(types, by_id, unpaid_seats_of(network, event_id, start))
    now = timezone.now()
    reservation = Reservation.objects.create(
        event_id=event_id,
        start=start,
        code=code,
        until=until,
        network=network,
        user=user if getattr(user, "is_authenticated", False) else None,
        created_at=now,
    )
    ReservedSeats.objects.bulk_create(
        ReservedSeats(reservation=reservation, ticket_type=each, quantity=quantity, unit_price_cents=cents)
        for each, (quantity, cents) in wanted.items()
    )
    invalidate_if_few(event_id, start, sum(by_id.values()))
    return reservation


def reserve_again(reservation: Reservation, *, date: EventDate, until: datetime) -> bool:
    """Extend a reservation for a date, with the sales of its event locked.

    Returns False if it has ended, and others have its seats, or are in line for them.
    """
    if not reservation.is_active(timezone.now()):
        wanted = dict(reservation.seats.values_list("ticket_type_id", "quantity"))
        if not seats_for_visitors(date, types_of(reservation.event_id)).fits(wanted):
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
    free = count_taken(event_id, start, types_of(event_id)).all_left().values()
    if any(left is not None and left <= FEW_SEATS + change for left in free):
        invalidate(event_id)


def _check_share(types: Sequence[TicketType], wanted: Mapping[int, int], unpaid: Mapping[int, int]) -> None:
    """Raise Invalid (`quantity`) if one network would hold too many seats of a type, or of those that types share.

    `wanted` and `unpaid` are seats by ticket type. Only those that there are few of are counted.
    """
    orders = most_orders()
    for size, members in _pools(types, wanted):
        per_order = [each.max_per_order for each in members]
        most = most_unpaid(size, one_order=min(MAX_TICKETS, max(per_order)), several=orders * min(MAX_TICKETS, sum(per_order)))
        before = sum(unpaid.get(each.pk, 0) for each in members)
        if orders and before + sum(wanted.get(each.pk, 0) for each in members) > most:
            raise Invalid({"quantity": HOLDS_MANY.format(most) if before else HOLDS_TOO_MANY.format(most)})


def check_free(reservation: Reservation) -> None:
    """Raise Invalid (`quantity`) if visitors of one network would get more than half of some seats without paying.

    Nothing shows that their addresses are their own. One order may always have what it may have.
    """
    event_id, start, network = reservation.event_id, reservation.start, reservation.network
    if not network or not most_orders():
        return
    wanted = dict(reservation.seats.values_list("ticket_type_id", "quantity"))
    before = free_tickets_of(network, event_id, start)
    for size, members in _pools(types_of(event_id), wanted):
        got = sum(before.get(each.pk, 0) for each in members)
        most = max(FEWEST_FREE_TICKETS, size // 2)
        if got and got + sum(wanted.get(each.pk, 0) for each in members) > most:
            raise Invalid({"quantity": GOT_MANY})


def _pools(types: Sequence[TicketType], wanted: Mapping[int, int]) -> Iterator[tuple[int, list[TicketType]]]:
    """Yield the numbers of seats that some of the wanted ones are among, each with the ticket types that have them."""
    chosen = [each for each in types if wanted.get(each.pk)]
    for each in chosen:
        if each.size is not None:
            yield each.size, [each]
    for quota in {each.quota for each in chosen if each.quota is not None}:
        yield quota.size, [each for each in types if each.quota_id == quota.pk]


def _sold_out(seats: Seats, types: list[TicketType], wanted: Mapping[int, int]) -> str:
    for each in types:
        free = seats.count_left(each.pk)
        if free is not None and wanted.get(each.pk, 0) > free:
            return f"Only {free} left of {each.name}." if free else f"{each.name} is sold out."
    return SOLD_OUT
