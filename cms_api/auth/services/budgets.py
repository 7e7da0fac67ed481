"""Rate limits, exact under concurrency: each request is one atomic step in a store shared by all processes.

A window opens with the first request and lasts a minute by default. The store is Redis if configured; else PostgreSQL if
that is the database; else, on the embedded default, a separate SQLite file, which never waits for the main database's writer.
While Redis is away, requests are counted where they would be without it; while a disk is full, in the memory of each process.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha1
from math import ceil
from typing import Any, Protocol, TypeVar

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from redis.exceptions import NoScriptError

from cms_api.core import outages
from cms_api.core.outages import CircuitBreaker
from cms_api.core.private_files import create_private
from cms_api.core.redis import OPTIONS
from cms_api.core.redis import breaker as redis_breaker

from ..models import Budget

T = TypeVar("T")

WINDOW_SECONDS = 60
#: The longest a request waits for the file, in seconds.
LOCK_WAIT_SECONDS = 20
#: The most windows that a process counts by itself.
MAX_WINDOWS = 100_000

#: A window that would end later than a new one was opened while the clock was ahead.
_SPEND = """
INSERT INTO {table} (key, used, resets_at) VALUES ({mark}, 1, {now} + {window})
ON CONFLICT (key) DO UPDATE SET
    used = CASE WHEN {table}.resets_at BETWEEN {now} AND {now} + {window} + 60 THEN {table}.used + 1 ELSE 1 END,
    resets_at = CASE WHEN {table}.resets_at BETWEEN {now} AND {now} + {window} + 60 THEN {table}.resets_at
        ELSE {now} + {window} END
RETURNING used, resets_at
"""
_GIVE_BACK = "UPDATE {table} SET used = used - 1 WHERE key = {mark} AND used > 0"


@dataclass(frozen=True, slots=True)
class Spent:
    """The state of a budget after a request was charged to it."""

    limit: int
    used: int
    resets_at: float

    @property
    def allowed(self) -> bool:
        return self.used <= self.limit

    @property
    def seconds_left(self) -> int:
        """Return the seconds until the window ends, at least one."""
        return max(1, ceil(self.resets_at - time.time()))

    def headers(self) -> dict[str, str]:
        left = max(0, self.limit - self.used)
        found = {"X-RateLimit-Limit": str(self.limit), "X-RateLimit-Remaining": str(left)}
        if not self.allowed:
            found["X-RateLimit-Reset"] = str(ceil(self.resets_at))
            found["Retry-After"] = str(self.seconds_left)
        return found


class Store(Protocol):
    def spend(self, key: str, window: int = WINDOW_SECONDS) -> tuple[int, float]:
        """Charge one request; return the number of requests in the window, and when it ends (unix seconds)."""

    def give_back(self, key: str) -> None:
        """Take the charge of one request back."""

    def expire(self) -> None:
        """Delete windows that have ended."""


class SqliteFile:
    """A SQLite file that may lose its last writes in a power failure: rate limits are not worth waiting for a disk."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._local = threading.local()
        self._sql = _SPEND.format(table="budget", mark="?1", now="?2", window="?3")

    def _connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            create_private(self._path)
            found = sqlite3.connect(self._path, timeout=LOCK_WAIT_SECONDS, isolation_level=None)
            _use_write_ahead_log(found)
            found.execute("PRAGMA synchronous=OFF")
            found.execute("CREATE TABLE IF NOT EXISTS budget (key TEXT PRIMARY KEY, used INTEGER, resets_at REAL) WITHOUT ROWID")
            self._local.connection = found
        return found

    def spend(self, key: str, window: int = WINDOW_SECONDS) -> tuple[int, float]:
        return self._connection().execute(self._sql, (key, time.time(), window)).fetchall()[0]

    def give_back(self, key: str) -> None:
        self._connection().execute(_GIVE_BACK.format(table="budget", mark="?1"), (key,))

    def expire(self) -> None:
        self._connection().execute("DELETE FROM budget WHERE resets_at <= ?", (time.time(),))


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch the file to WAL permanently. If several processes try at once, SQLite fails instead of waiting, so this retries."""
    deadline = time.monotonic() + LOCK_WAIT_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as problem:
            if time.monotonic() > deadline or outages.find(problem) is outages.DiskFull:
                raise
            time.sleep(0.005)


class DatabaseTable:
    """A table in the main database, timed by the database's clock."""

    _sql = _SPEND.format(table="tokens_budget", mark="%(key)s", now="extract(epoch from clock_timestamp())", window="%(window)s")

    def spend(self, key: str, window: int = WINDOW_SECONDS) -> tuple[int, float]:
        with connection.cursor() as cursor:
            cursor.execute(self._sql, {"key": key, "window": window})
            used, resets_at = cursor.fetchone()
        return used, float(resets_at)

    def give_back(self, key: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_GIVE_BACK.format(table="tokens_budget", mark="%s"), [key])

    def expire(self) -> None:
        Budget.objects.filter(resets_at__lte=time.time()).delete()


