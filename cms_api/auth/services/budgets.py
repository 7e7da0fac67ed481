"""Rate limits, exact under concurrency: every request is one atomic step in the store that all processes share.

A window opens with the first request and lasts a minute. The store is Redis where there is one; PostgreSQL where that is the
database; and on the embedded default a SQLite file of its own, which never waits for the main database's writer.
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
#: Seconds that a request waits for the file at most.
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
        """Charges one request; how many the window has had, and when it ends (unix seconds)."""

    def expire(self) -> None:
        """Drops windows that are over."""


class SqliteFile:
    """A file that may lose its last writes with the power: a budget is worth less than the wait for a disk."""

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
    """Switches the file over, once and for all. Of several processes that try at once SQLite makes none wait: they try again."""
    deadline = time.monotonic() + PATIENCE
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)


class DatabaseTable:
    """The main database's own table and clock."""

    _sql = _SPEND.format(table="tokens_budget", mark="%(key)s", now="extract(epoch from clock_timestamp())", window="%(window)s")

    def spend(self, key: str, window: int = WINDOW) -> tuple[int, float]:
        with connection.cursor() as cursor:
            cursor.execute(self._sql, {"key": key, "window": window})
            used, resets_at = cursor.fetchone()
        return used, float(resets_at)

    def expire(self) -> None:
        Budget.objects.filter(resets_at__lte=time.time()).delete()


class RedisKeys:
    """A counter that expires by itself; count and expiry are set in one script."""

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
        """Redis does it by itself."""


@cache
def store() -> Store:
    if settings.REDIS_URL:
        return RedisKeys(settings.REDIS_URL)
    if connection.vendor == "postgresql":
        return DatabaseTable()
    return SqliteFile(str(settings.VAR_DIR / "budgets.sqlite3"))


def spend(key: str, limit: int, *, window: int = WINDOW) -> Spent:
    """Charges a request to a budget of `limit` a minute, or in a window of so many seconds."""
    return Spent(limit, *store().spend(key, window))


def expire_budgets() -> None:
    store().expire()
