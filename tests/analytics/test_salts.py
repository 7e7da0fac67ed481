"""Visitors are recognised for a day, and by nobody after two."""

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from cms_api.analytics.models import Salt
from cms_api.analytics.services import salts
from cms_api.flags.services import set_setting
from tests.client import together

Clock = Callable[[datetime], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    def put(moment: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: moment)

    return put


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_salt_is_renewed_at_midnight_of_the_site(clock: Clock) -> None:
    set_setting(key="site.timezone", value="America/New_York")
    clock(datetime(2026, 1, 15, 4, 59, tzinfo=UTC))
    before = salts.salts().visitor("203.0.113.7", "Firefox")
    assert before.yesterday == 0
    assert salts.salts().visitor("203.0.113.7", "Firefox") == before
    assert salts.salts().visitor("203.0.113.8", "Firefox") != before
    clock(datetime(2026, 1, 15, 5, 1, tzinfo=UTC))
    after = salts.salts().visitor("203.0.113.7", "Firefox")
    assert after.today != before.today
    assert after.yesterday == before.today
    assert list(Salt.objects.order_by("day").values_list("day", flat=True)) == [date(2026, 1, 14), date(2026, 1, 15)]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_after_two_days_nobody_is_recognised(clock: Clock) -> None:
    set_setting(key="site.timezone", value="UTC")
    for day in (14, 15, 16):
        clock(datetime(2026, 1, day, 12, tzinfo=UTC))
        salts.salts()
    assert salts.delete_old_salts() == 1
    assert set(Salt.objects.values_list("day", flat=True)) == {date(2026, 1, 15), date(2026, 1, 16)}


@pytest.mark.django_db(transaction=True)
def test_a_salt_of_a_transaction_that_failed_is_forgotten() -> None:
    def fail() -> None:
        with transaction.atomic():
            salts.salts().visitor("203.0.113.7", "Firefox")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not Salt.objects.exists()
    found = salts.salts()
    assert bytes(Salt.objects.get().value) == found.today


def draw(_: int = 0) -> bytes:
    return salts._load(timezone.localdate()).today


@pytest.mark.django_db(transaction=True)
def test_processes_that_draw_a_salt_at_once_have_the_same_one() -> None:
    assert len(set(together(draw, 8))) == 1


@pytest.mark.django_db(transaction=True)
def test_without_reading_it_again_they_would_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: two that both find none, and believe their own."""
    barrier, lock, own = threading.Barrier(2), threading.Lock(), []
    read, create = salts._read, Salt.objects.bulk_create

    def read_both(days: list[date]) -> dict[date, bytes]:
        found = read(days)
        if not found:
            barrier.wait(10)
        return found

    def remember(rows: list[Salt], **options: Any) -> Any:
        with lock:
            own.append(bytes(rows[0].value))
        return create(rows, **options)

    monkeypatch.setattr(salts, "_read", read_both)
    monkeypatch.setattr(Salt.objects, "bulk_create", remember)
    stored = set(together(draw, 2))
    assert len(set(own)) == 2
    assert len(stored) == 1
