"""Events become visits, and roll-ups that equal an independent count."""

import itertools
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cms_api.analytics.models import Event, RollUp, Visit
from cms_api.analytics.selectors import reports
from cms_api.analytics.selectors.ranges import Range
from cms_api.analytics.selectors.reports import Filter
from cms_api.analytics.services.storing import store
from cms_api.analytics.types.counting import COLUMNS, day_of
from cms_api.analytics.types.events import Event as NewEvent
from cms_api.analytics.types.events import Kind
from cms_api.flags.services import set_setting
from tests.figures import figure

from . import oracle
from .builders import DAY, HOUR, MINUTE, NOON, goal, view

pytestmark = pytest.mark.django_db

WINTER = Range(date(2026, 1, 1), date(2026, 1, 31))


def figures(found: Range = WINTER, path: str = "") -> dict[str, Any]:
    answer = reports.summary(found, Filter(path=path))
    return {name: answer[name] for name in oracle.Stored(found.first, found.last).summary()}


def test_views_of_half_an_hour_are_one_visit() -> None:
    store([view("/"), view("/events", NOON + 29 * MINUTE), view("/", NOON + 60 * MINUTE)])
    assert Visit.objects.count() == 2
    assert figures() == {
        "visitors": 1,
        "pageviews": 3,
        "sessions": 2,
        "bounce_rate": 0.5,
        "avg_duration_seconds": round(29 * 60 / 2),
        "conversions": 0,
    }


@pytest.mark.both_databases
def test_a_repeated_event_counts_once() -> None:
    event = view()
    store([event, event])
    store([event])
    assert figures()["pageviews"] == 1


@pytest.mark.both_databases
def test_a_visit_survives_midnight_and_the_new_salt() -> None:
    set_setting(key="site.timezone", value="UTC")
    midnight = NOON + 12 * HOUR
    store([view("/", midnight - 5 * MINUTE, visitor=7)])
    store(
        [
            view("/events", midnight + 5 * MINUTE, visitor=8, formerly=7),
            view("/about", midnight + 9 * MINUTE, visitor=8, formerly=7),
        ]
    )
    visit = Visit.objects.get()
    assert (visit.visitor, visit.day) == (8, date(2026, 1, 15))
    days = reports.timeseries(Range(date(2026, 1, 15), date(2026, 1, 16)))
    assert [(each["visitors"], each["pageviews"], each["sessions"]) for each in days] == [(1, 1, 1), (1, 2, 0)]


@pytest.mark.both_databases
def test_a_late_event_joins_its_visit_and_its_source() -> None:
    store([view("/second", NOON + 10 * MINUTE, source="", referrer="")])
    store([view("/first", NOON, source="Google", medium="search", referrer="google.com")])
    assert [each["source"] for each in reports.sources(WINTER)] == ["Google"]
    entries = reports.top(WINTER, "entry", by="sessions")
    assert [each["value"] for each in entries] == ["/first"]


def test_time_on_page_is_the_longest_that_was_sent() -> None:
    seen = view("/", NOON)
    times = [NewEvent(uid=seen.uid, kind=Kind.TIME, at=NOON + 30, visitor=1, seconds=number) for number in (30, 12)]
    store([seen, *times])
    store(times[1:])
    assert reports.pages(WINTER)[0]["avg_duration_seconds"] == 30


def test_a_goal_has_its_value_its_source_and_its_rate() -> None:
    store([view("/", source="newsletter"), view("/", visitor=2), goal(NOON + MINUTE), goal(NOON + 2 * MINUTE, value_cents=750)])
    assert reports.conversions(WINTER) == [
        {"goal": "order", "conversions": 2, "conversion_rate": 0.5, "value_cents": 2000, "currency": "usd"}
    ]
    assert [(each["source"], each["conversions"]) for each in reports.sources(WINTER)] == [("direct", 0), ("newsletter", 2)]


@pytest.mark.both_databases
def test_a_goal_without_a_visit_counts_without_a_visitor() -> None:
    store([goal(visitor=99)])
    assert figures() | {"conversions": 1} == figures()
    assert figures()["sessions"] == 0


#: Minutes after the start, the person, the page, what happens, the source, the device, and the time on the page.
EVENTS = st.lists(
    st.tuples(
        st.integers(0, 400),
        st.integers(1, 4),
        st.sampled_from(["/", "/events", "/shop"]),
        st.sampled_from(["view", "view", "view", "goal"]),
        st.sampled_from(["", "Google", "newsletter"]),
        st.sampled_from(["desktop", "phone"]),
        st.integers(0, 90),
    ),
    min_size=1,
    max_size=25,
)
ZONE = ZoneInfo("America/New_York")
#: Before midnight, before the clock goes forward, and before it goes back, in New York.
STARTS = [datetime(2026, *day, tzinfo=ZONE).timestamp() for day in ((1, 15, 21), (3, 7, 23), (10, 31, 23))]


