"""The sums that visits, and visitors on their days, add to the roll-ups. Reports, tests and the job that stores events use them.

Roll-ups are sums by day, so those of a range add up: somebody who comes on two days is two visitors of the range. A visit belongs
to the day of its first event, a page view to its own. A visit with one page view and no other event is a bounce. A visit lasts
from its first to its last event.

All functions add to `Counts`; with a `sign` of -1 they take away. So the change of a visit is what it adds, less what it added.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db.models import TextChoices

from .events import Kind

UTC_ZONE = ZoneInfo("UTC")
#: Clocks of any zone differ from UTC by a multiple of it, in seconds.
_QUARTER_HOUR = 900
#: Between the parts of a value, such as source, medium and campaign.
SEPARATOR = "\t"


class Dimension(TextChoices):
    """The subject of a roll-up; the meaning of its value is named here."""

    TOTAL = "total", "Total"
    #: The beginning of an hour of the site's zone, in UTC.
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


def monthly(dimension: str) -> str:
    """Return the name under which the sums of whole months are stored, by the first day of the month."""
    return f"{dimension}/m"


class Key(NamedTuple):
    """A roll-up: of the whole site, or, with a path, of the visits and visitors that saw that page."""

    day: date
    dimension: str
    path: str
    value: str


#: The columns that are added up.
COLUMNS = ("pageviews", "visitors", "sessions", "bounces", "seconds", "engaged", "conversions", "value_cents", "bounced_visitors")
PAGEVIEWS, VISITORS, SESSIONS, BOUNCES, SECONDS, ENGAGED, CONVERSIONS, VALUE_CENTS, BOUNCED_VISITORS = range(len(COLUMNS))

#: A dimension and a value of it.
Tag = tuple[str, str]

# Looking up a member of an enumeration, and its value, would take longer than counting.
_VIEW, _MISSING, _SEARCH, _GOAL = (kind.value for kind in (Kind.VIEW, Kind.MISSING, Kind.SEARCH, Kind.GOAL))
_TOTAL, _HOUR, _PAGE = (each.value for each in (Dimension.TOTAL, Dimension.HOUR, Dimension.PAGE))
_ORIGIN = tuple(each.value for each in (Dimension.SOURCE, Dimension.REFERRER, Dimension.DEVICE, Dimension.COUNTRY))
_GOALS = Dimension.GOAL.value


class Counts(defaultdict[Key, list[int]]):
    """Numbers by roll-up, in the order of `COLUMNS`. Hours are those of the zone."""

    def __init__(self, zone: ZoneInfo = UTC_ZONE) -> None:
        super().__init__(lambda: [0] * len(COLUMNS))
        self.zone = zone

    def add(self, keys: Iterable[Key], *numbers: tuple[int, int]) -> None:
        """Add pairs of a column and a number to each of the roll-ups."""
        changes = [pair for pair in numbers if pair[1]]
        for key in keys if changes else ():
            row = self[key]
            for column, number in changes:
                row[column] += number


@dataclass(slots=True)
class StoredVisit:
    """A visit as far as it is counted. Its id is the uid of the event with which it was begun."""

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
    def tags(self) -> tuple[Tag, ...]:
        return _tags(self.source, self.medium, self.campaign, self.referrer, self.device, self.country)


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

    @property
    def goal_tag(self) -> Tag:
        return _GOALS, SEPARATOR.join((self.goal, self.currency))


@lru_cache(maxsize=5_000)
def _tags(source: str, medium: str, campaign: str, *others: str) -> tuple[Tag, ...]:
    return tuple(zip(_ORIGIN, (SEPARATOR.join((source, medium, campaign)), *others), strict=True))


@lru_cache(maxsize=5_000)
def _keys(day: date, path: str, tags: tuple[Tag, ...]) -> tuple[Key, ...]:
    """Return the total and a roll-up for each value; with a path, those of that page."""
    total = Key(day, _PAGE, "", path) if path else Key(day, _TOTAL, "", "")
    return total, *(Key(day, dimension, path, value) for dimension, value in tags)


def _key(day: date, dimension: Dimension, value: str) -> tuple[Key]:
    return (Key(day, dimension.value, "", value),)


def _keys_of_view(event: StoredEvent, visit: StoredVisit, zone: ZoneInfo) -> tuple[Key, ...]:
    tags = (*visit.tags, hour_tag(event.at, zone))
    return _keys(event.day, "", tags) + _keys(event.day, event.path, tags)


def with_months(counts: Counts, months: Collection[date]) -> Counts:
    """Return the numbers together with what they add to months that are summed up, given by their first days."""
    found = Counts(counts.zone)
    found.update(counts)
    for key, numbers in counts.items() if months else ():
        month = key.day.replace(day=1)
        if month in months and key.dimension != Dimension.HOUR:
            found.add((Key(month, monthly(key.dimension), key.path, key.value),), *enumerate(numbers))
    return found


def day_of(at: float, zone: ZoneInfo) -> date:
    return datetime.fromtimestamp(at, zone).date()


def hour_tag(at: float, zone: ZoneInfo) -> Tag:
    """Return the hour as roll-ups name it, such as `2026-03-01T13:00:00+00:00`."""
    return _hour_tag(int(at) // _QUARTER_HOUR, zone)


@lru_cache(maxsize=4_000)
def _hour_tag(quarters: int, zone: ZoneInfo) -> Tag:
    return _HOUR, begin_hour(datetime.fromtimestamp(quarters * _QUARTER_HOUR, zone)).isoformat()


def begin_hour(moment: datetime) -> datetime:
    """Return the beginning of an hour of a zone, in UTC."""
    into = timedelta(minutes=moment.minute, seconds=moment.second, microseconds=moment.microsecond)
    return moment.astimezone(UTC) - into


def add_visit(counts: Counts, visit: StoredVisit, events: Sequence[StoredEvent], sign: int = 1) -> None:
    """Add a visit: sessions, bounces and seconds on its day, and conversions on theirs.

    Addresses at which there is no page make no visit: their visitor saw none, and is not counted either.
    """
    if events and all(event.kind == _MISSING for event in events):
        return
    views = sorted((event for event in events if event.kind == _VIEW), key=lambda event: (event.at, event.uid))
    paths = ("", *{event.path for event in views})
    bounces = sign * (len(events) == len(views) == 1)
    seconds = 0 if bounces else sign * round(visit.last_at - visit.started_at)
    tags = visit.tags
    with_hour = (*tags, hour_tag(visit.started_at, counts.zone))
    keys = chain.from_iterable(_keys(visit.day, path, with_hour) for path in paths)
    counts.add(keys, (SESSIONS, sign), (BOUNCES, bounces), (SECONDS, seconds))
    if views:
        counts.add(_key(visit.day, Dimension.ENTRY, views[0].path), (SESSIONS, sign), (BOUNCES, bounces))
        counts.add(_key(visit.day, Dimension.EXIT, views[-1].path), (SESSIONS, sign), (BOUNCES, bounces))
    for event in events:
        if event.kind == _GOAL:
            keys = chain.from_iterable(_keys(event.day, path, (*tags, event.goal_tag)) for path in paths)
            counts.add(keys, (CONVERSIONS, sign), (VALUE_CENTS, sign * event.value_cents))


def add_visitor(
    counts: Counts, day: date, events: Sequence[StoredEvent], visits: Mapping[int, StoredVisit], sign: int = 1
) -> None:
    """Add a visitor's day: its page views, and the visitor once for each roll-up however many views there are.

    A visitor all of whose views in a roll-up were bounces is among its bounced ones.
    """
    seen: set[Key] = set()
    stayed: set[Key] = set()
    paths = {""}
    of_visit = Counter(event.visit for event in events)
    for event in events:
        if event.kind == _VIEW and event.visit is not None:
            visit = visits[event.visit]
            keys = _keys_of_view(event, visit, counts.zone)
            counts.add(keys, (PAGEVIEWS, sign), (ENGAGED, sign * event.seconds))
            seen.update(keys)
            # Events of other days have other times.
            if of_visit[visit.id] > 1 or visit.started_at < visit.last_at:
                stayed.update(keys)
            paths.add(event.path)
        elif event.kind == _MISSING:
            counts.add(_key(day, Dimension.MISSING, event.path), (PAGEVIEWS, sign))
        elif event.kind == _SEARCH:
            counts.add(_key(day, Dimension.SEARCH, event.words), (PAGEVIEWS, sign))
    goals = {event.goal_tag for event in events if event.kind == _GOAL}
    reached = {Key(day, dimension, path, value) for dimension, value in goals for path in paths}
    counts.add(seen | reached, (VISITORS, sign))
    counts.add(seen - stayed, (BOUNCED_VISITORS, sign))


def add_time(counts: Counts, event: StoredEvent, visit: StoredVisit, seconds: int) -> None:
    """Add to the time for which the page of a view was looked at."""
    counts.add(_keys_of_view(event, visit, counts.zone), (ENGAGED, seconds))


def add_unknown(counts: Counts, event: StoredEvent, sign: int = 1) -> None:
    """Add a conversion whose visitor is not known."""
    counts.add(_keys(event.day, "", (event.goal_tag,)), (CONVERSIONS, sign), (VALUE_CENTS, sign * event.value_cents))
