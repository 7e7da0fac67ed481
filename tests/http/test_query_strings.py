"""A query string is read once for each operation and time zone, and asks for the same each time."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import TooManyFieldsSent
from django.test import RequestFactory
from django.utils import timezone
from rest_framework import serializers

from cms_api.core.errors import Invalid
from cms_api.http.endpoint import ApiRequest, Operation
from cms_api.http.query import Family, Instant, Query, Sort, Text, Whole
from cms_api.http.serializers import Resource


class PageResource(Resource):
    id = serializers.IntegerField()
    title = serializers.CharField()


QUERY = Query((Text("name", ""), Whole("size", ""), Instant("from", ""), Family("term", "")), Sort({"title": "title"}, "title"))
PAGES = Operation("List", query=QUERY, answer=PageResource, kind="list")


def sent(query: str, operation: Operation = PAGES, **headers: Any) -> ApiRequest:
    return ApiRequest(RequestFactory().get(f"/api/v1/pages?{query}", **headers), operation, None)


def test_it_works() -> None:
    query = "name=caf%C3%A9&size=3&term.year=2026&page=2&fields=title&fields=id"
    asked = sent(query).asked
    assert dict(asked.filters) == {"name": "café", "size": 3, "from": None, "term": {"year": "2026"}}
    assert (asked.paging.page, asked.paging.per_page, asked.paging.sort, asked.paging.cursor) == (2, 15, "title", None)
    assert asked.fields == {"id", "title"}
    assert asked.without("page") == "name=caf%C3%A9&size=3&term.year=2026&fields=title&fields=id"
    assert sent(query).asked is asked


def test_other_requests_ask_for_something_else() -> None:
    first = sent("size=3")
    assert sent("size=4").query["size"] == 4
    other = Operation("List", query=Query((Text("size", ""),)), kind="list")
    assert sent("size=3", other).query["size"] == "3"
    assert first.query["size"] == 3


def test_nobody_can_change_it_for_others() -> None:
    asked = sent("name=a&term.year=2026").asked
    with pytest.raises(TypeError):
        asked.filters["name"] = "b"  # type: ignore[index]
    with pytest.raises(TypeError):
        asked.filters["term"]["year"] = "2027"
    with pytest.raises(AttributeError):
        asked.parameters["name"] = "b"
    with pytest.raises(AttributeError):
        asked.paging.page = 3  # type: ignore[misc]


@pytest.mark.parametrize("query", ["size=x", "page=0", "fields=nothing", "sort=x"])
def test_what_is_refused_is_refused_each_time(query: str) -> None:
    for _ in range(2):
        asked = sent(query).asked
        with pytest.raises(Invalid):
            asked.filters, asked.paging, asked.fields  # noqa: B018


def test_a_day_begins_when_it_does_in_the_time_zone_of_the_site() -> None:
    with timezone.override(ZoneInfo("Asia/Tokyo")):
        assert sent("from=2026-03-01").query["from"] == datetime(2026, 2, 28, 15, tzinfo=UTC)
    with timezone.override(UTC):
        assert sent("from=2026-03-01").query["from"] == datetime(2026, 3, 1, tzinfo=UTC)


def test_the_charset_of_a_request_is_its_own() -> None:
    assert sent("name=caf%E9", CONTENT_TYPE="application/json; charset=iso-8859-1").query["name"] == "café"
    with pytest.raises(Invalid):
        assert sent("name=caf%E9").query["name"]


def test_too_many_parameters_are_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(TooManyFieldsSent):
            sent("&".join(f"a{number}=1" for number in range(2000)))
