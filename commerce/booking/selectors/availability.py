"""The times that can be booked: the rules of `types.slots` over what is stored. Six statements, however many staff and days."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from cms_api.flags.selectors import get_setting, site_country
from commerce.common.types.hours import DAY, Period, Schedule, working_spans
from commerce.common.types.spans import Span, merged, moment, overlaps, span

from ..models import BookedSlot, BusyTime, DateOverride, Service, Staff, TimeOff, WorkingHours
from ..types.holidays import holidays_between
from ..types.services import LONGEST, LONGEST_BUFFER
from ..types.slots import starts

#: No slot occupies more than this, so that those of a window are found by their beginning.
_LONGEST_SLOT = timedelta(minutes=LONGEST + 2 * LONGEST_BUFFER)


@dataclass(frozen=True, slots=True, order=True)
class Opening:
    """A time for which a service can be booked with a member of staff."""

    starts_at: datetime
    staff_id: int
    #: Seats that are left.
    seats: int = 1


@dataclass
class Diary:
    """The hours of one member of staff in a window, and the times that are taken."""

    schedule: Schedule
    #: Taken by appointments, with buffers, or by events of an outside calendar.
    busy: list[Span] = field(default_factory=list)
    #: Nobody works.
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
    ignoring: BookedSlot | None = None,
) -> list[Opening]:
    """Return the openings of a service from `first` until before `last`, by time and then in the order of the staff.

    `ignoring` is a slot that is about to be given up: an appointment can be moved by half its length.
    """
    at = int((now or timezone.now()).timestamp())
    window = span(first, last)
    diaries = read_diaries(service, staff, first, last, ignoring=ignoring)
    found = [
        opening
        for order, each in enumerate(staff)
        for opening in _of_diary(service, order, diaries[each.pk], window, at, staff_id=each.pk)
    ]
    return [opening for _, _, opening in sorted(found, key=lambda each: each[:2])]


def _of_diary(
    service: Service, order: int, diary: Diary, window: Span, now: int, *, staff_id: int
) -> Iterable[tuple[int, int, Opening]]:
    rule = service.rule
    days = [moment(each).astimezone(diary.schedule.zone).date() for each in window]
    working = working_spans(diary.schedule, days[0] - DAY, days[1])
    for start in starts(working, diary.busy, diary.off, rule, now=now):
        if window[0] <= start < window[1]:
            yield start, order, Opening(moment(start), staff_id, service.capacity)
    for start, taken in diary.classes.items():
        left = service.capacity - taken
        is_in_time = window[0] <= start < window[1] and now + rule.notice <= start <= now + rule.horizon
        # Staff may have added it outside of working hours; nobody joins one in a time off that was entered later.
        if left > 0 and is_in_time and not overlaps(diary.off, start, start + rule.duration):
            yield start, order, Opening(moment(start), staff_id, left)


def read_diaries(
    service: Service, staff: Sequence[Staff], first: datetime, last: datetime, *, ignoring: BookedSlot | None = None
) -> dict[int, Diary]:
    """Return the diary of each member of staff, for a service and a window."""
    margin = timedelta(minutes=LONGEST + LONGEST_BUFFER)
    begin, end = first - margin, last + margin
    diaries = {pk: Diary(schedule) for pk, schedule in read_schedules(staff, begin, end, service=service).items()}
    ids = list(diaries)
    for slot in BookedSlot.objects.filter(
        staff__in=ids, occupied_from__gt=begin - _LONGEST_SLOT, occupied_from__lt=end, occupied_until__gt=begin
    ):
        if ignoring is not None and slot.pk == ignoring.pk and slot.seats_taken == 1:
            continue
        diary = diaries[slot.staff_id]
        diary.busy.append(span(slot.occupied_from, slot.occupied_until))
        if slot.service_id == service.pk and service.is_class:
            diary.classes[int(slot.starts_at.timestamp())] = slot.seats_taken
    for busy in BusyTime.objects.filter(staff__in=ids, starts_at__lt=end, ends_at__gt=begin):
        diaries[busy.staff_id].busy.append(span(busy.starts_at, busy.ends_at))
    for off in TimeOff.objects.filter(Q(staff__in=ids) | Q(staff=None), starts_at__lt=end, ends_at__gt=begin):
        for diary in diaries.values() if off.staff_id is None else [diaries[off.staff_id]]:
            diary.off.append(span(off.starts_at, off.ends_at))
    for diary in diaries.values():
        diary.busy, diary.off = merged(diary.busy), merged(diary.off)
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
