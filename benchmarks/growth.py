"""Cost of pages and lists among few and among many records, each set in a process and a database of its own."""

import argparse
import json
import multiprocessing
import os
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from .dataset import settle
from .recurrence import POSTGRESQL, Bench, migrated_site

FEW_RECORDS, MANY_RECORDS = 1_000, 100_000
#: The age of the first record, and of those that `since` asks for: half of them, so that few records fill a page too.
OLDEST_DAYS, SINCE_DAYS = 730, 365
#: In the name of a page that is not taken from the cache, and of one that is the first after a change of the records.
RENDERED, CHANGED = "rendered", "after a change"


@dataclass(frozen=True)
class Growth:
    """The comparison of a module. It is sent to other processes: functions are those of a module."""

    #: The records that become more, in the plural, and the function that creates so many.
    records: str
    fill: Callable[[int], None]
    #: The first one is also the name of the version that changes with the records.
    features: tuple[str, ...]
    #: Of the token for the API.
    ability: str
    #: Pages by name; those whose name begins with "API" are requested with a token, with "admin" by an admin. `{since}` is a day.
    paths: Mapping[str, str]
    #: How much more CPU a request may take among the many.
    bar: float
    #: Functions that are measured like requests, by name. They return something that is not empty.
    functions: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    #: Records of the small set, and of the large one.
    few: int = FEW_RECORDS
    many: int = MANY_RECORDS

    @property
    def names(self) -> list[str]:
        return [*self.functions, *self.paths]


@dataclass(frozen=True)
class Sample:
    """A block of requests or calls: milliseconds by the clock, and of CPU, of one of them, and the statements of each."""

    wall: float
    cpu: float
    statements: int


def compare(growth: Growth, options: argparse.Namespace) -> bool:
    """Compare requests and calls among few records with those among many, in turn; return whether a ratio is over its bar."""
    samples: dict[tuple[str, int], list[Sample]] = {}
    names = [name for name in growth.names if any(each in name for each in options.named or [""])]
    totals = options.few or growth.few, options.many or growth.many
    with ExitStack() as stack:
        ask = {total: stack.enter_context(_site_of(growth, total, options)) for total in totals}
        for number in range(options.rounds + 1):
            for name in names:
                for total in list(ask)[:: -1 if number % 2 else 1]:
                    samples.setdefault((name, total), []).append(ask[total](name))
    missed = False
    print(f"{'':40} {'statements':>10} {totals[0]:>12,} {growth.records} {totals[1]:>17,} {growth.records}   ratio of CPU")
    for name in names:
        # The first one finds nothing cached.
        few, many = (samples[name, total][1:] for total in totals)
        ratio = statistics.median(more.cpu / less.cpu for less, more in zip(few, many, strict=True))
        is_over = ratio > growth.bar or few[-1].statements < many[-1].statements
        missed |= is_over
        figures = "  ".join(f"{_middle(each, 'wall'):7.2f} ms, CPU {_middle(each, 'cpu'):5.2f}" for each in (few, many))
        counts = "/".join(str(count) for count in sorted({few[-1].statements, many[-1].statements}))
        print(f"{name:40} {counts:>10}  {figures}  {ratio:6.2f}{'  MISSED' if is_over else ''}", flush=True)
    return missed


def _middle(samples: list[Sample], name: str) -> float:
    return statistics.median(getattr(sample, name) for sample in samples)


@contextmanager
def _site_of(growth: Growth, total: int, options: argparse.Namespace) -> Iterator[Callable[[str], Sample]]:
    """Run a site with so many records in a process of its own; yield the function that measures a block there, by name."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_measuring, args=(growth, total, options.postgresql, options.requests, theirs))
    process.start()
    theirs.close()
    try:
        ours.recv()

        def ask(name: str) -> Sample:
            ours.send(name)
            found: Sample = ours.recv()
            return found

        yield ask
    finally:
        ours.close()
        process.join()


def _measuring(growth: Growth, total: int, postgresql: str, requests: int, pipe: Any) -> None:
    """Fill a site, and measure what is asked for until the other end is closed."""
    with migrated_site(postgresql, "api", *growth.features):
        growth.fill(total)
        settle()
        run = _running(growth)
        bench = Bench(1)
        pipe.send(total)
        while True:
            try:
                name = pipe.recv()
            except EOFError:
                return
            run(name)
            bench.timed(name, lambda name=name: [run(name) for _ in range(requests)])
            wall, cpu = bench.samples[name].pop() / requests, bench.cpu[name].pop() / requests
            pipe.send(Sample(wall, cpu, bench.statements[name] // requests))


def _running(growth: Growth) -> Callable[[str], None]:
    """Return the function that requests one of the paths, or calls one of the functions, by its name."""
    from django.contrib.auth import get_user_model
    from django.test import Client
    from django.utils import timezone

    from cms_api.auth.services.tokens import create_token
    from cms_api.core import versions
    from cms_api.http import page_cache

    token = create_token(name="benchmark", abilities=[growth.ability], lifetime="never")[1]
    api = Client(headers={"host": "127.0.0.1", "authorization": f"Bearer {token}"})
    admin, visitor = Client(headers={"host": "127.0.0.1"}), Client(headers={"host": "127.0.0.1"})
    superuser: Any = get_user_model().objects
    admin.force_login(superuser.create_superuser("benchmark", "benchmark@example.com", "benchmark"))
    since = f"{timezone.now() - timedelta(days=SINCE_DAYS):%Y-%m-%d}"

    def run(name: str) -> None:
        if name in growth.functions:
            assert growth.functions[name](), name
            return
        if CHANGED in name:
            versions.bump(growth.features[0])
        if RENDERED in name:
            page_cache.clear()
        client = api if name.startswith("API") else admin if name.startswith("admin") else visitor
        answer = client.get(growth.paths[name].format(since=since))
        assert answer.status_code == 200, (name, answer.status_code)
        if client is api:
            assert json.loads(answer.content)["data"], name

    return run


def parser_of(program: str, description: str | None) -> argparse.ArgumentParser:
    """Return the parser of the options of `compare`."""
    server = os.environ.get("DATABASE_URL", "").rpartition("/")[0]
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--few", type=int, help=f"records of the small set ({FEW_RECORDS}, unless the case has its own)")
    parser.add_argument("--many", type=int, help=f"records of the large set ({MANY_RECORDS}, unless the case has its own)")
    parser.add_argument("--named", action="append", metavar="TEXT", help="only requests with it in their name, if there is one")
    parser.add_argument("--rounds", type=int, default=9, help="blocks of each request, in turn (9)")
    parser.add_argument("--requests", type=int, default=10, help="requests or calls of a block (10)")
    parser.add_argument("--postgresql", metavar="URL", nargs="?", const=POSTGRESQL, default=server, help=f"on it ({POSTGRESQL})")
    return parser
