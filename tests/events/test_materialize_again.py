"""A worker materializes many dates at once after a change of the horizon or of the site's time zone."""

from typing import Any

import pytest
from django_q.models import OrmQ

from cms_api.content.models import ContentItem
from cms_api.content.services.types import refresh_items
from cms_api.flags.services import set_setting
from events.services.occurrences import materialize
from events.tasks import materialize_in_background
from tests.builders import field, make_item, make_type

pytestmark = pytest.mark.django_db


@pytest.fixture
def queued() -> Any:
    """The functions and arguments of the tasks that wait."""
    OrmQ.objects.all().delete()
    return lambda: [(task.task["func"], task.task["args"]) for task in OrmQ.objects.order_by("pk")]


def weekly(start: str = "2026-01-05T18:00", **repeat: Any) -> ContentItem:
    kind = make_type(field("when", "datetime"))
    value = {"start": start, "tz": "Europe/Paris", "repeat": {"frequency": "weekly", **repeat}}
    return make_item(kind, data={"when": value})


def rows_of(item: ContentItem) -> int:
    return ContentItem.objects.filter(owner=item).count()


@pytest.mark.both_databases
def test_another_horizon_is_laid_out_by_a_task(queued: Any) -> None:
    item, ended = weekly(), weekly(count=3)
    before = rows_of(item)
    OrmQ.objects.all().delete()
    set_setting(key="recurrence.horizon_days", value=1100)
    assert queued() == [("events.tasks.materialize_in_background", (0,))]
    assert rows_of(item) == before
    materialize_in_background(0)
    assert rows_of(item) > before + 45
    assert rows_of(ended) == 2


def test_a_nearer_horizon_takes_dates_away() -> None:
    item = weekly()
    before = rows_of(item)
    set_setting(key="recurrence.horizon_days", value=400)
    materialize_in_background(0)
    assert 0 < rows_of(item) < before - 40


def test_the_same_horizon_again_asks_for_nothing(queued: Any) -> None:
    set_setting(key="recurrence.horizon_days", value=730)
    assert queued() == []


def test_what_is_left_goes_to_another_task(queued: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = weekly(), weekly()
    before = rows_of(first)
    set_setting(key="recurrence.horizon_days", value=1100)
    OrmQ.objects.all().delete()
    monkeypatch.setattr("events.tasks.RUN_SECONDS", -1)
    materialize_in_background(0)
    assert queued() == [("events.tasks.materialize_in_background", (0,))]
    assert materialize(after=first.pk, seconds=20) is None
    assert (rows_of(first), rows_of(second) > before) == (before, True)


def test_another_zone_of_the_site_moves_whole_days() -> None:
    kind = make_type(field("when", "datetime"))
    repeat = {"frequency": "daily", "count": 3}
    item = make_item(kind, data={"when": {"start": "2026-06-01", "all_day": True, "repeat": repeat}})
    zoned = make_item(kind, data={"when": {"start": "2026-06-01T10:00", "tz": "Asia/Tokyo"}})
    set_setting(key="site.timezone", value="Asia/Tokyo")
    refresh_items()
    starts = ContentItem.objects.filter(owner=item).order_by("pk").values_list("starts_at", flat=True)
    item.refresh_from_db()
    assert [moment.isoformat() for moment in (item.starts_at, *starts)] == [
        "2026-05-31T15:00:00+00:00",
        "2026-06-01T15:00:00+00:00",
        "2026-06-02T15:00:00+00:00",
    ]
    zoned.refresh_from_db()
    assert zoned.starts_at.isoformat() == "2026-06-01T01:00:00+00:00"
