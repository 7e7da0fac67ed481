"""When somebody is busy, read from the iCalendar file of their own calendar (RFC 5545)."""

import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import dropwhile, islice
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrule, rrulestr
from icalendar import Calendar, vRecur
from icalendar.timezone import tzp

from cms_api.core.errors import Invalid
from commerce.common.types.spans import Span, merged, span

#: The most events of a file.
MAX_EVENTS = 20_000
#: The most dates of one rule, and the most days that all rules of a file are followed.
MAX_DATES = 5_000
MAX_STEPS = 2_000_000
#: The most rules that never happen, such as on 30 February: dateutil looks for their first date until the year 9999.
MAX_EMPTY = 5

_DAY, _SECOND = timedelta(days=1), timedelta(seconds=1)
#: Steps of less than a day, in a day; with conditions, they might be followed for long without a date.
_SHORT = {"HOURLY": 24, "MINUTELY": 24 * 60, "SECONDLY": 24 * 60 * 60}
#: Values that cannot be read raise these.
_BROKEN = (AttributeError, IndexError, KeyError, OverflowError, TypeError, ValueError)

#: They say nothing of time, and a broken one makes the whole file unreadable.
_ALARMS = re.compile(rb"BEGIN:VALARM\b.*?\nEND:VALARM\r?\n", re.DOTALL | re.IGNORECASE)

Moment = date | datetime
#: An icalendar component: the types of its properties depend on their names.
Component = Any


def busy_spans(content: bytes, *, zone: ZoneInfo, first: datetime, last: datetime) -> list[Span]:
    """Return when the owner of a calendar is busy between two aware moments, as `merged` spans that do not reach beyond them.

    Cancelled and transparent events are free, and so are those that cannot be read. Dates and floating times are those of `zone`.
    Raises Invalid if the content is no calendar, or too much to read.
    """
    calendars = _parse(content)
    wanted = span(first, last)
    reader = _Reader(zone, wanted)
    found = list(reader.spans([each for calendar in calendars for each in calendar.walk("VEVENT")]))
    for calendar in calendars:
        for part in calendar.walk("VFREEBUSY"):
            found += reader.free_busy(part)
    return merged((max(start, wanted[0]), min(end, wanted[1])) for start, end in found)


def _parse(content: bytes) -> list[Any]:
    """Return the calendars of a file. Raises Invalid."""
    text = _ALARMS.sub(b"", content)
    if b"BEGIN:VCALENDAR" not in text.upper():
        raise Invalid({"calendar_url": "The address isn't a calendar."})
    if text.upper().count(b"BEGIN:VEVENT") > MAX_EVENTS:
        raise Invalid({"calendar_url": f"The calendar has more than {MAX_EVENTS:,} events."})
    # Zones that a file defines are kept by their names, and those of different files can have the same.
    tzp.use_default()
    try:
        with warnings.catch_warnings(action="ignore"):
            found: list[Any] = Calendar.from_ical(text, multiple=True)
    except _BROKEN as problem:
        raise Invalid({"calendar_url": f"The calendar can't be read: {problem}"}) from None
    if not found:
        raise Invalid({"calendar_url": "The calendar is incomplete."})
    return found


class _Event:
    """The times of an event. Its dates are local times by its own clock, without a time zone."""

    def __init__(self, component: Component, zone: ZoneInfo) -> None:
        given: Moment = component["DTSTART"].dt
        self.is_day = not isinstance(given, datetime)
        self.clock: tzinfo = (given.tzinfo if isinstance(given, datetime) else None) or zone
        self.start = self.local(given)
        self._zone = zone
        #: So many days by the clock, and then so many seconds.
        self.days_long, self.seconds = self._length(component, given)
        self.rules = [_read_rule(each) for each in _all(component, "RRULE")]
        self.added = [each for line in _all(component, "RDATE") for each in _values(line)]
        #: Dates that do not happen: whole days, and instants.
        self.days: set[date] = set()
        self.instants: set[int] = set()
        for line in _all(component, "EXDATE"):
            for each in _values(line):
                self.exclude(each)

    def _length(self, component: Component, start: Any) -> tuple[int, int]:
        if "DTEND" in component:
            end = component["DTEND"].dt
            if self.is_day:
                # Some programs end an event on the day of its start.
                return max((end - start).days, 1), 0
            return 0, instant(end, self._zone) - instant(start, self._zone)
        if "DURATION" in component:
            given: timedelta = component["DURATION"].dt
            return given.days, given.seconds
        return int(self.is_day), 0

    def local(self, moment: Moment) -> datetime:
        """Return a date, or a time in any zone, by the event's clock."""
        if not isinstance(moment, datetime):
            return datetime.combine(moment, time())
        return (moment.astimezone(self.clock) if moment.tzinfo else moment).replace(tzinfo=None)

    def span(self, local: datetime) -> Span:
        return instant(local, self.clock), instant(local + timedelta(days=self.days_long), self.clock) + self.seconds

    def exclude(self, moment: Moment) -> None:
        if self.is_day or not isinstance(moment, datetime):
            self.days.add(self.local(moment).date())
        else:
            self.instants.add(instant(moment, self._zone))

    def is_excluded(self, local: datetime) -> bool:
        return local.date() in self.days or instant(local, self.clock) in self.instants


