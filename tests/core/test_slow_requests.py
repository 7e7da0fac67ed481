"""Slow requests leave threads to others: those of a kind are limited, and those of all kinds together."""

import threading

import pytest

from cms_api.core.outages import Busy
from cms_api.core.slow_requests import MAX_SLOW_REQUESTS, SlowRequests
from cms_api.gateway.serving import bridge


def test_it_works() -> None:
    slow = SlowRequests(1)
    for _ in range(2):
        with slow.enter(), pytest.raises(Busy), slow.enter():
            pass


def test_kinds_share_a_limit() -> None:
    shared = threading.BoundedSemaphore(2)
    first, second = SlowRequests(2, shared), SlowRequests(2, shared)
    with first.enter():
        with second.enter(), pytest.raises(Busy), first.enter():
            pass
        with second.enter():
            pass


def test_a_quarter_of_the_threads_stays_free() -> None:
    assert MAX_SLOW_REQUESTS == bridge.THREADS * 3 // 4
