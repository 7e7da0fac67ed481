"""Writes over the API of a served site while its processes are killed, and compares what was acknowledged with what arrived."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

from benchmarks.servers import create_database, drop_database, free_port

from .receiver import Authority, Receiver, Request

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60
#: Becomes the command that it is given, which ends when this process does, even if that is killed.
MORTAL = """
import os, sys
from cms_api.gateway.supervisor import die_with_parent
die_with_parent()
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@dataclass
class Site:
    """`manage.py serve` on a database of its own, with webhooks on."""

    environment: dict[str, str]
    port: int
    token: str = ""

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True).stdout.strip()

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON; the status is 0 where there was no whole answer."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.port}{path}"
        try:
            with urllib.request.urlopen(urllib.request.Request(url, content, headers, method=method), timeout=20) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except HTTPError as refusal:
            with refusal:
                return refusal.code, None
        except (OSError, HTTPException, ValueError):
            return 0, None

    def wait_for(self, path: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.call("GET", path)[0] != 200:
            assert time.monotonic() < deadline, f"{path} never answered."
            time.sleep(0.1)

    def subscribe(self, url: str) -> int:
        status, answer = self.call("POST", "/api/v1/webhooks", {"url": url, "events": ["*"]})
        assert status == 201, status
        return int(answer["data"]["id"])

    def write(self, title: str) -> tuple[int, Any]:
        return self.call("POST", "/api/v1/content-items", {"type": "blog-post", "data": {"title": title}, "status": "published"})

    def items(self) -> set[int]:
        """The ids of all items there are."""
        found: set[int] = set()
        path = "/api/v1/content-items?status=all&per_page=100&page=1"
        while path:
            status, answer = self.call("GET", path)
            assert status == 200, status
            found |= {record["id"] for record in answer["data"]}
            following = urlsplit(answer["links"]["next"] or "")
            path = f"{following.path}?{following.query}" if following.path else ""
        return found


@contextmanager
def site(folder: Path, authority: Authority, *, postgresql: str = "", **changes: str) -> Iterator[Site]:
    """A site that is ready to be served; `postgresql` names a server on which a database may be made."""
    environment = {
        **{name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "BASE_URL"}},
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "VAR_DIR": str(folder),
        "API_RATE_PER_MINUTE": "100000000",
        "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
        "WEBHOOK_CA_BUNDLE": str(authority.trusted),
        "WEBHOOK_TIMEOUT": "1",
        "WEBHOOK_RETRY_DELAYS": "1,1,1,1",
        **changes,
    }
    with ExitStack() as stack:
        if postgresql:
            name = f"webhooks_{os.getpid()}_{random.randrange(10**6)}"
            # First, so that one is not left behind by whoever is interrupted while it is made.
            stack.callback(drop_database, postgresql, name)
            create_database(postgresql, name)
            environment["DATABASE_URL"] = f"{postgresql}/{name}"
        made = Site(environment, free_port())
        for words in (["migrate", "-v", "0"], ["setup_site"], ["feature", "on", "api"], ["feature", "on", "webhooks"]):
            made.manage(*words)
        made.token = made.manage("create_token", "test", "--all-abilities")
        yield made


@contextmanager
def served(where: Site) -> Iterator[subprocess.Popen[bytes]]:
    with running(where, "serve", "--port", str(where.port), "--workers", "2") as process:
        where.wait_for("/readyz")
        yield process


