"""Keeps RSVPs when dates move: none is lost, and none silently changes its date."""

from collections.abc import Collection

from cms_api.content.models import ContentItem

from ..models import Rsvp
from ..types.rsvps import ACTIVE, Notice
from . import mails


def replied_to(rows: Collection[ContentItem]) -> set[int]:
    """Return the ids of the rows that have RSVPs, active or cancelled."""
    found = Rsvp.objects.filter(occurrence__in=[row.pk for row in rows]).order_by().values_list("occurrence", flat=True)
    return set(found.distinct())


def starts_of(rows: Collection[ContentItem]) -> dict[int, str]:
    """Return the RSVP start of each row that has RSVPs, by row id."""
    if not rows:
        return {}
    return dict(Rsvp.objects.filter(occurrence__in=[row.pk for row in rows]).values_list("occurrence", "occurrence_start"))


def promised_starts(item: ContentItem, *, besides: str) -> set[str]:
    """Return the starts of RSVPs attached to the item itself, except the given one."""
    stale = Rsvp.objects.filter(occurrence=item).exclude(occurrence_start=besides)
    return set(stale.order_by().values_list("occurrence_start", flat=True).distinct())


def reschedule(item: ContentItem, start: str) -> None:
    """Move the RSVPs of an event with a single date to its new start, and notify people."""
    if Rsvp.objects.filter(occurrence=item).exclude(occurrence_start=start).update(occurrence_start=start) and start:
        give_notice({item.pk}, Notice.MOVED)


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
