"""When somebody is busy, read from the iCalendar file of their own calendar (RFC 5545)."""

import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import dropwhile, islice
from math import prod
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrule, rrulestr
from icalendar import Calendar, vRecur
from icalendar.timezone import tzp

from cms_api.calendars.scanning import NoCalendar, Part, property_name, scan
from cms_api.core.errors import Invalid
from commerce.common.types.spans import Span, merge_spans, span

from .busy_events import Component, Event, Moment, all_of, instant

#: The most events of a file.
MAX_EVENTS = 20_000
#: The most dates of one rule, enough for all hours that are read ahead, and the most steps of all rules of a file.
MAX_DATES = 20_000
MAX_STEPS = 2_000_000
#: The most busy times: half of every hour that is read ahead, and some more.
MAX_TIMES = 20_000
#: The most rules that never happen: dateutil looks for their first date until the year 9999.
MAX_EMPTY_RULES = 5
#: The most time zones that a file may define, and the most lines of one.
MAX_ZONES, MAX_ZONE_LINES = 200, 3_000
#: How long an event takes of which only the start can be read, unless it is a day.
UNKNOWN_LENGTH = timedelta(hours=1)

_DAY, _SECOND = timedelta(days=1), timedelta(seconds=1)
#: The days of a step of a rule, at most.
_DAYS_A_STEP = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 31, "YEARLY": 366}
#: Steps of less than a day, in a day; with conditions, they might be followed for long without a date.
_SHORT = {"HOURLY": 24, "MINUTELY": 24 * 60, "SECONDLY": 24 * 60 * 60}
_TIMES_OF_DAY = ("BYHOUR", "BYMINUTE", "BYSECOND")
_LONGEST_MONTHS = dict(enumerate((31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31), start=1))
#: Values that cannot be read raise these.
_BROKEN = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)

_TIMES = frozenset({"DTSTART", "DTEND", "DUE", "DURATION", "RECURRENCE-ID", "RRULE", "RDATE", "EXDATE"})
#: The components that are read, with the properties that say something of time. Tasks are only checked, so that they are counted.
_WANTED: dict[str, frozenset[str]] = {
    "VTIMEZONE": frozenset(),
    "VEVENT": _TIMES | {"UID", "STATUS", "TRANSP"},
    "VFREEBUSY": frozenset({"FREEBUSY"}),
    "VTODO": _TIMES,
}
_EXACT_STARTS = ("DTSTART", "DTEND", "DURATION")


@dataclass(frozen=True, slots=True)
class Busy:
    """When the owner of a calendar is busy, as `merged` spans, and how many entries could not be read."""

    spans: list[Span]
    unread: int = 0


def busy_spans(content: bytes, *, zone: ZoneInfo, first: datetime, last: datetime) -> Busy:
    """Read between two aware moments, beyond which no span reaches. Dates and floating times are those of `zone`.

    Cancelled and transparent events are free. Of an event that cannot be read, the first date is busy if its start can be.
    Raises Invalid if the content is no calendar, or too much to read.
    """
    parts = _parts(content)
    wanted = span(first, last)
    reader = _Reader(zone, wanted)
    # Zones that a file defines are kept by their names, and those of different files can have the same.
    tzp.use_default()
    with warnings.catch_warnings(action="ignore"):
        reader.read_zones([part for part in parts if part.name == "VTIMEZONE"])
        found = list(reader.spans([part for part in parts if part.name == "VEVENT"]))
        for part in parts:
            if part.name == "VFREEBUSY":
                found += reader.free_busy(part)
            elif part.name == "VTODO":
                reader.component(part)
    spans = merge_spans((max(start, wanted[0]), min(end, wanted[1])) for start, end in found)
    if len(spans) > MAX_TIMES:
        raise Invalid({"calendar_url": f"The calendar has more than {MAX_TIMES:,} busy times."})
    return Busy(spans, reader.unread)


def read_busy(content: bytes, zone: str, first: int, last: int) -> list[Any]:
    """The same for `core.apart`: moments are unix seconds, and the result is a list of the spans and the number."""
    start, end = (datetime.fromtimestamp(each, UTC) for each in (first, last))
    found = busy_spans(content, zone=ZoneInfo(zone), first=start, last=end)
    return [found.spans, found.unread]


def _parts(content: bytes) -> list[Part]:
    try:
        parts = list(scan(content, _WANTED))
    except NoCalendar as problem:
        text = "The calendar is incomplete." if problem.is_incomplete else "The address isn't a calendar."
        raise Invalid({"calendar_url": text}) from None
    if sum(part.name == "VEVENT" for part in parts) > MAX_EVENTS:
        raise Invalid({"calendar_url": f"The calendar has more than {MAX_EVENTS:,} events."})
    return parts


