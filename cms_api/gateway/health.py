"""`/healthz`: the process runs. `/readyz`: it can serve, as database, migrations and disk are fine."""

import os
import tempfile
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.core.cache import cache as shared_cache
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

from cms_api.accounts.services.sessions import is_staff_session
from cms_api.auth.selectors import client_ip, is_in_networks

from .backup.types import product_version
from .status import Status

Check = Callable[[], None]

#: Bytes for which every disk that the site writes to needs room.
MIN_FREE_BYTES = 256 * 1024


class NotReady(Exception):
    """A dependency of the site is missing."""


def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


def readyz(request: HttpRequest) -> JsonResponse:
    """Return 200 if this process can serve, else 503, with the outcome of each check; the reasons go only to the log.

    Pages are served without the cache: while it is away, it is `degraded`. Jobs that a restore has paused are said to be, too.
    Operators also see the `details` of background work.
    """
    checks = {name: "ok" if _passes(check) else "failed" for name, check in _CHECKS.items()}
    is_ready = "failed" not in checks.values()
    checks["cache"] = "ok" if _passes(_cache) else "degraded"
    body: dict[str, Any] = {"status": "ok" if is_ready else "unavailable", "version": product_version(), "checks": checks}
    if checks["database"] == checks["migrations"] == "ok":
        status = Status()
        if status.paused:
            checks["jobs"] = "paused"
        if _is_operator(request):
            body["details"] = status.document()
    return JsonResponse(body, status=200 if is_ready else 503, headers={"Cache-Control": "no-store"})


def _is_operator(request: HttpRequest) -> bool:
    """Return whether the request comes from a network of operators, or from somebody who may use the admin."""
    if is_in_networks(client_ip(request), settings.OPERATORS_NETWORKS):
        return True
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
    if not key:
        return False
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    user = get_user(request)
    return is_staff_session(request.session, user) and bool(user.has_perm("wagtailadmin.access_admin"))


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


def _disk() -> None:
    """Write a file without a name, which leaves nothing even if this process is killed."""
    for folder in {str(settings.VAR_DIR), tempfile.gettempdir(), *_media_folder()}:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            if file.write(bytes(MIN_FREE_BYTES)) < MIN_FREE_BYTES:
                raise NotReady


def _media_folder() -> list[str]:
    """Return the folder of media, unless they are in an object storage, or none has been stored yet."""
    folder = getattr(default_storage, "location", "")
    return [folder] if folder and os.path.isdir(folder) else []


_CHECKS: dict[str, Check] = {
    "database": _database,
    "migrations": _migrations,
    "disk": _disk,
}

CHECKS = {"/healthz": healthz, "/readyz": readyz}
