"""The six reports over the API."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.analytics.services.storing import store
from cms_api.analytics.types.counting import day_of
from cms_api.flags.selectors import site_timezone
from cms_api.flags.services import set_setting, switch_feature
from tests.builders import make_token
from tests.client import Api

from .builders import DAY, HOUR, MINUTE, NOON, goal, view

pytestmark = pytest.mark.django_db
REPORTS = ("summary", "timeseries", "pages", "referrers", "sources", "conversions")
JANUARY = {"from": "2026-01-10", "to": "2026-01-20"}


@pytest.fixture
def reports_api(api_on: None, analytics_on: None) -> Api:
    set_setting(key="site.timezone", value="UTC")
    return Api(make_token("analytics:read"))


def paths() -> list[str]:
    return [f"/analytics/{name}" for name in REPORTS]


def visits() -> None:
    """A visit from Google of two pages with an order, and one from nowhere of one page, on the day after a visit of the past."""
    google = {"source": "Google", "medium": "search", "referrer": "google.com"}
    store(
        [
            view("/", NOON, title="Home", **google),
            view("/shop", NOON + 2 * MINUTE, title="Shop", **google),
            goal(NOON + 3 * MINUTE),
            view("/", NOON + HOUR, 2, title="Home"),
            view("/", NOON - 11 * DAY, 3),
        ]
    )


@pytest.mark.both_databases
def test_reports(reports_api: Api) -> None:
    visits()
    assert reports_api.data("/analytics/summary", **JANUARY) == {
        **{"from": "2026-01-10", "to": "2026-01-20", "visitors": 2, "pageviews": 3, "sessions": 2, "bounce_rate": 0.5},
        **{"avg_duration_seconds": 90, "conversions": 1},
        "previous": {
            **{"from": "2025-12-30", "to": "2026-01-09", "visitors": 1, "pageviews": 1, "sessions": 1, "bounce_rate": 1},
            **{"avg_duration_seconds": 0, "conversions": 0},
        },
    }
    days = reports_api.data("/analytics/timeseries", **JANUARY)
    assert len(days) == 11
    assert days[5] == {"date": "2026-01-15", "visitors": 2, "pageviews": 3, "sessions": 2}
    assert not any(each["visitors"] for each in days[:5] + days[6:])
    assert reports_api.data("/analytics/pages", **JANUARY) == [
        {"path": "/", "title": "Home", "pageviews": 2, "visitors": 2, "avg_duration_seconds": 0},
        {"path": "/shop", "title": "Shop", "pageviews": 1, "visitors": 1, "avg_duration_seconds": 0},
    ]
    assert reports_api.data("/analytics/referrers", **JANUARY) == [{"referrer": "google.com", "visitors": 1, "pageviews": 2}]
    assert reports_api.data("/analytics/sources", **JANUARY) == [
        {"source": "direct", "medium": None, "campaign": None, "visitors": 1, "conversions": 0},
        {"source": "Google", "medium": "search", "campaign": None, "visitors": 1, "conversions": 1},
    ]
    assert reports_api.data("/analytics/conversions", **JANUARY) == [
        {"goal": "order", "conversions": 1, "conversion_rate": 0.5, "value_cents": 1250, "currency": "usd"}
    ]


@pytest.mark.both_databases
def test_reports_of_a_page(reports_api: Api) -> None:
    visits()
    asked = {**JANUARY, "page": "/shop/"}
    assert reports_api.data("/analytics/summary", **asked)["visitors"] == 1
    assert [each["path"] for each in reports_api.data("/analytics/pages", **asked)] == ["/shop"]
    assert [each["source"] for each in reports_api.data("/analytics/sources", **asked)] == ["Google"]
    assert reports_api.data("/analytics/conversions", **asked)[0]["conversion_rate"] == 1
    assert sum(each["pageviews"] for each in reports_api.data("/analytics/timeseries", **asked)) == 1
    assert reports_api.data("/analytics/pages", **JANUARY, page="/nowhere") == []


@pytest.mark.parametrize("path", paths())
def test_nothing_is_an_answer_too(reports_api: Api, path: str) -> None:
    """Of the thirty days that end today, in the site's time zone."""
    set_setting(key="site.timezone", value="Pacific/Auckland")
    today = timezone.localdate(timezone=site_timezone())
    answer = reports_api.get(path).json()
    assert answer["meta"] == {"from": (today - timedelta(days=29)).isoformat(), "to": today.isoformat()}


