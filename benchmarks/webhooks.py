"""Losses after kills, deliveries per second, the delay of the first attempt, idle CPU: `python -m benchmarks.webhooks`."""

import argparse
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.webhooks.crash import Site, crash, running, served, site
from tests.webhooks.receiver import Answer, Authority, Receiver, make_authority, receiving

from .servers import processes_below

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432"
SEED = """
from cms_api.content.models import ContentType
from cms_api.content.services.bulk import create_items
for start in range(0, {count}, 500):
    rows = [dict(data=dict(title=f"Queued {{n}}"), status="published") for n in range(start, min(start + 500, {count}))]
    create_items(item_type=ContentType.objects.get(slug="blog-post"), rows=rows)
"""


UNDO = """
from django.db import transaction
from cms_api.content.models import ContentType
from cms_api.content.services.items import create_item
kind = ContentType.objects.get(slug="blog-post")
for number in range({count}):
    for title in ["Undone"] + ["Stands"] * (number % 100 == 99):
        with transaction.atomic():
            create_item(item_type=kind, values=dict(data=dict(title=title), status="published"))
            transaction.set_rollback(title == "Undone")
"""
#: The options of `--full` that differ from the defaults.
FULL = {"writes": 20_000, "kills": 200, "undone": 5_000, "samples": 1_000}


def main() -> int:
    options = arguments()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    missed = False
    for database in options.database or ["sqlite", "postgresql"]:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
            folder = Path(scratch)
            authority, where = make_authority(folder), options.postgresql if database == "postgresql" else ""
            with site(folder / "template", authority, postgresql=where, WEBHOOK_TIMEOUT="10") as template:
                bench = Bench(database, where, folder, authority, template, options)
                bench.run()
            missed |= bench.missed
    return 1 if missed else 0


