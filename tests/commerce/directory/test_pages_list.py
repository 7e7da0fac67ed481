"""The directory and its categories: what visitors find, what they read of it, and when a cached page is made again."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import set_setting
from cms_api.http import found
from commerce.directory.selectors import listings as selectors
from commerce.directory.services.categories import save_category
from commerce.directory.services.saving import save_listing
from commerce.directory.views import listings as views
from tests.builders import make_image

from .builders import ADDRESS, DAILY, HERE, make_category, make_listing
from .conftest import Clock

pytestmark = pytest.mark.django_db

CARD = re.compile(r'listing-card__name"><a href="[^"]+">([^<]+)<')
#: About ten kilometres north of `HERE`.
NORTH = {"latitude": 42.94, "longitude": -72.5579}


def html(path: str = "/directory", **query: Any) -> str:
    answer = Client().get(path, query)
    assert answer.status_code == 200, path
    return answer.content.decode()


def shown(path: str = "/directory", **query: Any) -> list[str]:
    """The names of the listings on a page of the list."""
    return CARD.findall(html(path, **query))


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def test_it_works() -> None:
    crafts = make_category("Crafts", description="Made here.")
    make_listing(categories=[crafts.pk], description="Stoneware.", logo=make_image().pk, email="a@example.com", **ADDRESS, **HERE)
    make_listing("Noor's Bakery", featured=True)
    page = html()
    assert shown() == ["Noor&#x27;s Bakery", "Reyes Ceramics"]
    assert "2 listings" in page
    assert "Featured Crafts" not in words(page)
    assert "Crafts Brattleboro Stoneware." in words(page)
    assert "a@example.com" not in page
    assert 'data-map="' in page
    detail = html("/directory/category/crafts")
    assert "Made here." in detail
    assert CARD.findall(detail) == ["Reyes Ceramics"]


def facets(page: str) -> dict[str, int]:
    """The categories to choose, with their numbers of listings."""
    found = re.findall(r'<a class="chip"[^>]+>([^<&]+)&nbsp;<span class="directory-categories__count">\((\d+)<', page)
    return {name: int(number) for name, number in found}


@pytest.mark.parametrize("path", ["/directory/category/x", "/directory/category/1", "/directory/x"])
def test_unknown_pages(path: str) -> None:
    assert Client().get(path).status_code == 404


def test_only_live_listings_are_found(clock: Clock) -> None:
    clock("2027-01-31 12:00")
    make_listing("Live")
    make_listing("Pending", status="pending")
    make_listing("Archived", status="archived")
    make_listing("Ends", expires_at=datetime(2027, 1, 31, 13, tzinfo=UTC))
    assert shown() == ["Ends", "Live"]
    # The cached page is made again at the end of the term.
    clock("2027-01-31 13:00")
    assert shown() == ["Live"]


@pytest.mark.both_databases
def test_search_filters_and_categories() -> None:
    crafts, food = make_category("Crafts"), make_category("Food")
    make_listing("Potter", categories=[crafts.pk], featured=True)
    make_listing("Weaver", categories=[crafts.pk])
    make_listing("Pottery café", categories=[food.pk, crafts.pk])
    assert shown(q="pot") == ["Potter", "Pottery café"]
    assert shown(featured="1") == ["Potter"]
    assert shown("/directory/category/food", q="pot") == ["Pottery café"]
    page = html(q="pot")
    assert facets(page) == {"Crafts": 2, "Food": 1}
    assert 'href="/directory/category/food?q=pot"' in page
    assert 'value="pot"' in page
    # The chosen category stays, also without a match.
    assert facets(html("/directory/category/food", q="weaver")) == {"Crafts": 1, "Food": 0}
    assert "No listings found" in html(q="kettle")


def test_listings_of_a_category_are_counted_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selectors, "MAX_CATEGORY_LISTINGS", 2)
    monkeypatch.setattr(views, "MAX_CATEGORY_LISTINGS", 2)
    crafts, food = make_category("Crafts"), make_category("Food")
    for number in range(3):
        make_listing(f"Potter {number}", categories=[crafts.pk, *([food.pk] if number else [])])
    page = words(html())
    assert "(2+ listings )" in page or "(2+ listings)" in page
    assert page.count("2+") == 1
    assert facets(html()) == {"Food": 2}


@pytest.mark.parametrize("text", ["potter", "potter 1"])
@pytest.mark.both_databases
def test_a_category_of_a_search_that_finds_many(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(found, "MAX_LISTED_RECORDS", 2)
    crafts, food = make_category("Crafts"), make_category("Food")
    for number in range(4):
        make_listing(f"Potter {number}", categories=[crafts.pk, food.pk][: number + 1])
    page = html("/directory/category/crafts", q=text)
    assert facets(page) == ({"Crafts": 1, "Food": 1} if text == "potter 1" else {})
    assert set(re.findall('class="chip" href="/directory/category/([a-z]+)', page)) == {"crafts", "food"}


def test_near_a_place() -> None:
    set_setting(key="site.country", value="IE")
    make_listing("Here", **ADDRESS, **HERE)
    make_listing("North", city="Putney", **NORTH)
    make_listing("Nowhere")
    assert shown(near="Brattleboro") == ["Here", "North"]
    assert shown(near=" brattleboro ", radius="5") == ["Here"]
    assert shown(near="05301") == ["Here", "North"]
    page = html(near="42.8509, -72.5579")
    assert "9.9 km" in page
    assert '<option value="25" selected>25 km' in page
    set_setting(key="site.country", value="US")
    # Ten kilometres are more than five miles and less than ten.
    assert shown(near="Brattleboro", radius="5") == ["Here"]
    assert shown(near="Brattleboro", radius="10") == ["Here", "North"]
    assert "6.2 mi" in html(near="Brattleboro")


def test_an_unknown_place_is_named() -> None:
    make_listing(**HERE)
    page = html(near="<b>Atlantis")
    assert "couldn't find" in page
    assert "&lt;b&gt;Atlantis" in page
    assert CARD.findall(page) == ["Reyes Ceramics"]


HOSTILE = [
    "\0",
    "a\0b",
    "\ud800".encode("utf-8", "surrogatepass"),
    b"\xff\xfe",
    "9" * 5000,
    "-1",
    "²",
    "🐈" * 300,
    "' OR 1=1 --",
    "!!!",
]


def test_hostile_values_are_ignored() -> None:
    make_listing(**ADDRESS, **HERE)
    for value in HOSTILE:
        hostile = dict.fromkeys(("q", "near", "radius", "open", "featured", "page"), value)
        for sent in (hostile, {**hostile, "q": ""}, {"near": "42.85, -72.56", "radius": value}):
            assert Client().get("/directory", sent).status_code == 200


@pytest.mark.parametrize("near", ["91, 0", "0, 181", "-90, 180", "0,0", "1e5,1"])
def test_odd_coordinates(near: str) -> None:
    make_listing(**HERE)
    assert Client().get("/directory", {"near": near}).status_code == 200


@pytest.mark.parametrize(
    ("now", "says"),
    [
        ("2027-02-01 13:59", "Closed · opens at 9:00 AM"),
        ("2027-02-01 14:00", "Open now · closes at 5:00 PM"),
        ("2027-02-01 22:00", "Closed · opens Tuesday 9:00 AM"),
        ("2027-02-05 23:00", "Closed · opens Monday 9:00 AM"),
    ],
)
def test_open_state_in_the_zone_of_the_listing(clock: Clock, now: str, says: str) -> None:
    set_setting(key="site.country", value="US")
    set_setting(key="site.timezone", value="America/New_York")
    clock("2027-01-30 12:00")
    weekdays = {day: DAILY[day] for day in ("mon", "tue", "wed", "thu", "fri")}
    make_listing(hours=weekdays, timezone="America/New_York")
    make_listing("Unknown hours")
    clock(now)
    page = words(html()).replace("\xa0", " ")
    assert says in page
    assert page.count("Closed") + page.count("Open now ·") == 1
    assert "New York time" not in page
    set_setting(key="site.timezone", value="Europe/Paris")
    assert f"{says} (New York time)" in words(html()).replace("\xa0", " ")


def test_around_the_clock_and_never(clock: Clock) -> None:
    clock("2027-02-01 13:59")
    always = {day: [{"open": "00:00", "close": "00:00"}] for day in DAILY}
    make_listing(hours=always, timezone="Asia/Tokyo")
    make_listing("Closed", hours=None, special_hours=[{"date": "2026-12-24", "hours": []}])
    assert "Open 24 hours" in html()
    assert shown(open="1") == ["Reyes Ceramics"]


def test_a_cached_page_is_made_again_when_something_opens_or_changes(clock: Clock) -> None:
    clock("2027-02-01 08:59")
    listing = make_listing(hours=DAILY, timezone="UTC")
    assert "Open now ·" not in words(html())
    assert shown(open="1") == []
    clock("2027-02-01 09:00")
    assert "Open now ·" in words(html())
    clock("2027-02-01 09:02")
    assert shown(open="1") == ["Reyes Ceramics"]
    save_listing(listing=listing, values={"name": "Potter"})
    assert shown() == ["Potter"]
    category = make_category("Crafts")
    save_listing(listing=listing, values={"categories": [category.pk]})
    save_category(category=category, values={"name": "Arts"})
    assert "Arts" in html()
    save_listing(listing=listing, values={"status": "archived"})
    assert shown() == []


@pytest.mark.both_databases
def test_pages_of_a_long_list_keep_the_search() -> None:
    for number in range(25):
        make_listing(f"Potter {number:02}")
    page = html(q="potter")
    assert len(CARD.findall(page)) == 24
    assert 'href="?q=potter&amp;page=2"' in page
    assert shown(q="potter", page="2") == ["Potter 24"]
    assert "noindex" in page
    assert "noindex" not in html(page="2")


@pytest.mark.both_databases
def test_statements_do_not_grow_with_the_list(django_assert_max_num_queries: Any) -> None:
    categories = [make_category(name).pk for name in ("Crafts", "Food")]
    for _ in range(12):
        make_listing(categories=categories, logo=make_image().pk, hours=DAILY, **ADDRESS, **HERE)
    html()
    # Versions, settings, tags, categories, the count, the rows with theirs, and renditions.
    with django_assert_max_num_queries(16):
        html(near="Brattleboro")
