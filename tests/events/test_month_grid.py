"""A month as a table, in which everything stands on its own days."""

import datetime as dt
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.items import update_item
from cms_api.flags.services import set_setting
from cms_api.http import page_cache
from events.models import Rsvp
from events.types.months import Month, read_month
from tests.builders import make_item, make_term

from .event_pages import WEEKLY, events, gatherings, make_event, page, put_forward

pytestmark = pytest.mark.django_db

MARCH = "/events?view=calendar&month=2026-03"


def cells(html: str) -> dict[str, str]:
    """The HTML of each day's cell, by date."""
    return dict(re.findall(r'<td [^>]*data-date="([^"]+)"[^>]*>(.*?)</td>', html, re.DOTALL))


def days_of(html: str, title: str) -> list[int]:
    return [int(day[-2:]) for day, cell in cells(html).items() if title in cell]


def when(start: str, end: str | None = None, **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, **more}


def test_it_works(client: Client) -> None:
    make_event("Concert", when("2026-03-12T19:30", "2026-03-12T21:00"))
    html = page(client, MARCH)
    assert list(cells(html)) == [f"2026-03-{day:02}" for day in range(1, 32)]
    cell = cells(html)["2026-03-12"]
    assert '<a href="/events/concert">' in cell
    assert "7:30\xa0PM" in cell
    assert days_of(html, "Concert") == [12]


def test_the_table_says_what_it_is(client: Client) -> None:
    events()
    html = page(client, MARCH)
    assert re.search(r"<caption>.*March 2026.*</caption>", html, re.DOTALL)
    assert re.findall(r'<th scope="col"[^>]*><abbr title="(\w+)">', html) == [
        *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ]
    assert "?view=calendar&amp;month=2026-02" in html or "?view=calendar&month=2026-02" in html
    assert "February 2026" in html
    assert "April 2026" in html
    assert "Nothing is scheduled in March 2026" in html
    assert page(client, MARCH.replace("view", "tab")).count("<td") == html.count("<td")


def test_a_zoned_date_stands_on_each_day_it_spans_by_the_clocks_of_the_site(client: Client) -> None:
    set_setting(key="site.timezone", value="Europe/Berlin")
    make_event("Tokyo", when("2026-03-10T02:00", "2026-03-10T04:00", tz="Asia/Tokyo"))
    make_event("Night", when("2026-03-13T22:00", "2026-03-15T02:00"))
    make_event("Midnight", when("2026-03-17T20:00", "2026-03-18T00:00"))
    make_event("Moment", when("2026-03-20T00:00"))
    html = page(client, MARCH)
    assert days_of(html, "Tokyo") == [9]
    assert "6:00\xa0PM" in cells(html)["2026-03-09"]
    assert days_of(html, "Night") == [13, 14, 15]
    assert "until 2:00\xa0AM" in cells(html)["2026-03-15"]
    assert "day 2 of 3" in cells(html)["2026-03-14"]
    assert days_of(html, "Midnight") == [17]
    assert days_of(html, "Moment") == [20]


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"])
def test_an_all_day_date_stands_on_its_own_days_wherever_the_site_is(client: Client, zone: str) -> None:
    make_event("Fair", when("2026-03-01", "2026-03-02", all_day=True))
    make_event("Feast", when("2026-03-31", all_day=True))
    make_event("April", when("2026-04-01", all_day=True))
    set_setting(key="site.timezone", value=zone)
    html = page(client, MARCH)
    assert days_of(html, "Fair") == [1, 2]
    assert days_of(html, "Feast") == [31]
    assert days_of(html, "April") == []


def test_what_began_before_the_month_goes_on_in_it(client: Client) -> None:
    make_event("Weeks", when("2026-02-20", "2026-03-05", all_day=True))
    make_event("Season", when("2025-10-01", "2026-06-30", all_day=True))
    make_event("Over", when("2025-10-01", "2026-02-28", all_day=True))
    html = page(client, MARCH)
    assert days_of(html, "Weeks") == [1, 2, 3, 4, 5]
    assert days_of(html, "Season") == list(range(1, 32))
    assert days_of(html, "Over") == []


def test_every_date_of_one_that_repeats_leads_to_its_page(client: Client) -> None:
    make_event("Class", when("2026-03-03T18:00", "2026-03-03T19:00", repeat=WEEKLY))
    html = page(client, MARCH)
    assert days_of(html, "Class") == [3, 10, 17, 24]
    assert 'href="/events/class"' in cells(html)["2026-03-03"]
    assert 'href="/events/class?occurrence=2026-03-10T18:00:00"' in cells(html)["2026-03-10"]


