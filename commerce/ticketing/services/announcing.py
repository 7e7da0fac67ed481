"""Emails everybody who has, has ordered or waits for tickets about changes of a date; messages of staff are for attendees."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.content.models import ContentItem
from cms_api.content.types import Status
from cms_api.core import jobs
from cms_api.core.batches import Run
from cms_api.core.errors import Invalid, required_message
from cms_api.fields.base import FieldPath, read_line, read_text

from ..models import Announcement
from ..selectors.attendees import Attendee, Buyer, Waiting, attendees_of, people_of
from ..selectors.events import TYPE, EventDate
from ..types.announcements import MAX_MESSAGE, MAX_SUBJECT, AnnouncementKind
from . import notices

JOB = "send_ticket_announcements"
#: Emails that are queued in one transaction, and the seconds of one run.
BATCH_EMAILS = 100
RUN_SECONDS = 30


def notify_attendees(*, event_id: int, start: str, kind: AnnouncementKind) -> None:
    """Notify people with tickets for a date, buyers and the waiting list of a change, soon after the caller's transaction."""
    if not people_of(event_id, start):
        return
    # An earlier change that nobody has been told of yet is part of this one.
    waiting = Announcement.objects.filter(event_id=event_id, start=start, is_sent=False, sent_to="")
    if kind == AnnouncementKind.MOVED and waiting.filter(kind=AnnouncementKind.RESTORED).exists():
        kind = AnnouncementKind.RESTORED
    waiting.exclude(kind=AnnouncementKind.MESSAGE).delete()
    Announcement.objects.create(event_id=event_id, start=start, kind=kind, created_at=timezone.now())
    jobs.run_soon(JOB)


@transaction.atomic
def message_attendees(*, event: ContentItem, start: str, subject: Any, message: Any, user: Any = None) -> int:
    """Email a message to everybody who has a ticket for a date; return how many people that are.

    Raises Invalid (`subject`, `message`), and `start` if there are none.
    """
    title = read_line(subject, FieldPath("subject", "subject"), MAX_SUBJECT) or ""
    text = read_text(message, FieldPath("message", "message"), MAX_MESSAGE) or ""
    missing = {name: required_message(name) for name, value in (("subject", title), ("message", text)) if not value}
    if missing:
        raise Invalid(missing)
    attendees = attendees_of(event.pk, start)
    if not attendees:
        raise Invalid({"start": "Nobody has a ticket for this date."})
    Announcement.objects.create(
        event=event,
        start=start,
        kind=AnnouncementKind.MESSAGE,
        subject=title,
        message=text,
        user=user,
        created_at=timezone.now(),
    )
    log(instance=event, action="ticketing.message", user=user, data={"start": start, "subject": title})
    jobs.run_soon(JOB)
    return len(attendees)


def resume_announcements(event: ContentItem, is_new: bool, is_moved: bool, former: Any) -> None:
    """Send the announcements that have waited for an event to be published, soon after the caller's transaction."""
    if is_new or event.status != Status.PUBLISHED or event.type.slug != TYPE:
        return
    if Announcement.objects.filter(event_id=event.pk, is_sent=False).exists():
        jobs.run_soon(JOB)


def send_announcements() -> None:
    """Queue the emails of announcements. A periodic job; the rest is for the next run."""
    with Run(RUN_SECONDS) as run:

        def send_all(pk: int) -> None:
            while _send_some(pk) and not run.is_over:
                pass

        run.each(Announcement.objects.filter(is_sent=False).order_by("pk").values_list("pk", flat=True), send_all)


@transaction.atomic
def _send_some(pk: int) -> bool:
    """Queue the next emails of an announcement, and note to whom in the same transaction; return whether some are left."""
    announcement = Announcement.objects.select_for_update().filter(pk=pk, is_sent=False).first()
    if announcement is None:
        return False
    kind, date = AnnouncementKind(announcement.kind), notices.date_of_announcement(announcement.event_id, announcement.start)
    find = attendees_of if kind == AnnouncementKind.MESSAGE else people_of
    people = [each for each in find(announcement.event_id, announcement.start) if each.email > announcement.sent_to]
    if people and _waits(kind, date):
        return False
    part = people[:BATCH_EMAILS]
    _send(announcement, part, date)
    if part:
        announcement.sent_to = part[-1].email
    announcement.is_sent = len(part) == len(people)
    announcement.save(update_fields=["sent_to", "is_sent"])
    return not announcement.is_sent


def _waits(kind: AnnouncementKind, date: EventDate | None) -> bool:
    """Return whether a change is announced once the event is published; cancellations and messages never wait."""
    if kind not in {AnnouncementKind.MOVED, AnnouncementKind.RESTORED} or date is None:
        return False
    return date.event.status != Status.PUBLISHED and not date.is_over


def _send(announcement: Announcement, people: Sequence[Attendee | Buyer | Waiting], date: EventDate | None) -> None:
    kind = AnnouncementKind(announcement.kind)
    if kind != AnnouncementKind.MESSAGE and date is not None and date.is_over:
        return
    for each in people:
        if isinstance(each, Waiting):
            notices.send_change_to_waiting(each, kind, date)
        elif isinstance(each, Buyer):
            notices.send_change_to_buyer(each, kind, date)
        elif kind == AnnouncementKind.MESSAGE:
            notices.send_message(each, announcement.subject, announcement.message)
        else:
            notices.send_change(each, kind, date)
