"""Stores events with their visits, and adds what they change to the roll-ups: all of a batch in one transaction.

A file is stored whole or not at all, and its name is kept until it is deleted: a process that dies in between loses nothing, and
stores nothing twice. Events may be late: roll-ups change by the difference between what visits add before and after.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TypeVar
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from cms_api.core.leases import Stop, never
from cms_api.core.queues import Round, Task, Work
from cms_api.flags.selectors import site_timezone

from .. import models
from ..models import PendingEvent, StoredFile
from ..types.counting import Counts, StoredEvent, StoredVisit, day_of, of_unknown, of_visit, of_visitor
from ..types.events import MAX_EVENTS, VISIT_ENDS, Event, Kind, from_line
from .rolling_up import add_up
from .spool import take_files

T = TypeVar("T")

#: Events of one transaction.
BATCH = 2_000
ENDS = VISIT_ENDS.total_seconds()
#: Rows that are read by one statement.
MANY = 500


def ingest(*, at_once: bool = False, stop: Stop = never) -> int:
    """Store the events that wait; return how many there were. With `at_once`, also those that have just arrived."""
    stored = 0
    for path in take_files(at_once=at_once):
        if stop():
            break
        stored += _store_file(path)
        path.unlink(missing_ok=True)
        StoredFile.objects.filter(name=path.name).delete()
    return stored + _store_pending()


def _store_file(path: Path) -> int:
    if StoredFile.objects.filter(name=path.name).exists():
        return 0
    found = list(_read(path.read_bytes().splitlines()))
    with transaction.atomic():
        StoredFile.objects.create(name=path.name, stored_at=timezone.now())
        pending = list(PendingEvent.objects.order_by("pk"))
        found += _read(bytes(row.line) for row in pending)
        store(found)
        PendingEvent.objects.filter(pk__in=[row.pk for row in pending]).delete()
    return len(found)


def _store_pending() -> int:
    """Store the conversions that wait without any views before them."""
    with transaction.atomic():
        pending = list(PendingEvent.objects.order_by("pk")[:BATCH])
        if pending:
            store(list(_read(bytes(row.line) for row in pending)))
            PendingEvent.objects.filter(pk__in=[row.pk for row in pending]).delete()
    return len(pending)


def _read(lines: Iterable[bytes]) -> Iterable[Event]:
    """Yield the events of some lines; one that was written in part, as the disk was full, is left out."""
    for line in lines:
        try:
            yield from_line(line)
        except (ValueError, TypeError):
            continue


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
        #: Those whose events are all here.
        self.whole: set[int] = set()
        self.events: dict[int, StoredEvent] = {}
        self.of_visit: dict[int, set[int]] = defaultdict(set)
        #: The visits of a visitor that may go on.
        self.open: dict[int, list[StoredVisit]] = defaultdict(list)
        #: Visitors on their days, with all events of them.
        self.people: set[tuple[int, date]] = set()
        self.added: list[StoredEvent] = []
        self.timed: set[int] = set()
        self.moved: set[int] = set()

    def store(self, events: Sequence[Event]) -> None:
        fresh, times = self._sort(events)
        self._load(fresh, list(times))
        before = self._count()
        for event in fresh:
            self._add(event)
        for uid, seconds in times.items():
            stored = self.events.get(uid)
            if stored is not None and seconds > stored.seconds:
                stored.seconds = seconds
                self.timed.add(uid)
        after = self._count()
        self._write()
        after.subtract(before)
        add_up(after)
        _write_titles(fresh)

    def _sort(self, events: Sequence[Event]) -> tuple[list[Event], dict[int, int]]:
        """Return the events that are not stored yet, each once, and the seconds by uid."""
        times: dict[int, int] = {}
        fresh: dict[int, Event] = {}
        for event in events:
            if event.kind == Kind.TIME:
                times[event.uid] = max(times.get(event.uid, 0), event.seconds)
            else:
                fresh.setdefault(event.uid, event)
        for uids in _parts(list(fresh)):
            for uid in models.Event.objects.filter(uid__in=uids).values_list("uid", flat=True):
                del fresh[uid]
        return list(fresh.values()), times

    def _load(self, fresh: Sequence[Event], timed: Sequence[int]) -> None:
        """Read the visits that may go on with all their events, and all events of their visitors on the same days."""
        visitors = {each for event in fresh for each in (event.visitor, event.formerly) if each}
        earliest = min((event.at for event in fresh), default=0.0) - ENDS
        for some in _parts(sorted(visitors)):
            visits = models.Visit.objects.filter(visitor__in=some, last_at__gte=earliest)
            self.whole.update(visits.values_list("pk", flat=True))
        for some in _parts(timed):
            events = models.Event.objects.filter(uid__in=some, visit__isnull=False)
            self.whole.update(events.values_list("visit", flat=True))
        for some in _parts(sorted(self.whole)):
            self._load_events(Q(visit__in=some))
        days = {day_of(event.at, self.zone) for event in fresh} | {event.day for event in self.events.values()}
        known = {event.visitor for event in fresh} | {event.visitor for event in self.events.values()}
        people = sorted(known - {0})
        for some in _parts(people):
            self._load_events(Q(visitor__in=some, day__in=days))
        self.people = {(visitor, day) for visitor in people for day in days}
        wanted = self.whole | {event.visit for event in self.events.values() if event.visit is not None}
        for some in _parts(sorted(wanted)):
            for row in models.Visit.objects.filter(pk__in=some).values_list(*VISIT):
                visit = StoredVisit(*row)
                self.visits[visit.id] = visit
        for visit in self.visits.values():
            if visit.id in self.whole:
                self.open[visit.visitor].append(visit)

    def _load_events(self, condition: Q) -> None:
        for row in models.Event.objects.filter(condition).values_list(*EVENT):
            self._know(StoredEvent(*row))

    def _know(self, event: StoredEvent) -> None:
        self.events[event.uid] = event
        if event.visit is not None:
            self.of_visit[event.visit].add(event.uid)

    def _add(self, event: Event) -> None:
        day = day_of(event.at, self.zone)
        visit = self._visit_of(event)
        if visit is None and event.visitor and event.kind != Kind.GOAL:
            visit = self._begin(event, day)
        if visit is not None:
            if len(self.of_visit[visit.id]) >= MAX_EVENTS:
                return
            self._extend(visit, event)
        stored = StoredEvent(
            uid=event.uid,
            kind=event.kind,
            at=event.at,
            day=day,
            visitor=event.visitor if visit is not None else 0,
            visit=None if visit is None else visit.id,
            path=event.path,
            words=event.words,
            goal=event.goal,
            value_cents=event.value_cents,
            currency=event.currency,
        )
        self._know(stored)
        self.added.append(stored)

    def _visit_of(self, event: Event) -> StoredVisit | None:
        """Return the visit that an event belongs to: the latest of its visitor that has not ended."""
        for visitor in filter(None, (event.visitor, event.formerly)):
            near = [visit for visit in self.open[visitor] if visit.started_at - ENDS <= event.at <= visit.last_at + ENDS]
            if near:
                return max(near, key=lambda visit: visit.last_at)
        return None

    def _begin(self, event: Event, day: date) -> StoredVisit:
        visit = StoredVisit(-len(self.visits) - 1, event.visitor, day, event.at, event.at, *_origin(event))
        self.visits[visit.id] = visit
        self.whole.add(visit.id)
        self.open[visit.visitor].append(visit)
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

    def _count(self) -> Counts:
        """Return what all visits and visitors add whose events are all here."""
        counts: Counts = Counter()
        by_visit, by_person = defaultdict(list), defaultdict(list)
        for event in self.events.values():
            if event.visit is not None:
                by_visit[event.visit].append(event)
                by_person[event.visitor, event.day].append(event)
            else:
                counts.update(of_unknown(event))
        for visit in self.whole:
            counts.update(of_visit(self.visits[visit], by_visit[visit]))
        for person in self.people & by_person.keys():
            counts.update(of_visitor(person[1], by_person[person], self.visits))
        return counts

    def _write(self) -> None:
        new = [visit for visit in self.visits.values() if visit.id < 0]
        rows = models.Visit.objects.bulk_create([_visit_row(visit) for visit in new])
        ids = {visit.id: row.pk for visit, row in zip(new, rows, strict=True)}
        changed = [_visit_row(self.visits[pk], pk) for pk in sorted(self.moved) if pk > 0]
        models.Visit.objects.bulk_update(changed, VISIT[1:], batch_size=MANY)
        models.Event.objects.bulk_create([_event_row(event, ids) for event in self.added])
        stored = {event.uid for event in self.added}
        timed = [models.Event(uid=uid, seconds=self.events[uid].seconds) for uid in sorted(self.timed - stored)]
        for row in timed:
            models.Event.objects.filter(uid=row.uid).update(seconds=row.seconds)


VISIT = ("id", "visitor", "day", "started_at", "last_at", "source", "medium", "campaign", "referrer", "device", "country")
EVENT = ("uid", "kind", "at", "day", "visitor", "visit", "path", "words", "goal", "value_cents", "currency", "seconds")


def _origin(event: Event) -> tuple[str, str, str, str, str, str]:
    return event.source, event.medium, event.campaign, event.referrer, event.device, event.country


def _visit_row(visit: StoredVisit, pk: int | None = None) -> models.Visit:
    return models.Visit(pk=pk, **{name: getattr(visit, name) for name in VISIT[1:]})


def _event_row(event: StoredEvent, ids: dict[int, int]) -> models.Event:
    values = {name: getattr(event, name) for name in EVENT if name != "visit"}
    return models.Event(**values, visit_id=None if event.visit is None else ids.get(event.visit, event.visit))


def _write_titles(events: Iterable[Event]) -> None:
    titles = {event.path: event.title for event in events if event.kind == Kind.VIEW and event.title}
    rows = [models.PageTitle(path=path, title=title) for path, title in sorted(titles.items())]
    models.PageTitle.objects.bulk_create(rows, update_conflicts=True, unique_fields=["path"], update_fields=["title"])


def _parts(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the values in parts that one statement can take."""
    for start in range(0, len(values), MANY):
        yield values[start : start + MANY]


class Storing(Work):
    """The work of the queue: stores what waits, and looks again after a moment."""

    pause = 1.0

    def take(self, stop: Stop) -> Task | None:
        if next(take_files(), None) is None and not PendingEvent.objects.exists():
            return None
        return lambda: Round(ingest(stop=stop))


STORING = Storing()
