"""Adds events with their visits to what is stored, and what they change to the roll-ups.

Events may be late: roll-ups change by the difference between what visits add before and after.
"""

import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from django.db import connection
from django.db.models import Model, Q

from cms_api.flags.selectors import site_timezone

from .. import models
from ..types.counting import (
    Counts,
    StoredEvent,
    StoredVisit,
    add_time,
    add_unknown,
    add_visit,
    add_visitor,
    day_of,
)
from ..types.events import MAX_EVENTS, VISIT_ENDS, Event, Kind
from .partitions import near
from .rolling_up import add_up

T = TypeVar("T")

#: Events that are counted together: the more, the fewer roll-ups change.
BATCH = 5_000
ENDS = VISIT_ENDS.total_seconds()
#: Rows that are read by one statement.
BATCH_ROWS = 500


def store(events: Sequence[Event]) -> None:
    """Store events in the caller's transaction, in the order of their times. Repeated ones change nothing."""
    ordered = sorted(events, key=lambda event: event.at)
    for start in range(0, len(ordered), BATCH):
        _Batch(site_timezone()).store(ordered[start : start + BATCH])


class _Batch:
    """Visits and events while a batch is stored: those that were there, and those that are new."""

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone
        self.visits: dict[int, StoredVisit] = {}
        #: Those that may go on. All their events are here, and all other events of their visitors on the same days.
        self.whole: set[int] = set()
        self.open: dict[int, list[StoredVisit]] = defaultdict(list)
        self.people: set[tuple[int, date]] = set()
        self.events: dict[int, StoredEvent] = {}
        self.of_visit: dict[int, int] = defaultdict(int)
        self.begun: list[StoredVisit] = []
        #: Ids of visits that an event that arrives would give to another one.
        self.taken: set[int] = set()
        self.moved: set[int] = set()
        self.added: list[StoredEvent] = []
        self.timed: dict[int, StoredEvent] = {}
        #: Of all events that arrive.
        self.days: set[date] = set()
        self.counts = Counts(zone)

    def store(self, events: Sequence[Event]) -> None:
        fresh, times = self._sort(events)
        self._load(fresh)
        self._count(-1)
        for event in fresh:
            self._add(event)
        elsewhere = {uid: seconds for uid, seconds in times.items() if not self._look_at(self.events.get(uid), seconds)}
        self._count(1)
        self._time(elsewhere)
        self._write()
        add_up(self.counts)
        _write_titles(fresh)

    def _sort(self, events: Sequence[Event]) -> tuple[list[Event], dict[int, int]]:
        """Return the events that are not stored yet, each once, and the seconds by uid."""
        times: dict[int, int] = {}
        fresh: dict[int, Event] = {}
        for event in events:
            self.days.add(day_of(event.at, self.zone))
            if event.kind == Kind.TIME:
                times[event.uid] = max(times.get(event.uid, 0), event.seconds)
            else:
                fresh.setdefault(event.uid, event)
        goals = [event.uid for event in fresh.values() if event.kind == Kind.GOAL]
        others = [event.uid for event in fresh.values() if event.kind != Kind.GOAL]
        # A goal may be reached again by the same record long afterwards.
        for condition, all_uids in ((Q(), goals), (near(self.days), others)):
            for uids in _parts(all_uids):
                for uid in models.Event.objects.filter(condition, uid__in=uids).values_list("uid", flat=True):
                    fresh.pop(uid, None)
        return list(fresh.values()), times

    def _load(self, fresh: Sequence[Event]) -> None:
        """Read the visits that may go on with all their events, and all events of their visitors on the same days."""
        earliest = min((event.at for event in fresh), default=0.0) - ENDS
        for some in _parts(sorted({each for event in fresh for each in (event.visitor, event.formerly) if each})):
            for visit in self._load_visits(Q(visitor__in=some, last_at__gte=earliest)):
                self.whole.add(visit.id)
                self.open[visit.visitor].append(visit)
        visitors = {event.visitor for event in fresh}
        days = {day_of(event.at, self.zone) for event in fresh}
        beginning = sorted(event.uid for event in fresh if event.visitor and event.kind != Kind.GOAL)
        for some in _parts(beginning):
            self.taken.update(models.Visit.objects.filter(pk__in=some).values_list("pk", flat=True))
        # Events of one day are read with their visitor; those of visits that are about others too, by visit.
        others = [
            visit.id
            for visit in self.visits.values()
            if not (visit.visitor in visitors and visit.day in days and visit.day == day_of(visit.last_at, self.zone))
        ]
        around = near({day for visit in self.visits.values() for day in (visit.day, day_of(visit.last_at, self.zone))})
        for some in _parts(others):
            self._load_events(around & Q(visit__in=some))
        visitors |= {event.visitor for event in self.events.values()}
        days |= {event.day for event in self.events.values()}
        visitors.discard(0)
        for some in _parts(sorted(visitors)):
            self._load_events(Q(visitor__in=some, day__in=days))
        self.people = {(visitor, day) for visitor in visitors for day in days}
        for event in self.events.values():
            if event.visit is not None:
                self.of_visit[event.visit] += 1
        for some in _parts(sorted(self.of_visit.keys() - self.visits.keys())):
            self._load_visits(Q(pk__in=some))

    def _load_visits(self, condition: Q) -> list[StoredVisit]:
        found = [StoredVisit(*row) for row in models.Visit.objects.filter(condition).values_list(*VISIT)]
        self.visits.update((visit.id, visit) for visit in found)
        return found

    def _load_events(self, condition: Q) -> None:
        for row in models.Event.objects.filter(condition).values_list(*EVENT):
            self.events[row[0]] = StoredEvent(*row)

    def _add(self, event: Event) -> None:
        day = day_of(event.at, self.zone)
        visit = self._visit_of(event)
        if visit is None and event.visitor and event.kind != Kind.GOAL:
            visit = self._begin(event, day)
        if visit is not None:
            if self.of_visit[visit.id] >= MAX_EVENTS:
                return
            self.of_visit[visit.id] += 1
            self._extend(visit, event)
        stored = StoredEvent(
            uid=event.uid,
            kind=event.kind,
            at=event.at,
            day=day,
            visitor=0 if visit is None else event.visitor,
            visit=None if visit is None else visit.id,
            path=event.path,
            words=event.words,
            goal=event.goal,
            value_cents=event.value_cents,
            currency=event.currency,
        )
        self.events[stored.uid] = stored
        self.added.append(stored)

    def _visit_of(self, event: Event) -> StoredVisit | None:
        """Return the visit that an event belongs to: the latest of its visitor that has not ended."""
        for visitor in filter(None, (event.visitor, event.formerly)):
            near = [visit for visit in self.open[visitor] if visit.started_at - ENDS <= event.at <= visit.last_at + ENDS]
            if near:
                return max(near, key=lambda visit: (visit.last_at, visit.id))
        return None

    def _begin(self, event: Event, day: date) -> StoredVisit:
        # A page chooses its numbers: it may send one again after the days in which that counts as a repetition.
        visit_id = event.uid if event.uid not in self.taken else secrets.randbits(63)
        visit = StoredVisit(visit_id, event.visitor, day, event.at, event.at, *_origin(event))
        self.visits[visit.id] = visit
        self.whole.add(visit.id)
        self.open[visit.visitor].append(visit)
        self.begun.append(visit)
        return visit

    def _extend(self, visit: StoredVisit, event: Event) -> None:
        """Let a visit include an event. Its source is that of its first one, also if that arrives late."""
        if visit.visitor != event.visitor:
            # The salt was renewed during the visit.
            self.open[visit.visitor].remove(visit)
            visit.visitor = event.visitor
            self.open[visit.visitor].append(visit)
        if event.at < visit.started_at:
            visit.started_at, visit.day = event.at, day_of(event.at, self.zone)
            if event.kind != Kind.GOAL:
                visit.source, visit.medium, visit.campaign, visit.referrer, visit.device, visit.country = _origin(event)
        visit.last_at = max(visit.last_at, event.at)
        self.moved.add(visit.id)

    def _look_at(self, event: StoredEvent | None, seconds: int) -> bool:
        """Let a view last longer; return False if it is not here."""
        if event is None:
            return False
        if seconds > event.seconds:
            event.seconds = seconds
            self.timed[event.uid] = event
        return True

    def _count(self, sign: int) -> None:
        """Count all visits and visitors whose events are all here."""
        by_visit, by_person = defaultdict(list), defaultdict(list)
        for event in self.events.values():
            if event.visit is not None:
                by_visit[event.visit].append(event)
                by_person[event.visitor, event.day].append(event)
            else:
                add_unknown(self.counts, event, sign)
        for visit in self.whole & by_visit.keys():
            add_visit(self.counts, self.visits[visit], by_visit[visit], sign)
        for person in self.people & by_person.keys():
            add_visitor(self.counts, person[1], by_person[person], self.visits, sign)

    def _time(self, times: dict[int, int]) -> None:
        """Let views last longer whose visits do not change."""
        around = near(self.days)
        found = [
            StoredEvent(*row)
            for some in _parts(list(times))
            for row in models.Event.objects.filter(around, uid__in=some, visit__isnull=False).values_list(*EVENT)
        ]
        for visits in _parts(sorted({event.visit for event in found if event.visit is not None} - self.visits.keys())):
            self._load_visits(Q(pk__in=visits))
        for event in found:
            before = event.seconds
            if event.kind == Kind.VIEW and event.visit is not None and self._look_at(event, times[event.uid]):
                add_time(self.counts, event, self.visits[event.visit], event.seconds - before)

    def _write(self) -> None:
        _insert(models.Visit, VISIT, self.begun)
        _insert(models.Event, EVENT, self.added)
        begun, added = ({each.id for each in self.begun}, {each.uid for each in self.added})
        _update(models.Visit, VISIT, (self.visits[pk] for pk in sorted(self.moved - begun)))
        seconds = [(event.seconds, uid, event.day) for uid, event in sorted(self.timed.items()) if uid not in added]
        with connection.cursor() as cursor:
            cursor.executemany("UPDATE analytics_event SET seconds = %s WHERE uid = %s AND day = %s", seconds)