@pytest.mark.both_databases
def test_a_range_has_one_end_or_both(reports_api: Api) -> None:
    def days(**asked: str) -> Any:
        meta = reports_api.get("/analytics/sources", **asked).json()["meta"]
        return meta["from"], meta["to"]

    assert days(to="2026-03-02") == ("2026-02-01", "2026-03-02")
    today = timezone.localdate(timezone=site_timezone())
    assert days(**{"from": (today - timedelta(days=3)).isoformat()}) == (
        (today - timedelta(days=3)).isoformat(),
        today.isoformat(),
    )
    assert days(**{"from": "2999-01-01"}) == ("2999-01-01", "2999-01-01")
    assert days(**{"from": "2024-01-01", "to": "2024-12-31"}) == ("2024-01-01", "2024-12-31")


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"from": "2024-01-01", "to": "2025-01-01"}, "to"),
        ({"from": "2026-01-02", "to": "2026-01-01"}, "to"),
        *(({"from": bad}, "from") for bad in ("yesterday", "2026-02-30", "0001-01-01", "2026-1-1", "\0", "99999-01-01")),
        *(({"to": bad}, "to") for bad in ("2026-13-01", "1e9", "2026-01-01T00:00:00Z")),
        ({"page": "x" * 501}, "page"),
        ({"page": "/\0"}, "page"),
    ],
)
@pytest.mark.parametrize("path", paths())
def test_malformed_values_are_refused(reports_api: Api, path: str, asked: dict[str, str], named: str) -> None:
    answer = reports_api.get(path, **asked)
    assert answer.status_code == 422
    assert named in answer.json()["errors"]


@pytest.mark.parametrize("path", paths())
@pytest.mark.parametrize("asked", [{"from": "9999-12-31"}, {"to": "9999-12-31"}, {"from": "0001-01-01", "to": "0001-01-01"}])
def test_the_ends_of_the_calendar_are_refused(reports_api: Api, path: str, asked: dict[str, str]) -> None:
    assert reports_api.get(path, **asked).status_code == 422


@pytest.mark.parametrize("path", [f"/analytics/{name}" for name in ("pages", "referrers", "sources")])
def test_rankings_have_a_limit(reports_api: Api, path: str) -> None:
    names = [f"n{number:03}" for number in range(105)]
    store([view(f"/{name}", NOON, 10 + place, source=name, referrer=name) for place, name in enumerate(names)])
    assert len(reports_api.data(path, **JANUARY)) == 10
    assert len(reports_api.data(path, **JANUARY, limit=3)) == 3
    assert len(reports_api.data(path, **JANUARY, limit=1000)) == 100
    for bad in ("0", "-1", "x", "9" * 40, "1.5"):
        assert reports_api.get(path, limit=bad).status_code == 422, bad


@pytest.mark.parametrize(
    ("day", "number"), [("2026-03-08", 23), ("2026-11-01", 25), ("2026-07-01", 24)], ids=["forward", "back", "summer"]
)
def test_hours_of_a_day(reports_api: Api, day: str, number: int) -> None:
    set_setting(key="site.timezone", value="America/New_York")
    midnight = datetime.fromisoformat(day).replace(tzinfo=site_timezone()).timestamp()
    next_day = datetime.fromisoformat(day).replace(tzinfo=site_timezone()) + timedelta(days=1)
    store([view("/", at, place) for place, at in enumerate((midnight, next_day.timestamp() - 1, next_day.timestamp()), 1)])
    hours = reports_api.data("/analytics/timeseries", **{"from": day, "to": day}, interval="hour")
    assert len(hours) == number
    assert [each["pageviews"] for each in hours] == [1, *[0] * (number - 2), 1]
    assert datetime.fromisoformat(hours[0]["date"]) == datetime.fromtimestamp(midnight, UTC)


