"""GET /content-items of several types or statuses: their parts, which indexes have in order, are merged by the database."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from cms_api.content.models import ContentItem, Tally
from cms_api.content.selectors import ItemFilter
from cms_api.http import listing
from cms_api.http.listing import list_by_filter
from tests.builders import make_item, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db

SORTS = {"published_at": "listed_at", "created_at": "created_at", "updated_at": "updated_at", "title": "title"}


@pytest.fixture(autouse=True)
def items(db: None) -> list[ContentItem]:
    """Items of three types and three statuses, some of which have the same title or date; one owns two others."""
    types = [make_type(slug=slug) for slug in ("news", "job", "note")]
    begin = timezone.now() - timedelta(days=30)
    found = []
    for number, status in enumerate(["published", "draft", "published", "scheduled", "published", "draft", "published"] * 3):
        date = timezone.now() + timedelta(days=9) if status == "scheduled" else begin + timedelta(hours=number * 7 % 5)
        title = f"Word {number * 5 % 4}"
        found.append(make_item(types[number % 3], title=title, slug=f"item-{number}", status=status, published_at=date))
    for owned in found[:4:2]:
        ContentItem.objects.filter(pk=owned.pk).update(owner=found[-1])
        Tally.objects.filter(type=owned.type_id, status="published", owned=False).update(total=10)
        Tally.objects.get_or_create(type_id=owned.type_id, status="published", owned=True, defaults={"total": 1})
    return found


def expected(query: dict[str, Any], sort: str) -> list[int]:
    found = ContentItem.objects.all() if query.get("include_owned") else ContentItem.objects.filter(owner=None)
    if query.get("status", "published") != "all":
        found = found.filter(status=query.get("status", "published"))
    if "type" in query:
        found = found.filter(type__slug=query["type"])
    sign, field = sort[: sort.startswith("-")], SORTS[sort.removeprefix("-")]
    return list(found.order_by(sign + field, f"{sign}id").values_list("pk", flat=True))


#: Every two values of them meet.
QUERIES: list[dict[str, Any]] = [
    {},
    {"type": "job", "include_owned": 1},
    {"status": "all", "type": "job"},
    {"status": "all", "include_owned": 1},
    {"status": "draft", "type": "job"},
    {"status": "draft", "include_owned": 1},
]


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.both_databases
def test_they_are_in_order(api: Api, query: dict[str, Any]) -> None:
    """On pages and after cursors, forwards and backwards; and those of a search."""
    # Other tests compare answers with the document.
    api.validate = False
    for sort in [sign + name for sign, name in product(("", "-"), SORTS)]:
        ids, seen = expected(query, sort), []
        for page in range(1, -(-len(ids) // 4) + 1):
            seen += [record["id"] for record in api.data("/content-items", sort=sort, per_page=4, page=page, **query)]
        assert seen == ids
        answers = [api.get("/content-items", sort=sort, per_page=4, cursor="", **query).json()]
        for _ in range(len(ids) // 4):
            if cursor := answers[-1]["meta"]["next_cursor"]:
                answers.append(api.get("/content-items", sort=sort, per_page=4, cursor=cursor, **query).json())
        assert [record["id"] for answer in answers for record in answer["data"]] == ids
        if len(answers) > 2:
            back = api.data("/content-items", sort=sort, per_page=4, cursor=answers[-1]["meta"]["prev_cursor"], **query)
            assert back == answers[-2]["data"]
        found = api.data("/content-items", sort=sort, fields="title", search="word", **query)
        assert [record["id"] for record in found] == ids[:15]


@pytest.mark.both_databases
def test_too_many_parts_are_read_as_a_whole(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MAX_UNION_PARTS", 1)
    assert [record["id"] for record in api.data("/content-items", status="all", per_page=50)] == expected(
        {"status": "all"}, "-published_at"
    )


def test_fields_of_parts_are_those_of_the_whole(api: Api) -> None:
    """Even where the sort key is one of them, or two are made of the same column."""
    names = ["id", "type", "title", "slug", "published_at", "url", "fields", "created_at", "updated_at"]
    for sort, part in product(SORTS, ({}, {"cursor": ""})):
        whole = api.data("/content-items", status="all", sort=sort, **part)
        found = api.data("/content-items", status="all", sort=sort, fields=",".join(names), **part)
        assert found == [{name: record[name] for name in names} for record in whole]


def test_a_first_item_of_a_status_is_found(api: Api) -> None:
    assert api.data("/content-items", status="all", sort="title", type="note")
    item = make_item(make_type(slug="empty"), title="A", status="draft")
    assert api.data("/content-items", status="all", sort="title")[0]["id"] == item.pk


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads a few rows without an index.")
@pytest.mark.both_databases
def test_nothing_is_sorted(items: list[ContentItem]) -> None:
    """However many items there are, as many are read as a page needs. Only for the owned ones there is no index."""
    types = tuple(sorted({item.type_id for item in items}))
    queries: list[dict[str, Any]] = [{}, {"status": None}, {"status": None, "include_owned": True}]
    for query, field, some in product(queries, SORTS.values(), (types, types[:1])):
        wanted = ItemFilter(types=some, **query)
        rows = list_by_filter(wanted, list, columns=("title",))
        parts = wanted.parts(field)
        assert bool(parts) == (bool(query) or (len(some) > 1 and field != "listed_at")), (query, field)
        for beyond in (rows, rows.beyond(field, "a" if field == "title" else timezone.now(), 7, below=True)):
            found = beyond.order_by_field(field, descending=True, parts=[each for each in parts if not each.is_owned])[:20]
            assert "TEMP B-TREE" not in found.explain(), (query, field)
