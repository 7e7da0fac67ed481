"""A site served by `manage.py serve` or `web` in a process of its own, for tests that start, stop and kill processes."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.servers import free_port, processes_below
from tests.conftest import copy_database

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 60
#: Seconds that migrating and starting may take on a busy machine.
START = 600
#: Variables of the run that would change what the served site uses.
NOT_INHERITED = {"DATABASE_URL", "REDIS_URL", "BASE_URL", "DJANGO_SETTINGS_MODULE"}


@dataclass(frozen=True)
class Answer:
    """A response, and the seconds that it took; the status is 0 if no whole response arrived."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float

    def json(self) -> Any:
        return json.loads(self.body)


def request(
    port: int, method: str, path: str, body: Any = None, *, token: str = "", timeout: float = 30, **headers: str
) -> Answer:
    """Send a request on a connection of its own; a body that is not bytes is sent as JSON."""
    content = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if token:
        sent["Authorization"] = f"Bearer {token}"
    started = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, content, sent)
        response = connection.getresponse()
        received = response.read()
    except (OSError, http.client.HTTPException):
        return Answer(0, {}, b"", time.monotonic() - started)
    finally:
        connection.close()
    return Answer(response.status, response.headers, received, time.monotonic() - started)


@dataclass
class Site:
    """A served site with a database of its own."""

    environment: dict[str, str]
    port: int
    process: subprocess.Popen[bytes]

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True).stdout.strip()

    def request(
        self, method: str, path: str, body: Any = None, *, token: str = "", timeout: float = 30, **headers: str
    ) -> Answer:
        return request(self.port, method, path, body, token=token, timeout=timeout, **headers)

    def get(self, path: str, token: str = "") -> Answer:
        return self.request("GET", path, token=token)

    def status(self, path: str, token: str = "") -> int:
        return self.request("GET", path, token=token, timeout=10).status

    def wait_for(self, path: str, status: int, token: str = "", *, patience: float = PATIENCE) -> float:
        """Ask until the status is answered; return the seconds it took."""
        started = time.monotonic()
        while self.status(path, token) != status:
            assert time.monotonic() < started + patience, f"{path} never answered {status}"
            assert self.process.poll() is None, "serve ended by itself"
            time.sleep(0.1)
        return time.monotonic() - started

    def children(self) -> dict[int, str]:
        """Return the names of the site's other processes, by id."""
        return processes_below(self.process.pid)

    def process_named(self, name: str) -> int:
        """Return the id of the process with a name, once there is one."""
        deadline = time.monotonic() + PATIENCE
        while name not in (names := self.children()).values():
            assert time.monotonic() < deadline, f"There is no process {name!r}."
            time.sleep(0.1)
        return next(pid for pid, found in names.items() if found == name)


def environment(folder: Path, **changes: str) -> dict[str, str]:
    """Return the environment of a site with the embedded defaults and its data in a folder."""
    kept = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    return {**kept, "DJANGO_SETTINGS_MODULE": "config.settings.dev", "VAR_DIR": str(folder), **changes}


def start(variables: dict[str, str], command_name: str = "serve", *, port: int = 0, stderr: int | None = None) -> Site:
    """Start `manage.py serve` or `web` on a free port, without waiting for it."""
    port = port or free_port()
    command = [sys.executable, "manage.py", command_name, "--port", str(port), "--workers", "1"]
    return Site(variables, port, subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL, stderr=stderr))


@contextmanager
def served(folder: Path, *, migrated: bool = False, **changes: str) -> Iterator[Site]:
    """Serve a site until the block ends, then check that it stops as asked; `changes` are environment variables.

    If `migrated`, it begins with a copy of the suite's embedded database, which saves time.
    """
    if migrated:
        folder.mkdir(exist_ok=True)
        copy_database(folder / "db.sqlite3")
    site = start(environment(folder, **changes))
    try:
        site.wait_for("/readyz", 200, patience=START)
        yield site
    finally:
        site.process.send_signal(signal.SIGTERM)
        assert site.process.wait(PATIENCE) == 0


ITEMS = "/api/v1/content-items"


def prepare(site: Site) -> str:
    """Switch the API of a new site on, and return a token that may read and write content and media."""
    site.manage("setup_site")
    site.manage("feature", "on", "api")
    abilities = [f"{module}:{verb}" for module in ("content", "media") for verb in ("read", "write")]
    return site.manage("create_token", "test", *(word for ability in abilities for word in ("--ability", ability)))


def create_item(site: Site, token: str, title: str) -> Answer:
    body = {"type": "blog-post", "data": {"title": title}, "status": "published"}
    return site.request("POST", ITEMS, body, token=token)
