"""`/healthz`: the process runs. `/readyz`: it can serve, as database, cache, migrations and the worker's queue are fine."""

from collections.abc import Callable
from functools import cache

from django.core.cache import cache as shared_cache
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django_q.brokers import get_broker

Check = Callable[[], None]


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


_CHECKS: dict[str, Check] = {"database": _database, "cache": _cache, "migrations": _migrations, "broker": _broker}

CHECKS = {"/healthz": healthz, "/readyz": readyz}
