"""Killed processes lose no acknowledged write, and no event is sent without a write."""

import os
from pathlib import Path

import pytest

from .crash import crash, site
from .receiver import Authority, receiving

#: A multiple of three, for so many write at once; `.ci/run` asks for more.
WRITES = int(os.environ.get("CRASH_WRITES", "150"))
KILLS = int(os.environ.get("CRASH_KILLS", "5"))


@pytest.fixture
def postgresql() -> str:
    """Where a database may be made, if the tests run on one."""
    url = os.environ.get("DATABASE_URL", "")
    return url.rpartition("/")[0] if url.startswith("postgres") else ""


@pytest.mark.long
def test_it_works_while_processes_are_killed(tmp_path: Path, authority: Authority, postgresql: str) -> None:
    with receiving(authority.good) as receiver, site(tmp_path, authority, postgresql=postgresql) as where:
        report = crash(where, receiver, writes=WRITES, kills=KILLS)
    assert report.acknowledged == WRITES
    assert (report.lost, report.phantoms, report.changed, report.doubled) == (set(), set(), set(), set()), report
    assert sum(report.kills.values()) == KILLS
    # A 5xx answers a write that was refused for no fault of the client.
    assert set(report.failed_requests) <= {0, 502, 503}, report
