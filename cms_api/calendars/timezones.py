"""VTIMEZONE components (RFC 5545, 3.6.5), made from zoneinfo's transitions.

`icalendar.Timezone.from_tzinfo` is not used: it gives onsets in the local time after the transition instead of before it.
"""

import calendar
import datetime as dt
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from zoneinfo import ZoneInfo

from icalendar import Component, Timezone, TimezoneDaylight, TimezoneStandard, vDatetime, vRecur, vText, vUTCOffset

_DAY = dt.timedelta(days=1)
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


@dataclass(frozen=True, slots=True)
class Reading:
    """UTC offset, daylight saving and abbreviation of a zone at a moment."""

    offset: dt.timedelta
    saving: dt.timedelta
    name: str


@dataclass(frozen=True, slots=True)
class Onset:
    """A transition, at the local time in force before it."""

    local: dt.datetime
    before: Reading
    after: Reading

    @property
    def is_summer(self) -> bool:
        """Zones whose legal standard is summer time, such as Ireland's, have negative savings in winter."""
        return self.after.saving > min(dt.timedelta(0), self.before.saving)

    @property
    def place(self) -> tuple[int, int, dt.time]:
        return self.local.month, self.local.weekday(), self.local.time()

    @property
    def week(self) -> int:
        return (self.local.day + 6) // 7

    @property
    def is_in_last_week(self) -> bool:
        return self.local.day + 7 > calendar.monthrange(self.local.year, self.local.month)[1]


def vtimezone(name: str, years: Iterable[int]) -> str:
    """Return the VTIMEZONE of an IANA zone, valid for every local time of the given years."""
    return _vtimezone(name, tuple(sorted(set(years))))


@functools.lru_cache(maxsize=256)
def _vtimezone(name: str, years: tuple[int, ...]) -> str:
    made = Timezone()
    made["TZID"] = vText(name)
    groups: dict[tuple[Reading, Reading], list[Onset]] = {}
    for onset in _onsets(ZoneInfo(name), years):
        groups.setdefault((onset.before, onset.after), []).append(onset)
    for onsets in groups.values():
        for part in _observances(onsets, last=years[-1]):
            made.add_component(part)
    return made.to_ical().decode()


def _onsets(zone: ZoneInfo, years: tuple[int, ...]) -> Iterator[Onset]:
    """Yield the transitions of each year and of the year before; if that has none, the state at its beginning."""
    standing: Reading | None = None
    for year in sorted({max(each - 1, 1) for each in years} | set(years)):
        start, changes = _changes(zone, year)
        if start != standing and (year in years or not changes):
            yield Onset(_beginning(year, start), start, start)
        standing = start
        for onset in changes:
            yield onset
            standing = onset.after


def _beginning(year: int, start: Reading) -> dt.datetime:
    """Return a local time before any of the year's that can also be represented as a UTC instant."""
    first = dt.datetime(year, 1, 1)
    return first if year > 1 else first + max(start.offset, dt.timedelta(0))


@functools.lru_cache(maxsize=4096)
def _changes(zone: ZoneInfo, year: int) -> tuple[Reading, list[Onset]]:
    """Return the state at the beginning of a year in UTC, and the transitions until its end."""
    # The first and last days of the calendar cannot be converted at every offset.
    start = dt.datetime(year, 1, 1 if year > 1 else 2)
    end = dt.datetime(year + 1, 1, 1) if year < dt.MAXYEAR else dt.datetime(year, 12, 30)
    days = [start + _DAY * number for number in range((end - start).days + 1)]
    readings = [_reading(zone, day) for day in days]
    found = []
    for (day, before), (_, after) in pairwise(zip(days, readings, strict=True)):
        if before != after:
            found.append(_change(zone, day, before, after))
    return readings[0], found


def _change(zone: ZoneInfo, day: dt.datetime, before: Reading, after: Reading) -> Onset:
    """Find by bisection the second of the transition, within one step after `day`."""
    low, high = 0, int(_DAY.total_seconds())
    while high - low > 1:
        middle = (low + high) // 2
        if _reading(zone, day + dt.timedelta(seconds=middle)) == before:
            low = middle
        else:
            high = middle
    return Onset(day + dt.timedelta(seconds=high) + before.offset, before, after)


def _reading(zone: ZoneInfo, moment: dt.datetime) -> Reading:
    shown = moment.replace(tzinfo=dt.UTC).astimezone(zone)
    nothing = dt.timedelta(0)
    return Reading(shown.utcoffset() or nothing, shown.dst() or nothing, shown.tzname() or zone.key)


def _observances(onsets: list[Onset], *, last: int) -> Iterator[Component]:
    """Yield transitions on the same weekday of the month each year as a rule, which programs support best; others by date."""
    single = []
    for run in _runs(onsets):
        if len(run) == 1:
            single += run
        else:
            yield _observance(run[0], "RRULE", _rule(run, last))
    if single:
        yield _observance(single[0], "RDATE", [vDatetime(onset.local) for onset in single[1:]])


def _runs(onsets: list[Onset]) -> Iterator[list[Onset]]:
    run: list[Onset] = []
    for onset in onsets:
        follows = run and (onset.place, onset.local.year) == (run[0].place, run[-1].local.year + 1)
        if follows and _week([*run, onset]):
            run.append(onset)
        else:
            if run:
                yield run
            run = [onset]
    if run:
        yield run


def _week(run: list[Onset]) -> int:
    """Return the common week of the month of all transitions, -1 for the last; 0 if they differ."""
    if all(onset.is_in_last_week for onset in run):
        return -1
    return run[0].week if len({onset.week for onset in run}) == 1 else 0


def _rule(run: list[Onset], last: int) -> vRecur:
    first, end = run[0], run[-1]
    day = f"{_week(run)}{_DAYS[first.local.weekday()]}"
    until = {} if end.local.year >= last else {"UNTIL": (end.local - end.before.offset).replace(tzinfo=dt.UTC)}
    return vRecur({"FREQ": "YEARLY", "BYMONTH": first.local.month, "BYDAY": day, **until})


def _observance(onset: Onset, recurring: str, value: vRecur | list[vDatetime]) -> Component:
    part = TimezoneDaylight() if onset.is_summer else TimezoneStandard()
    part["DTSTART"] = vDatetime(onset.local)
    part[recurring] = value
    part["TZNAME"] = vText(onset.after.name)
    part["TZOFFSETFROM"] = vUTCOffset(onset.before.offset)
    part["TZOFFSETTO"] = vUTCOffset(onset.after.offset)
    return part
