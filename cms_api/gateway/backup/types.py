"""The manifest of a backup, and the error of both commands."""

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

#: The version of the archive's layout. Raise it when an older `restore` could not read a newer archive.
FORMAT = 1

#: Runs a SELECT statement and yields its rows without loading them all.
Rows = Callable[[str], Iterable[tuple[Any, ...]]]

Migrations = frozenset[tuple[str, str]]


class BackupError(Exception):
    """A backup or restore that cannot go on; the message tells the operator why and what to do."""


@dataclass(frozen=True)
class Manifest:
    """The first member of an archive."""

    format: int
    product: str
    engine: str
    made_at: str
    migrations: list[tuple[str, str]]

    @classmethod
    def parse(cls, content: bytes) -> "Manifest":
        """Raises BackupError if this is not a manifest, or one of a format that is unknown here."""
        try:
            found = json.loads(content)
            if found["format"] != FORMAT:
                raise BackupError(
                    f"The backup has format {found['format']!r}, but this version reads format {FORMAT}: "
                    f"restore it with the version that made it ({found.get('product', 'unknown')})."
                )
            migrations = [(str(app), str(name)) for app, name in found["migrations"]]
            datetime.fromisoformat(found["made_at"])
            return cls(FORMAT, str(found["product"]), str(found["engine"]), str(found["made_at"]), migrations)
        except (ValueError, KeyError, TypeError) as problem:
            raise BackupError("The file is not a backup of a site.") from problem

    def serialize(self) -> bytes:
        return json.dumps(asdict(self), indent=1).encode() + b"\n"


@cache
def product_version() -> str:
    """Return the version of the code that is running."""
    project = tomllib.loads(Path(settings.BASE_DIR, "pyproject.toml").read_text())["project"]
    return str(project["version"])


def some(names: Iterable[str], limit: int = 5) -> str:
    """Join the first few names, and count the others."""
    listed = list(names)
    more = f" and {len(listed) - limit} more" if len(listed) > limit else ""
    return ", ".join(listed[:limit]) + more


def applied_migrations(rows: Rows) -> Migrations:
    return frozenset(_pairs(rows("SELECT app, name FROM django_migrations")))


def _pairs(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[str, str]]:
    return ((str(app), str(name)) for app, name in rows)
