"""Partitions of events on PostgreSQL: made in time, dropped whole, and in no report's way."""

import time
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from cms_api.analytics.models import Event, Visit
from cms_api.analytics.selectors import reports
from cms_api.analytics.selectors.ranges import Range
from cms_api.analytics.services import partitions
from cms_api.analytics.services.housekeeping import delete_old
from cms_api.analytics.services.partitions import DAYS_AHEAD, make_coming, make_partition
from cms_api.analytics.services.storing import store
from cms_api.analytics.types.events import Event as NewEvent
from cms_api.analytics.types.events import Kind

from .builders import DAY, MINUTE, goal, view

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="Only PostgreSQL has partitions."),
]


@pytest.fixture(autouse=True)
def at_once(db: None) -> None:
    """Check references at once, as each transaction of a worker does at its end: tables with pending checks can't be changed."""
    run("SET CONSTRAINTS ALL IMMEDIATE")


def run(statement: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def today() -> date:
    return timezone.localdate()


def rows_by_partition() -> dict[str, int]:
    found = run("SELECT tableoid::regclass::text, count(*) FROM analytics_event GROUP BY 1")
    return {name.removeprefix("analytics_event_"): count for name, count in found}


def test_each_day_has_its_partition() -> None:
    now = time.time()
    make_coming()
    store([view("/", now), view("/late", now - 40 * DAY, visitor=2)])
    assert rows_by_partition() == {f"{today():%Y%m%d}": 1, "default": 1}
    assert len(partitions._partitions()) == DAYS_AHEAD + 1
    make_coming()
    assert len(partitions._partitions()) == DAYS_AHEAD + 1


def test_what_arrived_before_its_partition_moves_there() -> None:
    store([view("/", time.time()), view("/before", time.time() - DAY, visitor=2)])
    assert rows_by_partition() == {"default": 2}
    make_coming()
    assert rows_by_partition() == {f"{today():%Y%m%d}": 1, "default": 1}


def make_days(*days: int) -> None:
    for each in days:
        make_partition(today() - timedelta(days=each))


def test_expired_days_are_dropped_whole() -> None:
    make_days(62, 61, 60, 59)
    for days in (70, 62, 61, 60, 59):
        store([view("/", noon(days), visitor=days), view("/p", noon(days) + MINUTE, visitor=days)])
    store([goal(noon(61), visitor=0)])
    before = reports.summary(Range(today() - timedelta(days=100), today()))
    delete_old()
    assert rows_by_partition() == {f"{today() - timedelta(days=days):%Y%m%d}": 2 for days in (60, 59)}
    assert sorted(Visit.objects.values_list("visitor", flat=True)) == [59, 60]
    assert reports.summary(Range(today() - timedelta(days=100), today())) == before
    assert [first for _, first, _ in partitions._partitions()] == [today() - timedelta(days=days) for days in (60, 59)]


def noon(days: int) -> float:
    """Noon of the day so many days ago, in UTC."""
    return time.time() // DAY * DAY + DAY / 2 - days * DAY


def test_readers_are_not_waited_for_long(caplog: pytest.LogCaptureFixture) -> None:
    make_days(61)

    def refuse() -> list[str]:
        return ["SELECT 1", "DO $$ BEGIN RAISE lock_not_available; END $$"]

    partitions._change(refuse)
    assert "can't be changed at the moment" in caplog.text
    assert len(partitions._partitions()) == 1


def test_repeated_messages_and_times_find_their_view() -> None:
    make_days(1, 0)
    late = time.time() // DAY * DAY - MINUTE
    first = view("/", late)
    store([first])
    store([view("/", late + 5 * MINUTE, uid=first.uid), NewEvent(first.uid, Kind.TIME, late + DAY / 2, 1, seconds=40)])
    assert Event.objects.get().seconds == 40
    order = goal(noon(20))
    store([order])
    store([goal(noon(0), uid=order.uid)])
    assert Event.objects.filter(kind=Kind.GOAL).count() == 1


def test_a_batch_reads_the_partitions_of_its_days() -> None:
    make_days(*range(10))
    plan = Event.objects.filter(partitions.near([today()]), uid__in=[1]).explain()
    assert f"analytics_event_{today():%Y%m%d}" in plan
    assert f"analytics_event_{today() - timedelta(days=5):%Y%m%d}" not in plan


def test_the_table_has_its_key_indexes_and_reference() -> None:
    of_table = "= 'analytics_event'::regclass"
    constraints = dict(run(f"SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid {of_table}"))
    assert constraints["analytics_event_pkey"] == "PRIMARY KEY (uid, day)"
    assert any(each.startswith("FOREIGN KEY (visit_id) REFERENCES analytics_visit(id)") for each in constraints.values())
    indexes = " ".join(each for (each,) in run("SELECT indexdef FROM pg_indexes WHERE tablename = 'analytics_event'"))
    assert all(f"({columns})" in indexes for columns in ("visitor, day", "at", "visit_id", "uid, day"))


def test_former_rows_expire_a_few_at_a_time() -> None:
    """Rows from before the table had partitions are in one of their own."""
    end = today() + timedelta(days=1)
    run(f"CREATE TABLE analytics_event_former PARTITION OF analytics_event FOR VALUES FROM (MINVALUE) TO ('{end}')")
    store([view("/", noon(61), visitor=61), view("/", noon(1), visitor=1)])
    delete_old()
    assert rows_by_partition() == {"former": 1}
