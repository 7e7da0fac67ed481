"""Typed query strings: each kind of parameter, what it reads and what it refuses."""

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.http import QueryDict
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.http.query import (
    Choice,
    Family,
    Flag,
    Instant,
    Number,
    Paging,
    Param,
    Query,
    Search,
    Sort,
    Text,
    Whole,
    selected_fields,
    site_timezone,
    whole_number,
)

SORT = Sort({"name": "name", "created_at": "made"}, default="-created_at")


@pytest.fixture(autouse=True)
def _in_paris() -> Iterator[None]:
    with timezone.override("Europe/Paris"):
        yield


def test_it_works() -> None:
    query = Query(
        (Text("search", ""), Choice("status", "", default="open", choices=("open", "all")), Flag("deep", "", default=False))
    )
    assert query.read(QueryDict("search=+a+&deep=1")) == {"search": "a", "status": "open", "deep": True}
    assert query.read(QueryDict("")) == {"search": None, "status": "open", "deep": False}


def query_dict(values: dict[str, str]) -> QueryDict:
    found = QueryDict(mutable=True)
    found.update(values)
    return found


READ: list[tuple[Param, str, Any]] = [
    (Text("a", ""), " x ", "x"),
    (Search("a", ""), "  ", None),
    (Search("a", ""), "", None),
    (Text("a", "", max_length=3), "abc", "abc"),
    (Choice("a", "", choices=("x", "y")), "y", "y"),
    (Flag("a", ""), "1", True),
    (Flag("a", ""), "true", True),
    (Flag("a", ""), "TRUE", True),
    (Flag("a", ""), "0", False),
    (Flag("a", ""), "false", False),
    (Number("a", "", maximum=9), "1.5", Decimal("1.5")),
    (Number("a", "", maximum=9), "02", Decimal(2)),
    (Whole("a", ""), "7", 7),
    (Whole("a", ""), "007", 7),
    (Whole("a", ""), "9" * 18, int("9" * 18)),
    (Whole("a", "", minimum=0), "0", 0),
    (Whole("a", "", minimum=-5), "-5", -5),
    (Instant("a", ""), "2026-03-01", datetime(2026, 2, 28, 23, tzinfo=UTC)),
    (Instant("a", ""), "2026-03-01T10:00:00 02:00", datetime(2026, 3, 1, 8, tzinfo=UTC)),
    (Instant("a", "", end_of_day=True), "2026-03-01", datetime(2026, 3, 1, 22, 59, 59, 999_999, tzinfo=UTC)),
    # The clock changes.
    (Instant("a", "", end_of_day=True), "2026-03-29", datetime(2026, 3, 29, 21, 59, 59, 999_999, tzinfo=UTC)),
    (Instant("a", "", end_of_day=True), "2026-10-25", datetime(2026, 10, 25, 22, 59, 59, 999_999, tzinfo=UTC)),
    (Instant("a", "", end_of_day=True), "2026-03-01T10:00Z", datetime(2026, 3, 1, 10, tzinfo=UTC)),
]


@pytest.mark.parametrize(("param", "text", "value"), READ)
def test_what_is_read(param: Param, text: str, value: Any) -> None:
    assert Query((param,)).read(query_dict({"a": text})) == {"a": value}


REFUSED: list[tuple[Param, str, str]] = [
    (Text("a", "", max_length=3), "abcd", "The a may not be greater than 3 characters."),
    (Text("a", ""), "x\0", "The a contains characters that are not allowed."),
    (Text("a", ""), "x\ufffd", "The a contains characters that are not allowed."),
    (Text("a", ""), "", "The a field is required."),
    (Text("a", ""), " ", "The a field is required."),
    (Number("a", "", maximum=9), "", "The a must be a number."),
    (Number("a", "", maximum=9), "-1", "The a must be a number."),
    (Number("a", "", maximum=9), "1.", "The a must be a number."),
    (Number("a", "", maximum=9), "1e3", "The a must be a number."),
    (Number("a", "", maximum=9), "NaN", "The a must be a number."),
    (Number("a", "", maximum=9), "1.001", "The a may not have more than 2 decimal places."),
    (Number("a", "", maximum=9), "9.01", "The a may not be greater than 9."),
    (Text("a", "", required=True), "", "The a field is required."),
    (Text("a", "", required=True), " ", "The a field is required."),
    (Choice("a", "", choices=("x",)), "X", "The selected a is invalid."),
    (Choice("a", "", choices=("x",)), "x ", "The selected a is invalid."),
    (Choice("a", "", default="x", choices=("x",)), "", "The selected a is invalid."),
    (Flag("a", "", default=False), "", "The a field must be true or false."),
    (Whole("a", ""), "", "The a must be an integer."),
    (Instant("a", ""), "", "The a is not a valid date."),
    (Flag("a", ""), "yes", "The a field must be true or false."),
    (Flag("a", ""), "2", "The a field must be true or false."),
    (Whole("a", ""), "x", "The a must be an integer."),
    (Whole("a", ""), "1.0", "The a must be an integer."),
    (Whole("a", ""), "1e3", "The a must be an integer."),
    (Whole("a", ""), " 1", "The a must be an integer."),
    (Whole("a", ""), "²", "The a must be an integer."),
    (Whole("a", ""), "9" * 19, "The a must be an integer."),
    (Whole("a", ""), "0", "The a must be at least 1."),
    (Whole("a", ""), "-1", "The a must be at least 1."),
    (Instant("a", ""), "soon", "The a is not a valid date."),
    (Instant("a", ""), "2024-02-30", "The a is not a valid date."),
    (Instant("a", "", end_of_day=True), "9999-12-31T00:00Z", "The a is not a valid date."),
]


