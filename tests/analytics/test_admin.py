"""The dashboard in the admin."""

import csv
import re
import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.adminkit.cards import Kind
from cms_api.analytics.admin.asked import read
from cms_api.analytics.admin.cards import visitors
from cms_api.analytics.admin.hints import hints_of
from cms_api.analytics.admin.tables import TABLES
from cms_api.analytics.selectors.ranges import Range
from cms_api.analytics.services.storing import store
from cms_api.flags.services import switch_feature
from tests import people

from .builders import DAY, HOUR, MINUTE, NOON, goal, view

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

INDEX = "/admin/analytics/"
#: A week with NOON, and one before it.
WEEK = f"{INDEX}?from=2026-01-12&to=2026-01-18"


@pytest.fixture
def visits(analytics_on: None) -> None:
    """Three visitors of a week, one of whom comes from Canada and buys, and one visitor of the week before."""
    store(
        [
            view(
                "/", NOON, 1, title="Home", source="Google", medium="search", referrer="google.com", country="CA", device="phone"
            ),
            view("/shop", NOON + MINUTE, 1, title="The shop"),
            goal(NOON + 2 * MINUTE, 1),
            view("/", NOON + HOUR, 2, title="Home", country="US", device="desktop"),
            view("/", NOON + DAY, 3, title="Home", country="US", device="desktop"),
            view("/", NOON - 7 * DAY, 4, title="Home"),
        ]
    )


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


def tile(html: str, title: str) -> str:
    """The figure of a tile with its change."""
    part = html[html.index(f"<dt>{title}</dt>") :]
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", "", part[: part.index("</div>")])).strip()


def panel(html: str, name: str) -> str:
    part = html[html.index(f'id="visits-{name}"') :]
    return part[: part.index("</section>")]


@pytest.mark.both_databases
def test_it_works(visits: None, admin_client: Client) -> None:
    found = page(admin_client, WEEK)
    assert tile(found, "Visitors") == "Visitors 3 Up 200%, from 1"
    assert tile(found, "Page views") == "Page views 4 Up 300%, from 1"
    assert tile(found, "Bounce rate") == "Bounce rate 66.7% Down 33.3 points, from 100.0% Exclude bounces"
    assert tile(found, "Duration") == "Duration 40 s None before, from 0 s"
    assert tile(found, "Conversions") == "Conversions 1 None before, from 0"
    assert "Jan 12, 2026 – Jan 18, 2026, compared with Jan 5, 2026 – Jan 11, 2026" in found
    assert "Jan 15, 2026: 2 visitors, 1 before" in found
    assert '>Home</a> <span class="visits-table__path">/</span>' in panel(found, "pages")
    assert "Google / search" in panel(found, "sources")
    assert "google.com" in panel(found, "referrers")
    assert "Phone" in panel(found, "devices")
    assert "Canada" in panel(found, "countries")
    assert re.search(r"Order paid .*>1</td>.*>33\.3%</td>.*>\$12\.50</td>", panel(found, "goals"))
    assert "Every page that was asked for exists." in panel(found, "missing")
    assert "style=" not in found[found.index("visits-tiles") :]


def test_a_new_site_has_something_to_read(analytics_on: None, admin_client: Client) -> None:
    found = page(admin_client, INDEX)
    assert tile(found, "Visitors") == "Visitors 0 None before"
    assert "There is nothing to draw for this range." in found
    assert "Nobody in the last 30 minutes." in found


def test_a_row_narrows_everything(visits: None, admin_client: Client) -> None:
    found = page(admin_client, WEEK)
    link = re.search(r'<a href="([^"]+)">Google / search', found)
    assert link
    narrowed = page(admin_client, unescape(link[1]))
    assert tile(narrowed, "Visitors") == "Visitors 1 None before"
    assert "<strong>Source:</strong> Google / search" in narrowed
    assert ">The shop</a>" in panel(narrowed, "pages")
    assert "Time on page</th>" not in narrowed
    assert "Not known by source: entry pages, exit pages, referrers, devices, countries, goals" in narrowed
    assert page(admin_client, f"{WEEK}&by=source&value=%09%09").count("<strong>Source:</strong> Direct") == 1


def test_a_page_and_a_value_together(visits: None, admin_client: Client) -> None:
    found = page(admin_client, f"{WEEK}&page=/shop/&by=country&value=CA")
    assert tile(found, "Page views") == "Page views 1 None before"
    without = re.findall(r'<a href="([^"]+)" aria-label="Remove', found)
    assert [unescape(each).partition("&")[2] for each in without] == [
        "to=2026-01-18&by=country&value=CA",
        "to=2026-01-18&page=%2Fshop",
    ]
    assert tile(page(admin_client, f"{WEEK}&page=/shop&by=country&value=US"), "Page views") == "Page views 0 None before"


