"""GET /content-items?search=: whole words and their beginnings, all of them, whatever the case and the accents."""

from typing import Any

import pytest

from cms_api.content.models import ContentItem, Tally
from cms_api.content.selectors import ItemFilter
from cms_api.core import reading
from cms_api.http import searching
from cms_api.http.searching import SearchListing, search_by_filter, search_in
from cms_api.text.search import having_words, matching, matching_in_order
from tests.builders import field, make_item, make_type
from tests.client import Api

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def slugs(records: list[dict[str, Any]]) -> list[str]:
    return [record["slug"] for record in records]


def found(api: Api, search: str, **query: str) -> set[str]:
    return {record["slug"] for record in api.data("/content-items", search=search, status="all", **query)}


@pytest.fixture(autouse=True)
def _library(db: None) -> None:
    item_type = make_type(
        field("summary", "textarea"),
        field("story", "richtext_tiptap"),
        field("genre", "select", options=[{"value": "sf", "label": "Science fiction"}]),
        field("place", "address"),
        field("mail", "email"),
    )
    make_item(item_type, title="Crème brûlée", slug="creme", data={"summary": "A French dessert, best cold"})
    make_item(item_type, title="The Straße of Köln", slug="strasse", excerpt="A walk through the town")
    make_item(
        item_type,
        title="Dune",
        slug="dune",
        data={"genre": "sf", "story": "<p>On <strong>Arr</strong>akis, the spice&nbsp;flows &amp; worms eat</p>"},
    )
    make_item(item_type, title="O'Brien's 2nd café-bar", slug="bar", data={"place": {"city": "Zürich", "street": "Bahnhof 12"}})
    make_item(item_type, title="Привет мир", slug="mir", data={"summary": "日本語 テキスト"})
    make_item(item_type, title="A draft of a plan", slug="plan", status="draft")


FOUND: list[tuple[str, set[str]]] = [
    ("creme", {"creme"}),
    ("Crème", {"creme"}),
    ("CREME", {"creme"}),
    ("CRÈME BRÛLÉE", {"creme"}),
    ("cre", {"creme"}),
    ("c", {"creme", "bar"}),
    ("reme", set()),
    ("brulee creme", {"creme"}),
    ("creme dune", set()),
    ("french cold", {"creme"}),
    ("fre col bru", {"creme"}),
    ("desserts", set()),
    ("strasse", {"strasse"}),
    ("STRASSE koln", {"strasse"}),
    ("straße", {"strasse"}),
    ("Kö", {"strasse"}),
    ("walk town", {"strasse"}),
    ("arrakis", {"dune"}),
    ("spice flows", {"dune"}),
    ("worms eat", {"dune"}),
    ("strong", set()),
    ("nbsp", set()),
    ("amp", set()),
    ("science", {"dune"}),
    ("brien", {"bar"}),
    ("o'brien", {"bar"}),
    ("2nd", {"bar"}),
    ("2", {"bar"}),
    ("cafe", {"bar"}),
    ("cafe-bar", {"bar"}),
    ("cafe bar", {"bar"}),
    ("bar", {"bar"}),
    ("zurich", {"bar"}),
    ("bahnhof 12", {"bar"}),
    ("привет", {"mir"}),
    ("ПРИ", {"mir"}),
    ("日本語", {"mir"}),
    ("draft plan", {"plan"}),
    ("the", {"strasse", "dune"}),
    ("nothing", set()),
    ("!!!", set()),
    ('"creme"', {"creme"}),
    ("creme*", {"creme"}),
    ("creme OR dune", set()),
    ("-creme", {"creme"}),
    ("creme:*", {"creme"}),
]


def test_words(api: Api) -> None:
    assert {search: found(api, search) for search, _ in FOUND} == dict(FOUND)


def test_it_works_with_other_filters(api: Api) -> None:
    assert [record["slug"] for record in api.data("/content-items", search="plan")] == []
    assert [record["slug"] for record in api.data("/content-items", search="plan", status="draft")] == ["plan"]
    assert found(api, "the", sort="title") == {"strasse", "dune"}
    assert found(api, "the", cursor="") == {"strasse", "dune"}
    assert api.get("/content-items", search="the").json()["meta"]["total"] == 2


def test_an_empty_search_is_none(api: Api) -> None:
    assert len(found(api, "")) == len(found(api, "  ")) == 6


def test_a_search_without_words_finds_nothing(api: Api) -> None:
    assert found(api, "!!!") == found(api, "!!!", cursor="") == set()


def test_words_after_the_tenth_are_not_looked_up(api: Api) -> None:
    assert found(api, " ".join(["creme"] * 10 + ["nothing"])) == {"creme"}
    assert found(api, " ".join(["creme"] * 9 + ["nothing"])) == set()


def test_more_than_200_characters_are_refused(api: Api) -> None:
    refused = api.get("/content-items", search="a" * 201)
    assert refused.json()["errors"] == {"search": ["The search may not be greater than 200 characters."]}


def test_it_follows_every_write(api: Api) -> None:
    item = ContentItem.objects.get(slug="dune")
    api.patch(f"/content-items/{item.pk}", {"data": {"title": "Solaris"}, "excerpt": "A thinking ocean"})
    assert (found(api, "dune"), found(api, "solaris ocean"), found(api, "arrakis")) == (set(), {"dune"}, {"dune"})
    api.delete(f"/content-items/{item.pk}")
    assert found(api, "solaris") == set()