@contextmanager
def running(where: Site, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of the site, and terminate it at the end."""
    command = [sys.executable, "-c", MORTAL, "manage.py", *words]
    with (Path(where.environment["VAR_DIR"]) / f"{words[0]}.log").open("ab") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=where.environment, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()


@dataclass
class Report:
    """The result of a run. The first four must be empty."""

    lost: set[int] = field(default_factory=set)
    phantoms: set[int] = field(default_factory=set)
    #: Deliveries whose body was not the same each time, or not what the API had answered.
    changed: set[int] = field(default_factory=set)
    #: Items that came under more than one `delivery_id`.
    doubled: set[int] = field(default_factory=set)
    acknowledged: int = 0
    deliveries: int = 0
    #: Requests beyond one for each delivery.
    repeats: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    failed_requests: Counter[int] = field(default_factory=Counter)
    #: Seconds from the answer to each write until its event first arrived.
    waits: list[float] = field(default_factory=list)
    seconds: float = 0.0


def crash(where: Site, receiver: Receiver, *, writes: int, kills: int, threads: int = 3) -> Report:
    """Writes so many items from several threads, with kills spread at random over the time that takes."""
    report, started = Report(), time.monotonic()
    acknowledged: dict[int, Any] = {}
    answered: dict[int, float] = {}
    arrived: dict[int, float] = {}
    receiver.on_request(lambda request: arrived.setdefault(_item(request), time.monotonic()))
    with served(where) as process:
        where.subscribe(receiver.url())
        writers = [
            threading.Thread(target=_write, args=(where, number, writes // threads, acknowledged, answered, report), daemon=True)
            for number in range(threads)
        ]
        for writer in writers:
            writer.start()
        moments = sorted(random.uniform(0, 0.95 * writes) for _ in range(kills))
        for moment in moments:
            while len(acknowledged) < moment and any(writer.is_alive() for writer in writers):
                time.sleep(0.01)
            time.sleep(random.uniform(0, 0.1))
            report.kills[_kill_one(process.pid)] += 1
        for writer in writers:
            writer.join()
        _wait_while_any_arrive(acknowledged, arrived)
        where.wait_for("/readyz")
        _compare(report, acknowledged, where.items(), list(receiver.requests))
    report.waits = [max(0.0, arrived[item] - answered[item]) for item in acknowledged if item in arrived]
    report.seconds = time.monotonic() - started
    return report


def _wait_while_any_arrive(acknowledged: dict[int, Any], arrived: dict[int, float]) -> None:
    """Until all have arrived, or none has for longer than a lease lasts."""
    seen, since = len(arrived), time.monotonic()
    while time.monotonic() - since < PATIENCE and not acknowledged.keys() <= arrived.keys():
        time.sleep(0.1)
        if len(arrived) > seen:
            seen, since = len(arrived), time.monotonic()


def _write(
    where: Site, number: int, count: int, acknowledged: dict[int, Any], answered: dict[int, float], report: Report
) -> None:
    done = turn = 0
    while done < count:
        turn += 1
        status, answer = where.write(f"Writer {number}, item {turn}")
        if status == 201:
            answered[answer["data"]["id"]] = time.monotonic()
            acknowledged[answer["data"]["id"]] = answer["data"]
            done += 1
        else:
            report.failed_requests[status] += 1
            time.sleep(0.05)


def _kill_one(parent: int) -> str:
    """Kills a process of the web server or of the worker, or all of either; what it was."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [(int(pid), int(ppid), words) for pid, ppid, words in (line.split(None, 2) for line in listed.splitlines()[1:])]
    heads = [(pid, words) for pid, ppid, words in rows if ppid == parent]
    if not heads:
        return "nothing: all were down"
    head, words = random.choice(heads)
    name = "web server" if "serving" in words else "worker"
    below = [pid for pid, ppid, _ in rows if ppid == head]
    with suppress(ProcessLookupError, PermissionError):
        if below and random.random() < 0.5:
            os.kill(random.choice(below), signal.SIGKILL)
            return f"a process of the {name}"
        os.killpg(head, signal.SIGKILL)
        return f"the whole {name}"
    return "nothing: it was gone"


def _item(request: Request) -> int:
    return int(request.json["data"]["id"])


def _compare(report: Report, acknowledged: dict[int, Any], existing: set[int], requests: list[Request]) -> None:
    bodies: dict[int, set[bytes]] = {}
    deliveries: dict[int, set[int]] = {}
    for request in requests:
        identity = request.json["delivery_id"]
        bodies.setdefault(identity, set()).add(request.body)
        deliveries.setdefault(_item(request), set()).add(identity)
        if acknowledged.get(_item(request), request.json["data"]) != request.json["data"]:
            report.changed.add(identity)
    report.changed |= {identity for identity, seen in bodies.items() if len(seen) > 1}
    report.doubled = {item for item, identities in deliveries.items() if len(identities) > 1}
    report.lost = set(acknowledged) - set(deliveries)
    report.phantoms = set(deliveries) - existing
    report.acknowledged, report.deliveries = len(acknowledged), len(bodies)
    report.repeats = len(requests) - len(bodies)
