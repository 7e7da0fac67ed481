"""The waiting list: seats that are free again are offered in turn, and reserved until the offer ends."""

from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from cms_api.auth.selectors import owns_address
from cms_api.auth.services import visitors
from cms_api.content.models import ContentItem
from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.core.locks import get_row
from cms_api.fields.base import FieldPath
from cms_api.flags.selectors import get_setting
from commerce.common.services.networks import most_orders
from commerce.common.types import MAX_NAME, read_email

from ..models import Reservation, TicketType, WaitingEntry
from ..selectors.events import EventDate, date_at, event_by_id
from ..selectors.offers import offers_for, types_on_sale, window_of
from ..selectors.seats import count_taken, ended_reservations, line_for, party_of, types_of, waited_for
from ..types.sales import WaitingStatus
from . import notices
from .seats import invalidate, lock_sales, release, reserve

WAITS_FOR_MANY = "People in your network already wait for many of these tickets."


@transaction.atomic
def join_waiting_list(
    *,
    event: ContentItem,
    start: str,
    ticket_type: int,
    name: Any,
    email: Any,
    quantity: Any,
    code: str = "",
    network: str = "",
    user: Any = None,
) -> WaitingEntry:
    """Put somebody on the waiting list of a sold-out ticket type.

    An address that waits already changes its entry. If a visitor of some `network` sends it who is not signed in with an account
    that has confirmed the address, the entry stays as it is, and its link is mailed again. The seats that visitors of a network
    wait for are limited, because offers reserve them. Raises Invalid: `occurrence`, `ticket_type`, `name`, `email`, `quantity`.
    """
    lock_sales(event.pk)
    date = date_at(event, start)
    if date is None or not date.takes_place:
        raise Invalid({"occurrence": "Choose one of the dates."})
    offer = next((each for each in offers_for(date, code=code) if each.ticket_type.pk == ticket_type), None)
    if offer is None or not offer.can_wait:
        raise Invalid({"ticket_type": "There is no waiting list for this ticket."})
    each, now = offer.ticket_type, timezone.now()
    found = read_entry(each, name=name, email=email, quantity=quantity)
    before = WaitingEntry.objects.filter(
        ticket_type=each, start=date.start, email=found["email"], status=WaitingStatus.WAITING
    ).first()
    if before is not None and network and not owns_address(user, before.email):
        notices.send_waiting(before, date)
        return before
    if network:
        _check_waited_for(each, date.start, found["quantity"], network, before)
    if before is not None:
        before.name, before.quantity, before.network, before.updated_at = found["name"], found["quantity"], network, now
        before.save(update_fields=["name", "quantity", "network", "updated_at"])
        return before
    try:
        with transaction.atomic():
            entry = WaitingEntry.objects.create(
                ticket_type=each, start=date.start, network=network, created_at=now, updated_at=now, **found
            )
    except IntegrityError:
        raise Invalid({"email": "Tickets have already been offered to this address. Check your inbox."}) from None
    notices.send_waiting(entry, date)
    return entry


def _check_waited_for(ticket_type: TicketType, start: str, quantity: int, network: str, before: WaitingEntry | None) -> None:
    """Raise Invalid (`quantity`) if visitors of one network would wait for more seats than a few orders have.

    `before` is the entry that is changed.
    """
    orders, others = most_orders(), waited_for(ticket_type.pk, start, network, but=before)
    if orders and others + quantity > orders * ticket_type.max_per_order:
        raise Invalid({"quantity": WAITS_FOR_MANY})


def read_entry(ticket_type: TicketType, *, name: Any, email: Any, quantity: Any) -> dict[str, Any]:
    """Return the valid `name`, `email` and `quantity` of somebody who wants to wait. Raises Invalid by these names."""
    errors, found = ErrorCollector(), {"quantity": quantity}
    least, most = ticket_type.min_per_order, most_served(ticket_type)
    with errors.under():
        found["email"] = read_email(str(email or ""))
    with errors.under():
        found["name"] = visitors.read_name(name, FieldPath("name", "name"), MAX_NAME)
    if not found.get("name") and "name" not in errors.errors:
        errors.add("name", required_message("name"))
    if isinstance(quantity, bool) or not isinstance(quantity, int) or not least <= quantity <= most:
        errors.add("quantity", f"Choose between {least} and {most} tickets.")
    errors.raise_if_any()
    return found


def most_served(ticket_type: TicketType) -> int:
    """Return how many seats of a type one offer may have: no more than there are. A type without any may get some."""
    limits = ticket_type.limits
    sizes = [size for size in (limits.size, limits.quota_size) if size]
    return max(ticket_type.min_per_order, min([ticket_type.max_per_order, *sizes]))


@transaction.atomic
def leave_waiting_list(*, entry: WaitingEntry) -> bool:
    """Take somebody off the waiting list, with the seats that are offered; return False if they are not on it."""
    event_id = entry.ticket_type.event_id
    lock_sales(event_id)
    locked = get_row(WaitingEntry.objects.select_for_update(), entry.pk)
    if locked.status not in {WaitingStatus.WAITING, WaitingStatus.OFFERED} or _is_being_bought(locked):
        return False
    _end(locked, WaitingStatus.LEFT)
    offer_seats(event_id, locked.start)
    return True


