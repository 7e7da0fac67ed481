"""What dates that repeat cost: saving them, a month and a feed among many, and a feed beside a calendar library's.

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

from .servers import KINDS, ROOT, create_database, drop_database, environment_of

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432"
OTHERS = ROOT / ".venv-oracle" / "bin" / "python"
#: Two years of days, as far as a rule without end is laid out.
LONG = 730
#: How much longer a month may take among a hundred times as many occurrences.
GROWTH_BAR = 1.5
SAVING_BAR = 500
FEW, MANY = 1_000, 100_000
FEED = 5_000


@dataclass
class Bench:
    rounds: int
    missed: bool = False
    samples: dict[str, list[float]] = field(default_factory=dict)
    statements: dict[str, int] = field(default_factory=dict)

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        """Does it, and notes how long it took and how many statements it was."""
        from django.db import connection

        count = 0

        def counted(execute: Any, *given: Any) -> Any:
            nonlocal count
            count += 1
            return execute(*given)

        with connection.execute_wrapper(counted):
            begin = time.perf_counter()
            done = work()
            taken = (time.perf_counter() - begin) * 1000
        self.samples.setdefault(name, []).append(taken)
        self.statements[name] = count
        return done

    def median(self, name: str) -> float:
        return statistics.median(self.samples[name])

    def say(self, name: str, beside: str = "", bar: float | None = None, *, most: float | None = None) -> None:
        """A line of the table: `bar` is the highest ratio to `beside`, `most` the most milliseconds."""
        line = f"{name:44} {self.median(name):9.1f} ms {self.statements[name]:5} statements"
        ratio = self.median(name) / self.median(beside) if beside else 0.0
        line += f"  {ratio:.3f} of {beside!r}" if beside else ""
        over = (bar is not None and ratio > bar) or (most is not None and self.median(name) > most)
        self.missed |= over
        print(line + ("  MISSED" if over else ""), flush=True)


def main() -> int:
    options = arguments()
    with prepared(options.postgresql):
        bench = Bench(options.rounds)
        if "save" in options.case:
            saving(bench)
        if "grow" in options.case:
            growing(bench)
        if "feed" in options.case:
            feeding(bench)
    return 1 if bench.missed else 0


@contextmanager
def prepared(postgresql: str) -> Iterator[None]:
    """The project in this process, on an empty database with the type of events."""
    name = f"recurrence_{os.getpid()}"
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="benchmark-"))
        if postgresql:
            stack.callback(drop_database, postgresql, name)
            create_database(postgresql, name)
        environment = environment_of(KINDS["ours"], Path(folder), 80, f"{postgresql}/{name}" if postgresql else "")
        os.environ.clear()
        os.environ.update(environment)
        sys.path.insert(0, str(ROOT / "site"))
        django.setup()
        for command in (["migrate"], ["setup_site"], ["feature", "on", "events"]):
            call_command(*command, verbosity=0, stdout=sys.stderr)
        from django.db import connections

        stack.callback(connections.close_all)
        yield


def saving(bench: Bench) -> None:
    """A daily event of two years, made, saved again, renamed and published; beside its rows saved one by one."""
    from django.db import transaction

    from cms_api.content.models import ContentItem
    from cms_api.content.services.items import create_item, update_item

    kind = events()
    for number in range(bench.rounds):
        title = f"Morning song {number}"
        sent = {"data": {"title": title, "event_date": daily(date(2026, 1, 1), LONG)}}
        item = bench.timed("create", lambda sent=sent: create_item(item_type=kind, values=sent))
        bench.timed("save without a change", lambda item=item, sent=sent: update_item(item=item, values=sent))
        renamed = {"data": {"title": f"Evening song {number}"}}
        bench.timed("change of the title", lambda item=item, sent=renamed: update_item(item=item, values=sent))
        bench.timed("publish", lambda item=item: update_item(item=item, values={"status": "published"}))
        rows = list(ContentItem.objects.filter(owner=item))
        assert len(rows) == LONG - 1, len(rows)

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
        bench.say(name, "its rows one by one, by save()", most=SAVING_BAR)


def events() -> Any:
    from cms_api.content.selectors import find_type

    return find_type("events")


def daily(first: date, count: int) -> dict[str, Any]:
    repeat = {"frequency": "daily", "count": count}
    return {"start": f"{first}T18:30", "end": f"{first}T20:00", "tz": "Europe/Paris", "repeat": repeat}


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
