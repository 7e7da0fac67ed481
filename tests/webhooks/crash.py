"""Writes over the API of a served site while its processes are killed, and compares what is stored with what arrived."""

import json
import os
import random
import shutil
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

from benchmarks.servers import create_database, database_url, drop_database, free_port, processes_below

from .receiver import Answer, Authority, Receiver, Request

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60
#: Seconds until a site answers; on a busy machine it starts slowly.
START_LIMIT = 300
#: Sets up a site, and prints a token. In one process: loading the project takes longer than most of these commands.
SET_UP = """
from django.core.management import call_command
for words in (["migrate"], ["setup_site"], ["feature", "on", "api"], ["feature", "on", "webhooks"]):
    call_command(*words, verbosity=0)
call_command("create_token", "test", "--all-abilities")
"""
#: Becomes the command that it is given, which ends when this process does, even if that is killed.
MORTAL = """
import os, sys
from cms_api.core.processes import die_with_parent
die_with_parent()
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


@dataclass
class Site:
    """`manage.py serve` on a database of its own, with webhooks on."""

    environment: dict[str, str]
    port: int
    token: str = ""
    #: Its name on a PostgreSQL server.
    database: str = ""

    @property
    def folder(self) -> Path:
        return Path(self.environment["VAR_DIR"])

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
        deadline = time.monotonic() + START_LIMIT
        while self.call("GET", path)[0] != 200:
            assert time.monotonic() < deadline, f"{path} never answered."
            time.sleep(0.1)

    def subscribe(self, url: str) -> int:
        status, answer = self.call("POST", "/api/v1/webhooks", {"url": url, "events": ["*"]})
        assert status == 201, status
        return int(answer["data"]["id"])

    def write(self, title: str) -> tuple[int, Any]:
        """Create and publish an item."""
        return self.call("POST", "/api/v1/content-items", {"type": "blog-post", "data": {"title": title}, "status": "published"})

    def items(self) -> dict[int, Any]:
        """All items there are, by id."""
        found: dict[int, Any] = {}
        path = "/api/v1/content-items?status=all&per_page=100&page=1"
        while path:
            status, answer = self.call("GET", path)
            assert status == 200, status
            found |= {record["id"]: record for record in answer["data"]}
            following = urlsplit(answer["links"]["next"] or "")
            path = f"{following.path}?{following.query}" if following.path else ""
        return found


@contextmanager
def site(
    folder: Path, authority: Authority, *, postgresql: str = "", template: Site | None = None, **changes: str
) -> Iterator[Site]:
    """A site that is ready to be served; `postgresql` names a server on which a database may be made.

    A copy of `template`, if one is given, which must not run meanwhile.
    """
    environment = {
        **{name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "BASE_URL"}},
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "VAR_DIR": str(folder),
        "API_RATE_PER_MINUTE": "100000000",
        "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
        "WEBHOOK_CA_BUNDLE": str(authority.trusted),
        "WEBHOOK_TIMEOUT": "1",
        # As many as a receiver that fails at random may need.
        "WEBHOOK_RETRY_DELAYS": "1,1,1,1,1,1,1,1",
        **changes,
    }
    made = Site(environment, free_port())
    with ExitStack() as stack:
        if postgresql:
            made.database = f"webhooks_{os.getpid()}_{random.randrange(10**6)}"
            environment["DATABASE_URL"] = database_url(postgresql, made.database)
            # First, so that one is not left behind by whoever is interrupted while it is made.
            stack.callback(drop_database, postgresql, made.database)
            create_database(postgresql, made.database, template.database if template else "template1")
        if template:
            shutil.copytree(template.folder, folder, dirs_exist_ok=True)
            made.token = template.token
        else:
            made.token = made.manage("shell", "-v", "0", "-c", SET_UP).splitlines()[-1]
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
    with (where.folder / f"{words[0]}.log").open("ab") as log:
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


#: A write and its event: what was done, to which item or title, and the excerpt that it set.
Change = tuple[str, Any, str]


@dataclass
class Report:
    """The result of a run. The first four must be empty."""

    #: Changes that are stored, answered or not, whose event never arrived.
    lost: set[Change] = field(default_factory=set)
    #: Events of changes that are not stored.
    phantoms: set[Change] = field(default_factory=set)
    #: Deliveries whose body was not the same each time, or not what the API had answered.
    changed: set[int] = field(default_factory=set)
    #: Changes that came under more than one `delivery_id`.
    doubled: set[Change] = field(default_factory=set)
    #: Answered writes of each kind.
    acknowledged: Counter[str] = field(default_factory=Counter)
    #: Writes that were not answered, but are stored.
    unanswered: set[Change] = field(default_factory=set)
    deliveries: int = 0
    #: Requests beyond one for each delivery.
    repeats: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    failed_requests: Counter[int] = field(default_factory=Counter)
    #: Seconds from the answer to each write until its event first arrived.
    waits: list[float] = field(default_factory=list)
    seconds: float = 0.0


@dataclass
class Writer(threading.Thread):
    """Creates, updates and deletes items of its own, until so many writes have been answered.

    It never touches an item again after a write that was not answered, so that the item shows in the end whether it is stored.
    """

    where: Site
    number: int
    count: int
    #: The answer to each change, and when it came.
    answers: dict[Change, tuple[Any, float]] = field(default_factory=dict)
    unanswered: list[Change] = field(default_factory=list)
    failures: Counter[int] = field(default_factory=Counter)
    live: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)

    # Threads are told apart by themselves, not by what they have done.
    __hash__ = threading.Thread.__hash__

    def run(self) -> None:
        turn = 0
        while len(self.answers) < self.count:
            turn += 1
            self._write(f"Writer {self.number}, write {turn}")

    def _write(self, text: str) -> None:
        kind = random.choices(("created", "updated", "deleted"), (5, 3, 2))[0] if self.live else "created"
        if kind == "created":
            change: Change = (kind, text, "")
            body = {"type": "blog-post", "data": {"title": text}, "status": "published"}
            status, answer = self.where.call("POST", "/api/v1/content-items", body)
        else:
            item = self.live.pop(random.randrange(len(self.live)))
            change = (kind, item, text if kind == "updated" else "")
            method, content = ("PATCH", {"excerpt": text}) if kind == "updated" else ("DELETE", None)
            status, answer = self.where.call(method, f"/api/v1/content-items/{item}", content)
        if status in {200, 201}:
            self.answers[change] = (answer["data"], time.monotonic())
            self.live += [answer["data"]["id"]] if kind != "deleted" else []
        else:
            self.unanswered.append(change)
            self.failures[status] += 1
            time.sleep(0.05)


def crash(
    where: Site, receiver: Receiver, *, writes: int, kills: int, threads: int = 3, target: str = "", patience: float = PATIENCE
) -> Report:
    """Writes so often from several threads, with kills of the `target`, or of anything, at random over the time that takes.

    Events are waited for until none has arrived for `patience` seconds, by default longer than a lease lasts.
    """
    report, started = Report(), time.monotonic()
    arrived: dict[Change, float] = {}
    receiver.on_request(lambda request: arrived.setdefault(_change(request), time.monotonic()))
    writers = [Writer(where, number, writes // threads) for number in range(threads)]
    with served(where) as process:
        where.subscribe(receiver.url())
        for writer in writers:
            writer.start()
        for moment in sorted(random.uniform(0, 0.95 * writes) for _ in range(kills)):
            while sum(len(writer.answers) for writer in writers) < moment and any(writer.is_alive() for writer in writers):
                time.sleep(0.01)
            time.sleep(random.uniform(0, 0.1))
            report.kills[_kill_one(process.pid, target)] += 1
        for writer in writers:
            writer.join()
        where.wait_for("/readyz")
        answers = {change: answer for writer in writers for change, answer in writer.answers.items()}
        unanswered = {change for writer in writers for change in _stored(writer.unanswered, where.items())}
        _wait_while_any_arrive(answers.keys() | unanswered, arrived, patience)
    _compare(report, {change: data for change, (data, _) in answers.items()}, unanswered, list(receiver.requests))
    report.failed_requests = sum((writer.failures for writer in writers), Counter())
    report.waits = [max(0.0, arrived[change] - moment) for change, (_, moment) in answers.items() if change in arrived]
    report.seconds = time.monotonic() - started
    return report


def fail_at_random(receiver: Receiver, *, requests: int) -> None:
    """Lets a receiver answer so many of its first requests with 500, not at all, or too late, one of them in twenty."""
    fine, broken, silent = Answer(), Answer(status=500, body=b"broken"), Answer(closes=True)
    receiver.set_answers("/hook", *random.choices((fine, broken, silent), (96, 2, 2), k=requests), fine)
    # The site gives up after a second, so that it sends again what the receiver has taken.
    receiver.on_request(lambda _: time.sleep(1.2 if random.random() < 0.01 else 0))


def _stored(unanswered: list[Change], items: dict[int, Any]) -> set[Change]:
    """Those of the writes without an answer whose effect is stored."""
    titles = {item["title"] for item in items.values()}
    shown = {
        "created": lambda title, _: title in titles,
        "updated": lambda item, excerpt: items.get(item, {}).get("excerpt") == excerpt,
        "deleted": lambda item, _: item not in items,
    }
    return {change for change in unanswered if shown[change[0]](*change[1:])}


def _wait_while_any_arrive(expected: set[Change], arrived: dict[Change, float], patience: float) -> None:
    seen, since = len(arrived), time.monotonic()
    while time.monotonic() - since < patience and not expected <= arrived.keys():
        time.sleep(0.1)
        if len(arrived) > seen:
            seen, since = len(arrived), time.monotonic()


def _kill_one(parent: int, target: str) -> str:
    """Kills a process of the site, perhaps the one from which all others are forked; its name."""
    found = [(pid, name) for pid, name in processes_below(parent).items() if name.startswith(target)]
    if not found:
        return "nothing: all were down"
    pid, name = random.choice(found)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return name
    return "nothing: it was gone"


def _change(request: Request) -> Change:
    """The change that an event is about."""
    kind, data = request.json["event"].partition(".")[2], request.json["data"]
    return kind, data["title"] if kind == "created" else data["id"], data["excerpt"] or "" if kind == "updated" else ""


def _compare(report: Report, answers: dict[Change, Any], unanswered: set[Change], requests: list[Request]) -> None:
    bodies: dict[int, set[bytes]] = {}
    deliveries: dict[Change, set[int]] = {}
    for request in requests:
        identity, change = request.json["delivery_id"], _change(request)
        bodies.setdefault(identity, set()).add(request.body)
        deliveries.setdefault(change, set()).add(identity)
        if change[0] != "deleted" and answers.get(change, request.json["data"]) != request.json["data"]:
            report.changed.add(identity)
    report.changed |= {identity for identity, seen in bodies.items() if len(seen) > 1}
    report.doubled = {change for change, identities in deliveries.items() if len(identities) > 1}
    stored = answers.keys() | unanswered
    report.lost, report.phantoms = stored - deliveries.keys(), deliveries.keys() - stored
    report.acknowledged, report.unanswered = Counter(kind for kind, _, _ in answers), unanswered
    report.deliveries = len(bodies)
    report.repeats = len(requests) - len(bodies)
