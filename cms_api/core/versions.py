"""Named versions in the database, and process-local caches that are valid until a version changes.

A write changes the versions of its data inside its transaction; a request reads all versions in one statement. Data cached
under an old version is reloaded, so a change takes effect everywhere with the next request, without any messages between
processes. A version is a random number, not a counter: a rolled-back version never comes back.

Tags are versions of single records (`item:7`), of which there may be a million: only those that a page shows are read.
"""

import secrets
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.db import connection, transaction

from . import statements
from .models import Tag, Version
from .writing import Sql

T = TypeVar("T")

_local = threading.local()
_cached: dict[str, tuple[tuple[int, ...], Any]] = {}

_READ = "SELECT name, value FROM core_version"
_WRITE = "INSERT INTO {} (name, value) VALUES {} ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_TAGS_AT_ONCE = 500


def forget() -> None:
    """Discard this thread's snapshot; called when a request or a job starts."""
    _local.snapshot = _local.mark = None


def snapshot() -> dict[str, int]:
    """Return every version as this request sees it (one statement per request, and one more after a change was committed)."""
    found = _get_snapshot()
    if found is None:
        with statements.cursor() as cursor:
            cursor.execute(_READ)
            found = dict(cursor.fetchall())
        _local.snapshot, _local.mark = found, None
        _mark()
    return found


def _get_snapshot() -> dict[str, int] | None:
    """Return the snapshot, unless it was made in a transaction or savepoint that has ended, perhaps by a rollback."""
    if getattr(_local, "mark", None) is not None and _marked_in() is None:
        forget()
    found: dict[str, int] | None = getattr(_local, "snapshot", None)
    return found


def _mark() -> None:
    """Let the snapshot end with the current transaction or savepoint, if there is one.

    The mark is a function that waits for the commit: Django drops those of what is rolled back.
    """
    if connection.in_atomic_block and _marked_in() != set(connection.savepoint_ids):
        _local.mark = _Mark()
        transaction.on_commit(_local.mark)


def _marked_in() -> set[str] | None:
    """Return the savepoints around the mark; None without one. The newest functions are looked at first."""
    mark = getattr(_local, "mark", None)
    return next((savepoints for savepoints, function, *_ in reversed(connection.run_on_commit) if function is mark), None)


class _Mark:
    def __call__(self) -> None:
        """Do nothing on commit."""


def version(name: str) -> int:
    return snapshot().get(name, 0)


def is_current(name: str) -> Sql:
    """Return the condition that a version has not changed since this thread's snapshot."""
    return Sql("COALESCE((SELECT value FROM core_version WHERE name = %s), 0) = %s", [name, version(name)])


def bump(*names: str, tags: Iterable[str] = ()) -> None:
    """Change versions, and the versions of tags, inside the current transaction. Changing a tag requires changing a version too.

    Names are sorted to avoid deadlocks between writers.
    """
    _move("core_tag", sorted(set(tags)))
    moved = _move("core_version", sorted(set(names)))
    known = _get_snapshot()
    if known is None or not connection.in_atomic_block:
        forget()
        return
    _local.snapshot = {**known, **moved}
    _mark()


def bump_all() -> None:
    """Change every version, so that whatever was cached before is made again."""
    bump(*Version.objects.values_list("name", flat=True))


def _move(table: str, names: list[str]) -> dict[str, int]:
    """Give each name a new version, and return them."""
    moved = {name: secrets.randbits(62) + 1 for name in names}
    for start in range(0, len(names), _TAGS_AT_ONCE):
        part = names[start : start + _TAGS_AT_ONCE]
        parameters = [value for name in part for value in (name, moved[name])]
        with statements.cursor() as cursor:
            cursor.execute(_WRITE.format(table, ", ".join(["(%s, %s)"] * len(part))), parameters)
    return moved


def tag_versions(tags: Iterable[str]) -> dict[str, int]:
    """Return the tags' current versions; a tag that has never changed is missing."""
    return dict(Tag.objects.filter(name__in=tags).values_list("name", "value"))


def load_once(name: str, load: Callable[[], T], *, slot: str = "", also: tuple[str, ...] = ()) -> T:
    """Return the result of `load`, cached in this process until the version `name`, or one in `also`, changes.

    Use a separate `slot` for each value cached under the same version.
    """
    now = tuple(map(version, (name, *also)))
    found = _cached.get(slot or name)
    if found is not None and found[0] == now:
        return found[1]
    value = load()
    _cached[slot or name] = (now, value)
    return value


def fingerprint(names: Iterable[str]) -> str:
    """Return a text that changes when any of the named versions does."""
    current = snapshot()
    return ".".join(format(current.get(name, 0), "x") for name in names)
