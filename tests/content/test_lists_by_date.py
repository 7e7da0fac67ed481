"""GET /content-items with `when`, `from` and `to`: few items are found by their dates and sorted, many are read in order."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.content.models import ContentItem, Tally, Term
from cms_api.content.selectors import ItemFilter, filters
from cms_api.core import reading
from cms_api.http import searching
from cms_api.http.listing import list_by_filter
from tests.builders import field, make_item, make_term, make_type
from tests.client import Api

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SITE_NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)
#: Hours from now to the beginning, and the length; one is going on, and two are too long to be found by their beginning.
DATES = [(-9000, 2), (-900, 3), (-800, 760), (-800, 900), (-3, 2), (-1, 2), (4, 1), (30, 40), (900, 5), (9000, 1), None]


@pytest.fixture(autouse=True, params=[0, 1_000], ids=["in order", "sorted"])
def items(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, db: None) -> list[ContentItem]:
    """Items of two types and two statuses for every date, some with a term. One owns a few of them, and all of a third type."""
    for module in (filters, searching):
        monkeypatch.setattr(module, "max_sorted", lambda among, stop: request.param)
    monkeypatch.setattr(reading, "_kept", {})
    monkeypatch.setattr(timezone, "now", lambda: SITE_NOW)
    found = []
    for slug in ("fair", "trip"):
        kind = make_type(field("when", "datetime", facet=True), field("category", "taxonomy"), slug=slug)
        term = make_term(kind, name="News")
        for number, (date, status) in enumerate(product(DATES, ("published", "draft"))):
            data: dict[str, Any] = {"category": term.pk} if number % 4 else {}
            if date:
                begin = SITE_NOW + timedelta(hours=date[0])
                data["when"] = {"start": begin.isoformat(), "end": (begin + timedelta(hours=date[1])).isoformat()}
            found.append(make_item(kind, title=f"Word {number * 7 % 5}", slug=f"n{number}", status=status, data=data))
    part = make_type(field("when", "datetime", facet=True), slug="part")
    found.append(make_item(part, title="Word", data={"when": {"start": SITE_NOW.isoformat()}}))
    for owned in [*found[4:14:3], found[-1]]:
        ContentItem.objects.filter(pk=owned.pk).update(owner=found[0])
        known = Tally.objects.get(type=owned.type_id, status=owned.status, owned=False)
        Tally.objects.filter(pk=known.pk).update(total=known.total - 1)
        Tally.objects.update_or_create(type_id=owned.type_id, status=owned.status, owned=True, defaults={"total": 1})
    # One repeats until after its own date.
    ContentItem.objects.filter(pk=found[0].pk).update(lasts_until=SITE_NOW + timedelta(hours=50))
    return found


def expected(query: dict[str, Any]) -> list[int]:
    found = ContentItem.objects.all() if query.get("include_owned") else ContentItem.objects.filter(owner=None)
    if query.get("status") != "all":
        found = found.filter(status=query.get("status", "published"))
    if "type" in query:
        found = found.filter(type__slug=query["type"])
    if "term.category" in query:
        found = found.filter(item_terms__term__slug=query["term.category"])
    rows = list(found.order_by("title", "pk"))
    if "when" in query:
        rows = [row for row in rows if row.lasts_until and (row.lasts_until >= SITE_NOW) == (query["when"] == "upcoming")]
    if "from" in query:
        rows = [row for row in rows if row.ends_at and row.ends_at >= datetime.fromisoformat(query["from"])]
    if "to" in query:
        rows = [row for row in rows if row.starts_at and row.starts_at <= datetime.fromisoformat(query["to"])]
    return [row.pk for row in rows]


def at(hours: int) -> str:
    return (SITE_NOW + timedelta(hours=hours)).isoformat()


WINDOWS: list[dict[str, Any]] = [
    {"when": "upcoming"},
    {"when": "past"},
    {"from": at(-3)},
    {"to": at(30)},
    {"from": at(-50), "to": at(-2)},
    {"from": at(20), "to": at(40)},
    {"when": "past", "from": at(-40)},
    {"when": "upcoming", "to": at(5)},
]
#: Every two values of these meet, and every window meets each of them in one half of the list.
OTHERS: list[dict[str, Any]] = [
    {},
    {"type": "trip", "include_owned": 1},
    {"status": "draft", "type": "trip"},
    {"status": "all", "type": "trip"},
    {"status": "all", "include_owned": 1},
    {"status": "draft", "include_owned": 1},
    {"term.category": "news", "type": "fair"},
    {"term.category": "news"},
]


def test_they_list_what_is_in_the_window(api: Api) -> None:
    """With every other filter: on pages and after cursors, counted, and among the results of a search."""
    # Other tests compare answers with the document.
    api.validate = False
    queries = [{**window, **other} for number, window in enumerate(WINDOWS) for other in OTHERS[number % 2 :: 2]]
    for query in queries:
        ids, seen = expected(query), []
        for page in range(1, -(-len(ids) // 9) + 2):
            answer = api.get("/content-items", sort="title", per_page=9, page=page, **query).json()
            assert answer["meta"]["total"] == len(ids), query
            seen += [record["id"] for record in answer["data"]]
        assert seen == ids, query
        assert api.walk("/content-items", sort="title", per_page=9, **query) == ids, query
        found = api.get("/content-items", sort="title", fields="title", search="word", per_page=50, **query).json()
        assert [record["id"] for record in found["data"]] == ids, query
        assert found["meta"]["total"] == len(ids), query


def test_the_first_and_the_last_years(api: Api) -> None:
    dated = ContentItem.objects.filter(starts_at__isnull=False, owner=None, status="published").count()
    for window in ({"from": "0001-01-05"}, {"from": "0001-01-05", "to": "9999-12-30"}, {"to": "9999-12-30"}):
        assert api.get("/content-items", **window).json()["meta"]["total"] == dated, window


def test_what_has_begun_long_ago_is_found(api: Api, items: list[ContentItem]) -> None:
    """By an index of its own, for what lasts longer than a calendar looks back."""
    long = {item.pk for item in items if item.is_long and item.starts_at and item.ends_at and item.ends_at > SITE_NOW}
    assert long
    query = {"from": at(50), "to": at(60), "status": "all", "include_owned": 1}
    assert {record["id"] for record in api.data("/content-items", **query)} == set(expected(query)) >= long


def test_a_list_is_read_in_one_statement_until_something_changes(api: Api, items: list[ContentItem]) -> None:
    for query in ({"when": "past"}, {"from": at(1), "to": at(99), "type": "fair"}):
        api.get("/content-items", **query)
        api.get("/content-items", **query)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert api.get("/content-items", **query).status_code == 200
        lists = [each["sql"] for each in captured if "content_contentitem" in each["sql"]]
        assert len(lists) == 1
    make_item(items[0].type, title="Another", data={"when": {"start": at(-90)}})
    assert len(api.data("/content-items", when="past")) == len(expected({"when": "past"}))


def test_few_items_with_the_terms_of_a_search_are_found_by_these(items: list[ContentItem]) -> None:
    term = Term.objects.get(type=items[0].type)
    wanted = ItemFilter(types=(term.type_id,), search="word", terms=((term.pk,),), by_term=True).current(20)
    is_sorted = filters.max_sorted(1, 1) > 0
    assert wanted.found_by_terms == wanted.are_sorted == is_sorted
    assert wanted.without_words().checks_terms == (not is_sorted)
    late = replace(wanted, starting=SITE_NOW).current(20)
    assert bool(late.dated_groups) == late.are_sorted == is_sorted


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads a few rows without an index.")
def test_few_are_found_by_an_index_of_dates(items: list[ContentItem]) -> None:
    windows = [{"when": "past"}, {"starting": SITE_NOW}, {"ending": SITE_NOW}, {"starting": SITE_NOW, "ending": SITE_NOW}]
    for query, other in product(windows, ({}, {"status": None}, {"include_owned": True})):
        filter_by: dict[str, Any] = {**query, **other}
        wanted = ItemFilter(types=tuple(sorted({item.type_id for item in items})), **filter_by).current(20)
        has_index = not ("when" in query and "include_owned" in other)
        assert bool(wanted.dated_groups) == (filters.max_sorted(1, 1) > 0 and has_index), filter_by
        if wanted.dated_groups:
            plan = list_by_filter(wanted, list, columns=("title",)).sorted_page("listed_at", 0, 20, descending=True).explain()
            assert "SCAN" not in plan.replace("SCAN CONSTANT ROW", "")
            assert "item_lasting (type_id=? AND status=? AND lasts_until" in plan or "item_dated (type_id=? AND starts_at" in plan
