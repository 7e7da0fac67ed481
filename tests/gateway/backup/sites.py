"""Sites of a test's own, each with its database and its media folder, of which one is in use."""

import io
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from cms_api.core import versions
from cms_api.gateway.backup.databases import PASSING
from cms_api.http import page_cache
from tests.conftest import database_of_this_run

#: Tables whose rows a restore changes or leaves out on purpose.
CHANGED = {*PASSING, "core_version", "core_periodicjob", "common_counter", "webhooks_delivery", "mail_outgoingmail"}


@dataclass
class Sites:
    """Makes sites and switches between them; `settings` is the fixture."""

    folder: Path
    settings: Any
    names: list[str] = field(default_factory=list)

    def use(self, name: str, *, migrated: bool = True) -> None:
        """Switch to a site; a new one has been migrated, or has no tables at all."""
        is_new = name not in self.names
        self.leave()
        if connection.vendor == "postgresql":
            database = f"{connection.settings_dict['TEST']['TEMPLATE'][:20]}_{os.getpid()}_{name}"
            if is_new:
                template = connection.settings_dict["TEST"]["TEMPLATE"] if migrated else "template0"
                with connection._nodb_cursor() as cursor:
                    cursor.execute(f'DROP DATABASE IF EXISTS "{database}"')
                    cursor.execute(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
            connection.settings_dict["NAME"] = database
        else:
            file = self.folder / f"{name}.sqlite3"
            if is_new and migrated:
                shutil.copyfile(database_of_this_run(), file)
            connection.settings_dict["NAME"] = str(file)
        self.names.append(name)
        self.settings.MEDIA_ROOT = self.folder / name
        if is_new and migrated:
            call_command("createcachetable", verbosity=0)

    def leave(self) -> None:
        """Close the connections to the site in use, and forget what the process has read from it."""
        connection.close()
        if connection.vendor == "postgresql":
            connection.close_pool()  # type: ignore[attr-defined]
        versions.forget()
        page_cache.clear()

    def drop(self, original: str) -> None:
        used = set(self.names)
        for name in used:
            self.use(name)
            database = connection.settings_dict["NAME"]
            self.leave()
            if connection.vendor == "postgresql":
                with connection._nodb_cursor() as cursor:
                    cursor.execute(f'DROP DATABASE "{database}" WITH (FORCE)')
        connection.settings_dict["NAME"] = original

    @property
    def media(self) -> Path:
        return Path(self.settings.MEDIA_ROOT)

    def files(self) -> dict[str, bytes]:
        """The media files of the site in use."""
        return {str(path.relative_to(self.media)): path.read_bytes() for path in self.media.rglob("*") if path.is_file()}


def rows(*, without: set[str] = CHANGED) -> dict[str, list[str]]:
    """Every row of every table of the site in use."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table not in without:
                cursor.execute(f'SELECT * FROM "{table}"')
                found[table] = sorted(map(repr, cursor.fetchall()))
    return found


def run(*words: str, **options: Any) -> tuple[str, str]:
    """Run a command; return what it wrote to standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    call_command(*words, stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def import_run() -> dict[str, Any]:
    """The values of an import whose private file is stored."""
    return {"kind": "contacts", "filename": "a.csv", "encoding": "utf-8", "delimiter": ",", "created_at": timezone.now()}
