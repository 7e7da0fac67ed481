"""Every list answers in as many statements with 1 row as with 10 and with 100, and in few."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cms_api.content.models import ContentItem
from cms_api.content.services.bulk import create_items
from cms_api.core import registry
from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import Endpoint
from tests.builders import field, make_image, make_item, make_term, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db

#: Statements of the token and its budget, which every request has.
OVERHEAD = ("tokens_apitoken", "tokens_budget")


def statements(api: Api, path: str) -> list[str]:
    """What a list costs beside the token, by a process that holds the copies it may hold."""
    api.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert api.get(path).status_code == 200
    return [query["sql"] for query in captured.captured_queries if not any(table in query["sql"] for table in OVERHEAD)]


def items(number: int) -> None:
    """Items with pictures, terms and links, of one type."""
    things = make_type(field("genre", "taxonomy", multiple=True), field("other", "relation"))
    make_term(things, "genre", "Jazz")
    target = make_item().pk
    picture = make_image().pk
    row = {"data": {"title": "One", "genre": ["jazz"], "other": target}, "status": "published", "featured_media_id": picture}
    create_items(item_type=things, rows=[row] * number)


def types(number: int) -> None:
    for _ in range(number):
        make_type(field("genre", "taxonomy"))


def webhooks(number: int) -> None:
    switch_feature(name="webhooks", on=True)
    Endpoint.objects.bulk_create([Endpoint(url="https://example.com/", events=["*"]) for _ in range(number)])


#: Every list of the product: how to make rows for it, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, and the items; the total is known to the process until the next write.
    "/content-items?per_page=100": (items, 2),
    # The versions, and the items.
    "/content-items?per_page=100&cursor=": (items, 2),
    "/content-items?per_page=100&search=one": (items, 2),
    "/content-items?per_page=100&term.genre=jazz": (items, 2),
    # The versions, the total (which changes with the time), and the items.
    "/content-items?per_page=100&when=past": (items, 3),
    # The versions, and the tallies; types are held by the process.
    "/content-types": (types, 2),
    # The versions, the total, and the rows.
    "/webhooks?per_page=100": (webhooks, 3),
}


@pytest.mark.parametrize("path", LISTS)
def test_it_works(api: Api, path: str) -> None:
    make, most = LISTS[path]
    found = []
    for number in (1, 9, 90):
        make(number)
        found.append(statements(api, path))
    assert len(found[0]) == len(found[1]) == len(found[2]), found
    assert len(found[2]) <= most <= 4, found[2]


@pytest.mark.parametrize("path", LISTS)
def test_the_first_request_after_a_write_takes_no_more_with_more_rows(api: Api, path: str) -> None:
    make, _ = LISTS[path]
    api.get(path)
    found = []
    for number in (1, 9, 90):
        make(number)
        with CaptureQueriesContext(connection) as captured:
            api.get(path)
        found.append(len(captured))
    assert found[1] == found[2], found


def test_items_that_are_out_of_date_are_made_anew_in_a_constant_number(api: Api) -> None:
    """The versions, the items, the late ones whole, and their pictures."""
    found = []
    for number in (1, 10, 90):
        items(number)
        ContentItem.objects.update(prepared_for=0)
        found.append(len(statements(api, "/content-items?per_page=100")))
    assert found == [4, 4, 4]


def test_a_single_read_takes_two(api: Api) -> None:
    """The versions, and the item."""
    item = make_item()
    assert len(statements(api, f"/content-items/{item.pk}")) == 2


def test_an_answer_that_the_client_holds_takes_one(api: Api) -> None:
    """The versions."""
    make_item()
    tag = api.get("/content-items").headers["ETag"]
    with CaptureQueriesContext(connection) as captured:
        assert api.request("GET", "/content-items", if_none_match=tag).status_code == 304
    assert len([query for query in captured.captured_queries if not any(table in query["sql"] for table in OVERHEAD)]) == 1


def test_every_list_of_the_product_is_here() -> None:
    declared: set[str] = set()
    for _, route in registry.routes():
        get: Any = getattr(registry.load(route.view), "get", None)
        if get and get.operation.kind == "list":
            declared.add("/" + route.path)
    assert declared == {path.partition("?")[0] for path in LISTS}
