"""Reads the busy times of staff from their own calendars at iCal addresses. No request is sent in a transaction."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from cms_api.core import batches
from cms_api.core.apart import Limits, ReadingFailed, run_apart
from cms_api.core.errors import Invalid
from cms_api.core.leases import CLOCK_TOLERANCE
from cms_api.outbound.fetching import FetchError, fetch
from commerce.common.types.spans import Span, moment, span

from ..models import BusyTime, Staff
from ..types.busy import read_busy
from ..types.services import FARTHEST_DAYS_AHEAD, MAX_URL
from .slots import lock_staff

T = TypeVar("T")

#: How long a reading counts.
FRESH_FOR = timedelta(minutes=15)
#: Calendars that one run of the job reads; the next run continues.
CALENDARS_PER_RUN = 50
#: Seconds after which a run of the job ends, too.
RUN_SECONDS = 120
#: Busy times that one transaction stores or deletes.
BATCH_TIMES = 500
MAX_CALENDAR_BYTES = 10 * 1024 * 1024
LIMITS = Limits(cpu_seconds=10)
_READ_BEFORE, _READ_AHEAD = timedelta(days=2), timedelta(days=FARTHEST_DAYS_AHEAD + 2)


def refresh_calendars() -> None:
    """Read the calendars that have not been read lately, those that have waited longest first (periodic job)."""
    now = timezone.now()
    # A time that is still to come was noted while the clock was ahead.
    late = (
        Q(calendar_checked_at=None)
        | Q(calendar_checked_at__lte=now - FRESH_FOR)
        | Q(calendar_checked_at__gt=now + CLOCK_TOLERANCE)
    )
    due = Staff.objects.exclude(calendar_url="").filter(late)
    due = due.order_by(F("calendar_checked_at").asc(nulls_first=True), "pk")
    batches.each(due, lambda staff: read_calendar(staff=staff), limit=CALENDARS_PER_RUN, seconds=RUN_SECONDS)


def read_calendar(*, staff: Staff) -> bool:
    """Read the calendar of a member of staff, and return whether it could be read; if not, the last busy times stay.

    It is parsed in a process of its own. If only some entries can be read, the error says how many cannot.
    """
    now = timezone.now()
    bounds = span(now - _READ_BEFORE, now + _READ_AHEAD)
    try:
        content = fetch(staff.calendar_url, headers={"Accept": "text/calendar"}, largest=MAX_CALENDAR_BYTES).body
        found, unread = run_apart(read_busy, content, staff.zone.key, *bounds, limits=LIMITS)
    except FetchError as problem:
        _note(staff, now, str(problem))
        return False
    except Invalid as refusal:
        _note(staff, now, refusal.message)
        return False
    except ReadingFailed as problem:
        _note(staff, now, f"The calendar {problem}")
        return False
    # Noted first: a run that ends in between continues with the others, and another reading that is being stored ends.
    _of_address(staff).update(calendar_checked_at=now, calendar_read_at=now)
    error = f"{unread} {'entry' if unread == 1 else 'entries'} could not be read." if unread else ""
    _replace(staff, [(start, end) for start, end in found], now, error)
    return True


def _note(staff: Staff, now: datetime, problem: str) -> None:
    _of_address(staff).update(calendar_checked_at=now, calendar_error=problem[:MAX_URL])


def _replace(staff: Staff, found: Sequence[Span], now: datetime, error: str) -> None:
    """Store the busy times of a calendar, the new ones first. Others can write between the parts."""
    known = {span(each.starts_at, each.ends_at): each.pk for each in BusyTime.objects.filter(staff=staff)}
    wanted = set(found)
    for new in _batches([each for each in found if each not in known]):
        if not _store(staff, now, new=new):
            return
    for gone in _batches([pk for each, pk in known.items() if each not in wanted]):
        if not _store(staff, now, gone=gone):
            return
    _of_reading(staff, now).update(calendar_checked_at=now, calendar_error=error)


@transaction.atomic
def _store(staff: Staff, now: datetime, *, new: Sequence[Span] = (), gone: Sequence[int] = ()) -> bool:
    """Add and remove some busy times. Returns False, changing nothing, after a later reading or with another address."""
    lock_staff([staff.pk])
    if not _of_reading(staff, now).exists():
        return False
    BusyTime.objects.bulk_create(BusyTime(staff=staff, starts_at=moment(start), ends_at=moment(end)) for start, end in new)
    BusyTime.objects.filter(pk__in=gone).delete()
    return True


def _of_address(staff: Staff) -> QuerySet[Staff]:
    return Staff.objects.filter(pk=staff.pk, calendar_url=staff.calendar_url)


def _of_reading(staff: Staff, now: datetime) -> QuerySet[Staff]:
    """Return the member of staff, unless the calendar has another address or was read again since."""
    return _of_address(staff).filter(calendar_read_at=now)


def _batches(found: Sequence[T]) -> Iterator[Sequence[T]]:
    return (found[start : start + BATCH_TIMES] for start in range(0, len(found), BATCH_TIMES))