class _Reader:
    """Reads the parts of a calendar for a span of time."""

    def __init__(self, zone: ZoneInfo, wanted: Span) -> None:
        self._zone, self._wanted = zone, wanted
        self._steps = self._empty = 0

    def free_busy(self, part: Component) -> Iterator[Span]:
        for line in _all(part, "FREEBUSY"):
            if str(line.params.get("FBTYPE", "BUSY")).upper() != "FREE":
                yield self._period(line.dt)

    def _period(self, given: tuple[datetime, datetime | timedelta]) -> Span:
        start, end = given
        return instant(start, self._zone), instant(start + end if isinstance(end, timedelta) else end, self._zone)

    def spans(self, components: Iterable[Component]) -> Iterator[Span]:
        busy: list[tuple[str, _Event]] = []
        #: By UID: the dates that have events of their own.
        replaced: dict[str, list[Moment]] = defaultdict(list)
        for component in components:
            try:
                event, uid = _Event(component, self._zone), str(component.get("UID", ""))
                if is_single := "RECURRENCE-ID" in component:
                    replaced[uid].append(component["RECURRENCE-ID"].dt)
            except _BROKEN:
                continue
            stance = (str(component.get("STATUS", "")).upper(), str(component.get("TRANSP", "")).upper())
            if stance[0] != "CANCELLED" and stance[1] != "TRANSPARENT":
                busy.append(("" if is_single else uid, event))
        for uid, event in busy:
            for moment in replaced.get(uid, ()) if uid else ():
                event.exclude(moment)
            try:
                yield from self._busy(event)
            except _BROKEN:
                continue

    def _busy(self, event: _Event) -> Iterator[Span]:
        dates = {event.start}
        for each in event.added:
            if isinstance(each, tuple):
                yield self._period(each)
            else:
                dates.add(event.local(each))
        for rule in event.rules:
            dates.update(self._dates(event, rule))
        yield from (event.span(local) for local in dates if not event.is_excluded(local))

    def _dates(self, event: _Event, rule: vRecur) -> Iterator[datetime]:
        """Yield the dates of a rule that the wanted span touches, and some more."""
        first, last = (datetime.fromtimestamp(each, UTC).replace(tzinfo=None) for each in self._wanted)
        low, high = first - (2 + max(event.days_long, 0)) * _DAY - max(event.seconds, 0) * _SECOND, last + 2 * _DAY
        ends = [_end(event, each) for each in rule.get("UNTIL", [])]
        found = _expand(rule, event.start, min([*ends, high]))
        self._limit(found, rule, high - event.start)
        counted = islice(found, *rule.get("COUNT", [None]))
        upcoming = dropwhile(lambda local: local < low, counted)
        yield from islice(upcoming, MAX_DATES)

    def _limit(self, found: rrule, rule: vRecur, followed: timedelta) -> None:
        """Raise Invalid for too much to follow."""
        days = max(followed, timedelta()) / _DAY
        self._steps += int(days * _SHORT.get(rule["FREQ"][0], 1))
        self._empty += followed > timedelta() and next(iter(found), None) is None
        if self._steps > MAX_STEPS or self._empty > MAX_EMPTY:
            raise Invalid({"calendar_url": "The events of the calendar repeat too often."})


def _expand(rule: vRecur, start: datetime, until: datetime) -> rrule:
    """Return the dates of a rule, in order. Its own number of dates is left to the caller, as dateutil takes only one end."""
    if rule["FREQ"][0] in _SHORT and any(name.startswith("BY") for name in rule):
        raise ValueError("A rule that could be followed for hours without a date.")
    parts = {name: value for name, value in rule.items() if name not in {"UNTIL", "COUNT"}}
    found = rrulestr(vRecur(parts).to_ical().decode(), dtstart=start)
    return found.replace(until=until)


def _end(event: _Event, until: Moment) -> datetime:
    """Return the last local time of a rule; programs write it as a time for events of days, and as a day for events of times."""
    if not isinstance(until, datetime):
        return datetime.combine(until, time.max)
    return until.replace(tzinfo=None) if event.is_day else event.local(until)


def instant(moment: Moment, clock: tzinfo) -> int:
    """Return the unix seconds of a date, or of a time that is one of the clock if it has no zone of its own."""
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time())
    return int((moment if moment.tzinfo else moment.replace(tzinfo=clock)).timestamp())


def _all(component: Component, name: str) -> list[Any]:
    """Return the properties of a name, of which there may be none, one or several."""
    found = component.get(name, [])
    return found if isinstance(found, list) else [found]


def _values(line: Any) -> list[Any]:
    """Return the values of a list of dates, times or periods."""
    return [each.dt for each in line.dts]


def _read_rule(value: Any) -> vRecur:
    if not isinstance(value, vRecur):
        raise ValueError("A rule that cannot be read.")
    return value