WAYS = (matching, matching_in_order, having_words)


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all searches find records in one of the ways."""
    monkeypatch.setattr(SearchListing, "choose_way", lambda listing, stop: request.param)


@pytest.mark.usefixtures("way")
def test_pages_and_cursors(api: Api) -> None:
    for number in range(5):
        make_item(make_type(slug=f"other-{number}") if number == 4 else None, title=f"Opening {number}", slug=f"opening-{number}")
    assert slugs(api.data("/content-items", search="open")) == [f"opening-{number}" for number in (4, 3, 2, 1, 0)]
    assert slugs(api.data("/content-items", search="open", per_page=2, page=2)) == ["opening-2", "opening-1"]
    first = api.get("/content-items", search="open", per_page=2, cursor="").json()
    after = api.data("/content-items", search="open", per_page=2, cursor=first["meta"]["next_cursor"])
    assert slugs([*first["data"], *after]) == [f"opening-{number}" for number in (4, 3, 2, 1)]
    assert found(api, "open", type="other-4") == {"opening-4"}


@pytest.mark.usefixtures("way")
def test_totals_leave_out_what_other_filters_find(api: Api) -> None:
    """Items of another type, of another status, and owned ones also have the words."""

    def total(**query: Any) -> Any:
        return api.get("/content-items", search="open", **query).json()["meta"]["total"]

    def totals() -> tuple[int, ...]:
        return total(), total(status="draft"), total(status="all"), total(type="news"), total(include_owned=1)

    items = [make_item(title="Opening", slug=f"opening-{number}") for number in range(3)]
    news = make_type(slug="news")
    assert totals() == (3, 0, 3, 0, 3)
    make_item(news, title="Opening", slug="news")
    assert totals() == (4, 0, 4, 1, 4)
    # As a date of a repeating event.
    owned = make_item(news, title="Opening", slug="owned")
    ContentItem.objects.filter(pk=owned.pk).update(owner=items[0])
    Tally.objects.filter(type=news, status="published").update(total=1)
    Tally.objects.create(type=news, status="published", owned=True, total=1)
    make_item(news, title="Opening", slug="draft", status="draft")
    assert totals() == (4, 1, 5, 1, 5)
    api.delete(f"/content-items/{items[1].pk}")
    assert totals() == (3, 1, 4, 1, 4)
    assert total(type="blog-post") == 2
    make_item(news, title="Opening", slug="news-2")
    # How many items have the words is not remembered from before.
    assert total(type="blog-post", status="all") == 2


def test_how_items_are_found() -> None:
    ContentItem.objects.all().delete()
    for number in range(13):
        title = " ".join(word for word, most in (("one", 1), ("five", 5), ("six", 6), ("seven", 7)) if number < most)
        make_item(title=f"Opening {title}", slug=f"opening-{number}")
    wanted = ItemFilter(types=(ContentItem.objects.all()[0].type_id,))
    ways: list[tuple[str, int, Any]] = [
        ("one", 2, matching),
        # At most five of thirteen are sorted for a page of two.
        ("five", 2, matching),
        ("six", 2, matching_in_order),
        ("six", 4, matching),
        ("seven", 2, having_words),
        ("seven", 13, having_words),
    ]
    for words, stop, way in ways:
        assert search_by_filter(wanted, list, words, model=ContentItem, columns=()).choose_way(stop) is way, (words, stop)


def test_how_other_records_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MAX_LISTED_RECORDS", 2)
    for title in ("One", "One two", "One two three"):
        make_item(title=title)
    for words, expected in (("three", matching), ("two", matching), ("one", matching_in_order)):
        listing = search_in(ContentItem.objects.filter(status="published"), list, words)
        assert isinstance(listing, SearchListing)
        assert listing.choose_way(20) is expected


@pytest.mark.usefixtures("way")
def test_it_is_compiled_once_for_all_words_and_cursors(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    # Another test may have compiled the same.
    monkeypatch.setattr(reading, "_kept", {})
    for number in range(9):
        make_item(title=f"{'Even' if number % 2 else 'Odd'} number {number}", slug=f"number-{number}")

    def pages(words: str) -> list[list[str]]:
        made = [api.get("/content-items", search=words, per_page=2, cursor="").json()]
        while following := made[-1]["meta"]["next_cursor"]:
            made.append(api.get("/content-items", search=words, per_page=2, cursor=following).json())
        total = api.get("/content-items", search=words, per_page=2).json()["meta"]["total"]
        assert total == sum(len(each["data"]) for each in made)
        return [slugs(each["data"]) for each in made]

    assert pages("even NUMBER") == [["number-7", "number-5"], ["number-3", "number-1"]]
    assert pages("number 8") == [["number-8"]]
    known = set(reading._kept)
    assert pages("num odd") == [["number-8", "number-6"], ["number-4", "number-2"], ["number-0"]]
    assert pages("number 7") == [["number-7"]]
    assert set(reading._kept) == known


def test_a_search_takes_few_statements(api: Api, django_assert_max_num_queries: Any) -> None:
    api.get("/content-items", search="dune")
    make_item(title="Opening", slug="opening")
    # The versions, the tallies, how many items have the words (for the total, and for the page), the total, and the items.
    with django_assert_max_num_queries(6):
        assert found(api, "opening") == {"opening"}
    # The total is remembered.
    with django_assert_max_num_queries(3):
        assert found(api, "opening") == {"opening"}
