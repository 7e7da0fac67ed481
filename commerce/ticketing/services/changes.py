"""Keeps tickets, their orders and their buyers up to date when the dates of events change. Called by the signals of `events`."""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Case, Count, Q, QuerySet, Sum, Value, When
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_formats
from commerce.payments.services import close_payments_later
from events.selectors.rsvps import date_of, start_of

from ..models import Announcement, AttendeeTicket, Reservation, TicketOrder, TicketType, WaitingEntry
from ..selectors.attendees import has_tickets, starts_waited_for, waiting_at
from ..selectors.events import date_at, sells_tickets
from ..selectors.offers import offers_tickets
from ..selectors.orders import starts_with_tickets
from ..types.announcements import AnnouncementKind
from ..types.orders import ADMITS, PAYABLE, OrderStatus
from ..types.sales import ON_LIST, WaitingStatus
from . import notices
from .announcing import notify_attendees
from .seats import invalidate, lock_sales, release
from .waiting import shorten_offers, withdraw_offers

TAKEN = "There are still tickets for a cancelled date at {}. Refund or void them first, or choose another time."
SOLD = "There are tickets for dates of this event. Cancel these dates and refund the orders first."
NOT_REFUNDED = "There are orders for cancelled dates of this event. Refund or cancel them first."
NOT_NOTIFIED = "People with tickets are just being notified of a change. Try again in a few minutes."
#: People on waiting lists who are notified in the transaction that deletes their event.
MAX_WAITING_TO_NOTIFY = 50
TOO_MANY_WAIT = (
    f"More than {MAX_WAITING_TO_NOTIFY} people wait for tickets of this event. Cancel its dates first, and delete it once people "
    "have been notified."
)
MANY_ORDER = "People are ordering tickets for these dates at this moment. Try again in a few seconds."
#: How often the orders and the sales are locked, until nobody has ordered in between.
MAX_ATTEMPTS = 10
#: Dates per statement.
BATCH = 200


def keep_dates(event: ContentItem, rows: Collection[ContentItem]) -> set[int]:
    """Return the ids of the dates that have tickets, or that somebody waits for."""
    starts = keep_starts(event)
    return {row.pk for row in rows if start_of(date_of(row)) in starts} if starts else set()


def keep_starts(event: ContentItem) -> set[str]:
    """Return the starts of the dates that have tickets, or that somebody waits for."""
    return starts_with_tickets(event.pk) | starts_waited_for(event.pk)


def follow_dates(event: ContentItem, starts: Mapping[str, str], notified: Collection[str]) -> None:
    """Move tickets, and all else that is stored by local start, along with their dates, and notify people."""
    if sells_tickets(event.pk) is None:
        return
    _lock_orders(event, starts)
    _free_starts(event, set(starts.values()) - set(starts))
    records: tuple[QuerySet[Any], ...] = (
        TicketOrder.objects.filter(event_id=event.pk),
        AttendeeTicket.objects.filter(event_id=event.pk),
        Reservation.objects.filter(event=event),
        WaitingEntry.objects.filter(ticket_type__event=event),
        TicketType.objects.filter(event=event),
        Announcement.objects.filter(event_id=event.pk, is_sent=False),
    )
    for each in records:
        _follow(each, starts)
    shorten_offers(event.pk)
    _close_pages(event, {*starts.values(), *notified})
    for start in sorted(notified):
        notify_attendees(event_id=event.pk, start=start, kind=AnnouncementKind.MOVED)
    invalidate(event.pk)


def _lock_orders(event: ContentItem, starts: Collection[str]) -> None:
    """Lock the orders of dates, and then the sales: in this order everywhere, or two transactions would wait for each other.

    Raises Invalid (`item`) if there are new orders each time.
    """
    orders = TicketOrder.objects.filter(event_id=event.pk, start__in=starts).order_by("pk").values_list("pk", flat=True)
    for _ in range(MAX_ATTEMPTS):
        # Rolling back ends the locks, if somebody has ordered between the two.
        with transaction.atomic():
            known = list(orders.select_for_update())
            lock_sales(event.pk)
            if list(orders.all()) == known:
                return
            transaction.set_rollback(True)
    raise Invalid({"item": MANY_ORDER})


def _free_starts(event: ContentItem, starts: Collection[str]) -> None:
    """Make starts that dates move to free of what is left of dates that have vanished.

    Raises Invalid if there are tickets: they belong to their date, and tickets of two dates at one start can't be told apart.
    """
    sold = AttendeeTicket.objects.filter(event_id=event.pk, start__in=starts, status__in=ADMITS).order_by("start")
    if (start := sold.values_list("start", flat=True).first()) is not None:
        field = event.type.date_field
        when = site_formats().datetime(datetime.fromisoformat(start))
        raise Invalid({f"data.{field.key}" if field else "data": TAKEN.format(when)})
    waiting = WaitingEntry.objects.filter(ticket_type__event=event, start__in=starts, status__in=ON_LIST)
    waiting.update(reservation=None, status=WaitingStatus.EXPIRED, updated_at=timezone.now())
    release(Reservation.objects.filter(event=event, start__in=starts, is_placed=False))