def test_hours_where_clocks_differ_by_half_an_hour(reports_api: Api) -> None:
    set_setting(key="site.timezone", value="Asia/Kolkata")
    midnight = datetime(2026, 1, 15, tzinfo=site_timezone()).timestamp()
    store([view("/", midnight + MINUTE, 1), view("/", midnight - MINUTE, 2), view("/", midnight + 31 * MINUTE, 3)])
    hours = reports_api.data("/analytics/timeseries", **{"from": "2026-01-15", "to": "2026-01-15"}, interval="hour")
    assert (len(hours), hours[0]["date"]) == (24, "2026-01-14T18:30:00+00:00")
    assert [each["pageviews"] for each in hours] == [2, *[0] * 23]


def test_addresses_without_a_page_make_no_visit(reports_api: Api) -> None:
    store([view("/gone", NOON, 1, kind="missing"), view("/", NOON, 2)])
    asked = {"from": "2026-01-15", "to": "2026-01-15"}
    found = reports_api.data("/analytics/summary", **asked)
    assert (found["visitors"], found["sessions"], found["bounce_rate"]) == (1, 1, 1)


def test_intervals(reports_api: Api) -> None:
    visits()

    def read(interval: str, **asked: str) -> list[tuple[str, int]]:
        rows = reports_api.data("/analytics/timeseries", **asked, interval=interval)
        return [(row["date"], row["pageviews"]) for row in rows]

    assert read("week", **JANUARY) == [("2026-01-05", 0), ("2026-01-12", 3), ("2026-01-19", 0)]
    assert read("month", **{"from": "2025-12-30", "to": "2026-02-01"}) == [
        ("2025-12-01", 0),
        ("2026-01-01", 4),
        ("2026-02-01", 0),
    ]
    assert len(read("hour", **{"from": "2026-01-12", "to": "2026-01-18"})) == 168
    for asked in ({"interval": "hour", **JANUARY}, {"interval": "year"}, {"interval": "HOUR"}):
        assert "interval" in reports_api.get("/analytics/timeseries", **asked).json()["errors"]


@pytest.mark.both_databases
def test_every_day_of_the_longest_range(reports_api: Api) -> None:
    rows = reports_api.data("/analytics/timeseries", **{"from": "2024-01-01", "to": "2024-12-31"})
    assert (len(rows), rows[59]["date"]) == (366, date(2024, 2, 29).isoformat())


def test_some_fields(reports_api: Api) -> None:
    visits()
    assert reports_api.data("/analytics/pages", **JANUARY, fields="path,visitors")[0] == {"path": "/", "visitors": 2}
    assert reports_api.data("/analytics/summary", **JANUARY, fields="visitors") == {"visitors": 2}
    assert reports_api.get("/analytics/pages", fields="secret").status_code == 422


@pytest.mark.parametrize("path", paths())
def test_answers_that_did_not_change_are_not_sent_again(reports_api: Api, path: str) -> None:
    answer = reports_api.get(path, **JANUARY)
    tag = answer.headers["ETag"]
    assert reports_api.request("GET", path, query=JANUARY, if_none_match=tag).status_code == 304
    visits()
    assert reports_api.request("GET", path, query=JANUARY, if_none_match=tag).status_code == 200


@pytest.mark.parametrize("path", paths())
def test_the_ability_and_the_feature(reports_api: Api, path: str) -> None:
    assert Api(make_token("crm:read")).get(path).status_code == 403
    assert Api().get(path).status_code == 401
    assert reports_api.request("POST", path, {}).status_code == 405
    switch_feature(name="analytics", on=False)
    assert reports_api.get(path).status_code == 404


def test_a_page_has_its_day_in_the_sites_time_zone(reports_api: Api) -> None:
    set_setting(key="site.timezone", value="Pacific/Auckland")
    store([view("/", NOON)])
    assert day_of(NOON, site_timezone()) == date(2026, 1, 16)
    rows = reports_api.data("/analytics/timeseries", **JANUARY)
    assert [row["date"] for row in rows if row["pageviews"]] == ["2026-01-16"]
