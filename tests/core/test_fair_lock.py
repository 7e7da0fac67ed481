"""The threads of a process write in the order in which they ask; with Django's own backend, one that waits is overtaken."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.backends.sqlite3 import base as stock

from cms_api.core import outages
from cms_api.core.outages import DatabaseUnavailable
from cms_api.core.sqlite import base
from cms_api.core.sqlite.base import FairLock
from config.settings import environment
from tests.waiting import until

pytestmark = pytest.mark.django_db

#: As often as one thread writes while the other waits.
WRITES = 20


@contextmanager
def connected(path: Path, wrapper: Any = base.DatabaseWrapper, *, timeout: float = 5) -> Iterator[Any]:
    """A connection of this thread to a file."""
    entry = environment.sqlite(path)
    entry["OPTIONS"]["timeout"] = timeout
    with closing(wrapper({**connection.settings_dict, **entry}, "default")) as opened:
        opened.ensure_connection()
        yield opened


def begin(opened: Any) -> None:
    opened.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def end(opened: Any) -> None:
    opened.commit()
    opened.set_autocommit(True)


def write(path: Path, wrapper: Any, asks: threading.Event, order: list[str]) -> None:
    with connected(path, wrapper) as opened:
        asks.set()
        begin(opened)
        order.append("waited")
        end(opened)


def order_of(path: Path, wrapper: Any) -> list[str]:
    """One thread writes again and again, and meanwhile another asks to write once: the order in which they do."""
    asks, order = threading.Event(), list[str]()
    with ThreadPoolExecutor(1) as pool, connected(path, wrapper) as opened:
        begin(opened)
        other = pool.submit(write, path, wrapper, asks, order)
        asks.wait(5)
        if wrapper is base.DatabaseWrapper:
            until(lambda: base._locks[str(path)]._waiting)
        else:
            time.sleep(0.05)
        end(opened)
        for _ in range(WRITES):
            begin(opened)
            order.append("wrote")
            end(opened)
        other.result()
    return order


def test_a_thread_that_waits_is_not_overtaken(tmp_path: Path) -> None:
    assert order_of(tmp_path / "file", base.DatabaseWrapper)[0] == "waited"


def test_the_same_with_the_backend_of_django(tmp_path: Path) -> None:
    """It may be lucky, but not always."""
    assert any(order_of(tmp_path / f"file{number}", stock.DatabaseWrapper)[0] == "wrote" for number in range(5))


@pytest.mark.both_databases
def test_the_lock_is_handed_on_in_order() -> None:
    lock, order = FairLock(), list[int]()
    assert lock.acquire(0)

    def wait(number: int) -> None:
        assert lock.acquire(5)
        order.append(number)
        lock.release()

    with ThreadPoolExecutor(5) as pool:
        for number in range(5):
            pool.submit(wait, number)
            until(lambda expected=number + 1: len(lock._waiting) == expected)  # type: ignore[misc]
        assert not lock.acquire(0.01)
        lock.release()
    assert order == list(range(5))
    assert lock.acquire(0)


@pytest.mark.parametrize("ends", ["commit", "rollback", "close"])
@pytest.mark.both_databases
def test_the_lock_is_released_with_the_transaction(tmp_path: Path, ends: str) -> None:
    with connected(tmp_path / "file") as one, connected(tmp_path / "file", timeout=0.01) as other:
        begin(one)
        with pytest.raises(OperationalError) as caught:
            begin(other)
        assert outages.find(caught.value) is DatabaseUnavailable
        getattr(one, ends)()
        begin(other)
        end(other)


@pytest.mark.both_databases
def test_the_lock_is_released_if_another_process_writes(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "file")) as stranger, connected(tmp_path / "file", timeout=0.01) as opened:
        stranger.execute("BEGIN IMMEDIATE")
        for _ in range(2):
            with pytest.raises(OperationalError):
                begin(opened)
        stranger.rollback()
        begin(opened)
        end(opened)
