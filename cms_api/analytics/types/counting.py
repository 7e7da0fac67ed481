"""What visits and the days of visitors add to the roll-ups. Reports, tests and the job that stores events count by this alone.

Roll-ups are sums by day, so those of a range add up: somebody who comes on two days is two visitors of the range. A visit belongs
to the day of its first event, a page view to its own. A visit with one page view and no other event is a bounce. A visit lasts
from its first to its last event.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import TextChoices

from .events import Kind

#: Between the parts of a value, such as source, medium and campaign.
SEPARATOR = "\t"


class Dimension(TextChoices):
    """What a roll-up is about; its value is named here."""

    TOTAL = "total", "Total"
    #: The beginning of an hour in UTC.
    HOUR = "hour", "Hour"
    PAGE = "page", "Page"
    #: Source, medium and campaign.
    SOURCE = "source", "Source"
    REFERRER = "referrer", "Referrer"
    ENTRY = "entry", "Entry page"
    EXIT = "exit", "Exit page"
    DEVICE = "device", "Device"
    COUNTRY = "country", "Country"
    #: The name of a goal and the currency of its values.
    GOAL = "goal", "Goal"
    MISSING = "missing", "Page not found"
    SEARCH = "search", "Search"


class Key(NamedTuple):
    """A roll-up: of the whole site, or, with a path, of the visits and visitors that saw that page."""

    day: date
    dimension: str
    path: str
    value: str


#: The columns that are added up.
COLUMNS = ("pageviews", "visitors", "sessions", "bounces", "seconds", "engaged", "conversions", "value_cents")


class Cell(NamedTuple):
    key: Key
    column: str


Counts = Counter[Cell]


@dataclass(slots=True)
class StoredVisit:
    """A visit as far as it is counted. Its id is negative until it is stored."""

    id: int
    visitor: int
    day: date
    #: Unix seconds.
    started_at: float
    last_at: float
    source: str = ""
    medium: str = ""
    campaign: str = ""
    referrer: str = ""
    device: str = ""
    country: str = ""

    @property
    def values(self) -> dict[str, str]:
        """Return its values by dimension."""
        return {
            Dimension.SOURCE: SEPARATOR.join((self.source, self.medium, self.campaign)),
            Dimension.REFERRER: self.referrer,
            Dimension.DEVICE: self.device,
            Dimension.COUNTRY: self.country,
        }


@dataclass(slots=True)
class StoredEvent:
    """An event as far as it is counted; `visit` is None for a conversion whose visitor is not known."""

    uid: int
    kind: str
    at: float
    day: date
    visitor: int
    visit: int | None
    path: str = ""
    words: str = ""
    goal: str = ""
    value_cents: int = 0
    currency: str = ""
    seconds: int = 0


@dataclass(slots=True)
class _Tally:
    counts: Counts = field(default_factory=Counter)

    def add(self, day: date, dimension: str, path: str, value: str, **columns: int) -> None:
        for column, number in columns.items():
            if number:
                self.counts[Cell(Key(day, dimension, path, value), column)] += number

    def add_everywhere(self, day: date, values: Mapping[str, str], paths: Collection[str], **columns: int) -> None:
        """Add to the total, to every value, and to both for each of the pages."""
        self.add(day, Dimension.TOTAL, "", "", **columns)
        for dimension, value in values.items():
            self.add(day, dimension, "", value, **columns)
        for path in paths:
            self.add(day, Dimension.PAGE, "", path, **columns)
            for dimension, value in values.items():
                self.add(day, dimension, path, value, **columns)


def day_of(at: float, zone: ZoneInfo) -> date:
    return datetime.fromtimestamp(at, zone).date()


def hour_of(at: float) -> str:
    """Return the hour as roll-ups name it, such as `2026-03-01T13:00:00+00:00`."""
    return datetime.fromtimestamp(int(at) // 3600 * 3600, UTC).isoformat()


def of_visit(visit: StoredVisit, events: Sequence[StoredEvent]) -> Counts:
    """Return what a visit adds: sessions, bounces and seconds on its day, and conversions on theirs."""
    tally = _Tally()
    views = sorted((event for event in events if event.kind == Kind.VIEW), key=lambda event: event.at)
    paths = {event.path for event in views}
    is_bounce = len(events) == len(views) == 1
    seconds = 0 if is_bounce else round(visit.last_at - visit.started_at)
    values = {**visit.values, Dimension.HOUR: hour_of(visit.started_at)}
    tally.add_everywhere(visit.day, values, paths, sessions=1, bounces=int(is_bounce), seconds=seconds)
    if views:
        tally.add(visit.day, Dimension.ENTRY, "", views[0].path, sessions=1, bounces=int(is_bounce))
        tally.add(visit.day, Dimension.EXIT, "", views[-1].path, sessions=1)
    for event in events:
        if event.kind == Kind.GOAL:
            goal: dict[str, str] = {Dimension.GOAL: SEPARATOR.join((event.goal, event.currency))}
            added = {"conversions": 1, "value_cents": event.value_cents}
            tally.add_everywhere(event.day, {**visit.values, **goal}, paths, **added)
    return tally.counts


def of_visitor(day: date, events: Sequence[StoredEvent], visits: Mapping[int, StoredVisit]) -> Counts:
    """Return what a visitor adds on one day: page views, and the visitor once for each value and page."""
    tally = _Tally()
    views = [event for event in events if event.kind == Kind.VIEW]
    for event in views:
        visit = visits[event.visit] if event.visit is not None else None
        values = {**(visit.values if visit else {}), Dimension.HOUR: hour_of(event.at)}
        tally.add_everywhere(day, values, (event.path,), pageviews=1)
        tally.add(day, Dimension.PAGE, "", event.path, engaged=event.seconds)
    for key in {key for event in views for key in _seen(event, visits)}:
        tally.add(day, *key, visitors=1)
    for event in events:
        if event.kind == Kind.MISSING:
            tally.add(day, Dimension.MISSING, "", event.path, pageviews=1)
        elif event.kind == Kind.SEARCH:
            tally.add(day, Dimension.SEARCH, "", event.words, pageviews=1)
    goals = {SEPARATOR.join((event.goal, event.currency)) for event in events if event.kind == Kind.GOAL}
    for goal in goals:
        for path in ("", *{event.path for event in views}):
            tally.add(day, Dimension.GOAL, path, goal, visitors=1)
    return tally.counts


def _seen(event: StoredEvent, visits: Mapping[int, StoredVisit]) -> Iterable[tuple[str, str, str]]:
    """Yield the roll-ups in which the visitor of a page view is counted, once however many views there are."""
    visit = visits[event.visit] if event.visit is not None else None
    values = {**(visit.values if visit else {}), Dimension.HOUR: hour_of(event.at)}
    yield Dimension.TOTAL, "", ""
    yield Dimension.PAGE, "", event.path
    for dimension, value in values.items():
        yield dimension, "", value
        yield dimension, event.path, value


def of_unknown(event: StoredEvent) -> Counts:
    """Return what a conversion adds whose visitor is not known."""
    tally = _Tally()
    goal = SEPARATOR.join((event.goal, event.currency))
    tally.add_everywhere(event.day, {Dimension.GOAL: goal}, (), conversions=1, value_cents=event.value_cents)
    return tally.counts
