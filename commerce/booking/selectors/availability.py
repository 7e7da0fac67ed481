"""The times that can be booked: the rules of `types.slots` over what is stored. Six statements, however many staff and days."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from cms_api.flags.selectors import get_setting, site_country
from commerce.common.types.holidays import holidays_between
from commerce.common.types.hours import DAY, Period, Schedule, working_spans
from commerce.common.types.spans import Span, merge_spans, moment, overlaps, span

from ..models import BookedSlot, BusyTime, DateOverride, Service, Staff, TimeOff, WorkingHours
from ..types.services import LONGEST_BUFFER_MINUTES, LONGEST_SERVICE_MINUTES
from ..types.slots import SlotRule, starts

#: No slot occupies more than this, so that those of a window are found by their beginning.
_LONGEST_SLOT = timedelta(minutes=LONGEST_SERVICE_MINUTES + 2 * LONGEST_BUFFER_MINUTES)


class Opening(NamedTuple):
    """A time for which a service can be booked with a member of staff."""

    starts_at: datetime
    staff_id: int
    #: Seats that are left.
    seats: int = 1


@dataclass
class Diary:
    """The hours of one member of staff in a window, and the times that are taken."""

    schedule: Schedule
    #: Taken by appointments, with buffers, or by events of an outside calendar; in any order.
    busy: list[Span] = field(default_factory=list)
    #: Nobody works. As `merged` returns it.
    off: list[Span] = field(default_factory=list)
    #: Starts of classes of the service, and the seats taken in them.
    classes: dict[int, int] = field(default_factory=dict)


def openings(
    service: Service,
    staff: Sequence[Staff],
    first: datetime,
    last: datetime,
    *,
    now: datetime | None = None,
    moving: BookedSlot | None = None,
) -> list[Opening]:
    """Return the openings of a service from `first` until before `last`, by time and then in the order of the staff.

    `moving` is the slot of an appointment that is about to move: it can be moved by half its length, which stays.
    """
    at, rule = int((now or timezone.now()).timestamp()), service.rule
    if moving is not None:
        rule = replace(rule, duration=int(moving.length.total_seconds()))
    begin, end = span(first, last)
    # Nothing is read of the days that cannot be booked.
    window = max(begin, at + rule.notice), min(end, at + rule.horizon + 1)
    if window[0] >= window[1]:
        return []
    diaries = read_diaries(service, staff, *map(moment, window), moving=moving)
    ids = [each.pk for each in staff]
    found = sorted(
        (start, order, seats)
        for order, pk in enumerate(ids)
        for start, seats in _of_diary(service, rule, diaries[pk], window, at)
    )
    # Many members of staff are free at the same time.
    moments = {start: moment(start) for start in {each[0] for each in found}}
    return [Opening(moments[start], ids[order], seats) for start, order, seats in found]


def _of_diary(service: Service, rule: SlotRule, diary: Diary, window: Span, now: int) -> Iterator[tuple[int, int]]:
    """Yield the starts in a window that can be booked, and the seats that are left."""
    days = [moment(each).astimezone(diary.schedule.zone).date() for each in window]
    working = working_spans(diary.schedule, days[0] - DAY, days[1])
    for start in starts(working, diary.busy, diary.off, rule, now=now):
        if window[0] <= start < window[1]:
            yield start, service.capacity
    for start, taken in diary.classes.items():
        left = service.capacity - taken
        # Staff may have added it outside of working hours; nobody joins one in a time off that was entered later.
        if left > 0 and window[0] <= start < window[1] and not overlaps(diary.off, start, start + rule.duration):
            yield start, left


def read_diaries(
    service: Service, staff: Sequence[Staff], first: datetime, last: datetime, *, moving: BookedSlot | None = None
) -> dict[int, Diary]:
    """Return the diary of each member of staff, for a service and a window."""
    margin = timedelta(minutes=LONGEST_SERVICE_MINUTES + LONGEST_BUFFER_MINUTES)
    begin, end = first - margin, last + margin
    diaries = {pk: Diary(schedule) for pk, schedule in read_schedules(staff, begin, end, service=service).items()}
    ids = list(diaries)
    slots = BookedSlot.objects.filter(
        staff__in=ids, occupied_from__gt=begin - _LONGEST_SLOT, occupied_from__lt=end, occupied_until__gt=begin
    ).order_by()
    if moving is not None:
        slots = slots.exclude(pk=moving.pk, seats_taken=1)
    # There are thousands in a month, so that only what is needed is read of them.
    seats = ("service", "starts_at", "ends_at", "seats_taken") if service.is_class else ()
    for staff_id, occupied_from, occupied_until, *found in slots.values_list("staff", "occupied_from", "occupied_until", *seats):
        diaries[staff_id].busy.append(span(occupied_from, occupied_until))
        if found and found[0] == service.pk and (moving is None or found[2] - found[1] == moving.length):
            diaries[staff_id].classes[int(found[1].timestamp())] = found[3]
    for busy in BusyTime.objects.filter(staff__in=ids, starts_at__lt=end, ends_at__gt=begin):
        diaries[busy.staff_id].busy.append(span(busy.starts_at, busy.ends_at))
    for off in TimeOff.objects.filter(Q(staff__in=ids) | Q(staff=None), starts_at__lt=end, ends_at__gt=begin):
        for diary in diaries.values() if off.staff_id is None else [diaries[off.staff_id]]:
            diary.off.append(span(off.starts_at, off.ends_at))
    for diary in diaries.values():
        diary.off = merge_spans(diary.off)
    return diaries


def read_schedules(
    staff: Sequence[Staff], begin: datetime, end: datetime, *, service: Service | None = None
) -> dict[int, Schedule]:
    """Return the hours of each member of staff in a window: those for a service, or for None all of them, which may overlap."""
    ids = [each.pk for each in staff]
    hours, dates = _hours(service, ids), _overrides(ids, begin, end)
    return {each.pk: Schedule(each.zone, hours[each.pk], dates[each.pk], _holidays(each, begin, end)) for each in staff}


def _hours(service: Service | None, ids: Collection[int]) -> Mapping[int, Mapping[int, Sequence[Period]]]:
    """Return the weekly hours by member of staff and weekday: those of the service, or else the general ones."""
    found_rows = WorkingHours.objects.filter(staff__in=ids)
    rows = list(found_rows.filter(Q(service=None) | Q(service=service)) if service else found_rows)
    special = {row.staff_id for row in rows if row.service_id is not None} if service else set()
    found: dict[int, dict[int, list[Period]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if service is None or (row.staff_id in special) == (row.service_id is not None):
            found[row.staff_id][row.weekday].append(row.period)
    return found


def _overrides(ids: Collection[int], begin: datetime, end: datetime) -> Mapping[int, Mapping[date, Sequence[Period]]]:
    found: dict[int, dict[date, Sequence[Period]]] = defaultdict(dict)
    for row in DateOverride.objects.filter(staff__in=ids, date__gte=begin.date() - DAY, date__lte=end.date() + DAY):
        found[row.staff_id][row.date] = row.hours
    return found


def _holidays(staff: Staff, begin: datetime, end: datetime) -> Collection[date]:
    if staff.works_on_holidays or not get_setting("booking.closed_on_holidays"):
        return frozenset()
    country = get_setting("booking.holiday_country").strip().upper() or site_country()
    region = get_setting("booking.holiday_region").strip()
    return holidays_between(country, region, begin.date() - DAY, end.date() + DAY)