def events_of(drawn: list[Any], start: float) -> list[NewEvent]:
    events = []
    for minutes, person, path, kind, source, device, seconds in drawn:
        at = start + minutes * MINUTE
        # The hash of a person is another one on each day.
        today, yesterday = (1000 * day_of(moment, ZONE).toordinal() + person for moment in (at, at - DAY))
        if kind == "goal":
            events.append(goal(at, today, formerly=yesterday, value_cents=100 + minutes))
            continue
        origin = {"source": source, "referrer": source and f"{source.lower()}.com", "device": device, "country": "US"}
        events.append(view(path, at, today, formerly=yesterday, **origin))
        if seconds:
            events.append(NewEvent(uid=events[-1].uid, kind=Kind.TIME, at=at + seconds, visitor=today, seconds=seconds))
    return events


def compare(found: Range, narrowed: Filter) -> None:
    """Compare all reports under a filter with the count."""
    stored = oracle.Stored(found.first, found.last, narrowed.path, narrowed.dimension, narrowed.value, narrowed.without_bounces)
    answer, expected = reports.summary(found, narrowed), stored.summary()
    assert {name: answer[name] for name in expected} == expected
    pages = reports.pages(found, limit=100, narrowed=narrowed)
    shown = {row["path"]: (row["pageviews"], row["visitors"], row["avg_duration_seconds"]) for row in pages}
    if narrowed.without_bounces:
        assert {path: numbers[:2] for path, numbers in shown.items()} == {
            path: numbers[:2] for path, numbers in stored.pages().items()
        }
    else:
        assert shown == stored.pages()
    if narrowed.dimension:
        return
    for dimension in oracle.VALUES:
        rows = reports.top(found, dimension, limit=100, narrowed=narrowed)
        shown = {row["value"]: (row["visitors"], row["pageviews"], row["sessions"]) for row in rows}
        assert shown == {value: numbers for value, numbers in stored.values(dimension).items() if numbers[0]}
    hours = reports.timeseries(found, "hour", narrowed)
    shown = {row["date"]: (row["visitors"], row["pageviews"], row["sessions"]) for row in hours}
    assert {hour: numbers for hour, numbers in shown.items() if any(numbers)} == stored.hours()
    goals = reports.conversions(found, narrowed=narrowed)
    assert {row["goal"]: (row["conversions"], row["value_cents"]) for row in goals} == stored.conversions()


@settings(max_examples=figure(5, 100), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    drawn=EVENTS,
    start=st.sampled_from(STARTS),
    batches=st.integers(1, 4),
    repeated=st.integers(0, 5),
    shuffled=st.randoms(use_true_random=False),
)
@pytest.mark.both_databases
def test_reports_equal_an_independent_count(drawn: list[Any], start: float, batches: int, repeated: int, shuffled: Any) -> None:
    for model in (Event, Visit, RollUp):
        model.objects.all().delete()
    set_setting(key="site.timezone", value="America/New_York")
    events = events_of(drawn, start)
    shuffled.shuffle(events)
    events += events[:repeated]
    size = -(-len(events) // batches)
    for place in range(0, len(events), size):
        store(events[place : place + size])
    first = day_of(start, ZONE)
    ranges, paths = (Range(first, first), Range(first, first + timedelta(days=2))), ("", "/", "/events")
    dimensions = (("", ""), ("source", "Google\t\t"), ("device", "phone"))
    # Among these are all pairs of a range, a path, a dimension, and whether bounces are left out.
    for number, other in itertools.product(range(3), repeat=2):
        narrowed = Filter(paths[number], *dimensions[other], (other - number) % 3 == 1)
        compare(ranges[(number + other) % 2], narrowed)
    assert not any(RollUp.objects.filter(**{f"{column}__lt": 0}).exists() for column in COLUMNS)


@pytest.mark.both_databases
def test_a_summary_takes_one_statement(django_assert_num_queries: Any) -> None:
    """Of the range and of the days before it together, whatever there is."""
    store([view(f"/p{number}", NOON, 100 + number) for number in range(30)])
    with django_assert_num_queries(1):
        assert reports.summary(WINTER)["visitors"] == 30
