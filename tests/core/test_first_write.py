"""Processes load the code of services once, before the first transaction of a process, and not by processes that only read."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, transaction

from cms_api.auth.models import ApiToken
from cms_api.core import first_write
from cms_api.core.first_write import before_first_write, prepare_at_start, prepare_to_write, skip_preparing
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A process that has not written yet: for each preparation, whether a transaction had begun."""
    found: list[bool] = []
    monkeypatch.setattr(first_write, "_is_prepared", False)
    monkeypatch.setattr(first_write, "_preparations", [])
    before_first_write(lambda: found.append(connection.in_atomic_block))
    return found


def test_it_works(calls: list[bool]) -> None:
    ApiToken.objects.count()
    assert calls == []
    for _ in range(2):
        with transaction.atomic():
            ApiToken.objects.count()
    assert calls == [False]


def test_a_process_starts_while_its_database_is_away(calls: list[bool]) -> None:
    def fail() -> None:
        if len(calls) == 1:
            raise OperationalError("away")

    before_first_write(fail)
    prepare_at_start()
    with transaction.atomic():
        pass
    assert calls == [False, False]


def test_nothing_is_prepared_for_migrations(calls: list[bool]) -> None:
    with skip_preparing(), transaction.atomic():
        pass
    assert calls == []
    with transaction.atomic():
        pass
    assert calls == [False]


def test_a_preparation_may_write(calls: list[bool]) -> None:
    def write() -> None:
        with transaction.atomic():
            calls.append(connection.in_atomic_block)

    before_first_write(write)
    prepare_to_write()
    assert calls == [False, True]


def test_a_preparation_that_fails_is_repeated(calls: list[bool]) -> None:
    def fail() -> None:
        if len(calls) == 1:
            raise LookupError

    before_first_write(fail)
    with pytest.raises(LookupError), transaction.atomic():
        pass
    with transaction.atomic():
        pass
    assert calls == [False, False]


def test_other_threads_wait_until_everything_is_loaded(calls: list[bool]) -> None:
    begun, goes_on = threading.Event(), threading.Event()
    order: list[str] = []

    def load() -> None:
        begun.set()
        goes_on.wait(10)
        order.append("loaded")

    def write() -> None:
        prepare_to_write()
        order.append("wrote")

    before_first_write(load)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(prepare_to_write)
        begun.wait(10)
        second = pool.submit(write)
        until(second.running)
        goes_on.set()
        first.result()
        second.result()
    assert order == ["loaded", "wrote"]
    assert len(calls) == 1
