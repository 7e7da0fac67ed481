"""Named versions in the database, and process-local caches that are good for as long as a version stands.

A write moves the versions of what it changes, inside its transaction; a request reads all of them in one statement. What a
process holds under an old version is loaded anew, so a change is effective everywhere with the next request, and nothing
has to be told to anybody. A version is a random number, never a count: one that was rolled back does not come again.

Tags are versions of single records (`item:7`), of which there may be a million: those that a page shows are read by name.
"""

import secrets
import threading
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.db import connection

from .models import Tag

T = TypeVar("T")

_local = threading.local()
_held: dict[str, tuple[tuple[int, ...], Any]] = {}

_READ = "SELECT name, value FROM core_version"
_WRITE = "INSERT INTO {} (name, value) VALUES {} ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_TAGS_AT_ONCE = 500


def forget() -> None:
    """Ends this thread's snapshot: called when a request or a job begins."""
    _local.snapshot = None


def snapshot() -> dict[str, int]:
    """Every version as this request sees it (one statement, once a request)."""
    found: dict[str, int] | None = getattr(_local, "snapshot", None)
    if found is None:
        with connection.cursor() as cursor:
            cursor.execute(_READ)
            found = dict(cursor.fetchall())
        _local.snapshot = found
    return found


def version(name: str) -> int:
    return snapshot().get(name, 0)


def bump(*names: str, tags: Iterable[str] = ()) -> None:
    """Moves versions inside the current transaction, and those of tags. No tag moves without a version.

    Sorted, so that two writers cannot wait for each other.
    """
    _move("core_tag", sorted(set(tags)))
    _move("core_version", sorted(set(names)))
    forget()


def _move(table: str, names: list[str]) -> None:
    for start in range(0, len(names), _TAGS_AT_ONCE):
        part = names[start : start + _TAGS_AT_ONCE]
        parameters = [value for name in part for value in (name, secrets.randbits(62) + 1)]
        with connection.cursor() as cursor:
            cursor.execute(_WRITE.format(table, ", ".join(["(%s, %s)"] * len(part))), parameters)


def tag_versions(tags: Iterable[str]) -> dict[str, int]:
    """The tags' versions as they are now; a tag that never moved has none."""
    return dict(Tag.objects.filter(name__in=tags).values_list("name", "value"))


def cached(name: str, load: Callable[[], T], *, slot: str = "", also: tuple[str, ...] = ()) -> T:
    """What `load` gives, kept in this process until the version called `name`, or one of those in `also`, moves.

    Several things may hang on one version: each has a slot of its own.
    """
    now = tuple(map(version, (name, *also)))
    held = _held.get(slot or name)
    if held is not None and held[0] == now:
        return held[1]
    value = load()
    _held[slot or name] = (now, value)
    return value


def fingerprint(names: Iterable[str]) -> str:
    """One text that changes when any of the named versions does."""
    current = snapshot()
    return ".".join(format(current.get(name, 0), "x") for name in names)
