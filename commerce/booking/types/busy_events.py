"""Events of calendars: when each is, how long it takes, and which of its dates are left out or moved."""

from bisect import bisect_right, insort
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from icalendar import vRecur

from commerce.common.types.spans import Span

#: The end of what lasts beyond the year 9999, in unix seconds.
_FOREVER = int(datetime.max.replace(tzinfo=UTC).timestamp())
_DAY_SECONDS = 86_400

Moment = date | datetime
#: An icalendar component: the types of its properties depend on their names.
Component = Any


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the dates of an event from one on: they move by a time, have another length, or are free."""

    since: datetime
    shift: timedelta
    days_long: int
    seconds: int
    is_free: bool


class Event:
    """The times of an event. Its dates are local times by its own clock, without a time zone."""

    def __init__(self, component: Component, zone: ZoneInfo) -> None:
        given: Moment = component["DTSTART"].dt
        self.given = given
        self.is_day = not isinstance(given, datetime)
        self.clock: tzinfo = (given.tzinfo if isinstance(given, datetime) else None) or zone
        self.start = self.local(given)
        self._zone = zone
        #: An event that replaces a date of another has one date, whatever rule it repeats.
        self.is_single = "RECURRENCE-ID" in component
        #: So many days by the clock, and then so many seconds.
        self.days_long, self.seconds = self._length(component, given)
        if self.days_long < 0 or self.days_long * _DAY_SECONDS + self.seconds < 0:
            raise ValueError("An event that ends before it starts.")
        rules = [_read_rule(each) for each in all_of(component, "RRULE")]
        added = [each for line in all_of(component, "RDATE") for each in values_of(line)]
        self.rules, self.added = ([], []) if self.is_single else (rules, added)
        #: Dates that do not happen: whole days, and instants.
        self.days: set[date] = set()
        self.instants: set[int] = set()
        #: In their order; see `change`.
        self.changes: list[Change] = []
        for line in [] if self.is_single else all_of(component, "EXDATE"):
            for each in values_of(line):
                self.exclude(each)

    def _length(self, component: Component, start: Any) -> tuple[int, int]:
        if "DTEND" in component:
            end = component["DTEND"].dt
            if self.is_day:
                # Some programs end an event on the day of its start.
                return (end - start).days or 1, 0
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

    def change(self, moment: Moment, to: "Event", *, is_free: bool) -> None:
        """Let the dates from one on change as that one does, which has an event of its own."""
        since = self.local(moment)
        change = Change(since, self.local(to.given) - since, to.days_long, to.seconds, is_free)
        insort(self.changes, change, key=lambda each: each.since)

    def _find_change(self, local: datetime) -> Change | None:
        place = bisect_right(self.changes, local, key=lambda each: each.since) if self.changes else 0
        return self.changes[place - 1] if place else None

    @property
    def days_before(self) -> int:
        """Return how many days a date may begin before its last moment."""
        changed = (each.days_long + each.seconds // _DAY_SECONDS + max(each.shift.days, 0) + 2 for each in self.changes)
        return max([self.days_long, *changed])

    @property
    def days_after(self) -> int:
        """Return how many days later than it is a date may be planned."""
        return max([0, *(-each.shift.days for each in self.changes)])

    def span(self, local: datetime) -> Span:
        days_long, seconds = self.days_long, self.seconds
        if change := self._find_change(local):
            local, days_long, seconds = local + change.shift, change.days_long, change.seconds
        try:
            ends = instant(local + timedelta(days=days_long), self.clock) + seconds
        except OverflowError:
            ends = _FOREVER
        return instant(local, self.clock), ends

    def exclude(self, moment: Moment) -> None:
        if self.is_day or not isinstance(moment, datetime):
            self.days.add(self.local(moment).date())
        else:
            self.instants.add(instant(moment, self._zone))

    def is_excluded(self, local: datetime) -> bool:
        change = self._find_change(local)
        is_free = change is not None and change.is_free
        return is_free or local.date() in self.days or instant(local, self.clock) in self.instants


def instant(moment: Moment, clock: tzinfo) -> int:
    """Return the unix seconds of a date, or of a time that is one of the clock if it has no zone of its own."""
    if not isinstance(moment, datetime):
        moment = datetime.combine(moment, time())
    return int((moment if moment.tzinfo else moment.replace(tzinfo=clock)).timestamp())


def all_of(component: Component, name: str) -> list[Any]:
    """Return the properties of a name, of which there may be none, one or several."""
    found = component.get(name, [])
    return found if isinstance(found, list) else [found]


def values_of(line: Any) -> list[Any]:
    """Return the values of a list of dates, times or periods."""
    return [each.dt for each in line.dts]


def _read_rule(value: Any) -> vRecur:
    if not isinstance(value, vRecur):
        raise ValueError("A rule that cannot be read.")
    return value
