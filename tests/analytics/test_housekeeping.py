"""Old events are deleted, and reports stay as they are."""

import time
from datetime import date, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.analytics.models import Attribution, Event, RollUp, Salt, StoredFile, Visit
from cms_api.analytics.selectors import reports
from cms_api.analytics.selectors.ranges import Range
from cms_api.analytics.services import housekeeping
from cms_api.analytics.services.housekeeping import delete_old
from cms_api.analytics.services.storing import store
from cms_api.flags.services import set_setting

from .builders import DAY, MINUTE, goal, view

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def ago(days: float) -> float:
    return time.time() - days * DAY


def range_of(days: int) -> Range:
    today = timezone.localdate()
    return Range(today - timedelta(days=days), today)


def test_events_are_deleted_before_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "BATCH_VISITS", 2)
    monkeypatch.setattr(housekeeping, "PAUSE_SECONDS", 0)
    old = [view(f"/p{number}", ago(62) + number * MINUTE) for number in range(5)]
    store([*old, goal(ago(62), visitor=99), view("/", ago(59)), goal(ago(59) + MINUTE)])
    before = reports.summary(range_of(100)), reports.pages(range_of(100))
    delete_old()
    assert (Visit.objects.count(), Event.objects.count()) == (1, 2)
    assert (reports.summary(range_of(100)), reports.pages(range_of(100))) == before


def test_the_next_run_continues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(housekeeping, "BATCH_VISITS", 2)
    monkeypatch.setattr(housekeeping, "RUN_SECONDS", 0)
    Salt.objects.create(day=timezone.localdate() - timedelta(days=9), value=b"salt")
    store([view("/", ago(62), visitor) for visitor in range(1, 6)])
    left = []
    for _ in range(3):
        delete_old()
        left.append(Visit.objects.count())
    # Those of one transaction in each run; salts are not put off.
    assert left == [3, 1, 0]
    assert not Salt.objects.exists()


def test_reports_are_deleted_after_years() -> None:
    store([view("/", ago(1200)), view("/", ago(1))])
    delete_old()
    assert set(RollUp.objects.values_list("day", flat=True)) == set(
        RollUp.objects.filter(day__gt=date.today() - timedelta(days=3)).values_list("day", flat=True)
    )
    assert RollUp.objects.exists()


@pytest.mark.parametrize("days", [-5, 0, 10**11 - 1])
def test_whatever_the_settings_say_today_is_counted_right(days: int) -> None:
    for key in ("analytics.keep_events_days", "analytics.keep_months"):
        set_setting(key=key, value=days)
    store([view("/", ago(0.001))])
    delete_old()
    store([view("/", ago(0))])
    assert (Visit.objects.count(), Event.objects.count()) == (1, 2)
    assert reports.summary(range_of(2))["visitors"] == len(set(Event.objects.values_list("day", flat=True)))


def test_the_rest_is_deleted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    now = timezone.now()
    for days in (31, 29):
        moment = now - timedelta(days=days)
        Attribution.objects.create(payable="order", record_id=days, visitor=1, created_at=moment)
        StoredFile.objects.create(name=str(days), stored_at=moment)
        Salt.objects.create(day=moment.date(), value=b"salt")
    Salt.objects.create(day=now.date(), value=b"salt")
    delete_old()
    found: list[Any] = [Attribution.objects.get().record_id, StoredFile.objects.get().name, bytes(Salt.objects.get().value)]
    assert found == [29, "29", b"salt"]