@pytest.mark.both_databases
def test_filters_are_kept_in_links_and_forms(visits: None, admin_client: Client) -> None:
    found = page(admin_client, f"{WEEK}&page=/&by=source&value=Google%09search%09")
    assert f'href="{INDEX}?period=7&amp;page=%2F&amp;by=source&amp;value=Google%09search%09">7 days</a>' in found
    assert '<input type="hidden" name="page" value="/">' in found
    assert (
        '<input type="hidden" name="value" value="Google\tsearch\t">'
        in admin_client.get(f"{WEEK}&page=/&by=source&value=Google%09search%09").content.decode()
    )


def test_all_rows_of_a_table(analytics_on: None, admin_client: Client) -> None:
    store([view(f"/page-{number:03}", NOON + number, number + 1) for number in range(120)])
    found = page(admin_client, WEEK)
    assert panel(found, "pages").count("table__bar") == 10
    link = re.search(r'<a href="([^"]+)">Show more', panel(found, "pages"))
    assert link
    first = page(admin_client, unescape(link[1]))
    assert first.count("table__bar") == 100
    assert "Page 1 of 2" in first
    later = re.search(r'<a href="([^"]+)" rel="next"', first)
    assert later
    second = page(admin_client, unescape(later[1]))
    assert second.count("table__bar") == 20
    assert "/page-119" in second
    assert page(admin_client, f"{INDEX}tables/pages/?p={'9' * 5000}")


def test_the_file(visits: None, admin_client: Client) -> None:
    store([view("/=cmd", NOON, 9, title="=1+1", source="@x", country="CA")])
    rows = read_file(admin_client, "pages")
    assert rows[0] == ["Page", "Title", "Page views", "Visitors", "Time on page"]
    assert rows[1] == ["/", "Home", "3", "3", "0"]
    assert ["/=cmd", "'=1+1", "1", "1", "0"] in rows
    assert read_file(admin_client, "sources")[0] == ["Source", "Medium", "Campaign", "Visitors", "Conversions"]
    assert ["'@x", "", "", "1", "0"] in read_file(admin_client, "sources")
    assert read_file(admin_client, "goals") == [
        ["Goal", "Reached", "Rate", "Value", "Currency"],
        ["Order paid", "1", "0.25", "1250", "usd"],
    ]
    for name in TABLES:
        assert read_file(admin_client, name)


def read_file(client: Client, name: str) -> list[list[str]]:
    answer = client.get(f"{INDEX}tables/{name}/?from=2026-01-12&to=2026-01-18&export=csv")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == f'attachment; filename="analytics-{name}-2026-01-12-2026-01-18.csv"'
    return list(csv.reader(StringIO(answer.content.decode())))


@pytest.mark.parametrize(
    "query",
    [
        "period=forever",
        "period=%00",
        "from=yesterday",
        "from=2026-02-30&to=2026-03-01",
        "from=2026-03-02&to=2026-03-01",
        "from=0001-01-01",
        "from=2001-01-01&to=2026-01-01",
        "to=9999-12-31",
        "from=%00&to=%EF%BF%BD",
        "page=%00",
        f"page=/{'a' * 600}",
        "page=%ED%A0%80%00",
        "by=source&value=Google",
        "by=goal&value=order%09usd",
        "by=nothing",
        "by=%00&value=%00",
        "by=country&value=%00",
        f"by=device&value={'a' * 9000}",
        "value=lost",
        "bounces=no",
        "bounces=%00",
    ],
)
def test_hostile_parameters_are_left_out_with_a_message(visits: None, admin_client: Client, query: str) -> None:
    assert 'role="alert"' in page(admin_client, f"{INDEX}tables/sources/?{query}")
    assert admin_client.get(f"{INDEX}tables/sources/?{query}&export=csv").status_code == 200


def test_a_table_that_is_not_there(visits: None, admin_client: Client) -> None:
    assert admin_client.get(f"{INDEX}tables/hours/").status_code == 404
    found = page(admin_client, f"{INDEX}tables/devices/?by=country&value=CA")
    assert "be narrowed by these filters" in found


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        ("today", "2026-03-01", "2026-03-01"),
        ("yesterday", "2026-02-28", "2026-02-28"),
        ("7", "2026-02-23", "2026-03-01"),
        ("90", "2025-12-02", "2026-03-01"),
        ("month", "2026-03-01", "2026-03-01"),
        ("last_month", "2026-02-01", "2026-02-28"),
        ("12_months", "2025-04-01", "2026-03-01"),
    ],
)
def test_periods(analytics_on: None, monkeypatch: pytest.MonkeyPatch, period: str, first: str, last: str) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))
    found = read({"period": period})
    assert (found.range.first.isoformat(), found.range.last.isoformat()) == (first, last)
    assert found.problems == ()


def test_twelve_months_that_end_in_december(analytics_on: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 12, 31, 12, tzinfo=UTC))
    assert read({"period": "12_months"}).range == Range(date(2026, 1, 1), date(2026, 12, 31))


