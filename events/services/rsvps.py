"""RSVPs to events: one per address and date, which can be cancelled and reinstated. Nothing is deleted.

Only the email says whether there was an RSVP before, so that the page does not reveal who is coming.
"""

from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.accounts.selectors import owns_address
from cms_api.auth.services.visitors import Limits, Visit, judge, network_key
from cms_api.content.models import ContentItem
from cms_api.core.errors import ErrorCollector, Invalid
from cms_api.core.locks import get_row

from ..models import Rsvp
from ..selectors.rsvps import date_of, find_date, repeats, start_of, takes_replies
from ..types.rsvps import ACTIVE, Answer, RsvpStatus, read_answer
from .attendance import is_replaced
from .capacity import check_share, confirm_waiting, invalidate_places, room_for
from .locks import NO_DATE, NOT_TAKEN, check_offered, lock_date, lock_event
from .mails import PURPOSE, notify, notify_or_postpone

#: Limit of RSVPs from one network per hour; a school may share one.
LIMITS = Limits(flood=300)


class Reply(NamedTuple):
    """The result of a reply."""

    #: None for robots.
    rsvp: Rsvp | None
    #: Whether the date had places for the party, had it not replied before.
    had_room: bool


def reply(
    *, event: ContentItem, start: str, name: Any, email: Any, party_size: Any, visit: Visit | None = None, user: Any = None
) -> Reply:
    """Save an RSVP to one of an event's dates; the same address again changes its RSVP, even a cancelled one.

    `start` is the date's local start, and may be empty if there is only one. `visit` and `user` come from the public form.
    Unless the user owns the address, it gets one email an event and hour; a change within the hour is emailed when that is
    over. Submissions by robots are discarded. If there are not enough places, a new RSVP is put on the waiting list, and one
    that already has places keeps them. Visitors of one network can only have a part of the places. Raises Invalid (`event`,
    `occurrence`, `name`, `email`, `party_size`), and TooManyAttempts.
    """
    if not takes_replies(event) or is_replaced(event):
        raise Invalid({"event": NOT_TAKEN})
    errors = ErrorCollector()
    answer = read_answer(errors, name=name, email=email, party_size=party_size)
    row = None
    with errors.under():
        row = _date(event, start)
    errors.raise_if_any()
    assert answer
    assert row
    if visit is not None and _is_robot(visit):
        return Reply(None, had_room=True)
    is_owner = visit is None or owns_address(user, answer.email)
    return _store(event, row, answer, is_owner=is_owner, network="" if visit is None or is_owner else network_key(visit.address))


def _date(event: ContentItem, start: str) -> ContentItem:
    if not start.strip() and repeats(event):
        raise Invalid({"occurrence": NO_DATE})
    row = find_date(event, start.strip() or str(event.pk))
    if row is None or not date_of(row):
        raise Invalid({"occurrence": NO_DATE})
    check_offered(row)
    return row


def _is_robot(visit: Visit) -> bool:
    """Check only the honeypot: the form may legitimately be submitted quickly, and by programs."""
    judge(purpose=PURPOSE, visit=visit, limits=LIMITS)
    return bool(visit.honeypot.strip())


@transaction.atomic
def _store(event: ContentItem, row: ContentItem, answer: Answer, *, is_owner: bool, network: str) -> Reply:
    event, row = lock_date(event, row)
    confirm_waiting(event, row)
    now = timezone.now()
    before = Rsvp.objects.filter(occurrence=row, email_key=answer.email_key).first()
    taken = before.party_size if before and before.status == RsvpStatus.GOING else 0
    room = room_for(event, row)
    if network and room is not None:
        check_share(event, row, network, answer.party_size, before)
    fits = room is None or answer.party_size <= room + taken
    if before and taken and not fits:
        stored, note = before, f"There aren't enough places for {answer.party_size} people, so your party size is unchanged."
    else:
        stored, note = _write(event, row, answer, before, now=now, is_going=fits, network=network), ""
    if taken > stored.party_size:
        confirm_waiting(event, row)
    if room is not None:
        invalidate_places(event)
    if is_owner:
        notify(stored, event, row, note=note)
    else:
        same = before is not None and before.status == stored.status and before.party_size == stored.party_size
        notify_or_postpone(stored, event, row, is_change=not same, note=note)
    return Reply(stored, had_room=room is None or answer.party_size <= room)


