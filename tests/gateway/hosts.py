"""Hosts of one site, which share PostgreSQL, Redis and an S3-compatible storage, and the load that is put on them."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from benchmarks.servers import create_database, drop_database, free_port
from tests.client import BOUNDARY, part
from tests.mail.postoffice import PostOffice, post_office
from tests.media.files import png
from tests.media.object_server import serving
from tests.serving import ROOT, Answer, Site, environment, request, start
from tests.webhooks.receiver import Authority, Receiver, bodies_by_id, receiving

#: Seconds that a process may take to start on a busy machine.
START = 180
ITEMS = "/api/v1/content-items"
_NAME = re.compile(rb"Visitor-\d+-")
NEXT_RELEASE = "tests.gateway.next_release.settings"
SET_UP = """
import json
from django.core.management import call_command
from cms_api.auth.services.tokens import create_token
from cms_api.core.vocabulary import ABILITIES
from cms_api.flags.services import switch_feature
from cms_api.forms.services.forms import save_form
call_command("setup_site", verbosity=0)
for feature in ("api", "webhooks"):
    switch_feature(name=feature, on=True)
fields = [{"key": "name", "label": "Name", "type": "text", "required": True}]
form = save_form(values={"name": "Contact", "fields": fields, "recipients": ["office@example.org"]})
print(json.dumps({"token": create_token(name="test", abilities=list(ABILITIES), lifetime="never")[1], "form": form.pk}))
"""
#: Records each time a process takes a periodic job.
JOB_CLAIMS = """
CREATE TABLE job_claims (name text, claimed_at timestamptz, was_due_at timestamptz, was_leased_until timestamptz);
CREATE FUNCTION record_claim() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO job_claims VALUES (OLD.name, clock_timestamp(), OLD.due_at, OLD.leased_until); RETURN NEW; END $$;
CREATE TRIGGER record_claim AFTER UPDATE ON core_periodicjob FOR EACH ROW
  WHEN (NEW.leased_by <> '' AND NEW.leased_by <> OLD.leased_by) EXECUTE FUNCTION record_claim();
