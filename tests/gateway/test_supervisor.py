"""Replacing the loader: the former one ends when the web processes of the new one serve, and stays if they never do."""

import os
import time
from collections.abc import Callable, Iterator

import pytest

from cms_api.gateway import supervisor
from cms_api.gateway.supervisor import READY, Child, replace_loader, stop

pytestmark = pytest.mark.once


@pytest.fixture
def start() -> Iterator[Callable[[Callable[[], None]], Child]]:
    started: list[Child] = []

    def start(work: Callable[[], None]) -> Child:
        started.append(Child("planted", work))
        started[-1].start()
        return started[-1]

    yield start
    stop(started)


def serve() -> None:
    """Report twice, if anybody waits for it, as two web processes do."""
    for _ in range(2 if READY in os.environ else 0):
        os.write(int(os.environ[READY]), b".")
    time.sleep(600)


def report_once() -> None:
    if READY in os.environ:
        os.write(int(os.environ[READY]), b".")
    time.sleep(600)


def fail() -> None:
    if READY not in os.environ:
        time.sleep(600)


def test_it_works(start: Callable[[Callable[[], None]], Child]) -> None:
    former = start(serve)
    kept = replace_loader(former, lambda: False, web_processes=2)
    assert kept is not former
    assert (kept.is_alive, former.is_alive) == (True, False)
    assert READY not in os.environ
    stop([kept])


@pytest.mark.parametrize("work", [report_once, fail])
def test_one_that_never_serves(
    start: Callable[[Callable[[], None]], Child],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    work: Callable[[], None],
) -> None:
    monkeypatch.setattr(supervisor, "START_SECONDS", 1.0)
    former = start(work)
    assert replace_loader(former, lambda: False, web_processes=2) is former
    assert former.is_alive
    assert caplog.messages == ["The new processes did not start; the former ones stay."]


def test_one_that_is_told_to_stop_meanwhile_waits_no_longer(
    start: Callable[[Callable[[], None]], Child], caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is wrong with the new processes, and the former ones are about to end."""
    former = start(report_once)
    assert replace_loader(former, lambda: True, web_processes=2) is former
    assert former.is_alive
    assert caplog.messages == []
