"""Caches in an outage: as if nothing had ever been cached, and without waiting for each of their operations."""

import time
from collections.abc import Iterator

import pytest
from django.core.cache.backends.base import BaseCache
from django.core.cache.backends.dummy import DummyCache
from django.db import connection

from benchmarks.servers import free_port
from cms_api.core import caches
from cms_api.core.caches import DatabaseCache, RedisCache
from cms_api.core.outages import CircuitBreaker
from tests.servers import redis_server


@pytest.fixture(autouse=True)
def _own_breaker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "breaker", CircuitBreaker("Redis", instead="nothing is cached", pause=0.2))


def use(cache: BaseCache) -> list[object]:
    """The results of every operation."""
    found: list[object] = [
        cache.add("a", 1),
        cache.get("a"),
        cache.get("a", "default"),
        cache.set("a", 1),
        cache.touch("a"),
        cache.get_many(["a", "b"]),
        cache.set_many({"a": 1}),
        "a" in cache,
        cache.get_or_set("a", lambda: 3),
        cache.delete("a"),
        cache.delete_many(["a"]),
        cache.clear(),
    ]
    with pytest.raises(ValueError, match="not found"):
        cache.incr("a")
    return found


def test_without_redis_it_works_like_no_cache() -> None:
    cache = RedisCache(f"redis://127.0.0.1:{free_port()}/0", {})
    started = time.monotonic()
    assert use(cache) == use(DummyCache("", {}))
    assert time.monotonic() - started < 2


@pytest.mark.long
def test_redis_is_used_again_by_itself() -> None:
    with redis_server() as server:
        cache = RedisCache(server.url, {})
        cache.set("a", 1)
        server.stop()
        assert cache.get("a") is None
        server.start()
        deadline = time.monotonic() + 5
        while not cache.has_key("b"):
            assert time.monotonic() < deadline
            cache.set("b", 2)
        assert cache.get("b") == 2


@pytest.fixture
def full() -> Iterator[None]:
    """The test's database may not grow: its next page is one too many."""
    if connection.vendor != "sqlite":
        pytest.skip("Only SQLite's files have a limit of their own.")
    with connection.cursor() as cursor:
        # Pages that other tests have left empty would be filled first.
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA page_count")
        cursor.execute(f"PRAGMA max_page_count = {cursor.fetchone()[0]}")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA max_page_count = 1073741823")


@pytest.mark.django_db(transaction=True)
def test_on_a_full_disk_nothing_is_cached(full: None) -> None:
    cache = DatabaseCache("core_cache", {})
    large = "x" * 1_000_000
    cache.set("large", large)
    assert cache.get("large") is None