def _follow(records: QuerySet[Any], starts: Mapping[str, str]) -> None:
    """Set the new starts in two steps, as a date may move to where another one was."""
    used = list(records.filter(start__in=starts).order_by().values_list("start", flat=True).distinct())
    for at in range(0, len(used), BATCH):
        part = used[at : at + BATCH]
        marks = {start: f"~{at + number}" for number, start in enumerate(part)}
        _set_starts(records, marks)
    marked = {f"~{number}": starts[start] for number, start in enumerate(used)}
    for at in range(0, len(used), BATCH):
        _set_starts(records, dict(list(marked.items())[at : at + BATCH]))


def _set_starts(records: QuerySet[Any], starts: Mapping[str, str]) -> None:
    new = Case(*(When(start=former, then=Value(start)) for former, start in starts.items()))
    records.filter(start__in=starts).update(start=new)


def _close_pages(event: ContentItem, starts: Collection[str]) -> None:
    """Close the open payment pages of orders for dates that have changed: their buyers decide again whether to pay."""
    unpaid = TicketOrder.objects.filter(event_id=event.pk, start__in=starts, status=OrderStatus.PENDING, is_processing=False)
    for pk in unpaid.order_by("pk").values_list("pk", flat=True):
        close_payments_later(payable=PAYABLE, record_id=pk)


def count_guests(event: ContentItem) -> dict[str, int]:
    """Return how many people have or have ordered tickets for each date, or wait for some, by local start (three statements)."""
    found = AttendeeTicket.objects.filter(event_id=event.pk, status__in=ADMITS).order_by()
    guests = Counter(dict(found.values_list("start").annotate(Count("pk"))))
    unpaid = TicketOrder.objects.filter(event_id=event.pk, status=OrderStatus.PENDING).order_by()
    guests.update(dict(unpaid.values_list("start").annotate(Sum("ticket_count"))))
    waiting = WaitingEntry.objects.filter(ticket_type__event=event, status__in=ON_LIST).order_by()
    guests.update(dict(waiting.values_list("start").annotate(Sum("quantity"))))
    return guests


def change_dates(event: ContentItem, starts: Collection[str], is_cancelled: bool) -> None:
    """Notify people of dates that are cancelled, or are back. Nothing is on offer for a cancelled date."""
    if sells_tickets(event.pk) is None:
        return
    if is_cancelled:
        lock_sales(event.pk)
        _close_pages(event, starts)
    kind = AnnouncementKind.CANCELLED if is_cancelled else AnnouncementKind.RESTORED
    for start in starts:
        notify_attendees(event_id=event.pk, start=start, kind=kind)
        if is_cancelled:
            withdraw_offers(event.pk, start)
    invalidate(event.pk)


def check_deletable(event: ContentItem) -> None:
    """Raise Invalid (`item`) while people rely on tickets for an event that is about to be deleted.

    Its dates are cancelled first, and money that was paid for them goes back. Dates that are over do not count.
    """
    if lock_sales(event.pk) is None:
        return
    # A date that has moved or is back takes place: its tickets are what prevents the deletion.
    others = (AnnouncementKind.MOVED, AnnouncementKind.RESTORED)
    if Announcement.objects.filter(event_id=event.pk, is_sent=False).exclude(kind__in=others).exists():
        raise Invalid({"item": NOT_NOTIFIED})
    for start in starts_with_tickets(event.pk):
        date = date_at(event, start)
        if date is not None and date.is_over:
            continue
        if date is not None and not date.is_cancelled:
            raise Invalid({"item": SOLD})
        orders = TicketOrder.objects.filter(event_id=event.pk, start=start, total_cents__gt=0)
        if orders.filter(Q(status=OrderStatus.PENDING) | Q(tickets__status__in=ADMITS)).exists():
            raise Invalid({"item": NOT_REFUNDED})
    _end_waiting(event)


def _end_waiting(event: ContentItem) -> None:
    """Notify the people who wait for coming dates of an event that is about to be deleted, unless they know that it is off."""
    dates = [date for start in sorted(starts_waited_for(event.pk)) if (date := date_at(event, start)) is not None]
    coming = [date for date in dates if not date.is_over and not date.is_cancelled]
    waiting = [(each, date) for date in coming for each in waiting_at(event.pk, date.start)]
    if len(waiting) > MAX_WAITING_TO_NOTIFY:
        raise Invalid({"item": TOO_MANY_WAIT})
    for each, date in waiting:
        notices.send_change_to_waiting(each, AnnouncementKind.CANCELLED, date)


def has_other_tickets(event: ContentItem, start: str, email: str) -> bool:
    """Return whether somebody who has given up a date still has tickets for it."""
    return has_tickets(event.pk, start, email)


def replaces_rsvps(event: ContentItem) -> bool:
    """Return whether an event offers tickets, which take the place of RSVPs."""
    return offers_tickets(event.pk)