class RedisKeys:
    """Counters that expire by themselves; one script sets both count and expiry. Each thread of a process has a connection."""

    _script = """
    local used = redis.call('INCR', KEYS[1])
    if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
    return {used, redis.call('PTTL', KEYS[1])}
    """
    _return_script = "if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('DECR', KEYS[1]) end return 0"

    def __init__(self, url: str) -> None:
        self._pool = redis.ConnectionPool.from_url(url, **OPTIONS)
        self._local = threading.local()
        self._sha = sha1(self._script.encode(), usedforsecurity=False).hexdigest()

    def _connection(self) -> Any:
        found = getattr(self._local, "connection", None)
        if found is None or found.pid != os.getpid():
            # Clients take one from a pool for each command and give it back, which is half of the command's time.
            self._local.connection = found = self._pool.connection_class(**self._pool.connection_kwargs)
        return found

    def spend(self, key: str, window: int = WINDOW_SECONDS) -> tuple[int, float]:
        connection = self._connection()
        ask = partial(self._ask, connection, f"budget:{key}", window * 1000)
        used, left = connection.retry.call_with_retry(ask, lambda _: connection.disconnect())
        return int(used), time.time() + int(left) / 1000

    def _ask(self, connection: Any, key: str, milliseconds: int) -> list[int]:
        connection.send_command("EVALSHA", self._sha, 1, key, milliseconds)
        try:
            answer: list[int] = connection.read_response()
        except NoScriptError:
            connection.send_command("EVAL", self._script, 1, key, milliseconds)
            answer = connection.read_response()
        return answer

    def give_back(self, key: str) -> None:
        connection = self._connection()

        def ask() -> None:
            connection.send_command("EVAL", self._return_script, 1, f"budget:{key}")
            connection.read_response()

        connection.retry.call_with_retry(ask, lambda _: connection.disconnect())

    def expire(self) -> None:
        """Do nothing: Redis expires keys itself."""


class Memory:
    """Counters of this process alone, for the time that no shared store can be written."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._windows: dict[str, tuple[int, float]] = {}

    def spend(self, key: str, window: int = WINDOW_SECONDS) -> tuple[int, float]:
        now = time.time()
        with self._lock:
            if len(self._windows) >= MAX_WINDOWS:
                self._windows.clear()
            used, resets_at = self._windows.get(key, (0, 0.0))
            self._windows[key] = found = (used + 1, resets_at) if now < resets_at <= now + window + 60 else (1, now + window)
        return found

    def give_back(self, key: str) -> None:
        with self._lock:
            if key in self._windows:
                used, resets_at = self._windows[key]
                self._windows[key] = (max(0, used - 1), resets_at)

    def expire(self) -> None:
        """Do nothing: the windows are dropped when there are many."""


_memory = Memory()
_disk_breaker = CircuitBreaker("The store of rate limits", instead="each process counts requests by itself")


@cache
def store() -> Store:
    """Return the store of this installation."""
    return RedisKeys(settings.REDIS_URL) if settings.REDIS_URL else store_on_disk()


@cache
def store_on_disk() -> Store:
    return DatabaseTable() if connection.vendor == "postgresql" else SqliteFile(str(settings.VAR_DIR / "budgets.sqlite3"))


def spend(key: str, limit: int, *, window: int = WINDOW_SECONDS) -> Spent:
    """Charge a request to a budget of `limit` requests per window (in seconds, a minute by default)."""
    return Spent(limit, *_spend(key, window))


def give_back(key: str) -> None:
    """Take the charge of one request back, because its answer was discarded."""
    _ask(lambda store: store.give_back(key))


def _spend(key: str, window: int) -> tuple[int, float]:
    return _ask(lambda store: store.spend(key, window))


def _ask(question: Callable[[Store], T]) -> T:
    """Ask the best shared store that answers, or else this process's own."""
    for breaker, find_store in _stores():
        if breaker.is_open():
            continue
        try:
            found = question(find_store())
        except (redis.RedisError, sqlite3.Error, DatabaseError) as problem:
            # A transaction cannot go on after an error.
            if isinstance(problem, DatabaseError) and connection.in_atomic_block:
                raise
            breaker.record_failure(problem)
        else:
            breaker.record_success()
            return found
    return question(_memory)


def _stores() -> Iterator[tuple[CircuitBreaker, Callable[[], Store]]]:
    """Yield the shared stores, best first. Each is exact by itself: a change of store begins new windows."""
    if settings.REDIS_URL:
        yield redis_breaker, store
        yield _disk_breaker, store_on_disk
    else:
        yield _disk_breaker, store


def expire_budgets() -> None:
    store_on_disk().expire()