def test_a_cancelled_date_is_struck_and_says_so(client: Client) -> None:
    item = make_event("Class", when("2026-03-03T18:00", repeat=WEEKLY))
    row = ContentItem.objects.filter(owner=item).latest("starts_at")
    Rsvp.objects.create(
        event=item,
        occurrence=row,
        occurrence_start=row.data["event_date"]["start"],
        name="D",
        email="d@e.org",
        email_key="d@e.org",
    )
    update_item(item=item, values={"data": {"event_date": when("2026-03-03T18:00", repeat={"frequency": "weekly", "count": 2})}})
    html = page(client, MARCH)
    assert days_of(html, "Class") == [3, 10, 24]
    assert re.search(r"<s[^>]*>Class</s> <strong[^>]*>Cancelled</strong>", cells(html)["2026-03-24"])
    assert "Cancelled" not in cells(html)["2026-03-10"]


def test_many_dates_of_a_day_unfold(client: Client) -> None:
    for number in range(7):
        make_event(f"Talk {number}", when(f"2026-03-05T1{number}:00"))
    cell = cells(page(client, MARCH))["2026-03-05"]
    before, _, inside = cell.partition("<details")
    assert [f"Talk {number}" in before for number in range(7)] == [True] * 4 + [False] * 3
    assert all(f"Talk {number}" in inside for number in (4, 5, 6))
    assert "3 more" in inside


def test_a_category_and_other_types_have_months_too(client: Client) -> None:
    make_term(events(), "category", "Music")
    make_event("Class", when("2026-03-03T18:00", repeat=WEEKLY), data={"category": ["music"]})
    make_event("Talk", when("2026-03-04T18:00"))
    html = page(client, "/events/category/music?view=calendar&month=2026-03")
    assert days_of(html, "Class") == [3, 10, 17, 24]
    assert days_of(html, "Talk") == []
    make_item(gatherings(has_detail=False), title="Meeting", data={"at": when("2026-03-04T18:00")})
    html = page(client, "/gatherings?view=calendar&month=2026-03")
    assert days_of(html, "Meeting") == [4]
    assert "/gatherings/meeting" not in html


@pytest.mark.parametrize(
    "month",
    ["", "2026", "2026-13", "2026-00", "0000-01", "9999-12", "2200-01", "2026-3", "%00", "2026-03-01", "x" * 9000, "²⁰²⁶-⁰³"],
)
def test_what_is_no_month_or_too_far_away_is_the_present_one(client: Client, month: str) -> None:
    events()
    html = page(client, f"/events?view=calendar&month={month}")
    assert next(iter(cells(html)))[:7] == f"{timezone.localdate():%Y-%m}"


def test_there_is_nothing_beyond_the_last_month(client: Client) -> None:
    events()
    assert 'rel="next' not in page(client, "/events?view=calendar&month=2199-12")
    assert 'rel="prev' not in page(client, "/events?view=calendar&month=1900-01")
    assert read_month("2199-12") == Month(2199, 12)


def test_engines_are_not_led_through_endless_months(client: Client) -> None:
    events()
    assert "noindex" in page(client, MARCH)
    assert "noindex" not in page(client, "/events?view=calendar")


def test_a_kept_month_ends_with_the_day(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    events()
    html = page(client, "/events?view=calendar")
    today = timezone.localdate().isoformat()
    assert 'aria-current="date"' in re.search(rf"<td [^>]*{today}[^>]*>", html)[0]  # type: ignore[index]
    assert len(page_cache._pages) == 1
    put_forward(monkeypatch, days=1)
    html = page(client, "/events?view=calendar")
    tomorrow = (dt.date.fromisoformat(today) + dt.timedelta(days=1)).isoformat()
    assert 'aria-current="date"' in re.search(rf"<td [^>]*{tomorrow}[^>]*>", html)[0]  # type: ignore[index]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads small tables from end to end.")
def test_a_month_is_found_by_indexes_of_its_days(client: Client) -> None:
    make_event("Class", when("2026-03-03T18:00", repeat=WEEKLY))
    with CaptureQueriesContext(connection) as captured:
        page(client, MARCH)
    reads = [query["sql"] for query in captured if 'AS "starts_at"' in query["sql"] or '"is_long"' in query["sql"]]
    plans = []
    for sql in reads:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plans.append(" ".join(row[-1] for row in cursor.fetchall()))
    assert [("item_dated" in plan, "item_long" in plan) for plan in plans] == [(True, False), (False, True)]
