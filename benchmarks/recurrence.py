"""CPU cost of repeating dates: saving them, a month and a feed among many, and a feed compared with a calendar library's.

`python -m benchmarks.recurrence`, on SQLite or, with --postgresql, on a database of its own there.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command

from .dataset import settle
from .servers import KINDS, ROOT, create_database, database_url, drop_database, environment_of

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432"
OTHERS = ROOT / ".venv-oracle" / "bin" / "python"
#: Two years of days, the horizon of a rule without end.
RULE_DAYS = 730
#: How much longer a month may take among a hundred times as many occurrences.
MAX_GROWTH_RATIO = 1.5
MAX_SAVING_RATIO = 500
FEW_OCCURRENCES, MANY_OCCURRENCES = 1_000, 100_000
FEED_OCCURRENCES = 5_000


@dataclass
class Bench:
    rounds: int
    missed: bool = False
    #: Milliseconds by the clock, and of this process's and its database process's CPU.
    samples: dict[str, list[float]] = field(default_factory=dict)
    cpu: dict[str, list[float]] = field(default_factory=dict)
    statements: dict[str, int] = field(default_factory=dict)

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        """Run it, and record its duration and number of statements."""
        from django.db import connection

        count = 0

        def counted(execute: Any, *given: Any) -> Any:
            nonlocal count
            count += 1
            return execute(*given)

        with connection.execute_wrapper(counted):
            begin, before = time.perf_counter(), spent()
            done = work()
            wall, cpu = time.perf_counter() - begin, spent() - before
        self.samples.setdefault(name, []).append(wall * 1000)
        self.cpu.setdefault(name, []).append(cpu * 1000)
        self.statements[name] = count
        return done

    def say(self, name: str, beside: str = "", bar: float | None = None, *, most: float | None = None) -> None:
        """Print a line of the table: `bar` is the highest ratio to `beside`, `most` the most milliseconds, both of CPU."""
        wall, cpu = statistics.median(self.samples[name]), statistics.median(self.cpu[name])
        line = f"{name:46} {wall:8.0f} ms, CPU {cpu:8.0f} ms, {self.statements[name]:5} statements"
        ratio = cpu / statistics.median(self.cpu[beside]) if beside else 0.0
        line += f"  {ratio:.3f} of {beside!r}" if beside else ""
        over = (bar is not None and ratio > bar) or (most is not None and cpu > most)
        self.missed |= over
        print(line + ("  MISSED" if over else ""), flush=True)


def spent() -> float:
    """Return CPU seconds of this process and, if it runs on this machine, of the database process that serves it."""
    from django.db import connection

    seconds = time.process_time()
    if connection.vendor == "postgresql":
        # In nanoseconds; `stat` counts in hundredths of a second, longer than most requests take.
        schedule = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
        if schedule.exists():
            seconds += int(schedule.read_text().split()[0]) / 1e9
    return seconds


def main() -> int:
    options = arguments()
    with migrated_site(options.postgresql, "events"):
        bench = Bench(options.rounds)
        if "save" in options.case:
            saving(bench)
        if "grow" in options.case:
            growing(bench)
        if "feed" in options.case:
            feeding(bench)
    return 1 if bench.missed else 0


@contextmanager
def migrated_site(postgresql: str, *features: str) -> Iterator[None]:
    """Set up the project in this process, on an empty database, with these features on."""
    name = f"benchmark_{os.getpid()}"
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmark-"))
        if postgresql:
            stack.callback(drop_database, postgresql, name)
            create_database(postgresql, name)
        environment = environment_of(KINDS["ours"], Path(folder), 80, database_url(postgresql, name) if postgresql else "")
        os.environ.clear()
        os.environ.update(environment)
        sys.path.insert(0, str(ROOT / "site"))
        django.setup()
        for command in (["migrate"], ["setup_site"], *(["feature", "on", feature] for feature in features)):
            call_command(*command, verbosity=0, stdout=sys.stderr)
        from django.db import connections

        stack.callback(connections.close_all)
        yield


def saving(bench: Bench) -> None:
    """Create, save, rename and publish a daily event of two years, compared with saving its rows one by one."""
    from django.db import transaction

    from cms_api.content.models import ContentItem
    from cms_api.content.services.items import create_item, update_item

    kind = events()
    for number in range(bench.rounds):
        title = f"Morning song {number}"
        sent = {"data": {"title": title, "event_date": daily(date(2026, 1, 1), RULE_DAYS)}}
        item = bench.timed("create", lambda sent=sent: create_item(item_type=kind, values=sent))
        bench.timed("save without a change", lambda item=item, sent=sent: update_item(item=item, values=sent))
        renamed = {"data": {"title": f"Evening song {number}"}}
        bench.timed("change of the title", lambda item=item, sent=renamed: update_item(item=item, values=sent))
        bench.timed("publish", lambda item=item: update_item(item=item, values={"status": "published"}))
        rows = list(ContentItem.objects.filter(owner=item))
        assert len(rows) == RULE_DAYS - 1, len(rows)

        def one_by_one(rows: list[ContentItem] = rows) -> None:
            with transaction.atomic():
                for row in rows:
                    row.pk, row.slug = None, f"{row.slug}-again"
                    row._state.adding = True
                    row.save()

        bench.timed("its rows one by one, by save()", one_by_one)
        ContentItem.objects.filter(slug__endswith="-again").delete()
    bench.say("its rows one by one, by save()")
    for name in ("create", "save without a change", "change of the title", "publish"):
        bench.say(name, "its rows one by one, by save()", most=MAX_SAVING_RATIO)


def growing(bench: Bench) -> None:
    """Request the same month, feed and lists with few dates in the table and with many."""
    fill(FEW_OCCURRENCES, before=True)
    month_of_events()
    month = f"/events?view=calendar&month={this_month():%Y-%m}"
    paths = {"month": month, "feed": "/calendar/events.ics", "list": "/events", "past": "/events?tab=past"}
    for total in (FEW_OCCURRENCES, MANY_OCCURRENCES):
        fill(total // 2, before=True)
        fill(total // 2, before=False)
        settle()
        for name, path in paths.items():
            if not is_there(path):
                continue
            for _ in range(bench.rounds * 2):
                bench.timed(f"{name} among {total:,}", lambda path=path: fetch(path))
    for name, path in paths.items():
        if is_there(path):
            bench.say(f"{name} among {FEW_OCCURRENCES:,}")
            bench.say(f"{name} among {MANY_OCCURRENCES:,}", f"{name} among {FEW_OCCURRENCES:,}", MAX_GROWTH_RATIO)


def feeding(bench: Bench) -> None:
    """Request the feed of a type with thousands of dates, compared with a calendar library that writes the same ones."""
    from cms_api.content.models import ContentItem
    from cms_api.content.services.bulk import create_items
    from cms_api.content.services.items import delete_item

    for item in ContentItem.objects.filter(owner=None, type__slug="events"):
        delete_item(item=item)
    first = date.today() - timedelta(days=30)
    series = -(-FEED_OCCURRENCES // RULE_DAYS)
    rows = [
        {"data": {"title": f"Morning song {n}", "event_date": daily(first, RULE_DAYS, f"{n + 8:02}")}, "status": "published"}
        for n in range(series)
    ]
    create_items(item_type=events(), rows=rows)
    settle()
    if not is_there("/calendar/events.ics"):
        return
    for _ in range(bench.rounds):
        answer = bench.timed(f"feed of {series * RULE_DAYS:,}", lambda: fetch("/calendar/events.ics"))
        assert answer.count(b"BEGIN:VEVENT") == series * RULE_DAYS, answer.count(b"BEGIN:VEVENT")
    beside = f"the same by recurring-ical-events ({series * RULE_DAYS:,})"
    if not OTHERS.exists():
        print(f"No {OTHERS.relative_to(ROOT)}: `make second-opinion` makes it.", file=sys.stderr)
        return
    command = [
        str(OTHERS),
        str(ROOT / "benchmarks" / "recurrence_rival.py"),
        str(first),
        str(RULE_DAYS),
        str(series),
        str(bench.rounds),
    ]
    theirs = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert theirs["events"] == series * RULE_DAYS, theirs["events"]
    bench.samples[beside], bench.cpu[beside], bench.statements[beside] = theirs["wall"], theirs["cpu"], 0
    bench.say(beside)
    bench.say(f"feed of {series * RULE_DAYS:,}", beside)


def fill(count: int, *, before: bool) -> None:
    """Add this many dates, in daily series years before or after the shown period."""
    from cms_api.content.models import ContentItem
    from cms_api.content.services.bulk import create_items

    edge = date(2018, 1, 1) if before else date(2034, 1, 1)
    there = ContentItem.objects.filter(
        type__slug="events", **{"starts_at__year__" + ("lt" if before else "gt"): 2024 if before else 2032}
    )
    missing = count - there.count()
    while missing > 0:
        sizes = [min(1000, missing - 1000 * turn) for turn in range(min(10, -(-missing // 1000)))]
        rows = [
            {"data": {"title": f"Elsewhere {turn}", "event_date": daily(edge, size)}, "status": "published"}
            for turn, size in enumerate(sizes)
        ]
        create_items(item_type=events(), rows=rows)
        missing -= sum(sizes)


def month_of_events() -> None:
    """Create the events of the measured month: a daily one and twenty single ones."""
    from cms_api.content.services.bulk import create_items

    first = this_month()
    dates = [daily(first, 28), *(daily(first + timedelta(days=n), 1) for n in range(20))]
    rows = [{"data": {"title": f"Shown {n}", "event_date": each}, "status": "published"} for n, each in enumerate(dates)]
    create_items(item_type=events(), rows=rows)


def this_month() -> date:
    return date.today().replace(day=1)


def is_there(path: str) -> bool:
    from django.test import Client

    return Client(headers={"host": "127.0.0.1"}).get(path).status_code == 200


def fetch(path: str) -> bytes:
    """Make a request with empty caches."""
    from django.test import Client

    from cms_api.http import page_cache

    page_cache.clear()
    answer = Client(headers={"host": "127.0.0.1"}).get(path)
    assert answer.status_code == 200, (path, answer.status_code)
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def events() -> Any:
    from cms_api.content.selectors import find_type

    return find_type("events")


def daily(first: date, count: int, hour: str = "18") -> dict[str, Any]:
    repeat = {"frequency": "daily", "count": count} if count > 1 else None
    return {"start": f"{first}T{hour}:30", "end": f"{first}T{hour}:55", "tz": "Europe/Paris", "repeat": repeat}


def arguments() -> argparse.Namespace:
    cases = ["save", "grow", "feed"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recurrence", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="times that each is done (5)")
    parser.add_argument("--case", action="append", choices=cases, help="only this one; may be repeated")
    parser.add_argument("--postgresql", metavar="URL", nargs="?", const=POSTGRESQL, default="", help=f"on it ({POSTGRESQL})")
    options = parser.parse_args()
    options.case = options.case or cases
    return options


if __name__ == "__main__":
    sys.exit(main())