def offer_seats(event_id: int, start: str) -> int:
    """Offer the free seats of a date in turn, with the sales of its event locked; return how many people have an offer now.

    Somebody who wants more seats than are free is passed over until there are enough, and blocks nothing meanwhile.
    """
    date = _date_waited_for(event_id, start)
    if date is None:
        return 0
    types = types_of(event_id)
    by_id, seats = {each.pk: each for each in types}, count_taken(event_id, start, types)
    line = line_for(seats, start, types_on_sale(types, date))
    served = [line[place] for place in seats.serve(map(party_of, line))]
    for entry in served:
        _offer(entry, by_id[entry.ticket_type_id], date)
    return len(served)


def _date_waited_for(event_id: int, start: str) -> EventDate | None:
    """Return a date that somebody waits for, if it takes place."""
    waiting = WaitingEntry.objects.filter(ticket_type__event=event_id, start=start, status=WaitingStatus.WAITING)
    event = event_by_id(event_id) if waiting.exists() else None
    date = date_at(event, start) if event is not None else None
    return date if date is not None and date.takes_place else None


def _offer(entry: WaitingEntry, ticket_type: TicketType, date: EventDate) -> None:
    now = timezone.now()
    price = ticket_type.suggested_cents if ticket_type.suggested_cents is not None else ticket_type.price_cents
    entry.reservation = reserve(
        date=date,
        wanted={ticket_type: (entry.quantity, price)},
        until=_offer_end(ticket_type, date, now),
        code=ticket_type.access_code,
        is_offer=True,
    )
    entry.status, entry.offered_at, entry.updated_at = WaitingStatus.OFFERED, now, now
    entry.save(update_fields=["reservation", "status", "offered_at", "updated_at"])
    notices.send_offer(entry, date)


def _offer_end(ticket_type: TicketType, date: EventDate, offered_at: datetime) -> datetime:
    """Return until when an offer that was made at a moment holds: some hours, and no longer than the tickets are sold."""
    until = offered_at + timedelta(hours=max(1, int(get_setting("ticketing.offer_hours"))))
    closes_at = window_of(ticket_type, date).closes_at
    return min(until, closes_at) if closes_at is not None else until


def shorten_offers(event_id: int) -> None:
    """Let the offers of an event end with its sales, after these or its dates have changed."""
    event = event_by_id(event_id)
    offered = WaitingEntry.objects.filter(ticket_type__event=event_id, status=WaitingStatus.OFFERED)
    for entry in offered.select_related("ticket_type", "reservation"):
        date = date_at(event, entry.start) if event is not None else None
        reservation = entry.reservation
        if date is None or reservation is None:
            continue
        closes_at = window_of(entry.ticket_type, date).closes_at
        if closes_at is not None:
            Reservation.objects.filter(pk=reservation.pk, is_placed=False, until__gt=closes_at).update(until=closes_at)


def withdraw_offers(event_id: int, start: str) -> None:
    """Put the people with offers for a cancelled date back on its waiting list, with the sales of its event locked.

    They keep their place in case that the date is back. Seats that are being paid for stay with their order.
    """
    offered = WaitingEntry.objects.select_for_update(of=("self",)).filter(
        ticket_type__event=event_id, start=start, status=WaitingStatus.OFFERED, reservation__is_placed=False
    )
    for entry in offered.select_related("ticket_type").order_by("pk"):
        _end(entry, WaitingStatus.WAITING)


def release_ended(event_id: int) -> None:
    """Give back the seats of carts and offers of an event that have ended, with its sales locked."""
    offered = WaitingEntry.objects.select_for_update(of=("self",)).filter(
        ticket_type__event=event_id, status=WaitingStatus.OFFERED
    )
    now = timezone.now()
    for entry in offered.select_related("reservation").order_by("pk"):
        if entry.reservation is None or not entry.reservation.is_active(now):
            _end(entry, WaitingStatus.EXPIRED)
    release(Reservation.objects.filter(pk__in=ended_reservations(now).filter(event=event_id).values("pk")))


def end_offer(reservation: Reservation) -> None:
    """End the offer of a reservation that is given up, if it is one, so that the person can join the list again."""
    offer = getattr(reservation, "offer", None)
    if offer is not None:
        offer.status, offer.reservation, offer.updated_at = WaitingStatus.EXPIRED, None, timezone.now()
        offer.save(update_fields=["status", "reservation", "updated_at"])


def end_waiting(event_id: int, start: str) -> None:
    """Take everybody off the waiting list of a date that is over."""
    waiting = WaitingEntry.objects.filter(ticket_type__event=event_id, start=start, status=WaitingStatus.WAITING)
    waiting.update(status=WaitingStatus.EXPIRED, updated_at=timezone.now())


def _end(entry: WaitingEntry, status: WaitingStatus) -> None:
    reservation, entry.reservation = entry.reservation_id, None
    entry.status, entry.updated_at = status, timezone.now()
    entry.save(update_fields=["reservation", "status", "updated_at"])
    if reservation is not None:
        release(Reservation.objects.filter(pk=reservation, is_placed=False))
    invalidate(entry.ticket_type.event_id)


def _is_being_bought(entry: WaitingEntry) -> bool:
    return entry.reservation is not None and entry.reservation.is_placed
