"""What kills cost, deliveries a second, and how soon the first attempt is made: `python -m benchmarks.webhooks`."""

import argparse
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.webhooks.crash import ROOT, Site, crash, served, site
from tests.webhooks.receiver import Answer, Authority, Receiver, make_authority, receiving

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432"
SEED = """
from cms_api.content.models import ContentType
from cms_api.content.services.bulk import create_items
for start in range(0, {count}, 500):
    rows = [dict(data=dict(title=f"Queued {{n}}"), status="published") for n in range(start, min(start + 500, {count}))]
    create_items(item_type=ContentType.objects.get(slug="blog-post"), rows=rows)
"""


def main() -> int:
    options = arguments()
    failed = False
    for database in options.database or ["sqlite", "postgresql"]:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
            folder = Path(scratch)
            authority = make_authority(folder)
            failed |= run(database, folder, authority, options)
    return 1 if failed else 0


def run(database: str, folder: Path, authority: Authority, options: argparse.Namespace) -> bool:
    """All cases on one database; whether the first of them found a fault."""
    where = options.postgresql if database == "postgresql" else ""
    wrong = False
    if options.writes:
        with receiving(authority.good) as receiver, fresh(folder, "crash", authority, where) as target:
            report = crash(target, receiver, writes=options.writes, kills=options.kills, patience=180)
        wrong = bool(report.lost or report.phantoms or report.changed or report.doubled)
        say(
            f"{database}: {report.acknowledged} acknowledged, {sum(report.kills.values())} kills in {report.seconds:.0f} s: "
            f"{len(report.lost)} lost, {len(report.phantoms)} phantoms, {len(report.changed)} changed, {len(report.doubled)} "
            f"doubled, {report.repeats} repeats ({report.repeats / max(report.deliveries, 1):.2%}) {dict(report.kills)}"
        )
    for workers in (1, 2) if options.queued else ():
        with receiving(authority.good) as receiver, fresh(folder, f"fast{workers}", authority, where) as target:
            rate = throughput(target, receiver, workers, options.queued)
        say(f"{database}: {rate:.0f} deliveries a second with {workers} worker(s)")
    for hanging in (False, True) if options.samples else ():
        with receiving(authority.good) as receiver, fresh(folder, f"late{hanging}", authority, where) as target:
            found = sorted(latencies(target, receiver, options.samples, hanging=hanging))
        cuts = statistics.quantiles(found, n=100)
        beside = "beside an endpoint that hangs" if hanging else "idle"
        say(f"{database}: answer to first attempt p50 {cuts[49]:.2f} s, p99 {cuts[98]:.2f} s, {len(found)} writes, {beside}")
    return wrong


@contextmanager
def fresh(folder: Path, name: str, authority: Authority, postgresql: str) -> Iterator[Site]:
    place = folder / name
    place.mkdir()
    with site(place, authority, postgresql=postgresql, WEBHOOK_TIMEOUT="10") as made:
        yield made


def throughput(target: Site, receiver: Receiver, workers: int, count: int) -> float:
    """Deliveries a second of a queue to ten endpoints that answer at once, each kept by one worker at a time."""
    endpoints = 10
    with served(target):
        for number in range(endpoints):
            target.subscribe(receiver.url(f"/{number}"))
    target.manage("shell", "-v", "0", "-c", SEED.format(count=count // endpoints))
    expected = count // endpoints * endpoints
    processes = [
        subprocess.Popen([sys.executable, "manage.py", "worker"], cwd=ROOT, env=target.environment) for _ in range(workers)
    ]
    try:
        wait_for(receiver, 1)
        first, started = len(receiver.requests), time.monotonic()
        wait_for(receiver, expected)
        return (expected - first) / (time.monotonic() - started)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def latencies(target: Site, receiver: Receiver, count: int, *, hanging: bool) -> list[float]:
    """Seconds from the answer of each write to the arrival of its event, a write at a time."""
    arrived: dict[int, float] = {}
    receiver.on_request(
        lambda request: request.path == "/well" and arrived.setdefault(request.json["data"]["id"], time.monotonic())
    )
    found = []
    with served(target):
        target.subscribe(receiver.url("/well"))
        if hanging:
            receiver.tell("/hangs", Answer(until=threading.Event()))
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


def wait_for(receiver: Receiver, count: int) -> None:
    deadline = time.monotonic() + 600
    while len(receiver.requests) < count:
        assert time.monotonic() < deadline, f"{len(receiver.requests)} of {count} came."
        time.sleep(0.01)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.webhooks", description=__doc__)
    parser.add_argument("--writes", type=int, default=2000, help="writes while processes are killed; 0: none (2000)")
    parser.add_argument("--kills", type=int, default=40, help="kills meanwhile (40)")
    parser.add_argument("--queued", type=int, default=2000, help="deliveries for the throughput; 0: not measured (2000)")
    parser.add_argument(
        "--samples", type=int, default=100, help="writes for the time to the first attempt; 0: not measured (100)"
    )
    parser.add_argument("--database", action="append", choices=["sqlite", "postgresql"], help="only this one")
    parser.add_argument("--postgresql", default=POSTGRESQL, metavar="URL", help=f"where databases may be made ({POSTGRESQL})")
    return parser.parse_args()


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