class _Reader:
    """Reads the parts of a calendar for a span of time, and counts those that it cannot read."""

    def __init__(self, zone: ZoneInfo, wanted: Span) -> None:
        self._zone, self._wanted = zone, wanted
        self._steps = self._empty = self.unread = 0

    def read_zones(self, parts: list[Part]) -> None:
        """Make the time zones of the file known to icalendar, the first of each name."""
        known: set[str] = set()
        for part in parts[:MAX_ZONES]:
            names = [line for line in part.lines if property_name(line) == "TZID"]
            rules = [line.upper() for line in part.lines if property_name(line) == "RRULE"]
            if not names or names[0] in known:
                continue
            known.add(names[0])
            kept = [line for line in part.lines if property_name(line) != "TZID"]
            try:
                if len(kept) > MAX_ZONE_LINES or not all("FREQ=YEARLY" in rule for rule in rules):
                    raise ValueError("A time zone that would take long to follow.")
                Calendar.from_ical("\r\n".join(["BEGIN:VCALENDAR", part.text([names[0], *kept]), "END:VCALENDAR"]))
            except _BROKEN:
                self.unread += 1

    def component(self, part: Part) -> Component:
        """Return a part as an icalendar component; None if some of it cannot be read."""
        try:
            (calendar,) = Calendar.from_ical(f"BEGIN:VCALENDAR\r\n{part.text()}END:VCALENDAR\r\n", multiple=True)
            (found,) = calendar.subcomponents
        except _BROKEN:
            found = None
        if found is None or found.errors:
            self.unread += 1
            return None
        return found

    def free_busy(self, part: Part) -> list[Span]:
        """Return the spans of the periods of a part, each of which may be broken by itself."""
        periods = [
            f"{head}:{value}"
            for line in part.lines
            for head, _, values in [line.rpartition(":")]
            for value in values.split(",")
            if property_name(line) == "FREEBUSY"
        ]
        if len(periods) > MAX_EVENTS:
            raise Invalid({"calendar_url": f"The calendar has more than {MAX_EVENTS:,} events."})
        return [found for period in periods for found in self._free_busy(Part(part.name, [period]))]

    def _free_busy(self, part: Part) -> Iterator[Span]:
        component = self.component(part)
        lines = all_of(component, "FREEBUSY") if component else []
        try:
            for line in lines:
                if str(line.params.get("FBTYPE", "BUSY")).upper() != "FREE":
                    yield self._period(line.dt)
        except _BROKEN:
            self.unread += 1

    def _period(self, given: tuple[datetime, datetime | timedelta]) -> Span:
        start, end = given
        return instant(start, self._zone), instant(start + end if isinstance(end, timedelta) else end, self._zone)

    def spans(self, parts: Iterable[Part]) -> Iterator[Span]:
        busy: list[tuple[str, Event]] = []
        #: By UID: the dates that have events of their own, and the changes that last from one on.
        replaced: dict[str, list[Moment]] = defaultdict(list)
        changes: dict[str, list[tuple[Moment, Event, bool]]] = defaultdict(list)
        for part in parts:
            texts = {name: line.partition(":")[2].strip() for name, line in part.firsts().items()}
            is_free = texts.get("STATUS", "").upper() == "CANCELLED" or texts.get("TRANSP", "").upper() == "TRANSPARENT"
            uid = texts.get("UID", "")
            component = self.component(part)
            try:
                event = Event(component, self._zone) if component is not None else None
                if event is not None and event.is_single:
                    line = component["RECURRENCE-ID"]
                    replaced[uid].append(line.dt)
                    if str(line.params.get("RANGE", "")).upper() == "THISANDFUTURE":
                        changes[uid].append((line.dt, event, is_free))
            except _BROKEN:
                self.unread += 1
                event = None
            if is_free:
                continue
            if event is not None:
                busy.append(("" if event.is_single else uid, event))
            else:
                yield from self._first_date(part)
        for uid, event in busy:
            moments = replaced.get(uid, []) if uid else []
            self._count_steps(len(moments))
            try:
                for moment in moments:
                    event.exclude(moment)
                for moment, to, is_free in changes.get(uid, []) if uid else []:
                    event.change(moment, to, is_free=is_free)
                yield from self._busy(event)
            except _BROKEN:
                self.unread += 1
                event.changes.clear()
                yield event.span(event.start)

    def _first_date(self, part: Part) -> Iterator[Span]:
        """Yield the first date of an event that cannot be read, with its length if that can be read, if its start can be."""
        lines = part.firsts()
        start = lines.get("DTSTART", "")
        local = f"DTSTART:{start.rpartition(':')[2].strip()}"
        for attempt in ([lines[name] for name in _EXACT_STARTS if name in lines], [start], [local]):
            try:
                (calendar,) = Calendar.from_ical(f"BEGIN:VCALENDAR\r\n{part.text(attempt)}END:VCALENDAR\r\n", multiple=True)
                event = Event(calendar.subcomponents[0], self._zone)
                begins, ends = event.span(event.start)
            except _BROKEN:
                continue
            yield begins, ends if len(attempt) > 1 or event.is_day else begins + int(UNKNOWN_LENGTH.total_seconds())
            return

    def _busy(self, event: Event) -> Iterator[Span]:
        dates = {event.start}
        for each in event.added:
            if isinstance(each, tuple):
                yield self._period(each)
            else:
                dates.add(event.local(each))
        for rule in event.rules:
            dates.update(self._dates(event, rule))
        yield from (event.span(local) for local in dates if not event.is_excluded(local))

    def _dates(self, event: Event, rule: vRecur) -> Iterator[datetime]:
        """Yield the dates of a rule that the wanted span touches, and some more."""
        first, last = (datetime.fromtimestamp(each, UTC).replace(tzinfo=None) for each in self._wanted)
        low = first - min(2 + event.days_before, (first - datetime.min).days) * _DAY - event.seconds * _SECOND
        high = last + min(2 + event.days_after, (datetime.max - last).days) * _DAY
        until = min([*(_end(event, each) for each in rule.get("UNTIL", [])), high])
        if event.start > until or until < low or _is_never(rule):
            return
        days = (until - event.start).days + 1
        self._count_steps(min(days, _days_of_count(rule, event.start) or days) * _dates_a_day(rule))
        found = _expand(rule, event.start, until)
        if next(iter(found), None) is None:
            self._empty += 1
            if self._empty > MAX_EMPTY_RULES:
                raise _too_often()
        counted = islice(found, *rule.get("COUNT", [None]))
        upcoming = dropwhile(lambda local: local < low, counted)
        yield from islice(upcoming, MAX_DATES)
        # Of later dates nothing is known.
        self.unread += next(upcoming, None) is not None

    def _count_steps(self, steps: int) -> None:
        """Raise Invalid if there is too much to follow."""
        self._steps += steps
        if self._steps > MAX_STEPS:
            raise _too_often()


