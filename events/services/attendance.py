"""Keeps RSVPs when dates move: none is lost, and none silently changes its date.

Other modules may have records of dates too, such as tickets, and are asked and notified by the signals that `events` declares.
"""

from collections.abc import Collection, Mapping

from cms_api.content.models import ContentItem
from cms_api.flags.services import notify

from ..models import Rsvp
from ..selectors.rsvps import has_others
from ..types.rsvps import ACTIVE, Notice
from . import mails


def in_use(event: ContentItem, rows: Collection[ContentItem]) -> set[int]:
    """Return the ids of the rows that have RSVPs, active or cancelled, or that other modules need."""
    found = Rsvp.objects.filter(occurrence__in=[row.pk for row in rows]).order_by().values_list("occurrence", flat=True)
    return set(found.distinct()).union(*notify("events.dates_vanishing", event, rows))


def starts_of(rows: Collection[ContentItem]) -> dict[int, str]:
    """Return the RSVP start of each row that has RSVPs, by row id."""
    if not rows:
        return {}
    return dict(Rsvp.objects.filter(occurrence__in=[row.pk for row in rows]).values_list("occurrence", "occurrence_start"))


def promised_starts(item: ContentItem, *, besides: str) -> set[str]:
    """Return the starts of RSVPs attached to the item itself, and those that other modules need, except the given one."""
    stale = Rsvp.objects.filter(occurrence=item).order_by().values_list("occurrence_start", flat=True)
    return set(stale.distinct()).union(*notify("events.starts_in_use", item)) - {besides}


def reschedule(item: ContentItem, start: str) -> None:
    """Move the RSVPs of an event with a single date to its new start, and notify people."""
    if has_others(item, start):
        Rsvp.objects.filter(occurrence=item).exclude(occurrence_start=start).update(occurrence_start=start)
        if start:
            give_notice({item.pk}, Notice.MOVED)
    notify("events.rescheduled", item, start)


def change_dates(event: ContentItem, dates: Mapping[int, str], *, is_cancelled: bool) -> None:
    """Notify people of dates that are cancelled, or are back: the id of each date's row, and its start."""
    give_notice(dates.keys(), Notice.CANCELLED if is_cancelled else Notice.RSVP)
    if dates:
        notify("events.dates_changed", event, frozenset(dates.values()), is_cancelled)


def is_replaced(event: ContentItem) -> bool:
    """Return whether something takes the place of the event's RSVPs, such as tickets."""
    return any(notify("events.replaces_rsvps", event))


def give_notice(rows: Collection[int], notice: Notice) -> None:
    """Notify people with RSVPs to these rows, except those who cancelled."""
    if rows:
        mails.give_notice(Rsvp.objects.filter(occurrence__in=rows, status__in=ACTIVE), notice)


def move(source: ContentItem, target: ContentItem, *, start: str) -> None:
    """Move the RSVPs for a start to the date's new row; addresses already there keep the RSVP there."""
    replies = Rsvp.objects.filter(occurrence=source, occurrence_start=start)
    there = Rsvp.objects.filter(occurrence=target).values("email_key")
    replies.filter(email_key__in=there).delete()
    replies.update(occurrence=target)