#: The fields of `StoredVisit` and `StoredEvent`, in their order.
VISIT = ("id", "visitor", "day", "started_at", "last_at", "source", "medium", "campaign", "referrer", "device", "country")
EVENT = ("uid", "kind", "at", "day", "visitor", "visit", "path", "words", "goal", "value_cents", "currency", "seconds")


def _origin(event: Event) -> tuple[str, str, str, str, str, str]:
    return event.source, event.medium, event.campaign, event.referrer, event.device, event.country


def _insert(model: type[Model], names: Sequence[str], found: Iterable[Any]) -> None:
    """Insert rows; thousands of model instances would take several times as long."""
    columns = ", ".join(_columns(model, names))
    values = ", ".join(["%s"] * len(names))
    rows = [[getattr(each, name) for name in names] for each in found]
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {model._meta.db_table} ({columns}) VALUES ({values})", rows)


def _update(model: type[Model], names: Sequence[str], found: Iterable[Any]) -> None:
    """Update rows by the first of the names."""
    values = ", ".join(f"{column} = %s" for column in _columns(model, names[1:]))
    rows = [[getattr(each, name) for name in (*names[1:], names[0])] for each in found]
    with connection.cursor() as cursor:
        cursor.executemany(f"UPDATE {model._meta.db_table} SET {values} WHERE {names[0]} = %s", rows)


def _columns(model: type[Model], names: Iterable[str]) -> list[str]:
    columns = {field.name: field.column for field in model._meta.concrete_fields}
    return [str(columns[name]) for name in names]


def _write_titles(events: Iterable[Event]) -> None:
    titles = {event.path: event.title for event in events if event.kind == Kind.VIEW and event.title}
    for paths in _parts(sorted(titles)):
        known = dict(models.PageTitle.objects.filter(path__in=paths).values_list("path", "title"))
        rows = [models.PageTitle(path=path, title=titles[path]) for path in paths if known.get(path) != titles[path]]
        models.PageTitle.objects.bulk_create(rows, update_conflicts=True, unique_fields=["path"], update_fields=["title"])


def _parts(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the values in parts that one statement can take."""
    for start in range(0, len(values), BATCH_ROWS):
        yield values[start : start + BATCH_ROWS]