def stop(number: int, _: object) -> None:
    """Exit through all cleanup: processes end, databases are dropped. A second signal does not interrupt it."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    raise SystemExit(128 + number)


@dataclass
class Bench:
    """The cases on one database, each with a copy of a new site."""

    database: str
    postgresql: str
    folder: Path
    authority: Authority
    template: Site
    options: argparse.Namespace
    #: Whether a figure was over its bar.
    missed: bool = False

    def run(self) -> None:
        options = self.options
        if options.writes:
            self.crashes()
        if options.undone:
            with self.fresh("undone") as (target, receiver):
                undone, standing = phantoms(target, receiver, options.undone)
            said = f"{options.undone} writes undone: {undone} of them emitted, and {standing} committed"
            self.say(said, undone == 0 and standing >= options.undone // 100)
        if options.queued:
            with self.fresh("fast") as (target, receiver):
                for workers, rate in throughput(target, receiver, options.queued):
                    self.say(f"{rate:.0f} deliveries a second with {workers} worker{'s' * (workers > 1)}")
        if options.idle:
            with self.fresh("idle") as (target, _):
                cores = idle_cpu(target, options.idle)
            self.say(f"an idle worker takes {cores:.1%} of a core (at most 4%)", cores <= 0.04)
        for hanging in (False, True) if options.samples else ():
            with self.fresh(f"late{hanging}") as (target, receiver):
                waits = latencies(target, receiver, options.samples, hanging=hanging)
            beside = "beside an endpoint that hangs" if hanging else "idle"
            self.say(f"{len(waits)} writes, {beside}: {spread(waits)} (p99 at most 60 ms)", centile(waits, 99) <= 0.06)

    def crashes(self) -> None:
        with self.fresh("crash") as (target, receiver):
            report = crash(target, receiver, writes=self.options.writes, kills=self.options.kills)
        repeats = report.repeats / max(report.deliveries, 1)
        self.say(
            f"{report.acknowledged} acknowledged, {sum(report.kills.values())} kills in {report.seconds:.0f} s: "
            f"{len(report.lost)} lost, {len(report.phantoms)} phantoms, {len(report.changed)} changed, {len(report.doubled)} "
            f"doubled, {report.repeats} repeats ({repeats:.2%}, at most 1%) {dict(report.kills)}",
            not (report.lost or report.phantoms or report.changed or report.doubled) and repeats <= 0.01,
        )
        if report.waits:
            self.say(f"meanwhile, {spread(report.waits)} (p99 at most 90 s)", centile(report.waits, 99) <= 90)

    @contextmanager
    def fresh(self, name: str) -> Iterator[tuple[Site, Receiver]]:
        """Yield a new site, and a receiver that keeps connections open, as most do."""
        copy = site(self.folder / name, self.authority, postgresql=self.postgresql, template=self.template, WEBHOOK_TIMEOUT="10")
        with receiving(self.authority.good, keeps_open=True) as receiver, copy as made:
            yield made, receiver

    def say(self, text: str, met: bool = True) -> None:
        self.missed |= not met
        print(f"{self.database}: {text}{'' if met else '  MISSED'}", flush=True)


def centile(waits: list[float], number: int) -> float:
    return statistics.quantiles(waits, n=100, method="inclusive")[number - 1] if len(waits) > 1 else waits[0]


def spread(waits: list[float]) -> str:
    p50, p99, most = (1000 * seconds for seconds in (centile(waits, 50), centile(waits, 99), max(waits)))
    figures = f"p50 {p50:.1f} ms, p99 {p99:.1f} ms, most {most:.1f} ms"
    return f"from a write's answer to the first attempt {figures}"


def phantoms(target: Site, receiver: Receiver, count: int) -> tuple[int, int]:
    """Count the events of rolled-back writes, among which one in a hundred is committed."""
    with served(target):
        target.subscribe(receiver.url())
        target.manage("shell", "-v", "0", "-c", UNDO.format(count=count))
        wait_for(receiver, count // 100)
        time.sleep(2)
    titles = Counter(request.json["data"]["title"] for request in receiver.requests)
    return titles["Undone"], titles["Stands"]


def throughput(target: Site, receiver: Receiver, count: int) -> Iterator[tuple[int, float]]:
    """Measure deliveries per second of one worker and of two, to ten endpoints that answer at once."""
    endpoints = 10
    with served(target):
        for number in range(endpoints):
            target.subscribe(receiver.url(f"/{number}"))
    for workers in (1, 2):
        target.manage("shell", "-v", "0", "-c", SEED.format(count=count // endpoints))
        before = len(receiver.requests)
        expected = before + count // endpoints * endpoints
        with ExitStack() as stack:
            for _ in range(workers):
                stack.enter_context(running(target, "worker"))
            wait_for(receiver, before + 1)
            first, started = len(receiver.requests), time.monotonic()
            wait_for(receiver, expected)
            yield workers, (expected - first) / (time.monotonic() - started)


def latencies(target: Site, receiver: Receiver, count: int, *, hanging: bool) -> list[float]:
    """Return the seconds from the answer of each write to the arrival of its event, one write at a time."""
    arrived: dict[int, float] = {}
    receiver.on_request(
        lambda request: request.path == "/well" and arrived.setdefault(request.json["data"]["id"], time.monotonic())
    )
    found = []
    with served(target):
        target.subscribe(receiver.url("/well"))
        if hanging:
            receiver.set_answers("/hangs", Answer(until=threading.Event()))
            target.subscribe(receiver.url("/hangs"))
            for number in range(500):
                target.write(f"Queued {number}")
            wait_for(receiver, 500)
        for number in range(count):
            status, answer = target.write(f"Timed {number}")
            written = time.monotonic()
            assert status == 201, status
            identity = answer["data"]["id"]
            while identity not in arrived:
                assert time.monotonic() < written + 120, "It never arrived."
                time.sleep(0.005)
            found.append(max(0.0, arrived[identity] - written))
    return found


def idle_cpu(target: Site, seconds: float) -> float:
    """Return the cores that the processes of a worker take while nothing but periodic jobs is due."""
    with running(target, "worker") as process:
        wait_until_started(process.pid)
        before, started = cpu_ticks(process.pid), time.monotonic()
        time.sleep(seconds)
        ticks, took = cpu_ticks(process.pid) - before, time.monotonic() - started
    return ticks / os.sysconf("SC_CLK_TCK") / took


def wait_until_started(process: int) -> None:
    """Wait until a process has taken little CPU for three seconds."""
    quiet = 0
    while quiet < 3:
        before = cpu_ticks(process)
        time.sleep(1)
        ticks = cpu_ticks(process) - before
        quiet = quiet + 1 if ticks < 0.1 * os.sysconf("SC_CLK_TCK") and processes_below(process) else 0


def cpu_ticks(process: int) -> int:
    """Return the CPU time of a process, of all below it, and of those that have ended, in ticks."""
    found = 0
    for pid in (process, *processes_below(process)):
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            found += sum(map(int, fields[11:15]))
    return found


def wait_for(receiver: Receiver, count: int) -> None:
    deadline = time.monotonic() + 600
    while len(receiver.requests) < count:
        assert time.monotonic() < deadline, f"{len(receiver.requests)} of {count} came."
        time.sleep(0.01)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.webhooks", description=__doc__)
    parser.add_argument("--writes", type=int, default=2000, help="writes while processes are killed; 0: none (2000)")
    parser.add_argument("--kills", type=int, default=20, help="kills meanwhile (20)")
    parser.add_argument("--undone", type=int, default=1000, help="writes that are undone; 0: none (1000)")
    parser.add_argument("--full", action="store_true", help="as many of each as the bars are set for: " + str(FULL))
    parser.add_argument("--queued", type=int, default=2000, help="deliveries for the throughput; 0: not measured (2000)")
    parser.add_argument(
        "--samples", type=int, default=100, help="writes for the time to the first attempt; 0: not measured (100)"
    )
    parser.add_argument("--idle", type=float, default=30, help="seconds in which idle CPU is measured; 0: not (30)")
    parser.add_argument("--database", action="append", choices=["sqlite", "postgresql"], help="only this one")
    parser.add_argument("--postgresql", default=POSTGRESQL, metavar="URL", help=f"where databases may be made ({POSTGRESQL})")
    options = parser.parse_args()
    if options.full:
        vars(options).update(FULL)
    return options


if __name__ == "__main__":
    sys.exit(main())
