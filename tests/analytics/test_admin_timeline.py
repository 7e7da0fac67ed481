"""The line of visitors: its intervals, the range before, and hours that have not begun."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from cms_api.analytics.admin.asked import CUSTOM, Asked
from cms_api.analytics.admin.dashboard import chart_of
from cms_api.analytics.selectors.labels import change, change_in_points, duration, label_of
from cms_api.analytics.selectors.ranges import Range
from cms_api.analytics.selectors.reports import Filter, sums_of
from cms_api.analytics.selectors.timelines import interval_of, timeline
from cms_api.analytics.services.storing import store
from cms_api.flags.services import set_setting

from .builders import DAY, HOUR, NOON, view

pytestmark = pytest.mark.django_db

#: The day of NOON.
THE_DAY = date(2026, 1, 15)


def days(count: int, last: date = THE_DAY) -> Range:
    return Range(last - timedelta(days=count - 1), last)


@pytest.fixture
def visits(analytics_on: None) -> None:
    """A visitor every fifth day, for two years."""
    set_setting(key="site.timezone", value="UTC")
    store([view("/", NOON - number * 5 * DAY, number + 1) for number in range(146)])


@pytest.mark.parametrize(
    ("count", "interval"),
    [(1, "hour"), (2, "hour"), (3, "day"), (92, "day"), (93, "week"), (190, "week"), (191, "month"), (366, "month")],
)
def test_intervals(visits: None, count: int, interval: str) -> None:
    found, sums = timeline(days(count)), sums_of(days(count))
    assert found.interval == interval
    assert sum(point.visitors or 0 for point in found.points) == sums[0]["visitors"]
    assert sum(point.previous for point in found.points) == sums[1]["visitors"]
    assert len(found.points) <= 92
    chart = chart_of(Asked(CUSTOM, days(count)))
    assert chart.has_totals == (interval != "hour")
    assert len(set(chart.labels)) == len(chart.labels)


@pytest.mark.both_databases
def test_hours_of_a_value_are_not_known() -> None:
    assert interval_of(days(1), Filter("/", "device", "phone")) == "day"
    assert interval_of(days(1), Filter("/")) == "hour"


def test_hours_that_have_not_begun(visits: None, monkeypatch: pytest.MonkeyPatch) -> None:
    store([view("/", NOON - DAY + HOUR, 900)])
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 1, 15, 12, 30, tzinfo=UTC))
    points = timeline(days(1)).points
    assert [point.visitors for point in points] == [*[0] * 12, 1, *[None] * 11]
    assert [point.previous for point in points] == [*[0] * 13, 1, *[0] * 10]


def test_days_on_which_the_clock_changes(analytics_on: None) -> None:
    set_setting(key="site.timezone", value="Europe/Berlin")
    store([view("/", datetime(2025, 3, 30, 1, 30, tzinfo=UTC).timestamp(), 1)])
    points = timeline(days(1, date(2025, 3, 30))).points
    assert len(points) == 23
    assert [point.start.isoformat() for point in points if point.visitors] == ["2025-03-30T03:00:00+02:00"]
    assert len(timeline(days(1, date(2025, 10, 26))).points) == 25


def test_changes_in_words(db: None) -> None:
    assert change(3, 3) == ("no change", 0)
    assert change(3, 0) == ("none before", 1)
    assert change(1500, 1000) == ("up 50%", 1)
    assert change(0, 10) == ("down 100%", -1)
    assert change(1001, 1000) == ("up less than 1%", 1)
    assert change_in_points(0.412, 0.4) == ("up 1.2 points", 1)
    assert change_in_points(0.4, 0.40001) == ("no change", 0)


def test_names(db: None) -> None:
    assert label_of("source", "\t\t") == "Direct"
    assert label_of("source", "news\temail\tspring") == "news / email / spring"
    assert label_of("country", "") == "Unknown"
    assert label_of("country", "QQ") == "QQ"
    assert label_of("device", "fridge") == "Unknown"
    assert label_of("goal", "order\tusd") == "Order paid"
    assert (duration(59), duration(60), duration(3725)) == ("59 s", "1 min 0 s", "62 min 5 s")