def _too_often() -> Invalid:
    return Invalid({"calendar_url": "The events of the calendar repeat too often."})


def _dates_a_day(rule: vRecur) -> int:
    """Return how many dates a rule may have in a day."""
    return _SHORT.get(rule["FREQ"][0]) or prod(max(len(rule.get(name, [])), 1) for name in _TIMES_OF_DAY)


def _days_of_count(rule: vRecur, start: datetime) -> int | None:
    """Return in how many days a rule reaches its number of dates; None if it has none, or may have steps without a date."""
    (frequency,), (interval,), counts = rule["FREQ"], rule.get("INTERVAL", [1]), rule.get("COUNT", [])
    conditions = {name for name in rule if name.startswith("BY")} - ({"BYDAY"} if frequency == "WEEKLY" else set())
    has_every_step = frequency in _DAYS_A_STEP and not conditions and start.day <= 28
    return int(_DAYS_A_STEP[frequency] * interval * counts[0]) if counts and has_every_step else None


def _is_never(rule: vRecur) -> bool:
    """Return whether a rule is only about days that no month has, such as 30 February."""
    months, days = rule.get("BYMONTH", []), rule.get("BYMONTHDAY", [])
    if not (months and days):
        return False
    return not any(abs(day) <= _LONGEST_MONTHS.get(int(month), 0) for month in months for day in days)


def _expand(rule: vRecur, start: datetime, until: datetime) -> rrule:
    """Return the dates of a rule, in order. Its own number of dates is left to the caller, as dateutil takes only one end."""
    if rule["FREQ"][0] in _SHORT and any(name.startswith("BY") for name in rule):
        raise ValueError("A rule that could be followed for hours without a date.")
    if any(value < 1 for value in rule.get("INTERVAL", [])):
        raise ValueError("A rule that never goes on.")
    parts = {name: value for name, value in rule.items() if name not in {"UNTIL", "COUNT"}}
    found = rrulestr(vRecur(parts).to_ical().decode(), dtstart=start)
    return found.replace(until=until)


def _end(event: Event, until: Moment) -> datetime:
    """Return the last local time of a rule; programs write it as a time for events of days, and as a day for events of times."""
    if not isinstance(until, datetime):
        return datetime.combine(until, time.max)
    return until.replace(tzinfo=None) if event.is_day else event.local(until)
