"""`manage.py serve`, started as a newcomer starts it, on an empty folder."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.serving import PATIENCE, ROOT, START, Site, environment, served, start

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with served(tmp_path_factory.mktemp("var")) as started:
        yield started


def test_it_works(site: Site) -> None:
    """The API is off until it is switched on, and then the running processes answer at once."""
    site.manage("setup_site")
    token = site.manage("create_token", "test", "--ability", "content:read")
    assert site.status("/api/v1/content-items", token) == 404
    site.manage("feature", "on", "api")
    assert site.status("/api/v1/content-items", token) == 200
    site.manage("revoke_token", "test")
    assert site.status("/api/v1/content-items", token) == 401


NAMES = ("loader", "web 1", "queues", "jobs")


@pytest.mark.parametrize("name", NAMES[1:])
def test_a_process_that_dies_is_started_again(site: Site, name: str) -> None:
    before = {each: site.process_named(each) for each in NAMES}
    os.kill(before[name], signal.SIGKILL)
    _wait_until_gone([before[name]])
    after = {each: site.process_named(each) for each in NAMES}
    assert [each for each in NAMES if after[each] != before[each]] == [name]
    site.wait_for("/healthz", 200)


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux ends children whose parent was killed.")
def test_all_are_started_again_when_the_loader_dies(site: Site) -> None:
    """Meanwhile, connections wait."""
    before = site.children()
    os.kill(site.process_named("loader"), signal.SIGKILL)
    assert site.request("GET", "/healthz", timeout=PATIENCE).status == 200
    _wait_until_gone(before)
    for name in NAMES:
        site.process_named(name)


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux ends children whose parent was killed.")
def test_nothing_is_left_behind_when_it_is_killed(site: Site) -> None:
    other = start(site.environment)
    other.wait_for("/healthz", 200, patience=START)
    for name in NAMES:
        other.process_named(name)
    children = other.children()
    other.process.kill()
    other.process.wait()
    _wait_until_gone(children)


def test_the_process_that_supervises_is_without_django(site: Site) -> None:
    assert b"cms_api.gateway.supervisor" in Path(f"/proc/{site.process.pid}/cmdline").read_bytes()
    names = "import sys, cms_api.gateway.supervisor; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", names], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "django" not in loaded.split()


@pytest.mark.skipif(sys.platform != "linux", reason="Threads and files are read from /proc.")
def test_processes_that_fork_others_have_no_threads_and_no_connections(site: Site) -> None:
    for name in ("loader", "jobs"):
        assert len(list(Path(f"/proc/{site.process_named(name)}/task").iterdir())) == 1, name
    files = [os.readlink(path) for path in Path(f"/proc/{site.process_named('loader')}/fd").iterdir()]
    assert [path for path in files if path.startswith(site.environment["VAR_DIR"])] == []
    assert sum(path.startswith("socket:") for path in files) == 1, "It has the listening socket alone."


@pytest.mark.parametrize("form", ["json", "text"])
def test_the_supervisor_logs_as_the_others_do(tmp_path: Path, form: str) -> None:
    site = start(environment(tmp_path, LOG_FORMAT=form), "web", stderr=subprocess.PIPE)
    site.wait_for("/healthz", 200, patience=START)
    os.kill(loader := site.process_named("loader"), signal.SIGKILL)
    _wait_until_gone([loader])
    site.process_named("loader")
    site.process.terminate()
    written = site.process.communicate(timeout=PATIENCE)[1].decode()
    message = "The process 'loader' ended with status -9; it is started again."
    if form == "text":
        assert written.endswith(f" WARNING cms_api.gateway.supervisor: {message}\n")
        return
    line = json.loads(written)
    assert line.pop("timestamp").endswith("+00:00")
    assert line == {"level": "WARNING", "logger": "cms_api.gateway.supervisor", "message": message}


def _wait_until_gone(pids: Iterable[int]) -> None:
    deadline = time.monotonic() + PATIENCE
    while alive := [pid for pid in pids if _is_alive(pid)]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.1)


def _is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_a_port_that_is_taken(site: Site) -> None:
    command = [sys.executable, "manage.py", "serve", "--port", str(site.port)]
    refused = subprocess.run(command, cwd=ROOT, env=site.environment, capture_output=True, text=True, timeout=PATIENCE)
    assert refused.returncode == 1
    assert refused.stderr == f"CommandError: 127.0.0.1:{site.port} cannot be listened on: Address already in use.\n"


def test_replacing_all_processes_loses_no_request(site: Site) -> None:
    """SIGHUP, as systemd sends it for a reload: new processes first, then the former ones finish."""
    before = site.children()
    statuses: Counter[int] = Counter()
    stopping = threading.Event()

    def ask() -> None:
        while not stopping.is_set():
            statuses[site.status("/healthz")] += 1

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        site.process.send_signal(signal.SIGHUP)
        _wait_until_gone(before)
        stopping.set()
        for each in asking:
            each.result()
    assert set(statuses) == {200}


def test_stopping_loses_no_request_that_was_sent(tmp_path: Path) -> None:
    """Each connection is either refused, so that a balancer may choose another host, or its request is answered."""
    site = start(environment(tmp_path), "web")
    outcomes: Counter[str] = Counter()

    def ask() -> None:
        while (outcome := _outcome(site.port)) != "refused":
            outcomes[outcome] += 1

    site.wait_for("/healthz", 200, patience=START)
    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(ask) for _ in range(8)]
        time.sleep(1)
        site.process.send_signal(signal.SIGTERM)
        for each in asking:
            each.result()
    assert site.process.wait(PATIENCE) == 0
    assert set(outcomes) == {"answered"}, outcomes


def _outcome(port: int) -> str:
    """Send a POST on a connection of its own."""
    try:
        connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    except OSError:
        return "refused"
    with connection:
        try:
            connection.sendall(b"POST /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return "answered" if connection.recv(65536).startswith(b"HTTP/1.1 200 ") else "lost"
        except OSError:
            return "lost"
