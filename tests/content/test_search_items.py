"""GET /content-items?search=: whole words and their beginnings, all of them, whatever the case and the accents."""

from typing import Any

import pytest
from django.db import connection

from cms_api.content.models import ContentItem, Tally
from cms_api.content.selectors import TYPES, ItemFilter
from cms_api.core import reading
from cms_api.http import searching
from cms_api.http.found import remember_total
from cms_api.http.searching import filtered_search
from cms_api.text import search
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


@pytest.mark.parametrize(("search", "expected"), FOUND)
def test_words(api: Api, search: str, expected: set[str]) -> None:
    assert found(api, search) == expected


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


#: RARE, FEW, LISTED, DENSE and CHECKED, by the way to read that they lead to.
WAYS = {
    "looked up": (200, 2_000, 10_000, 0, 1_000),
    "others checked": (200, 2_000, 10_000, 0, 0),
    "dense": (0, 2_000, 10_000, 100, 1_000),
    "listed": (0, 0, 10_000, 0, 1_000),
    "scanned": (0, 0, 0, 0, 1_000),
}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(("RARE", "FEW", "LISTED", "DENSE", "CHECKED"), request.param, strict=True):
        monkeypatch.setattr(searching, name, value)


@pytest.mark.usefixtures("way")
def test_however_frequent_the_words_are(api: Api) -> None:
    """Ordered, paged, by cursor, and with other filters: the ways to read rare and frequent words find the same."""
    for number in range(5):
        make_item(make_type(slug=f"other-{number}") if number == 4 else None, title=f"Opening {number}", slug=f"opening-{number}")
    assert slugs(api.data("/content-items", search="open")) == [f"opening-{number}" for number in (4, 3, 2, 1, 0)]
    assert slugs(api.data("/content-items", search="open", per_page=2, page=2)) == ["opening-2", "opening-1"]
    first = api.get("/content-items", search="open", per_page=2, cursor="").json()
    after = api.data("/content-items", search="open", per_page=2, cursor=first["meta"]["next_cursor"])
    assert slugs([*first["data"], *after]) == [f"opening-{number}" for number in (4, 3, 2, 1)]
    assert found(api, "open", type="other-4") == {"opening-4"}
    assert api.get("/content-items", search="open").json()["meta"]["total"] == 5


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


@pytest.mark.parametrize("checked", [0, 1, 1_000], ids=["few others", "some others", "many others"])
def test_totals_of_words_of_very_many_items(api: Api, monkeypatch: pytest.MonkeyPatch, checked: int) -> None:
    """Of these, a cursor does not ask how many they are; a page does, even if a cursor has been there before."""
    for name, value in {"RARE": 0, "FEW": 1, "LISTED": 2, "CHECKED": checked, "EACH": 2}.items():
        monkeypatch.setattr(searching, name, value)
    monkeypatch.setattr(search, "LISTED", 2)
    # The limit is part of what is compiled.
    monkeypatch.setattr(reading, "_kept", {})
    news = make_type(slug="news")
    for number in range(9):
        make_item(
            news if number % 3 else None,
            title=f"Opening {number}",
            slug=f"opening-{number}",
            status="draft" if number > 6 else "published",
        )

    def totals(**query: Any) -> list[Any]:
        pages = [
            api.get("/content-items", search="open", per_page=2, **query, **page).json()
            for page in ({"page": 2}, {"cursor": ""}, {})
        ]
        assert slugs(pages[1]["data"]) == slugs(pages[2]["data"])
        assert pages[0]["meta"]["total"] == pages[2]["meta"]["total"]
        return [pages[2]["meta"]["total"], *slugs(pages[2]["data"])]

    def after_cursors(sort: str) -> list[str]:
        answers = [api.get("/content-items", search="open", per_page=2, sort=sort, status="all", cursor="").json()]
        for _ in range(4):
            cursor = answers[-1]["meta"]["next_cursor"]
            answers.append(api.get("/content-items", search="open", per_page=2, sort=sort, status="all", cursor=cursor).json())
        return slugs([record for answer in answers for record in answer["data"]])

    assert after_cursors("title") == after_cursors("created_at") == [f"opening-{number}" for number in range(9)]
    assert after_cursors("-title") == after_cursors("-updated_at") == [f"opening-{number}" for number in range(8, -1, -1)]
    assert totals() == [7, "opening-6", "opening-5"]
    assert totals(status="draft") == [2, "opening-8", "opening-7"]
    assert totals(status="all") == [9, "opening-8", "opening-7"]
    assert totals(type="news") == [4, "opening-5", "opening-4"]
    assert totals(type="blog-post", include_owned=1) == [3, "opening-6", "opening-3"]
    assert totals(type="blog-post", slug="opening-3") == [1, "opening-3"]


