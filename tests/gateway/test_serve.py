"""`manage.py serve`, started as a newcomer starts it, on an empty folder."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import PATIENCE, Site, served, start

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


def test_a_web_server_that_dies_is_started_again(site: Site) -> None:
    web, worker = sorted(child for child in site.children() if os.getpgid(child) == child)
    os.killpg(web, signal.SIGKILL)
    site.wait_for("/healthz", 200)
    assert worker in site.children()


@pytest.mark.skipif(sys.platform != "linux", reason="Only Linux ends children whose parent was killed.")
def test_nothing_is_left_behind_when_it_is_killed(site: Site) -> None:
    other = start(site.environment)
    other.wait_for("/healthz", 200)
    children = other.children()
    assert len(children) >= 3
    other.process.kill()
    other.process.wait()
    deadline = time.monotonic() + PATIENCE
    while alive := [child for child in children if _is_alive(child)]:
        assert time.monotonic() < deadline, alive
        time.sleep(0.1)


def _is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