def _write(
    event: ContentItem, row: ContentItem, answer: Answer, before: Rsvp | None, *, now: datetime, is_going: bool, network: str
) -> Rsvp:
    """Insert or change the RSVP. Changing its party size leaves it in its place on the waiting list."""
    since = before.waiting_since if before and before.status == RsvpStatus.WAITING else now
    rsvp = Rsvp(
        event=event,
        occurrence=row,
        occurrence_start=start_of(date_of(row)),
        name=answer.name,
        email=answer.email,
        email_key=answer.email_key,
        party_size=answer.party_size,
        status=RsvpStatus.GOING if is_going else RsvpStatus.WAITING,
        waiting_since=None if is_going else since,
        network=network,
        updated_at=now,
    )
    Rsvp.objects.bulk_create(
        [rsvp],
        update_conflicts=True,
        unique_fields=["occurrence", "email_key"],
        update_fields=[
            "event", "occurrence_start", "name", "email", "party_size", "status", "waiting_since", "network", "cancelled_at",
            "updated_at",
        ],
    )  # fmt: skip
    return Rsvp.objects.get(occurrence=row, email_key=answer.email_key)


@transaction.atomic
def cancel(*, rsvp: Rsvp, user: Any = None) -> bool:
    """Cancel an RSVP and notify the guest; return False if already cancelled. Its places go to the waiting list."""
    event = lock_event(rsvp.event_id)
    now = timezone.now()
    before = Rsvp.objects.filter(pk=rsvp.pk, status__in=ACTIVE).values_list("status", flat=True).first()
    active = Rsvp.objects.filter(pk=rsvp.pk, status__in=ACTIVE)
    changes = {"cancelled_at": now, "waiting_since": None, "updated_at": now, "mail_due_at": None, "notice": ""}
    if event is None or not active.update(status=RsvpStatus.CANCELLED, **changes):
        return False
    stored = _find_stored(rsvp)
    if user is not None:
        log(instance=stored, action="events.call_off", user=user)
    notify(stored, event, stored.occurrence, is_invited=before == RsvpStatus.GOING)
    confirm_waiting(event, stored.occurrence)
    invalidate_places(event)
    return True


@transaction.atomic
def reinstate(*, rsvp: Rsvp, user: Any = None) -> bool:
    """Reinstate a cancelled RSVP; it waits if there are not enough places. Returns False if not cancelled.

    Raises Invalid if its date is cancelled or past.
    """
    stored = _find_stored(rsvp)
    event, row = lock_date(stored.event, stored.occurrence)
    confirm_waiting(event, row)
    stored, room, now = _find_stored(rsvp), room_for(event, row), timezone.now()
    is_going = room is None or stored.party_size <= room
    off = Rsvp.objects.filter(pk=rsvp.pk, status=RsvpStatus.CANCELLED)
    status, since = (RsvpStatus.GOING, None) if is_going else (RsvpStatus.WAITING, now)
    if not off.update(status=status, waiting_since=since, cancelled_at=None, updated_at=now):
        return False
    stored = _find_stored(rsvp)
    rsvp.status = stored.status
    if user is not None:
        log(instance=stored, action="events.reinstate", user=user)
    notify(stored, event, row)
    invalidate_places(event)
    return True


def _find_stored(rsvp: Rsvp) -> Rsvp:
    found = get_row(Rsvp.objects.select_related("event", "occurrence"), rsvp.pk)
    return found
