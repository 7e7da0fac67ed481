"""Web processes know of each other whether they answer requests: messages wait for these, but not for long."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cms_api.gateway.serving import requests as module
from cms_api.gateway.serving.requests import PLACE, SHARED, Others, Requests, share
from tests.media.server import serving

pytestmark = pytest.mark.once

KILLED = """
import os, signal
from cms_api.gateway.serving.requests import Others, Requests
Requests(Others.inherited()).begin()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def two() -> Iterator[list[Others]]:
    """The bytes of two processes."""
    [descriptor], environments = share(2)
    yield [Others(descriptor, int(each[PLACE])) for each in environments]
    os.close(descriptor)


def test_each_is_busy_for_the_other(two: list[Others]) -> None:
    first, second = Requests(two[0]), Requests(two[1])
    assert not two[0].are_busy()
    second.begin()
    assert two[0].are_busy()
    assert not two[1].are_busy()
    first.begin()
    second.begin()
    second.end()
    assert two[0].are_busy()
    second.end()
    assert not two[0].are_busy()
    assert two[1].are_busy()


def test_one_waits_for_the_other_but_not_long(two: list[Others], monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Requests(two[0]), Requests(two[1])
    second.begin()
    begin = time.monotonic()
    first.wait_for_none(60)
    assert time.monotonic() - begin >= module.LONGEST_WAIT
    second.end()
    monkeypatch.setattr(module, "LONGEST_WAIT", 60.0)
    first.wait_for_none(60)
    assert time.monotonic() - begin < 30


def test_one_that_was_killed_is_forgotten_when_it_is_started_again(two: list[Others]) -> None:
    [descriptor], environments = share(2)
    environment = {**os.environ, **environments[1]}
    killed = subprocess.run([sys.executable, "-c", KILLED], env=environment, pass_fds=[descriptor], check=False)
    assert killed.returncode < 0
    others = Others(descriptor, 0)
    assert others.are_busy()
    Others(descriptor, 1)
    assert not others.are_busy()
    os.close(descriptor)


def test_one_process_shares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert share(1) == ([], [{}])
    monkeypatch.delenv(SHARED, raising=False)
    assert Others.inherited() is None
    monkeypatch.delattr(os, "memfd_create", raising=False)
    assert share(2) == ([], [{}, {}])


@pytest.mark.long
@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="Linux only")
def test_the_processes_of_a_server_share_it(tmp_path: Path) -> None:
    with serving(tmp_path, workers=2) as server:
        parent = server.process.pid
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        end = time.monotonic() + 60
        while not all(found := [shared_memory(pid) for pid in children]) and time.monotonic() < end:
            time.sleep(0.1)
    assert len(found) == 2
    assert found[0] == found[1] != []


def shared_memory(pid: str) -> list[list[str]]:
    """Return device and inode of the bytes that a process has mapped."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return [line.split()[3:5] for line in lines if "/memfd:busy" in line]
