"""`/healthz`: the process runs. `/readyz`: it can serve, as database, cache, migrations, the worker's queue and disk are fine."""

import os
import tempfile
from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.core.cache import cache as shared_cache
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django_q.brokers import get_broker

Check = Callable[[], None]

#: Bytes for which every disk that the site writes to needs room.
ROOM = 256 * 1024


class NotReady(Exception):
    """A dependency of the site is missing."""


def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Return 200 with `ok` for every check, or 503 with `failed` for some; the reasons go only to the log."""
    results = {name: _passes(check) for name, check in _CHECKS.items()}
    ready = all(results.values())
    body = {
        "status": "ok" if ready else "unavailable",
        "checks": {name: "ok" if passed else "failed" for name, passed in results.items()},
    }
    return JsonResponse(body, status=200 if ready else 503, headers={"Cache-Control": "no-store"})


def _passes(check: Check) -> bool:
    try:
        check()
    except Exception:
        return False
    return True


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _cache() -> None:
    shared_cache.set("readyz", "1", 5)
    if shared_cache.get("readyz") != "1":
        raise NotReady


def _migrations() -> None:
    if not _is_migrated():
        _is_migrated.cache_clear()
        raise NotReady


@cache
def _is_migrated() -> bool:
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())


def _broker() -> None:
    get_broker().queue_size()


def _disk() -> None:
    """Write a file without a name, which leaves nothing even if this process is killed."""
    for folder in {str(settings.VAR_DIR), tempfile.gettempdir(), *_media_folder()}:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            if file.write(bytes(ROOM)) < ROOM:
                raise NotReady


def _media_folder() -> list[str]:
    """Return the folder of media, unless they are in an object storage, or none has been stored yet."""
    folder = getattr(default_storage, "location", "")
    return [folder] if folder and os.path.isdir(folder) else []


_CHECKS: dict[str, Check] = {
    "database": _database,
    "cache": _cache,
    "migrations": _migrations,
    "broker": _broker,
    "disk": _disk,
}

CHECKS = {"/healthz": healthz, "/readyz": readyz}