@pytest.mark.parametrize(("param", "text", "sentence"), REFUSED)
def test_what_is_refused(param: Param, text: str, sentence: str) -> None:
    with pytest.raises(Invalid) as refused:
        Query((param,)).read(query_dict({"a": text}))
    assert refused.value.errors == {"a": [sentence]}


def test_all_that_is_wrong_is_told() -> None:
    query = Query((Whole("a_b", ""), Flag("c", ""), Family("d", "")))
    with pytest.raises(Invalid) as refused:
        query.read(query_dict({"a_b": "x", "c": "x", "d.e": "\0"}))
    assert refused.value.errors["a_b"] == ["The a b must be an integer."]
    assert set(refused.value.errors) == {"a_b", "c", "d.e"}


def test_a_family_is_read_by_the_rest_of_its_names() -> None:
    query = Query((Family("term", ""),))
    assert query.read(QueryDict("term.a=1&term.b=2&term=3&terms.c=4&xterm.d=5")) == {"term": {"a": "1", "b": "2"}}


@pytest.mark.parametrize("text", ["term.a=", "term.a=+", "term.a=1&term.a=2"])
def test_each_of_a_family_has_one_value(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        Query((Family("term", ""),)).read(QueryDict(text))
    assert set(refused.value.errors) == {"term.a"}


def test_a_parameter_is_given_once() -> None:
    with pytest.raises(Invalid) as refused:
        Query((Whole("a", ""),)).read(QueryDict("a=7&a=7"))
    assert refused.value.errors == {"a": ["The a may be given only once."]}
    with pytest.raises(Invalid) as refused:
        Paging.read(QueryDict("page=1&page=2&cursor=&cursor="), SORT)
    assert set(refused.value.errors) == {"page", "cursor"}


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("-0", 0), ("12", 12), ("-12", -12), ("", None), ("-", None), ("--1", None)]
)
def test_whole_numbers(text: str, number: int | None) -> None:
    assert whole_number(text) == number
    assert whole_number("٣") is whole_number("1" * 5000) is None


def test_paging_by_default() -> None:
    paging = Paging.read(QueryDict(), SORT)
    assert (paging.page, paging.per_page, paging.cursor, paging.sort) == (1, 15, None, "-created_at")


def test_paging() -> None:
    paging = Paging.read(query_dict({"page": "3", "per_page": "500", "cursor": "", "sort": "name"}), SORT)
    assert (paging.page, paging.per_page, paging.cursor, paging.sort) == (3, 100, "", "name")


def test_a_required_parameter() -> None:
    with pytest.raises(Invalid) as refused:
        Query((Text("a", "", required=True),)).read(QueryDict())
    assert refused.value.errors == {"a": ["The a field is required."]}


def test_an_empty_sort_key_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        Paging.read(query_dict({"sort": ""}), SORT)
    assert refused.value.errors == {"sort": ["The selected sort is invalid."]}


def test_paging_that_makes_no_sense() -> None:
    with pytest.raises(Invalid) as refused:
        Paging.read(query_dict({"page": "", "per_page": "0", "sort": "made"}), SORT)
    assert refused.value.errors == {
        "page": ["The page must be an integer."],
        "per_page": ["The per page must be at least 1."],
        "sort": ["The selected sort is invalid."],
    }


@pytest.mark.parametrize(
    ("text", "names"), [("a", {"a", "id"}), (" a , b ", {"a", "b", "id"}), ("a,a", {"a", "id"}), ("id", {"id"})]
)
def test_selected_fields(text: str, names: set[str] | None) -> None:
    assert selected_fields(query_dict({"fields": text}), lambda: frozenset({"a", "b", "id"})) == names
    assert selected_fields(QueryDict(), frozenset) is None


def test_repeated_lists_of_fields_are_joined() -> None:
    assert selected_fields(QueryDict("fields=a&fields=b"), lambda: frozenset({"a", "b", "id"})) == {"a", "b", "id"}


@pytest.mark.parametrize("text", ["", ",", "a,", "a,c", "\x85", "a,\x85", "a\x85", "\t", "a\n,b", "\u2003", "a\u3000"])
def test_an_unknown_field_is_refused(text: str) -> None:
    """Only spaces around a name are ignored: the OpenAPI document names the keys, and no other white space."""
    with pytest.raises(Invalid, match="selected fields"):
        selected_fields(query_dict({"fields": text}), lambda: frozenset({"a", "b", "id"}))


def test_schemas_name_defaults_and_bounds() -> None:
    assert Whole("a", "", default=5).as_schema() == {"type": "integer", "default": 5, "minimum": 1}
    assert Choice("a", "", choices=("x",)).as_schema() == {"type": "string", "enum": ["x"]}
    assert Search("a", "").as_schema() == {"type": "string", "maxLength": 200}
    assert Number("a", "", maximum=9).as_schema() == {"type": "number", "minimum": 0, "maximum": 9}
    assert Text("a", "").as_schema() == {"type": "string", "minLength": 1, "maxLength": 200}
    assert Flag("a", "", default=False).as_schema() == {"type": "boolean", "default": False}


def test_the_zone_is_that_of_the_request() -> None:
    assert site_timezone().key == "Europe/Paris"
