"""Emails everybody who has a ticket for a date: about changes of the date, and messages of staff."""

import time
from typing import Any

from django.db import transaction
from django.utils import timezone
from django_q.tasks import async_task
from wagtail.log_actions import log

from cms_api.content.models import ContentItem
from cms_api.core.errors import Invalid, required
from cms_api.fields.base import FieldPath, read_line, read_text

from ..models import Announcement
from ..selectors.attendees import Attendee, attendees_of
from ..types.announcements import MAX_MESSAGE, MAX_SUBJECT, AnnouncementKind
from . import notices

TASK = "commerce.ticketing.services.announcing.send_announcements"
#: Emails that are queued in one transaction, and the seconds of one run.
MANY = 100
A_RUN = 30


def notify_attendees(*, event_id: int, start: str, kind: AnnouncementKind, at_once: bool = False) -> None:
    """Tell the attendees of tickets for a date of a change, soon after the caller's transaction.

    `at_once` queues the emails in it, as the event is about to be deleted.
    """
    attendees = attendees_of(event_id, start)
    if not attendees:
        return
    stored = Announcement.objects.create(event_id=event_id, start=start, kind=kind, is_sent=at_once, created_at=timezone.now())
    if at_once:
        _send(stored, attendees)
    else:
        async_task(TASK)


@transaction.atomic
def message_attendees(*, event: ContentItem, start: str, subject: Any, message: Any, user: Any = None) -> int:
    """Email a message to everybody who has a ticket for a date; return how many people that are.

    Raises Invalid (`subject`, `message`), and `start` if there are none.
    """
    title = read_line(subject, FieldPath("subject", "subject"), MAX_SUBJECT) or ""
    text = read_text(message, FieldPath("message", "message"), MAX_MESSAGE) or ""
    missing = {name: required(name) for name, value in (("subject", title), ("message", text)) if not value}
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
    async_task(TASK)
    return len(attendees)


def send_announcements() -> None:
    """Queue the emails of announcements. A task and a periodic job; the rest is for the next run."""
    ends = time.monotonic() + A_RUN
    for pk in list(Announcement.objects.filter(is_sent=False).order_by("pk").values_list("pk", flat=True)):
        while _send_some(pk):
            if time.monotonic() > ends:
                return


@transaction.atomic
def _send_some(pk: int) -> bool:
    """Queue the next emails of an announcement, and note to whom in the same transaction; return whether some are left."""
    announcement = Announcement.objects.select_for_update().filter(pk=pk, is_sent=False).first()
    if announcement is None:
        return False
    attendees = [each for each in attendees_of(announcement.event_id, announcement.start) if each.email > announcement.sent_to]
    part = attendees[:MANY]
    _send(announcement, part)
    if part:
        announcement.sent_to = part[-1].email
    announcement.is_sent = len(part) == len(attendees)
    announcement.save(update_fields=["sent_to", "is_sent"])
    return not announcement.is_sent


def _send(announcement: Announcement, attendees: list[Attendee]) -> None:
    kind = AnnouncementKind(announcement.kind)
    if kind == AnnouncementKind.MESSAGE:
        for attendee in attendees:
            notices.send_message(attendee, announcement.subject, announcement.message)
        return
    date = notices.date_of_announcement(announcement.event_id, announcement.start)
    for attendee in attendees:
        notices.send_change(attendee, kind, date)
