"""Rate limits: exact under concurrency, reported in headers, and separate for valid tokens."""

import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings as django_settings
from django.db import connection, connections

from cms_api.auth.models import Budget
from cms_api.auth.services import budgets
from cms_api.auth.services.budgets import DatabaseTable, RedisKeys, Spent, SqliteFile, Store
from cms_api.auth.services.budgets import store as store_of_the_machine
from cms_api.core.forks import start_fork
from tests.builders import blog_post, make_token
from tests.client import Api, together

ROOT = Path(__file__).resolve().parents[2]


class ReadThenWrite:
    """A faulty store that reads and then writes, to show that these tests detect it."""

    def __init__(self) -> None:
        self.used: dict[str, int] = {}

    def spend(self, key: str, window: int = budgets.WINDOW_SECONDS) -> tuple[int, float]:
        used = self.used.get(key, 0)
        time.sleep(0.001)
        self.used[key] = used + 1
        return used + 1, time.time() + budgets.WINDOW_SECONDS

    def give_back(self, key: str) -> None:
        self.used[key] -= 1

    def expire(self) -> None:
        pass


@pytest.fixture(params=["a file", "PostgreSQL", "Redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Each of the real stores, where this machine has it."""
    if request.param == "a file":
        yield SqliteFile(str(tmp_path / "budgets.sqlite3"))
    elif request.param == "Redis":
        if not django_settings.REDIS_URL:
            pytest.skip("REDIS_URL is not set")
        yield RedisKeys(django_settings.REDIS_URL)
    else:
        if connection.vendor != "postgresql":
            pytest.skip("DATABASE_URL is not PostgreSQL's")
        yield DatabaseTable()


def key() -> str:
    return f"test:{uuid4().hex}"


def race(store: Store, *, limit: int, threads: int = 8, each: int = 15) -> int:
    """How many of the requests of all threads together stay within the limit."""
    name = key()

    def spend(_: int) -> int:
        return sum(Spent(limit, *store.spend(name)).allowed for _ in range(each))

    return sum(together(spend, threads))


@pytest.mark.django_db(transaction=True)
def test_it_works_under_concurrency(store: Store) -> None:
    assert race(store, limit=50) == 50


@pytest.mark.django_db(transaction=True)
def test_a_charge_is_given_back(store: Store) -> None:
    name = key()
    store.give_back(name)
    store.spend(name)
    store.spend(name)
    store.give_back(name)
    assert store.spend(name)[0] == 2


@pytest.mark.django_db(transaction=True)
def test_fewer_requests_than_the_limit_are_all_allowed(store: Store) -> None:
    assert race(store, limit=1000, threads=4, each=10) == 40


def test_a_racy_store_would_be_noticed() -> None:
    assert race(ReadThenWrite(), limit=50) > 50


@pytest.mark.django_db(transaction=True)
def test_keys_have_budgets_of_their_own(store: Store) -> None:
    one, other = key(), key()
    assert [store.spend(one)[0] for _ in range(3)] == [1, 2, 3]
    assert store.spend(other)[0] == 1


@pytest.mark.django_db(transaction=True)
def test_a_window_lasts_a_minute_from_its_first_request(store: Store) -> None:
    name = key()
    first = store.spend(name)[1]
    assert abs(first - time.time() - 60) < 5
    assert abs(store.spend(name)[1] - first) < 0.5


@pytest.mark.django_db(transaction=True)
def test_a_new_window_begins_when_the_old_one_is_over(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    name = key()
    for _ in range(3):
        store.spend(name)
    end_window(store, name, monkeypatch)
    used, resets_at = store.spend(name)
    assert used == 1
    assert resets_at > time.time() + 30


@pytest.mark.django_db(transaction=True)
def test_a_window_that_was_opened_while_the_clock_was_ahead_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = key()
    if connection.vendor == "postgresql":
        found: Store = DatabaseTable()
        Budget.objects.create(key=name, used=3, resets_at=time.time() + 7200)
    else:
        found = SqliteFile(str(tmp_path / "budgets.sqlite3"))
        ahead = time.time() + 7200
        with monkeypatch.context() as patch:
            patch.setattr(budgets, "time", SimpleNamespace(time=lambda: ahead, monotonic=time.monotonic))
            found.spend(name)
    assert [found.spend(name)[0] for _ in range(2)] == [1, 2]


def end_window(store: Store, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if isinstance(store, RedisKeys):
        import redis

        with redis.Redis.from_url(django_settings.REDIS_URL) as client:
            client.delete(f"budget:{name}")
    elif isinstance(store, DatabaseTable):
        Budget.objects.filter(key=name).update(resets_at=time.time() - 1)
    else:
        later = time.time() + 61
        monkeypatch.setattr(budgets, "time", SimpleNamespace(time=lambda: later))


@pytest.mark.django_db(transaction=True)
def test_windows_that_are_over_are_dropped(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    over, running = key(), key()
    store.spend(over)
    end_window(store, over, monkeypatch)
    store.spend(running)
    store.expire()
    assert store.spend(running)[0] == 2
    if isinstance(store, DatabaseTable):
        assert list(Budget.objects.values_list("key", flat=True)) == [running]


class Racy(SqliteFile):
    """A file that is read and then written."""

    def spend(self, key: str, window: int = budgets.WINDOW_SECONDS) -> tuple[int, float]:
        used = (self._connection().execute("SELECT used FROM budget WHERE key = ?", (key,)).fetchone() or [0])[0]
        time.sleep(0.0005)
        self._connection().execute("INSERT OR REPLACE INTO budget VALUES (?, ?, ?)", (key, used + 1, time.time() + window))
        return used + 1, 0


def spend_all(folder: Path, begin: Any, answers: Any) -> None:
    """Spend from one budget of each file as fast as it can, once all processes do; send how often it was allowed."""
    stores = {kind: kind(str(folder / f"{kind.__name__}.sqlite3")) for kind in (SqliteFile, Racy)}
    begin.wait(20)
    answers.put([sum(Spent(60, *store.spend("one")).allowed for _ in range(60)) for store in stores.values()])


def test_the_file_is_exact_over_several_processes_and_a_racy_one_is_not(tmp_path: Path) -> None:
    forks = get_context("fork")
    begin, answers = forks.Barrier(3), forks.Queue()
    running = [start_fork("test", spend_all, tmp_path, begin, answers) for _ in range(3)]
    allowed = [answers.get(timeout=20) for _ in running]
    for process in running:
        process.join(20)
    exact, racy = (sum(counts) for counts in zip(*allowed, strict=True))
    assert exact == 60
    assert racy > 60


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.django_db(transaction=True)
def test_parallel_requests_of_one_token(settings: Any, api: Api) -> None:
    settings.API_RATE_PER_MINUTE = 10
    token = make_token("content:read")
    answers = together(lambda _: [Api(token).get("/content-items").status_code for _ in range(5)], 6)
    statuses = [status for found in answers for status in found]
    assert (statuses.count(200), statuses.count(429)) == (10, 20)


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.django_db(transaction=True)
def test_parallel_requests_of_one_address(settings: Any, anonymous: Api) -> None:
    settings.API_ANON_RATE_PER_MINUTE = 7
    answers = together(lambda _: [Api().get("/content-items").status_code for _ in range(4)], 5)
    statuses = [status for found in answers for status in found]
    assert (statuses.count(401), statuses.count(429)) == (7, 13)


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.django_db
@pytest.mark.both_databases
def test_every_answer_tells_the_budget(settings: Any, api: Api) -> None:
    settings.API_RATE_PER_MINUTE = 6
    blog_post()
    answers = [
        api.get("/content-items"),
        api.get("/content-items", page=0),
        api.get("/content-items/0"),
        api.post("/content-items", b"{"),
        Api(api.token).request("DELETE", "/content-items/0"),
        api.request("GET", "/content-items", if_none_match="*"),
        api.get("/content-items"),
    ]
    assert [answer.status_code for answer in answers] == [200, 422, 404, 400, 404, 304, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["5", "4", "3", "2", "1", "0", "0"]
    assert {answer.headers["X-RateLimit-Limit"] for answer in answers} == {"6"}
    assert ["X-RateLimit-Reset" in answer.headers for answer in answers] == [False] * 6 + [True]
    spent = answers[-1]
    assert 0 <= int(spent.headers["X-RateLimit-Reset"]) - time.time() <= 61
    assert 1 <= int(spent.headers["Retry-After"]) <= 60


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.django_db
def test_what_is_not_charged_tells_nothing(settings: Any, api: Api) -> None:
    settings.API_RATE_PER_MINUTE = 1
    for _ in range(3):
        for answer in (api.get("/nothing"), api.delete("/content-items")):
            assert "X-RateLimit-Limit" not in answer.headers
    assert api.get("/content-items").status_code == 200


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.django_db
def test_a_valid_token_is_served_when_its_address_has_spent_all(settings: Any, api: Api) -> None:
    settings.API_ANON_RATE_PER_MINUTE = 2
    stranger = Api()
    assert [stranger.get("/content-items").status_code for _ in range(3)] == [401, 401, 429]
    assert [api.get("/content-items").status_code for _ in range(3)] == [200, 200, 200]
    assert api.get("/openapi.json").status_code == 200
    assert stranger.get("/openapi.json").status_code == 429


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.django_db
def test_a_bad_token_is_charged_to_the_address(settings: Any, anonymous: Api) -> None:
    settings.API_ANON_RATE_PER_MINUTE = 3
    answers = [
        Api("swt_wrong").get("/content-items"),
        Api(make_token("content:read").swapcase()).get("/content-items"),
        anonymous.get("/openapi.json"),
        anonymous.get("/content-items"),
    ]
    assert [answer.status_code for answer in answers] == [401, 401, 200, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0"]


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.django_db
def test_tokens_have_budgets_of_their_own(settings: Any, api_on: None) -> None:
    settings.API_RATE_PER_MINUTE = 1
    one, other = Api(make_token("content:read")), Api(make_token("content:read"))
    assert [api.get("/content-items").status_code for api in (one, other, one, other)] == [200, 200, 429, 429]


def test_the_limits_are_the_contracts_by_default() -> None:
    code = "from config.settings.dev import API_RATE_PER_MINUTE as a, API_ANON_RATE_PER_MINUTE as b; print(a, b)"
    environment = {"PATH": "", "VAR_DIR": str(django_settings.VAR_DIR), "PYTHONPATH": str(ROOT / "site")}
    printed = subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    assert printed.stdout.split() == ["120", "20"]


@pytest.mark.django_db
def test_the_store_is_what_the_machine_has() -> None:
    wanted = RedisKeys if django_settings.REDIS_URL else DatabaseTable if connection.vendor == "postgresql" else SqliteFile
    assert isinstance(store_of_the_machine(), wanted)
    assert connections["default"].vendor == connection.vendor
