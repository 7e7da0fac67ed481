"""Keeps tickets up to date, and people who have them, when the dates of events change. Called by the signals of `events`."""

from collections.abc import Collection

from cms_api.content.models import ContentItem
from events.selectors.rsvps import date_of, start_of

from ..models import AttendeeTicket, Reservation, TicketOrder, TicketType, WaitingEntry
from ..selectors.events import sells_tickets
from ..selectors.offers import offers_tickets
from ..selectors.orders import starts_with_tickets
from ..types.announcements import AnnouncementKind
from .announcing import notify_attendees
from .seats import invalidate


def keep_dates(event: ContentItem, rows: Collection[ContentItem]) -> set[int]:
    """Return the ids of the dates that have tickets."""
    starts = starts_with_tickets(event.pk)
    return {row.pk for row in rows if start_of(date_of(row)) in starts} if starts else set()


def keep_starts(event: ContentItem) -> set[str]:
    """Return the starts of the dates that have tickets."""
    return starts_with_tickets(event.pk)


def reschedule(event: ContentItem, start: str) -> None:
    """Move the tickets of an event with a single date along with it, and notify people."""
    if not start or sells_tickets(event.pk) is None:
        return
    records = (
        TicketOrder.objects.filter(event_id=event.pk),
        AttendeeTicket.objects.filter(event_id=event.pk),
        Reservation.objects.filter(event=event),
        WaitingEntry.objects.filter(ticket_type__event=event),
        TicketType.objects.filter(event=event).exclude(start=""),
    )
    if sum(each.exclude(start=start).update(start=start) for each in records):
        invalidate(event.pk)
        notify_attendees(event_id=event.pk, start=start, kind=AnnouncementKind.MOVED)


def change_dates(event: ContentItem, starts: Collection[str], is_cancelled: bool) -> None:
    """Notify people with tickets for dates that are cancelled, or are back."""
    if sells_tickets(event.pk) is None:
        return
    kind = AnnouncementKind.CANCELLED if is_cancelled else AnnouncementKind.RESTORED
    for start in starts:
        notify_attendees(event_id=event.pk, start=start, kind=kind)
    invalidate(event.pk)


def end_event(event: ContentItem) -> None:
    """Notify people with tickets for an event that is being deleted."""
    if sells_tickets(event.pk) is not None:
        for start in starts_with_tickets(event.pk):
            notify_attendees(event_id=event.pk, start=start, kind=AnnouncementKind.CANCELLED, at_once=True)


def replaces_rsvps(event: ContentItem) -> bool:
    """Return whether an event offers tickets, which take the place of RSVPs."""
    return offers_tickets(event.pk)
