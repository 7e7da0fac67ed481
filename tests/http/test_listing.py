"""Lists of any model's records: instances in pages and by cursor, beside the content's rows of columns."""

from typing import Any

import orjson
import pytest
from django.test import RequestFactory
from rest_framework import serializers

from cms_api.content.models import ContentItem, Term
from cms_api.core.errors import Invalid
from cms_api.http.endpoint import ApiRequest, Operation
from cms_api.http.listing import Listing, answer_list, answer_one, answer_whole, select
from cms_api.http.query import Query, Sort
from cms_api.http.searching import SearchListing, search_in
from cms_api.http.serializers import Resource
from cms_api.text.search import having_words, matching, matching_in_order
from tests.builders import blog_post, make_item, make_term

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


class TermResource(Resource):
    id = serializers.IntegerField()
    name = serializers.CharField()


LIST = Operation(
    "List", answer=TermResource, kind="list", query=Query(sort=Sort({"name": "name", "position": "position"}, default="name"))
)


ITEMS = Operation("List", answer=TermResource, kind="list", query=Query(sort=Sort({"title": "title"}, default="title")))


def asked(query: str) -> ApiRequest:
    return ApiRequest(RequestFactory().get(f"/api/v1/terms?{query}"), LIST, None)


def listed(query: str = "", **more: Any) -> dict[str, Any]:
    serialize: Any = lambda terms: [{"id": term.pk, "name": term.name} for term in terms]  # noqa: E731
    found: dict[str, Any] = orjson.loads(answer_list(asked(query), Listing(Term.objects.all(), serialize, **more)).body)
    return found


def names(query: str) -> list[str]:
    return [record["name"] for record in listed(query)["data"]]


@pytest.fixture(autouse=True)
def _terms(db: None) -> None:
    for number, name in enumerate("CABED"):
        make_term(blog_post(), name=name, position=number // 3)


def test_it_works() -> None:
    found = listed("per_page=2&page=2")
    assert [record["name"] for record in found["data"]] == ["C", "D"]
    assert found["meta"]["total"] == 5
    assert found["links"]["next"] == "http://testserver/api/v1/terms?per_page=2&page=3"


def test_sorting() -> None:
    assert names("") == list("ABCDE")
    assert names("sort=-name") == list("EDCBA")
    assert names("sort=position") == list("CABED")
    assert names("sort=-position") == list("DEBAC")


def test_cursors() -> None:
    for sort in ("name", "-name", "position", "-position"):
        whole, seen, cursor = names(f"sort={sort}"), [], ""
        while cursor is not None:
            found = listed(f"sort={sort}&per_page=2&cursor={cursor}")
            seen += [record["name"] for record in found["data"]]
            cursor = found["meta"]["next_cursor"]
        assert seen == whole


def test_a_total_may_be_known_otherwise(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert listed(total=lambda: 5)["meta"]["total"] == 5


def test_an_empty_page_is_not_looked_for(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert listed("page=99")["data"] == []


def searched_names(words: str, query: str = "", **conditions: Any) -> list[str]:
    """The titles of the items that a list finds, in order; its total agrees."""
    rows = ContentItem.objects.filter(**conditions)
    serialize: Any = lambda items: [{"id": item.pk, "name": item.title} for item in items]  # noqa: E731
    answer = orjson.loads(answer_list(asked_of_items(query), search_in(rows, serialize, words)).body)
    assert "total" not in answer["meta"] or answer["meta"]["total"] == len(answer["data"])
    return [record["name"] for record in answer["data"]]


def asked_of_items(query: str) -> ApiRequest:
    return ApiRequest(RequestFactory().get(f"/api/v1/items?{query}"), ITEMS, None)


@pytest.mark.parametrize("conditions", [{}, {"title__lt": "Item 6"}])
@pytest.mark.parametrize("query", ["", "sort=-title", "cursor=", "sort=-title&cursor="])
@pytest.mark.parametrize("way", [matching, matching_in_order, having_words], ids=lambda way: way.__name__)
def test_words_are_found_however_frequent_they_are(
    monkeypatch: pytest.MonkeyPatch, way: Any, query: str, conditions: dict[str, Any]
) -> None:
    monkeypatch.setattr(SearchListing, "choose_way", lambda listing, stop: way)
    for number in range(9):
        make_item(blog_post(), title=f"Item {number} {'odd' if number % 2 else 'even'}")
    expected = [f"Item {number} even" for number in (0, 2, 4, 6, 8) if not conditions or number < 6]
    expected = expected[::-1] if "sort=-title" in query else expected
    assert searched_names("eve item", query, **conditions) == expected
    assert searched_names("nothing", query, **conditions) == []


def test_fields() -> None:
    assert listed("fields=name&per_page=1")["data"][0].keys() == {"id", "name"}
    assert listed("fields=id&per_page=1")["data"][0].keys() == {"id"}
    with pytest.raises(Invalid):
        listed("fields=slug")


def test_a_whole_list_is_one_page() -> None:
    found = orjson.loads(answer_whole(asked("a=b"), [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]).body)
    url = "http://testserver/api/v1/terms"
    assert found["links"] == {"first": f"{url}?a=b", "last": f"{url}?a=b", "prev": None, "next": None}
    assert found["meta"] == {"current_page": 1, "from": 1, "last_page": 1, "path": url, "per_page": 2, "to": 2, "total": 2}


def test_one_record() -> None:
    assert orjson.loads(answer_one(asked("fields=name"), {"id": 1, "name": "A", "more": 1}).body) == {
        "data": {"id": 1, "name": "A"}
    }


def test_records_of_json_are_picked_from_too() -> None:
    assert select([b'{"id":1,"a":2,"b":3}', {"id": 2, "a": 3}], frozenset({"id", "a"})) == [{"id": 1, "a": 2}, {"id": 2, "a": 3}]
    assert select([b'{"id":1}'], None) == [b'{"id":1}']
