"""`manage.py serve`, started as a newcomer starts it, on an empty folder."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60

pytestmark = pytest.mark.long


@dataclass
class Site:
    """A served site with an embedded database of its own."""

    environment: dict[str, str]
    port: int
    process: subprocess.Popen[bytes]

    def manage(self, *words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True).stdout.strip()

    def status(self, path: str, token: str = "") -> int:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return int(answer.status)
        except HTTPError as refusal:
            return refusal.code
        except OSError:
            return 0

    def wait_for(self, path: str, status: int) -> None:
        deadline = time.monotonic() + PATIENCE
        while self.status(path) != status:
            assert time.monotonic() < deadline, f"{path} never answered {status}"
            assert self.process.poll() is None, "serve ended by itself"
            time.sleep(0.1)

    def children(self) -> list[int]:
        listed = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout
        pairs = [tuple(map(int, line.split())) for line in listed.splitlines()[1:]]
        found, todo = [], [self.process.pid]
        while todo:
            parent = todo.pop()
            below = [pid for pid, ppid in pairs if ppid == parent]
            found += below
            todo += below
        return found


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    environment = {**kept, "DJANGO_SETTINGS_MODULE": "config.settings.dev", "VAR_DIR": str(tmp_path_factory.mktemp("var"))}
    command = [sys.executable, "manage.py", "serve", "--port", str(port), "--workers", "1"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    started = Site(environment, port, process)
    try:
        started.wait_for("/readyz", 200)
        yield started
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


def test_it_works(site: Site) -> None:
    """The API is off until it is switched on, and then the running processes answer at once."""
    site.manage("setup_site")
    token = site.manage("create_token", "test", "--ability", "content:read")
    assert site.status("/api/v1/content-items", token) == 404
    site.manage("feature", "on", "api")
    assert site.status("/api/v1/content-items", token) == 200
    site.manage("revoke_token", "test")
    assert site.status("/api/v1/content-items", token) == 401


def test_a_web_server_that_dies_is_started_again(site: Site) -> None:
    web, worker = sorted(child for child in site.children() if os.getpgid(child) == child)
    os.killpg(web, signal.SIGKILL)
    site.wait_for("/healthz", 200)
    assert worker in site.children()


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux ends children whose parent was killed.")
def test_nothing_is_left_behind_when_it_is_killed(site: Site) -> None:
    second = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(site.port + 1), "--workers", "1"],
        cwd=ROOT,
        env=site.environment,
        stdout=subprocess.DEVNULL,
    )
    other = Site(site.environment, site.port + 1, second)
    other.wait_for("/healthz", 200)
    children = other.children()
    assert len(children) >= 3
    second.kill()
    second.wait()
    deadline = time.monotonic() + PATIENCE
    while alive := [child for child in children if _is_alive(child)]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.1)


def _is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
