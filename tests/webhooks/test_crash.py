"""Killed processes lose no event of a write that is stored, answered or not, and no event is sent without a write."""

import os
from pathlib import Path

import pytest

from .crash import crash, fail_at_random, site
from .receiver import Authority, receiving

#: A multiple of three, for so many write at once; `make long-in-full` asks for more.
WRITES = int(os.environ.get("CRASH_WRITES", "150")) // 3 * 3
KILLS = int(os.environ.get("CRASH_KILLS", "5"))


@pytest.mark.long
def test_it_works_while_processes_are_killed(tmp_path: Path, authority: Authority, postgresql: str) -> None:
    with receiving(authority.good) as receiver, site(tmp_path, authority, postgresql=postgresql) as where:
        fail_at_random(receiver, requests=2 * WRITES)
        report = crash(where, receiver, writes=WRITES, kills=KILLS)
    print(report.acknowledged, len(report.unanswered), report.kills, report.failed_requests, report.repeats, report.seconds)
    assert sum(report.acknowledged.values()) == WRITES
    assert set(report.acknowledged) == {"created", "updated", "deleted"}
    assert (report.lost, report.phantoms, report.changed, report.doubled) == (set(), set(), set(), set()), report
    assert report.repeats > 0
    assert sum(report.kills.values()) == KILLS
    # A 5xx answers a write that was refused for no fault of the client.
    assert set(report.failed_requests) <= {0, 502, 503}, report


@pytest.mark.long
def test_events_that_are_written_after_the_commit_are_lost(tmp_path: Path, authority: Authority, postgresql: str) -> None:
    """The control: writes are stored without their events, most of them without having been answered."""
    settings = {"DJANGO_SETTINGS_MODULE": "tests.webhooks.unguarded"}
    with receiving(authority.good) as receiver, site(tmp_path, authority, postgresql=postgresql, **settings) as where:
        report = crash(where, receiver, writes=90, kills=6, target="web", patience=10)
    print(len(report.lost), len(report.unanswered), report.kills, report.seconds)
    assert report.lost
    assert report.lost <= report.unanswered
    assert (report.phantoms, report.changed, report.doubled) == (set(), set(), set()), report
