"""Rate limits, exact under concurrency: each request is one atomic step in a store shared by all processes.

A window opens with the first request and lasts a minute by default. The store is Redis if configured; else PostgreSQL if
that is the database; else, on the embedded default, a separate SQLite file, which never waits for the main database's writer.
"""

import sqlite3
import threading
import time
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Any, Protocol

from django.conf import settings
from django.db import connection

from ..models import Budget

WINDOW = 60
#: The longest a request waits for the file, in seconds.
PATIENCE = 20

_SPEND = """
INSERT INTO {table} (key, used, resets_at) VALUES ({mark}, 1, {now} + {window})
ON CONFLICT (key) DO UPDATE SET
    used = CASE WHEN {table}.resets_at <= {now} THEN 1 ELSE {table}.used + 1 END,
    resets_at = CASE WHEN {table}.resets_at <= {now} THEN {now} + {window} ELSE {table}.resets_at END
RETURNING used, resets_at
"""


@dataclass(frozen=True, slots=True)
class Spent:
    """The state of a budget after a request was charged to it."""

    limit: int
    used: int
    resets_at: float

    @property
    def allowed(self) -> bool:
        return self.used <= self.limit

    def headers(self) -> dict[str, str]:
        left = max(0, self.limit - self.used)
        found = {"X-RateLimit-Limit": str(self.limit), "X-RateLimit-Remaining": str(left)}
        if not self.allowed:
            found["X-RateLimit-Reset"] = str(ceil(self.resets_at))
            found["Retry-After"] = str(max(1, ceil(self.resets_at - time.time())))
        return found


class Store(Protocol):
    def spend(self, key: str, window: int = WINDOW) -> tuple[int, float]:
        """Charge one request; return the number of requests in the window, and when it ends (unix seconds)."""

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
            found = sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
            _use_write_ahead_log(found)
            found.execute("PRAGMA synchronous=OFF")
            found.execute("CREATE TABLE IF NOT EXISTS budget (key TEXT PRIMARY KEY, used INTEGER, resets_at REAL) WITHOUT ROWID")
            self._local.connection = found
        return found

    def spend(self, key: str, window: int = WINDOW) -> tuple[int, float]:
        return self._connection().execute(self._sql, (key, time.time(), window)).fetchall()[0]

    def expire(self) -> None:
        self._connection().execute("DELETE FROM budget WHERE resets_at <= ?", (time.time(),))


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch the file to WAL permanently. If several processes try at once, SQLite fails instead of waiting, so this retries."""
    deadline = time.monotonic() + PATIENCE
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)


class DatabaseTable:
    """A table in the main database, timed by the database's clock."""

    _sql = _SPEND.format(table="tokens_budget", mark="%(key)s", now="extract(epoch from clock_timestamp())", window="%(window)s")

    def spend(self, key: str, window: int = WINDOW) -> tuple[int, float]:
        with connection.cursor() as cursor:
            cursor.execute(self._sql, {"key": key, "window": window})
            used, resets_at = cursor.fetchone()
        return used, float(resets_at)

    def expire(self) -> None:
        Budget.objects.filter(resets_at__lte=time.time()).delete()


class RedisKeys:
    """Counters that expire by themselves; one script sets both count and expiry."""

    _script = """
    local used = redis.call('INCR', KEYS[1])
    if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
    return {used, redis.call('PTTL', KEYS[1])}
    """

    def __init__(self, url: str) -> None:
        import redis

        self._run: Any = redis.Redis.from_url(url).register_script(self._script)

    def spend(self, key: str, window: int = WINDOW) -> tuple[int, float]:
        used, left = self._run(keys=[f"budget:{key}"], args=[window * 1000])
        return int(used), time.time() + int(left) / 1000

    def expire(self) -> None:
        """Do nothing: Redis expires keys itself."""


@cache
def store() -> Store:
    if settings.REDIS_URL:
        return RedisKeys(settings.REDIS_URL)
    if connection.vendor == "postgresql":
        return DatabaseTable()
    return SqliteFile(str(settings.VAR_DIR / "budgets.sqlite3"))


def spend(key: str, limit: int, *, window: int = WINDOW) -> Spent:
    """Charge a request to a budget of `limit` requests per window (in seconds, a minute by default)."""
    return Spent(limit, *store().spend(key, window))


def expire_budgets() -> None:
    store().expire()
