"""GET /content-items?cursor=: keyset pages, forward and back."""

from datetime import timedelta
from itertools import product
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.utils import timezone

from cms_api.content.models import ContentItem
from tests.builders import make_item, make_type
from tests.client import Api

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SORTS = ["published_at", "-published_at", "title", "-title", "created_at", "-created_at", "updated_at", "-updated_at"]


@pytest.fixture
def items(db: None) -> list[ContentItem]:
    """Eleven items with many ties, and titles that collations disagree about."""
    item_type = make_type(slug="things")
    now = timezone.now() - timedelta(days=1)
    made = []
    for number, title in enumerate(["b", "B", "a", "Ä", "b", "z", "_", "b", "é", "10", "9"]):
        item = make_item(item_type, title=title)
        tied = now + timedelta(microseconds=number // 4)
        ContentItem.objects.filter(pk=item.pk).update(listed_at=tied, created_at=tied, updated_at=tied)
        made.append(item)
    return made


def follow(api: Api, url: str | None, direction: str) -> list[list[int]]:
    """The ids of every page from a link on."""
    pages = []
    while url:
        found = api.request("GET", url.removeprefix("http://testserver/api/v1"))
        assert found.status_code == 200
        pages.append([record["id"] for record in found.json()["data"]])
        url = found.json()["links"][direction]
        assert len(pages) < 50
    return pages


def start(api: Api, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = api.get("/content-items", cursor="", **query).json()
    return found


def test_it_works(api: Api, items: list[ContentItem]) -> None:
    first = start(api, per_page=4)
    assert set(first["meta"]) == {"per_page", "next_cursor", "prev_cursor"}
    assert (first["meta"]["per_page"], first["meta"]["prev_cursor"]) == (4, None)
    assert first["links"]["prev"] is first["links"]["last"] is None
    address, _, query = first["links"]["first"].partition("?")
    assert address == "http://testserver/api/v1/content-items"
    assert dict(parse_qsl(query, keep_blank_values=True)) == {"cursor": "", "per_page": "4"}
    assert f"cursor={first['meta']['next_cursor']}" in first["links"]["next"]
    assert "per_page=4" in first["links"]["next"]


@pytest.mark.parametrize(
    ("sort", "per_page"), [*product(SORTS, (3, 10)), *product(("published_at", "-title"), (1, 2, 4, 5, 11, 100))]
)
def test_forward_and_back_over_ties(api: Api, items: list[ContentItem], sort: str, per_page: int) -> None:
    # Other tests compare answers with the document.
    api.validate = False
    whole = [record["id"] for record in api.data("/content-items", sort=sort)]
    assert sorted(whole) == sorted(item.pk for item in items)
    first = start(api, sort=sort, per_page=per_page)
    pages = [[record["id"] for record in first["data"]], *follow(api, first["links"]["next"], "next")]
    assert [record_id for page in pages for record_id in page] == whole
    assert all(len(page) == per_page for page in pages[:-1])
    last = first
    while last["links"]["next"]:
        last = api.request("GET", last["links"]["next"].removeprefix("http://testserver/api/v1")).json()
    assert follow(api, last["links"]["prev"], "prev") == pages[-2::-1]


def test_the_first_page_has_no_way_back_and_the_last_none_on(api: Api, items: list[ContentItem]) -> None:
    first = start(api, per_page=6)
    second = api.request("GET", first["links"]["next"].removeprefix("http://testserver/api/v1")).json()
    assert second["links"]["next"] is second["meta"]["next_cursor"] is None
    back = api.request("GET", second["links"]["prev"].removeprefix("http://testserver/api/v1")).json()
    assert back["data"] == first["data"]
    assert back["links"]["prev"] is back["meta"]["prev_cursor"] is None
    assert back["meta"]["next_cursor"] == first["meta"]["next_cursor"]


def test_rows_that_come_or_go_meanwhile_shift_nothing(api: Api, items: list[ContentItem]) -> None:
    whole = [record["id"] for record in api.data("/content-items", sort="created_at")]
    first = start(api, sort="created_at", per_page=4)
    api.delete(f"/content-items/{whole[0]}")
    api.delete(f"/content-items/{whole[3]}")
    new = make_item(title="New")
    rest = follow(api, first["links"]["next"], "next")
    assert [record_id for page in rest for record_id in page] == [*whole[4:], new.pk]


def test_filters_stay(api: Api, items: list[ContentItem]) -> None:
    make_item(title="b")
    first = start(api, type="things", search="b", per_page=1)
    rest = follow(api, first["links"]["next"], "next")
    assert len(rest) == 3
    assert all(ContentItem.objects.get(pk=page[0]).type.slug == "things" for page in rest)


def test_an_empty_list_has_no_cursors(api: Api) -> None:
    empty = start(api)
    assert (empty["data"], empty["meta"]) == ([], {"per_page": 15, "next_cursor": None, "prev_cursor": None})


def test_a_cursor_is_good_for_its_own_sort_alone(api: Api, items: list[ContentItem]) -> None:
    cursor = start(api, sort="title", per_page=2)["meta"]["next_cursor"]
    assert api.get("/content-items", cursor=cursor, sort="title", per_page=2).status_code == 200
    for sort in ("-title", "created_at"):
        refused = api.get("/content-items", cursor=cursor, sort=sort)
        assert (refused.status_code, refused.json()["errors"]) == (422, {"cursor": ["The cursor is not valid."]})


def test_a_cursor_that_was_cut_or_changed(api: Api, items: list[ContentItem]) -> None:
    cursor = start(api, per_page=2)["meta"]["next_cursor"]
    for length in range(1, len(cursor)):
        assert api.get("/content-items", cursor=cursor[:length]).status_code == 422
    for place in range(len(cursor)):
        changed = cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        assert api.get("/content-items", cursor=changed).status_code in {200, 422}


def test_no_total_is_counted(api: Api, items: list[ContentItem], django_assert_max_num_queries: Any) -> None:
    api.get("/content-items", cursor="", search="b")
    with django_assert_max_num_queries(4) as queries:
        api.get("/content-items", cursor="", search="z")
    # How many entries of the index have the words is counted up to a limit.
    counts = [query["sql"] for query in queries.captured_queries if "COUNT(" in query["sql"].upper()]
    assert not any(ContentItem._meta.db_table in sql for sql in counts)
