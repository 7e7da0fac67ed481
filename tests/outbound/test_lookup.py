"""Lookups: a thread is used again by the next lookup, and none is lost when a thread ends."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from cms_api.outbound import lookup
from cms_api.outbound.lookup import resolve
from tests.waiting import until


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the threads of lookups, one for each lookup."""
    found: list[int] = []

    def look_up(*given: Any, **options: Any) -> Any:
        found.append(threading.get_ident())
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 443))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return found


def waiting() -> int:
    return lookup._idle._value  # type: ignore[attr-defined]


def end_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the threads that wait end with their next lookup."""
    monkeypatch.setattr(lookup, "IDLE_SECONDS", 0.0)
    for _ in range(lookup.MAX_LOOKUPS):
        resolve("example.com", 443, 10)
    until(lambda: waiting() == 0)


def test_lookups_share_a_thread(threads: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    end_all(monkeypatch)
    threads.clear()
    monkeypatch.setattr(lookup, "IDLE_SECONDS", 10.0)
    for _ in range(20):
        assert list(map(str, resolve("example.com", 443, 10))) == ["192.0.2.1"]
    assert (len(threads), len(set(threads)), waiting()) == (20, 1, 1)


def test_none_is_lost_when_threads_end(threads: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "IDLE_SECONDS", 0.0)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: len(resolve("example.com", 443, 10)), range(400)))
    assert found == [1] * 400


def test_a_host_that_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise socket.gaierror("not found")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    for _ in range(3):
        with pytest.raises(OSError, match="not found"):
            resolve("example.com", 443, 10)
