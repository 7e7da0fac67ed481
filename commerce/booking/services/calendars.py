"""Reads the busy times of staff from their own calendars at iCal addresses. No request is sent in a transaction."""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from cms_api.core.apart import Limits, ReadingFailed, run_apart
from cms_api.core.errors import Invalid
from cms_api.core.leases import CLOCK_TOLERANCE
from cms_api.outbound.fetching import FetchError, fetch
from commerce.common.types.spans import Span, moment, span

from ..models import BusyTime, Staff
from ..types.busy import read_busy
from ..types.services import FARTHEST_DAYS_AHEAD, MAX_URL
from .slots import lock_staff

#: How long a reading counts.
FRESH_FOR = timedelta(minutes=15)
#: Calendars that one run of the job reads; the next run continues.
CALENDARS_PER_RUN = 50
#: Seconds after which a run of the job ends, too.
RUN_SECONDS = 120
MAX_CALENDAR_BYTES = 10 * 1024 * 1024
LIMITS = Limits(cpu_seconds=10)
_READ_BEFORE, _READ_AHEAD = timedelta(days=2), timedelta(days=FARTHEST_DAYS_AHEAD + 2)


def refresh_calendars() -> None:
    """Read the calendars that have not been read lately, those that have waited longest first (periodic job)."""
    now, ends = timezone.now(), time.monotonic() + RUN_SECONDS
    # A time that is still to come was noted while the clock was ahead.
    late = (
        Q(calendar_checked_at=None)
        | Q(calendar_checked_at__lte=now - FRESH_FOR)
        | Q(calendar_checked_at__gt=now + CLOCK_TOLERANCE)
    )
    due = Staff.objects.exclude(calendar_url="").filter(late)
    for staff in due.order_by(F("calendar_checked_at").asc(nulls_first=True), "pk")[:CALENDARS_PER_RUN]:
        if time.monotonic() > ends:
            break
        read_calendar(staff=staff)


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
    error = f"{unread} {'entry' if unread == 1 else 'entries'} could not be read." if unread else ""
    _replace(staff, [(start, end) for start, end in found], now, error)
    return True


def _note(staff: Staff, now: datetime, problem: str) -> None:
    read = Staff.objects.filter(pk=staff.pk, calendar_url=staff.calendar_url)
    read.update(calendar_checked_at=now, calendar_error=problem[:MAX_URL])


@transaction.atomic
def _replace(staff: Staff, found: Sequence[Span], now: datetime, error: str) -> None:
    lock_staff([staff.pk])
    read = Staff.objects.filter(pk=staff.pk, calendar_url=staff.calendar_url)
    if not read.update(calendar_checked_at=now, calendar_read_at=now, calendar_error=error):
        # It has another address by now.
        return
    stored = BusyTime.objects.filter(staff=staff)
    known = {span(each.starts_at, each.ends_at): each.pk for each in stored}
    wanted = set(found)
    stored.filter(pk__in=[pk for each, pk in known.items() if each not in wanted]).delete()
    new = [each for each in found if each not in known]
    BusyTime.objects.bulk_create(
        [BusyTime(staff=staff, starts_at=moment(start), ends_at=moment(end)) for start, end in new], batch_size=500
    )
