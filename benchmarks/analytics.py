"""Reports among few and many views, events stored per second, and visits to a served site: `python -m benchmarks.analytics`.

On SQLite or, with --postgresql or DATABASE_URL, on databases of its own there.
"""

import argparse
import multiprocessing
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.webhooks.crash import Site, running, site
from tests.webhooks.receiver import make_authority

from .growth import Growth, compare
from .recurrence import migrated_site
from .storm import asked, compare_pages, storm
from .visitors import arguments

#: How much more CPU a report may take among ten times as many views.
MAX_CPU_RATIO = 1.5
FEW_VIEWS, MANY_VIEWS = 1_000_000, 10_000_000
#: The same year in both sets, so that there are ten times as many visits each day; days of a pattern that is repeated.
YEAR_DAYS, PATTERN_DAYS = 366, 7
FIRST = date(2024, 1, 1)
#: Some pages are seen far more often than others; the same is true of sources and countries.
VISIT_VIEWS, PAGES, SOURCES, COUNTRIES = 3, 500, 20, 10
VISIT = ("id", "visitor", "day", "started_at", "last_at", "source", "medium", "campaign", "referrer", "device", "country")
EVENT = ("uid", "kind", "at", "day", "visitor", "visit", "path", "words", "goal", "value_cents", "currency", "seconds")
#: Events of the measurement of the worker, by as many visitors, in files of as many.
EVENTS, VISITORS, FILE_EVENTS = 20_000, 4_000, 4_000

_MIDDLE = "from=2024-05-16&to=2024-06-14"
_YEAR, _MONTH, _OTHER = ("from=2024-01-01&to=2024-12-31", "from=2024-05-01&to=2024-05-31", "from=2024-02-10&to=2024-08-20")
_PAGE, _SOURCE = "page=/p5", f"by=source&value={quote(chr(9).join(('Source 2', '', '')))}"
_REPORTS = ("summary", "timeseries", "pages", "referrers", "sources", "conversions")
PATHS = {
    **{f"API: {name}, a year": f"/api/v1/analytics/{name}?{_YEAR}" for name in _REPORTS},
    **{f"API: {name} of a page, a year": f"/api/v1/analytics/{name}?{_YEAR}&{_PAGE}" for name in _REPORTS},
    "API: pages, half a year": f"/api/v1/analytics/pages?{_OTHER}",
    "API: hours of a week": "/api/v1/analytics/timeseries?from=2024-03-01&to=2024-03-07&interval=hour",
    "API: pages, a month": f"/api/v1/analytics/pages?{_MONTH}",
    "admin: dashboard, a year": f"/admin/analytics/?{_YEAR}",
    "admin: dashboard of a page, a year": f"/admin/analytics/?{_YEAR}&{_PAGE}",
    "admin: dashboard of a source, a year": f"/admin/analytics/?{_YEAR}&{_SOURCE}",
    "admin: dashboard of a page and a source": f"/admin/analytics/?{_YEAR}&{_PAGE}&{_SOURCE}",
    "admin: dashboard, a month": f"/admin/analytics/?{_MONTH}",
    "admin: dashboard of a source, a month": f"/admin/analytics/?{_MONTH}&{_SOURCE}",
    "admin: dashboard of a source, 30 days": f"/admin/analytics/?{_MIDDLE}&{_SOURCE}",
    "admin: dashboard of a source, half a year": f"/admin/analytics/?{_OTHER}&{_SOURCE}",
}


def main() -> int:
    options = arguments("python -m benchmarks.analytics", __doc__, "reports", "worker", "visits")
    missed = False
    if "reports" in options.case:
        missed = compare(
            Growth("views", fill, ("analytics",), "analytics:read", PATHS, MAX_CPU_RATIO, few=FEW_VIEWS, many=MANY_VIEWS), options
        )
    if "worker" in options.case:
        process = multiprocessing.get_context("spawn").Process(target=store_events, args=(options.postgresql,))
        process.start()
        process.join()
        missed |= process.exitcode != 0
    if "visits" in options.case:
        missed |= visits(options)
    return 1 if missed else 0