@pytest.mark.usefixtures("way")
def test_it_is_compiled_once_for_all_words_and_cursors(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "EACH", 1)
    # Another test may have compiled the same.
    monkeypatch.setattr(reading, "_kept", {})
    for number in range(9):
        make_item(title=f"{'Even' if number % 2 else 'Odd'} number {number}", slug=f"number-{number}")
    built = []
    matching, having_words = searching.matching, searching.having_words
    monkeypatch.setattr(searching, "matching", lambda *words, **options: built.append(1) or matching(*words, **options))
    monkeypatch.setattr(searching, "having_words", lambda *words: built.append(1) or having_words(*words))

    def pages(words: str) -> list[list[str]]:
        made = [api.get("/content-items", search=words, per_page=2, cursor="").json()]
        while following := made[-1]["meta"]["next_cursor"]:
            made.append(api.get("/content-items", search=words, per_page=2, cursor=following).json())
        total = api.get("/content-items", search=words, per_page=2).json()["meta"]["total"]
        assert total == sum(len(each["data"]) for each in made)
        return [slugs(each["data"]) for each in made]

    assert pages("even NUMBER") == [["number-7", "number-5"], ["number-3", "number-1"]]
    known = len(built)
    assert pages("num odd") == [["number-8", "number-6"], ["number-4", "number-2"], ["number-0"]]
    assert pages("number 7") == [["number-7"]]
    assert (known > 0, len(built)) == (True, known)


@pytest.mark.usefixtures("way")
def test_the_first_search_takes_few_statements(api: Api, django_assert_max_num_queries: Any) -> None:
    """PostgreSQL looks the words up once, unless they are very frequent; SQLite's index of words is as fast as a list."""
    api.get("/content-items", search="dune")
    make_item(title="Opening", slug="opening")
    # The versions, the words, the total and the items; and how many items there are, or where to begin.
    with django_assert_max_num_queries(5) as first:
        assert found(api, "opening") == {"opening"}
    if connection.vendor == "postgresql" and searching.LISTED:
        assert sum("@@" in each["sql"] for each in first.captured_queries) == 1


@pytest.mark.usefixtures("way")
def test_a_page_is_found_once_until_something_is_written(api: Api, django_assert_num_queries: Any) -> None:
    """The second time its items are read by their ids, in the same order; after a write they are found again."""
    item_type = make_type(slug="opening")
    items = [make_item(item_type, title=f"Opening {number}", slug=f"opening-{number}") for number in range(5)]
    pages = [{}, {"sort": "title"}, {"page": 2}, {"cursor": ""}]

    def read() -> list[dict[str, Any]]:
        return [api.get("/content-items", search="open", per_page=2, type="opening", **page).json() for page in pages]

    first = read()
    assert [slugs(page["data"]) for page in first] == [
        ["opening-4", "opening-3"],
        ["opening-0", "opening-1"],
        ["opening-2", "opening-1"],
        ["opening-4", "opening-3"],
    ]
    # The versions, and the items.
    with django_assert_num_queries(2 * len(pages)) as again:
        assert read() == first
    assert not [each for each in again.captured_queries if "search" in each["sql"]]
    api.patch(f"/content-items/{items[4].pk}", {"data": {"title": "Closing"}})
    api.patch(f"/content-items/{items[0].pk}", {"data": {"title": "Opening 7"}})
    api.delete(f"/content-items/{items[2].pk}")
    assert [slugs(page["data"]) for page in read()] == [
        ["opening-3", "opening-1"],
        ["opening-1", "opening-3"],
        ["opening-0"],
        ["opening-3", "opening-1"],
    ]


def test_an_item_that_is_hidden_meanwhile_is_not_shown() -> None:
    """An item may be unpublished after a request has looked at the versions, and before it reads the items."""
    wanted = ItemFilter(types=(ContentItem.objects.get(slug="dune").type_id,))
    columns = ("type_id", "slug")
    listing = remember_total(filtered_search(wanted, list, "dune", model=ContentItem, columns=columns), TYPES, wanted)
    assert [row[-1] for row in listing.rows("listed_at", 0, 20, descending=True)] == ["dune"]
    ContentItem.objects.filter(slug="dune").update(status="draft")
    assert listing.rows("listed_at", 0, 20, descending=True) == []
