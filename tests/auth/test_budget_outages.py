"""Rate limits while their store is away: counted elsewhere, exact there too, and in the store again once it is back."""

import time
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import settings as django_settings

from benchmarks.servers import free_port
from cms_api.auth.services import budgets
from cms_api.auth.services.budgets import Memory, RedisKeys, SqliteFile, spend
from cms_api.core.outages import CircuitBreaker
from tests.client import together
from tests.forks import in_a_fork
from tests.servers import redis_server

from .test_budgets import ReadThenWrite, key, race

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_breakers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("redis_breaker", "_disk_breaker"):
        monkeypatch.setattr(budgets, name, CircuitBreaker(name.strip("_"), instead="others are used", pause=0.2))


@pytest.fixture
def no_redis(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Redis is configured that does not run."""
    use_redis(f"redis://127.0.0.1:{free_port()}/0", settings, monkeypatch)


def use_redis(url: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = RedisKeys(url)
    settings.REDIS_URL = url
    monkeypatch.setattr(budgets, "store", lambda: found)


def allowed(name: str, *, limit: int, threads: int = 8, each: int = 15) -> int:
    return sum(together(lambda _: sum(spend(name, limit).allowed for _ in range(each)), threads))


def test_without_redis_the_database_counts_exactly(no_redis: None, caplog: pytest.LogCaptureFixture) -> None:
    name = key()
    assert allowed(name, limit=50) == 50
    assert budgets.store_on_disk().spend(name)[0] == 8 * 15 + 1
    assert [message.partition(";")[0] for message in caplog.messages] == ["redis_breaker is unavailable"]


def test_requests_without_redis_do_not_wait_for_it_again_and_again(no_redis: None) -> None:
    started = time.monotonic()
    for _ in range(50):
        spend(key(), 5)
    assert time.monotonic() - started < 2


@pytest.mark.skipif(not django_settings.REDIS_URL, reason="Without Redis.")
def test_a_script_that_redis_has_forgotten_is_sent_again() -> None:
    name, store = key(), RedisKeys(django_settings.REDIS_URL)
    assert store.spend(name)[0] == 1
    redis.Redis.from_url(django_settings.REDIS_URL).script_flush()
    assert [store.spend(name)[0] for _ in range(2)] == [2, 3]


@pytest.mark.skipif(not django_settings.REDIS_URL, reason="Without Redis.")
def test_a_connection_that_redis_has_closed_is_replaced() -> None:
    name, store = key(), RedisKeys(django_settings.REDIS_URL)
    store.spend(name)
    address, port = store._connection()._sock.getsockname()
    assert redis.Redis.from_url(django_settings.REDIS_URL).client_kill_filter(addr=f"{address}:{port}") == 1
    assert store.spend(name)[0] == 2


@pytest.mark.skipif(not django_settings.REDIS_URL, reason="Without Redis.")
def test_a_forked_process_opens_a_connection_of_its_own() -> None:
    name, store = key(), RedisKeys(django_settings.REDIS_URL)
    assert store.spend(name)[0] == 1
    parent = store._connection()
    assert in_a_fork(lambda: (store.spend(name)[0], store._connection() is parent)) == (2, False)
    assert (store.spend(name)[0], store._connection() is parent) == (3, True)


@pytest.mark.long
@pytest.mark.once
def test_redis_counts_again_once_it_is_back(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with redis_server() as server:
        use_redis(server.url, settings, monkeypatch)
        name = key()
        assert spend(name, 5).used == 1
        server.stop()
        assert [spend(name, 5).used for _ in range(4)] == [1, 2, 3, 4]
        server.start()
        deadline = time.monotonic() + 5
        while (found := spend(name, 50).used) != 1:
            # It restarted empty; as long as it is skipped, the database goes on counting.
            assert found > 4
            assert time.monotonic() < deadline


def test_memory_counts_exactly() -> None:
    assert race(Memory(), limit=50) == 50
    assert race(ReadThenWrite(), limit=50) > 50


def test_memory_begins_windows_again_and_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Memory()
    assert [store.spend("one", 0)[0] for _ in range(3)] == [1, 1, 1]
    assert [store.spend("two")[0] for _ in range(3)] == [1, 2, 3]
    monkeypatch.setattr(budgets, "MAX_WINDOWS", 2)
    assert store.spend("three")[0] == 1
    assert len(store._windows) == 1


@pytest.mark.once
def test_each_process_counts_while_the_file_cannot_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    full = SqliteFile(str(tmp_path / "budgets.sqlite3"))
    full._connection().execute("PRAGMA max_page_count = 1")
    monkeypatch.setattr(budgets, "store", lambda: full)
    # Too long for the file's only page.
    name = "x" * 10_000
    assert [spend(name, 3).allowed for _ in range(5)] == [True, True, True, False, False]
    assert len(caplog.messages) == 1