# Reports.


def fill(total: int) -> None:
    """Create so many views in a year, with their visits and sums: those of some days, which are counted, and then repeated."""
    from cms_api.analytics import models
    from cms_api.analytics.services.partitions import make_partition
    from cms_api.analytics.services.rolling_up import sum_months
    from cms_api.analytics.types.counting import COLUMNS

    pattern = [a_day(FIRST + timedelta(days=place), total // YEAR_DAYS // VISIT_VIEWS) for place in range(PATTERN_DAYS)]
    days = [(number, pattern[number % PATTERN_DAYS]) for number in range(YEAR_DAYS)]
    for number, _ in days:
        make_partition(FIRST + timedelta(days=number))
    visits = (visit for number, each in days for visit in each.visits_of(number))
    events = (event for number, each in days for event in each.events_of(number))
    sums = (row for number, each in days for row in each.sums_of(number))
    load(models.Visit, VISIT, visits)
    load(models.Event, EVENT, events)
    load(models.RollUp, ("day", "dimension", "path", "value", *COLUMNS), sums)
    sum_months()


@dataclass(frozen=True)
class Day:
    """The visits and events of a day, and what they add up to."""

    first: date
    visits: list[Any]
    events: list[Any]
    counts: Any

    def visits_of(self, number: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of the visits, as if they were those of the day with a number."""
        day, later, other = self._shift(number)
        for each in self.visits:
            origin = each.source, each.medium, each.campaign, each.referrer, each.device, each.country
            yield other + each.id, other + each.visitor, day, each.started_at + later, each.last_at + later, *origin

    def events_of(self, number: int) -> Iterator[tuple[Any, ...]]:
        day, later, other = self._shift(number)
        for each in self.events:
            of = day, other + each.visitor, other + each.visit
            more = each.path, each.words, each.goal, each.value_cents, each.currency, each.seconds
            yield other + each.uid, each.kind, each.at + later, *of, *more

    def sums_of(self, number: int) -> Iterator[tuple[Any, ...]]:
        day, written, own = self._shift(number)[0], f"{FIRST + timedelta(days=number)}", str(self.first)
        for key, numbers in self.counts.items():
            yield day, key.dimension, key.path, key.value.replace(own, written), *numbers

    def _shift(self, number: int) -> tuple[date, int, int]:
        """Return the day, how many seconds later it is, and what is added to ids."""
        day = FIRST + timedelta(days=number)
        return day, 86_400 * (day - self.first).days, 1_000_000 * (number + 1)


def a_day(day: date, people: int) -> Day:
    """Count the visits of a day, of three views each; one in twenty places an order."""
    from cms_api.analytics.types.counting import Counts, StoredEvent, StoredVisit, add_visit, add_visitor

    draw, counts, numbers = random.Random(day.toordinal()), Counts(), count(1)
    start = (day - date(1970, 1, 1)).days * 86_400
    made = Day(day, [], [], counts)
    for person in range(1, people + 1):
        at = start + draw.randrange(86_000)
        source = some(draw, SOURCES)
        origin = {"source": f"Source {source}", "referrer": f"s{source}.example.com", "country": f"C{some(draw, COUNTRIES)}"}
        visit = StoredVisit(person, person, day, at, at + 120, device=draw.choice(["desktop", "phone"]), **origin)
        seen = {"day": day, "visitor": person, "visit": person}
        events = [
            StoredEvent(next(numbers), "view", at + 60 * view, path=f"/p{some(draw, PAGES)}", seconds=50, **seen)
            for view in range(VISIT_VIEWS)
        ]
        if person % 20 == 0:
            events.append(StoredEvent(next(numbers), "goal", at + 120, goal="order", value_cents=2500, currency="usd", **seen))
        add_visit(counts, visit, events)
        add_visitor(counts, day, events, {person: visit})
        made.visits.append(visit)
        made.events.extend(events)
    return made


def some(draw: random.Random, number: int) -> int:
    """Draw one of so many; the n-th is drawn about 1/n as often as the first."""
    return min(int((number + 1) ** draw.random()), number) - 1


def load(model: Any, names: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    """Insert millions of rows."""
    from django.db import connection, transaction

    columns = {field.name: field.column for field in model._meta.concrete_fields}
    written = f"{model._meta.db_table} ({', '.join(columns[name] for name in names)})"
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {written} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            values = ", ".join("?" * len(names))
            cursor.connection.executemany(f"INSERT INTO {written} VALUES ({values})", (tuple(map(plain, row)) for row in rows))


def plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


# The worker.


def store_events(postgresql: str) -> None:
    """Print how many events are stored per second, of visitors who look at several pages, and how long at each."""
    from django.db import transaction

    with migrated_site(postgresql, "analytics"):
        from cms_api.analytics.models import Event
        from cms_api.analytics.services.storing import store

        events = sorted(arriving(), key=lambda event: event.at)
        wall, cpu = time.perf_counter(), time.process_time()
        for start in range(0, len(events), FILE_EVENTS):
            with transaction.atomic():
                store(events[start : start + FILE_EVENTS])
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        assert Event.objects.count() == EVENTS
        print(f"worker: {len(events) / wall:,.0f} events/s, {1e6 * cpu / len(events):.0f} µs of CPU each", flush=True)


def arriving() -> list[Any]:
    from cms_api.analytics.types.events import Event

    draw, events = random.Random(1), []
    for number in range(EVENTS):
        at, visitor, source = 1_768_478_400 + number / 50, draw.randint(1, VISITORS), draw.randrange(SOURCES)
        path = f"/p{min(int(draw.expovariate(0.1)), 300)}"
        origin = {"source": f"Source {source}", "referrer": f"s{source}.example.com", "device": "phone", "country": "US"}
        uid = 2 * number + 2
        events.append(Event(uid=uid, kind="view", at=at, visitor=visitor, path=path, title=path, **origin))
        if draw.random() < 0.5:
            events.append(Event(uid=uid, kind="time", at=at + 30, visitor=visitor, seconds=30))
    return events


# A served site.


def visits(options: argparse.Namespace) -> bool:
    """Print what the script costs a page, and how many messages a server takes meanwhile; return whether one is lost."""
    lost = False
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        folder = Path(scratch)
        environment = {"TRUSTED_PROXIES": "127.0.0.1"}
        with site(folder, make_authority(folder), postgresql=options.postgresql, **environment) as target:
            target.token = target.manage("create_token", "analytics", "--all-abilities")
            first = 1
            for workers in (1, 2):
                for state in ("off", "on"):
                    target.manage("feature", state, "analytics")
                    with running(target, "serve", "--port", str(target.port), "--workers", str(workers)) as server:
                        target.wait_for("/readyz")
                        for name, path in {"cached": "/search", "rendered": "/search?q=visit{}"}.items():
                            milliseconds, size = page(target, path, 100)
                            taken = f"{milliseconds:.2f} ms, {size} bytes"
                            print(f"{workers} processes, analytics {state}, {name} page: {taken}", flush=True)
                        for rate in options.rate or [0.0] if state == "on" else ():
                            # As many as a server takes leave nothing to pages, and a sink would take more.
                            for measure in (storm, compare_pages) if rate else (storm,):
                                stormed = measure(target, server.pid, first, workers, rate, options)
                                first += stormed.sent
                                lost |= stormed.lost
    return lost


def page(target: Site, path: str, times: int) -> tuple[float, int]:
    """Return the median of the milliseconds that a page takes, and its size."""
    taken, size = asked(target.port, path, lambda number: number < times)
    return statistics.median(taken), size


if __name__ == "__main__":
    raise SystemExit(main())
