"""Months are summed up when they are over, and reports say the same before and after."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.analytics.models import RollUp
from cms_api.analytics.selectors import reports
from cms_api.analytics.selectors.ranges import Range
from cms_api.analytics.selectors.reports import Filter, with_months
from cms_api.analytics.selectors.timelines import timeline
from cms_api.analytics.services.housekeeping import delete_old
from cms_api.analytics.services.rolling_up import MONTH_SUMMED_AFTER, sum_months
from cms_api.analytics.services.storing import store
from cms_api.analytics.types.counting import Dimension, monthly

from .builders import DAY, MINUTE, goal, view

pytestmark = pytest.mark.django_db
#: Autumn of last year, and a range in it that begins and ends within months.
YEAR = timezone.localdate().year - 1
START = datetime(YEAR, 9, 1, 12, tzinfo=UTC).timestamp()
AUTUMN, PART = Range(date(YEAR, 9, 1), date(YEAR, 11, 30)), Range(date(YEAR, 9, 20), date(YEAR, 11, 10))
FILTERS = (
    Filter(),
    Filter(path="/p1"),
    Filter(dimension="device", value="phone"),
    Filter(path="/p1", dimension="device", value="phone"),
)


def fill() -> None:
    """Leave visits of two pages on each third day of autumn, and an order on some."""
    for number in range(0, 91, 3):
        at, device = START + number * DAY, ("phone", "desktop")[number % 2]
        visit = [view(f"/p{number % 4 + page}", at + page * MINUTE, number + 1, device=device, country="DE") for page in range(2)]
        store([*visit, *([goal(at + 3 * MINUTE, number + 1)] if number % 2 else [])])


def answers(found: Range) -> list[Any]:
    return [
        [
            reports.summary(found, each),
            reports.conversions(found, narrowed=each),
            *(reports.timeseries(found, interval, each) for interval in ("day", "week", "month")),
            *(reports.top(found, dimension, narrowed=each) for dimension in (Dimension.PAGE, Dimension.DEVICE)),
            timeline(found, each),
        ]
        for each in FILTERS
    ]


RANGES = (
    AUTUMN,
    PART,
    Range(date(YEAR, 10, 1), date(YEAR, 10, 31)),
    Range(date(YEAR, 10, 5), date(YEAR, 10, 9)),
    # More days than the rest of their months has: at both ends, at one, and within one month.
    Range(date(YEAR, 9, 10), date(YEAR, 11, 20)),
    Range(date(YEAR, 9, 10), date(YEAR, 11, 10)),
    Range(date(YEAR, 10, 5), date(YEAR, 10, 28)),
)


@pytest.mark.both_databases
def test_reports_are_the_same(subtests: pytest.Subtests) -> None:
    fill()
    before = [answers(with_months(found)) for found in RANGES]
    assert [found for found in RANGES if with_months(found).months] == []
    sum_months()
    assert len(with_months(AUTUMN).months) == 3
    for found, expected in zip(RANGES, before, strict=True):
        with subtests.test(str(found)):
            assert answers(with_months(found)) == expected == answers(found)


def test_late_events_are_added_to_both() -> None:
    fill()
    sum_months()
    late = view("/p1", START + 10 * DAY, visitor=999, device="phone")
    store([late, goal(START + 10 * DAY + MINUTE, 999)])
    assert answers(with_months(AUTUMN)) == answers(AUTUMN)
    store([late])
    sum_months()
    assert answers(with_months(AUTUMN)) == answers(AUTUMN)


@pytest.mark.both_databases
def test_a_year_is_read_by_months() -> None:
    fill()
    sum_months()
    RollUp.objects.filter(dimension=Dimension.PAGE).delete()
    assert reports.pages(with_months(AUTUMN))
    assert not reports.pages(AUTUMN)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (date(YEAR, 9, 10), date(YEAR, 11, 20), AUTUMN),
        (date(YEAR, 9, 20), date(YEAR, 11, 10), PART),
        (date(YEAR, 9, 10), date(YEAR, 11, 10), Range(date(YEAR, 9, 1), date(YEAR, 11, 10))),
        (date(YEAR, 10, 5), date(YEAR, 10, 28), Range(date(YEAR, 10, 1), date(YEAR, 10, 31))),
        (date(YEAR, 10, 2), date(YEAR, 10, 9), Range(date(YEAR, 10, 2), date(YEAR, 10, 9))),
    ],
)
def test_the_rest_of_a_month_is_read_if_it_is_shorter(first: date, last: date, expected: Range) -> None:
    fill()
    assert with_months(Range(first, last)).widen() == Range(first, last)
    sum_months()
    found = with_months(Range(first, last))
    assert found.widen() == expected


@pytest.mark.both_databases
def test_the_days_of_a_longer_part_are_not_read() -> None:
    fill()
    sum_months()
    found = with_months(Range(date(YEAR, 9, 10), date(YEAR, 11, 20)))
    expected = reports.pages(found)
    RollUp.objects.filter(dimension=Dimension.PAGE, day__range=(found.first, found.last)).delete()
    assert reports.pages(found) == expected != []


def test_a_month_is_summed_up_when_it_has_been_over_for_days() -> None:
    today = timezone.localdate()
    for days in range(40):
        store([view("/", (datetime.now(UTC) - timedelta(days=days)).timestamp(), visitor=days + 1)])
    sum_months()
    found = set(RollUp.objects.filter(dimension=monthly(Dimension.TOTAL)).values_list("day", flat=True))
    assert found
    assert max(found) < (today - MONTH_SUMMED_AFTER).replace(day=1)


@pytest.mark.both_databases
def test_months_are_deleted_whole() -> None:
    long_ago = datetime.now(UTC) - timedelta(days=36 * 31 + 20)
    for number in range(80):
        store([view("/", (long_ago + timedelta(days=number)).timestamp(), visitor=number + 1)])
    sum_months()
    delete_old()
    first = min(RollUp.objects.filter(dimension=Dimension.TOTAL).values_list("day", flat=True))
    assert first.day == 1
    found = with_months(Range(first, first + timedelta(days=100)))
    assert reports.summary(found) == reports.summary(found.by_day())