@pytest.mark.parametrize(
    "query",
    ["period=today", "period=30", "period=12_months", "page=/&period=90", "by=device&value=phone", "bounces=exclude"],
)
def test_the_number_of_statements_is_constant(visits: None, admin_client: Client, query: str) -> None:
    page(admin_client, WEEK)
    with CaptureQueriesContext(connection) as few:
        page(admin_client, f"{WEEK}")
    store(
        [
            view(f"/{number % 50}", NOON + number * HOUR / 4, number, country="CA", referrer=f"{number}.org")
            for number in range(400)
        ]
    )
    with CaptureQueriesContext(connection) as many:
        page(admin_client, f"{INDEX}?{query}")
    # One of them reads the groups of the account, with which a session ends.
    assert len(many) <= len(few) <= 23


def test_visitors_now(analytics_on: None, admin_client: Client) -> None:
    now = time.time()
    store([view("/", now - 60, 1), view("/", now - 20 * 60, 2), view("/", now - 20 * 60, 3), view("/", now - 40 * 60, 4)])
    found = page(admin_client, f"{INDEX}live/")
    assert "<strong>1</strong> visitor in the last 5 minutes" in found
    assert found.count("<rect") == 2
    assert "<html" not in found
    assert f'data-visits-live="{INDEX}live/"' in page(admin_client, INDEX)


def test_nearly_all_visits_share_an_address(analytics_on: None, admin_client: Client) -> None:
    store([view("/", NOON + number * HOUR / 60 * 31, 1) for number in range(49)])
    assert "share one address" not in page(admin_client, WEEK)
    store([view("/", NOON + number * HOUR / 60 * 31, 1) for number in range(49, 130)])
    found = page(admin_client, WEEK)
    assert "Nearly all visits share one address" in found
    assert "TRUSTED_PROXIES" in found


def test_sessions_of_many_flow_together(analytics_on: None, admin_client: Client) -> None:
    store([view("/", NOON + number * MINUTE / 2, 1) for number in range(499)])
    assert "share one address" not in page(admin_client, WEEK)
    store([view("/", NOON + DAY, 1)])
    assert "share one address" in page(admin_client, WEEK)


def test_single_views_rise(visits: None, admin_client: Client) -> None:
    before = NOON - 7 * DAY
    store([view("/", before + second, 100 + number) for number in range(40) for second in (0, MINUTE)])
    store([view("/", NOON + number, 1000 + number) for number in range(60)])
    found = page(admin_client, WEEK)
    assert "Why so many?" in found
    assert found.count("Exclude bounces</a>") == 2
    assert "Why so many?" not in page(admin_client, f"{WEEK}&page=/")


def test_bounces_are_excluded_by_a_click(visits: None, admin_client: Client) -> None:
    found = page(admin_client, WEEK)
    link = f"{INDEX}?from=2026-01-12&amp;to=2026-01-18&amp;bounces=exclude"
    assert f'<a href="{link}">Exclude bounces</a>' in found
    found = page(admin_client, unescape(link))
    for title, figure in {"Visitors": 1, "Page views": 2, "Sessions": 1}.items():
        assert tile(found, title) == f"{title} {figure} None before"
    assert "Bounce rate" not in found.partition("visits-help")[0]
    assert "Exclude bounces" not in found
    assert 'aria-label="Remove the filter Bounces: excluded"' in found
    assert '<input type="hidden" name="bounces" value="exclude">' in found
    # The filter stays when a row is chosen, and is in the files.
    assert "&amp;page=%2Fshop&amp;bounces=exclude" in found
    answer = admin_client.get(f"{INDEX}tables/entries/?from=2026-01-12&to=2026-01-18&bounces=exclude&export=csv")
    assert answer.content.decode().splitlines() == ["Page,Title,Sessions", "/,Home,1"]


def test_hints_are_quiet_about_usual_visits() -> None:
    usual = {"sessions": 1000, "visitors": 900, "bounces": 450, "pageviews": 3000}
    assert hints_of(usual, {"sessions": 400, "visitors": 390, "bounces": 180, "pageviews": 1200}) == []
    assert hints_of({**usual, "sessions": 0}, {"sessions": 0, "visitors": 0, "bounces": 0, "pageviews": 0}) == []


def test_the_card_on_the_home(visits: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 1, 18, 12, tzinfo=UTC))
    request = people.request_by(people.alice())
    assert request.user.has_perm("analytics.view_rollup")
    with CaptureQueriesContext(connection) as statements:
        card = visitors(request)
    assert card
    assert (card.title, card.text, card.kind) == ("Visitors in the last 7 days", "3, up 200%", Kind.FIGURE)
    assert card.url == f"{INDEX}?period=7"
    assert len(statements) <= 2


def test_managers_see_it_and_editors_do_not(visits: None, sign_in: Callable[[Any], Client]) -> None:
    paths = (INDEX, f"{INDEX}live/", f"{INDEX}tables/pages/", f"{INDEX}tables/pages/?export=csv")
    managing, editing = sign_in(people.mallory_manager()), sign_in(people.bob())
    for path in paths:
        assert managing.get(path).status_code == 200
        assert editing.get(path).status_code in {302, 403}
        assert "visits-" not in editing.get(path).content.decode()


def test_it_is_gone_while_analytics_are_off(visits: None, admin_client: Client) -> None:
    switch_feature(name="analytics", on=False)
    assert admin_client.get(INDEX).status_code == 404
