"""Why a time is not on offer, in words for staff."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime

from django.utils import timezone

from commerce.common.types.hours import DAY, working_spans
from commerce.common.types.spans import Span, merge_spans, moment, overlaps, span

from ..models import Appointment, BusyTime, Service, Staff
from ..types.slots import starts
from .availability import Diary, read_diaries


def departures(appointment: Appointment) -> list[str]:
    """Return how the time of an appointment departs from what customers can book, such as `outside working hours`."""
    return _departures(appointment.service, appointment.staff, appointment.starts_at, appointment.ends_at)


def _departures(service: Service, staff: Staff, starts_at: datetime, ends_at: datetime) -> list[str]:
    now, rule = int(timezone.now().timestamp()), service.rule
    diary = read_diaries(service, [staff], starts_at, ends_at)[staff.pk]
    start, end = span(starts_at, ends_at)
    day = starts_at.astimezone(staff.zone).date()
    working = merge_spans(working_spans(diary.schedule, day - DAY, day + DAY))
    found = []
    if start < now:
        found.append("in the past")
    elif start < now + rule.notice:
        found.append("on shorter notice than customers have")
    elif start > now + rule.horizon:
        found.append("further ahead than customers can book")
    if not any(opens <= start and end <= closes for opens, closes in working):
        found.append("outside working hours")
    if overlaps(diary.off, start, end):
        found.append("during time off")
    if BusyTime.objects.filter(staff=staff, starts_at__lt=ends_at, ends_at__gt=starts_at).exists():
        found.append("at a busy time of the outside calendar")
    return found


def why_none(service: Service, staff: Sequence[Staff], days: Mapping[date, Span]) -> dict[date, str]:
    """Return for days without openings, given with the moments at which they begin and end, why they have none."""
    if not days or not staff:
        return dict.fromkeys(days, "Nobody offers this service.")
    now = int(timezone.now().timestamp())
    diaries = read_diaries(service, staff, moment(min(days.values())[0]), moment(max(days.values())[1]))
    found = {}
    for day, bounds in days.items():
        reasons = {each.name: _why_not(service, diaries[each.pk], day, bounds, now) for each in staff}
        same = set(reasons.values())
        found[day] = f"{same.pop()}." if len(same) == 1 else " ".join(f"{name}: {why.lower()}." for name, why in reasons.items())
    return found


def _why_not(service: Service, diary: Diary, day: date, bounds: Span, now: int) -> str:
    begin, end = bounds
    rule, schedule = service.rule, diary.schedule
    working = [each for each in working_spans(schedule, day - DAY, day + DAY) if begin <= each[0] < end]
    if end <= now:
        return "In the past"
    if not working:
        return "Public holiday" if day in schedule.closed and day not in schedule.dates else "Not working"
    if all(closes - opens < rule.duration for opens, closes in working):
        return "The hours are shorter than the service"
    if not starts(working, (), (), rule, now=now):
        return "Further ahead than customers can book" if begin > now else "Too late by the minimum notice"
    if not starts(working, (), diary.off, rule, now=now):
        return "Time off"
    return "Fully booked"