"""


@dataclass
class Host:
    """A web server and a worker, each of which may be restarted."""

    environment: dict[str, str]
    port: int = field(default_factory=free_port)
    web: Site | None = None
    worker: subprocess.Popen[bytes] | None = None

    def start_web(self) -> None:
        self.web = start(self.environment, "web", port=self.port)

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START
        while request(self.port, "GET", "/readyz", timeout=START).status != 200:
            assert time.monotonic() < deadline, f"The host on port {self.port} never became ready."
            time.sleep(0.2)

    def reload_web(self) -> None:
        """Replace the web process, as `systemctl reload` does."""
        assert self.web is not None
        before, deadline = set(self.web.children()), time.monotonic() + START
        self.web.process.send_signal(signal.SIGHUP)
        while before & set(self.web.children()):
            assert time.monotonic() < deadline, "The web process was never replaced."
            time.sleep(0.2)

    def stop_web(self) -> None:
        if self.web is not None:
            self.web.process.terminate()
            assert self.web.process.wait(START) == 0
            self.web = None

    def kill_web(self) -> None:
        assert self.web is not None
        below = self.web.children()
        self.web.process.kill()
        self.web.process.wait()
        for pid in below:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.web = None

    def start_worker(self) -> None:
        self.worker = subprocess.Popen([sys.executable, "manage.py", "worker"], cwd=ROOT, env=self.environment)

    def stop_worker(self) -> None:
        if self.worker is not None:
            self.worker.terminate()
            assert self.worker.wait(START) == 0
            self.worker = None

    def restart(self) -> None:
        """Restart both, one after the other."""
        self.stop_web()
        self.start_web()
        self.wait_until_ready()
        self.stop_worker()
        self.start_worker()


@dataclass
class Hosts:
    """Two hosts, what they share, and what the site sends."""

    hosts: list[Host]
    database_url: str
    token: str
    form: int
    receiver: Receiver
    office: PostOffice

    def database(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.database_url, autocommit=True)

    def migrate(self) -> subprocess.Popen[bytes]:
        """Start the migrations of the next release."""
        variables = {**self.hosts[0].environment, "DJANGO_SETTINGS_MODULE": NEXT_RELEASE}
        return subprocess.Popen([sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, env=variables)


@contextmanager
def two_hosts(folder: Path, authority: Authority, postgresql: str, template: str, redis_url: str) -> Iterator[Hosts]:
    """Hosts of a new site, none of them started, whose database is a copy of `template`."""
    name = f"hosts_{os.getpid()}_{random.randrange(10**6)}"
    with ExitStack() as stack:
        stack.callback(drop_database, postgresql, name)
        create_database(postgresql, name, template)
        office = stack.enter_context(post_office())
        receiver = stack.enter_context(receiving(authority.good, keeps_open=True))
        bucket = stack.enter_context(serving())
        shared = {
            "DATABASE_URL": f"{postgresql}/{name}",
            "REDIS_URL": redis_url,
            "MEDIA_STORAGE_URL": bucket.setting(name),
            "EMAIL_URL": office.url,
            "BUSINESS_EMAIL": "office@example.org",
            "API_RATE_PER_MINUTE": "100000000",
            "WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8",
            "WEBHOOK_CA_BUNDLE": str(authority.trusted),
            "WEBHOOK_RETRY_DELAYS": "1,1,1,1",
        }
        hosts = [Host(environment(folder / f"host-{number}", **shared)) for number in (1, 2)]
        command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", SET_UP]
        done = subprocess.run(command, cwd=ROOT, env=hosts[0].environment, check=True, stdout=subprocess.PIPE, text=True)
        made = json.loads(done.stdout.splitlines()[-1])
        with psycopg.connect(shared["DATABASE_URL"], autocommit=True) as connection:
            connection.execute(JOB_CLAIMS)
        try:
            yield Hosts(hosts, shared["DATABASE_URL"], made["token"], made["form"], receiver, office)
        finally:
            for host in hosts:
                if host.web is not None:
                    host.kill_web()
                if host.worker is not None:
                    host.worker.terminate()
            for host in hosts:
                if host.worker is not None:
                    host.worker.wait(START)


@dataclass
class Load:
    """Requests of several clients through a balancer, what was answered, and the events and mails that must follow."""

    hosts: Hosts
    port: int
    statuses: Counter[int] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    #: Seconds of the longest request, and which it was, by the phase in which it began.
    longest: dict[str, tuple[float, str]] = field(default_factory=dict)
    phase: str = "start"
    #: Acknowledged writes, by kind of event and id of the record.
    writes: Counter[tuple[str, int]] = field(default_factory=Counter)
    submitted: list[str] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, method: str, path: str, body: Any = None, *, expected: int = 200, event: str = "", **headers: str) -> Answer:
        """Send a request; a failure is noted, and so is an event that must follow from success."""
        phase = self.phase
        if body is not None:
            headers.setdefault("Content_Type", "application/json")
        answer = request(self.port, method, path, body, token=self.hosts.token, timeout=120, **headers)
        with self.lock:
            self.statuses[answer.status] += 1
            self.longest[phase] = max(self.longest.get(phase, (0.0, "")), (round(answer.seconds, 2), f"{method} {path}"))
            if answer.status != expected:
                self.failures.append(f"{phase}: {method} {path} {answer.status} {answer.body[:200]!r}")
            elif event:
                number = int(path.rpartition("/")[2]) if method in ("PATCH", "DELETE") else answer.json()["data"]["id"]
                self.writes[event, number] += 1
        return answer

    def upload(self) -> str:
        """Upload a picture; return the path of its file."""
        body = part(("file", ("picture.png", png()))) + b"--" + BOUNDARY + b"--\r\n"
        kind = f"multipart/form-data; boundary={BOUNDARY.decode()}"
        answer = self.ask("POST", "/api/v1/media", body, expected=201, Content_Type=kind)
        return urlsplit(answer.json()["data"]["url"]).path

    def write(self, number: int) -> None:
        """Create, change, read back and delete items."""
        turn = 0
        while not self.stopping.is_set():
            turn += 1
            title = f"Writer {number}, item {turn}"
            body = {"type": "blog-post", "data": {"title": title}, "status": "published"}
            made = self.ask("POST", ITEMS, body, expected=201, event="content_item.created")
            if made.status != 201:
                continue
            path = f"{ITEMS}/{made.json()['data']['id']}"
            self.ask("PATCH", path, {"data": {"title": f"{title}, changed"}}, event="content_item.updated")
            read = self.ask("GET", path)
            if read.status == 200 and not read.json()["data"]["title"].endswith("changed"):
                self.failures.append(f"{path} was read as it had been before its change.")
            if turn % 3 == 0:
                self.ask("DELETE", path, event="content_item.deleted")
                self.ask("GET", path, expected=404)
            self.stopping.wait(0.3)

    def read(self, picture: str) -> None:
        """Read a list, two pages, and a picture, which the site redirects to its storage."""
        paths = {f"{ITEMS}?type=blog-post&per_page=5": 200, "/": 200, "/blog-post": 200, picture: 302}
        while not self.stopping.is_set():
            for path, expected in paths.items():
                self.ask("GET", path, expected=expected)
                self.stopping.wait(0.05)

    def submit(self) -> None:
        """Submit a form, of which the office is notified by mail."""
        while not self.stopping.is_set():
            name = f"Visitor-{len(self.submitted)}-"
            path = f"/api/v1/forms/{self.hosts.form}/submissions"
            if self.ask("POST", path, {"data": {"name": name}}, expected=201, event="form.submitted").status == 201:
                self.submitted.append(name)
            self.stopping.wait(0.3)

    @contextmanager
    def running(self) -> Iterator[None]:
        picture = self.upload()
        work: list[Callable[[], None]] = [lambda: self.write(1), lambda: self.write(2), self.submit]
        work += [lambda: self.read(picture)] * 2
        threads = [threading.Thread(target=each) for each in work]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stopping.set()
            for thread in threads:
                thread.join()


@dataclass
class Outcome:
    """The result of a load. All lists must be empty."""

    lost: list[tuple[str, int]]
    #: Writes with more events than were acknowledged.
    doubled: list[tuple[str, int]]
    #: Deliveries whose body was not the same each time.
    changed: list[int]
    mails_lost: list[str]
    mails_doubled: list[str]
    #: Jobs taken before they were due, or while another process had them.
    jobs_doubled: list[Any]
    events: int
    repeats: int
    mails: int
    jobs: int


def outcome(hosts: Hosts, load: Load) -> Outcome:
    """Wait for the events and mails of the load, while any arrive, and compare them with what was acknowledged."""
    seen, since = -1, time.monotonic()
    while time.monotonic() - since < 90:
        events, mails = _events(hosts.receiver), _mails(hosts.office)
        if events.total() >= load.writes.total() and mails.total() >= len(load.submitted):
            break
        if (found := events.total() + mails.total()) > seen:
            seen, since = found, time.monotonic()
        time.sleep(0.5)
    # A second time may be a little later.
    time.sleep(5)
    events, mails = _events(hosts.receiver), _mails(hosts.office)
    bodies = bodies_by_id(hosts.receiver.requests)
    with hosts.database() as connection:
        claims = connection.execute("SELECT * FROM job_claims").fetchall()
    return Outcome(
        lost=sorted((load.writes - events).elements()),
        doubled=sorted((events - load.writes).elements()),
        changed=[identity for identity, different in bodies.items() if len(different) > 1],
        mails_lost=sorted((Counter(load.submitted) - mails).elements()),
        mails_doubled=sorted((mails - Counter(load.submitted)).elements()),
        jobs_doubled=[claim for claim in claims if claim[2] > claim[1] or (claim[3] is not None and claim[3] > claim[1])],
        events=len(bodies),
        repeats=len(hosts.receiver.requests) - len(bodies),
        mails=mails.total(),
        jobs=len(claims),
    )


def _events(receiver: Receiver) -> Counter[tuple[str, int]]:
    """The distinct deliveries, by kind of event and id of the record, of which the load makes any."""
    first = {each.json["delivery_id"]: each.json for each in list(receiver.requests)}
    kinds = ("content_item.", "form.")
    return Counter((found["event"], _record(found)) for found in first.values() if found["event"].startswith(kinds))


def _record(event: Any) -> int:
    data = event["data"]
    return int(data["id"])


def _mails(office: PostOffice) -> Counter[str]:
    """The names that mails are about. Parsing thousands of mails would take minutes."""
    found = (_NAME.search(taken.content.replace(b"=\r\n", b"")) for taken in list(office.taken))
    return Counter(match[0].decode() for match in found if match)
