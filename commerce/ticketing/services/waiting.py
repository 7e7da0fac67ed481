"""The waiting list: seats that are free again are offered in turn, and reserved until the offer ends."""

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.core.errors import ErrorCollector, Invalid, required
from cms_api.fields.base import FieldPath, read_line
from cms_api.flags.selectors import get_setting
from commerce.common.types import MAX_NAME, read_email

from ..models import Reservation, TicketType, WaitingEntry
from ..selectors.events import EventDate, date_at, event_by_id
from ..selectors.offers import is_for, offers_for, window_of
from ..selectors.seats import limits_of, taken, types_of
from ..types.sales import SaleState, WaitingStatus, does_fit
from . import notices
from .seats import invalidate, lock_sales, release, reserve


@transaction.atomic
def join_waiting_list(
    *, event: ContentItem, start: str, ticket_type: int, name: Any, email: Any, quantity: Any, code: str = ""
) -> WaitingEntry:
    """Put somebody on the waiting list of a sold-out ticket type; an address that waits already changes its entry.

    Raises Invalid: `occurrence`, `ticket_type`, `name`, `email`, `quantity`.
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
    if before is not None:
        before.name, before.quantity, before.updated_at = found["name"], found["quantity"], now
        before.save(update_fields=["name", "quantity", "updated_at"])
        return before
    try:
        with transaction.atomic():
            entry = WaitingEntry.objects.create(ticket_type=each, start=date.start, created_at=now, updated_at=now, **found)
    except IntegrityError:
        raise Invalid({"email": "Tickets have already been offered to this address. Check your inbox."}) from None
    notices.send_waiting(entry, date)
    return entry


def read_entry(ticket_type: TicketType, *, name: Any, email: Any, quantity: Any) -> dict[str, Any]:
    """Return the valid `name`, `email` and `quantity` of somebody who wants to wait. Raises Invalid by these names."""
    errors, found = ErrorCollector(), {"quantity": quantity}
    least, most = ticket_type.min_per_order, ticket_type.max_per_order
    with errors.under():
        found["email"] = read_email(str(email or ""))
    with errors.under():
        found["name"] = read_line(name, FieldPath("name", "name"), MAX_NAME) or ""
    if not found.get("name") and "name" not in errors.errors:
        errors.add("name", required("name"))
    if isinstance(quantity, bool) or not isinstance(quantity, int) or not least <= quantity <= most:
        errors.add("quantity", f"Choose between {least} and {most} tickets.")
    errors.raise_if_any()
    return found


@transaction.atomic
def leave_waiting_list(*, entry: WaitingEntry) -> bool:
    """Take somebody off the waiting list, with the seats that are offered; return False if they are not on it."""
    event_id = entry.ticket_type.event_id
    lock_sales(event_id)
    locked = WaitingEntry.objects.select_for_update().get(pk=entry.pk)
    if locked.status not in {WaitingStatus.WAITING, WaitingStatus.OFFERED} or _is_being_bought(locked):
        return False
    _end(locked, WaitingStatus.LEFT)
    offer_seats(event_id, locked.start)
    return True


def offer_seats(event_id: int, start: str) -> int:
    """Offer the free seats of a date in turn, with the sales of its event locked; return how many people have an offer now.

    Somebody who wants more seats than are free is passed over until there are enough.
    """
    waiting = WaitingEntry.objects.select_for_update(of=("self",)).select_related("ticket_type")
    line = list(waiting.filter(ticket_type__event=event_id, start=start, status=WaitingStatus.WAITING).order_by("pk"))
    event = event_by_id(event_id) if line else None
    date = date_at(event, start) if event is not None else None
    if date is None or not date.takes_place:
        return 0
    types = {each.pk: each for each in types_of(event_id)}
    limits, seats, offered = limits_of(list(types.values())), taken(event_id, start), 0
    for entry in line:
        each = types[entry.ticket_type_id]
        if not _can_be_sold(each, date) or not does_fit({each.pk: entry.quantity}, limits, seats):
            continue
        seats[each.pk] = seats.get(each.pk, 0) + entry.quantity
        _offer(entry, each, date)
        offered += 1
    return offered


def _can_be_sold(ticket_type: TicketType, date: EventDate) -> bool:
    is_open = window_of(ticket_type, date.starts_at).state(timezone.now()) == SaleState.ON_SALE
    return ticket_type.is_offered and is_for(ticket_type, date.start) and is_open


def _offer(entry: WaitingEntry, ticket_type: TicketType, date: EventDate) -> None:
    now = timezone.now()
    price = ticket_type.suggested_cents if ticket_type.suggested_cents is not None else ticket_type.price_cents
    entry.reservation = reserve(
        event_id=date.event.pk,
        start=entry.start,
        wanted={ticket_type: (entry.quantity, price)},
        until=now + timedelta(hours=max(1, int(get_setting("ticketing.offer_hours")))),
        code=ticket_type.access_code,
        is_offer=True,
    )
    entry.status, entry.offered_at, entry.updated_at = WaitingStatus.OFFERED, now, now
    entry.save(update_fields=["reservation", "status", "offered_at", "updated_at"])
    notices.send_offer(entry, date)


def end_offers(event_id: int) -> None:
    """End the offers of an event that nobody took up in time, with its sales locked."""
    offered = WaitingEntry.objects.select_for_update(of=("self",)).filter(
        ticket_type__event=event_id, status=WaitingStatus.OFFERED
    )
    now = timezone.now()
    for entry in offered.select_related("reservation").order_by("pk"):
        if entry.reservation is None or not entry.reservation.is_active(now):
            _end(entry, WaitingStatus.EXPIRED)


def _end(entry: WaitingEntry, status: WaitingStatus) -> None:
    reservation, entry.reservation = entry.reservation_id, None
    entry.status, entry.updated_at = status, timezone.now()
    entry.save(update_fields=["reservation", "status", "updated_at"])
    if reservation is not None:
        release(Reservation.objects.filter(pk=reservation, is_placed=False))
    invalidate(entry.ticket_type.event_id)


def _is_being_bought(entry: WaitingEntry) -> bool:
    return entry.reservation is not None and entry.reservation.is_placed
