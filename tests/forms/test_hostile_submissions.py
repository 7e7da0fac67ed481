"""Hostile bodies and queries at the form endpoints: refused in the contract's shape, and every list still answers."""

import json
from typing import Any

import pytest

from cms_api.forms.models import Submission
from cms_api.forms.types import TYPES
from tests.builders import field, make_form
from tests.client import Api
from tests.gateway.hostile import BODIES, MIB, QUERIES
from tests.gateway.hostile import TYPES as MEDIA_TYPES
from tests.gateway.test_hostile_requests import is_refusal, label

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(api: Api) -> Any:
    """A form with a required field; afterwards nothing may have been sent in."""
    path = f"/forms/{make_form(field('title', 'text', required=True)).pk}/submissions"
    yield path
    assert not Submission.objects.exists()
    assert api.data(path) == api.data(path, cursor="", include_spam="1") == []


def is_about_the_body(raw: bytes) -> bool:
    """Whether what is wrong with a body made for items is wrong here too."""
    try:
        sent = json.loads(raw)
    except (ValueError, RecursionError):
        return True
    return not (isinstance(sent, dict) and isinstance(sent.get("data"), dict) and isinstance(sent["data"].get("title"), str))


@pytest.mark.parametrize(
    ("raw", "status"),
    [row[1:] for row in BODIES if is_about_the_body(row[1])],
    ids=[row[0] for row in BODIES if is_about_the_body(row[1])],
)
def test_bodies(raw: bytes, status: int, api: Api, path: str) -> None:
    is_refusal(api.post(path, raw), status)


@pytest.mark.parametrize("media_type", MEDIA_TYPES, ids=label)
def test_media_types(media_type: str, api: Api, path: str) -> None:
    is_refusal(api.post(path, b'{"data": {"title": "x"}}', content_type=media_type), 415)


def test_a_body_that_is_too_large(api: Api, path: str) -> None:
    is_refusal(api.post(path, b" " * (2 * MIB + 1)), 413)


@pytest.mark.parametrize("data", [None, [], "", 7, True, "x", [{}], [["title", "x"]]], ids=repr)
def test_data_that_is_no_object(data: Any, api: Api, path: str) -> None:
    assert set(is_refusal(api.post(path, {"data": data}), 422)["errors"]) == {"data"}


def test_data_that_is_not_there(api: Api, path: str) -> None:
    for body in ({}, {"title": "x"}, {"DATA": {}}):
        assert is_refusal(api.post(path, body), 422)["errors"] == {"data": ["The data field is required."]}


VALUES: list[Any] = [
    *([], {}, [[]], [{}], {"a": {"b": {}}}, [None], True, False, 0, -1, 1.5, 2**63 - 1, -(2**63), 1e308),
    *("", " ", "\u0001", "\u202e", "\ufeff", "\U0010ffff", "a" * 200_000, "\r\n" * 5000, "%00", "../..", "{{7*7}}", "=1+1"),
]


@pytest.mark.parametrize("value", VALUES, ids=label)
@pytest.mark.both_databases
def test_values_of_every_type(value: Any, api: Api) -> None:
    options = {kind: {"options": ["a"]} for kind in ("select", "radio", "checkboxes")}
    form = make_form(*(field(kind, kind, **options.get(kind, {})) for kind in TYPES))
    for key in TYPES:
        answer = api.post(f"/forms/{form.pk}/submissions", {"data": {key: value}})
        assert answer.status_code in {201, 422}, (key, answer.content[:200])
        if answer.status_code == 422:
            assert all(path.startswith(f"data.{key}") for path in answer.json()["errors"])
    assert api.get(f"/forms/{form.pk}/submissions", per_page=100).status_code == 200


def test_queries(api: Api, path: str, subtests: pytest.Subtests) -> None:
    """All lists read queries alike, and that of items is sent all of them: these are sent a third each."""
    for where, queries in ((path, QUERIES[::3]), ("/forms", QUERIES[1::3])):
        for query, _ in queries:
            with subtests.test(f"{where} {query[:80]}"):
                assert api.request("GET", f"{where}?{query}").status_code in {200, 422}


PARAMETERS = ("since", "from", "to", "include_spam", "source", "sort", "cursor", "page", "per_page", "fields")
OF_NO_PARAMETER = ("%00", "%FF", "a" * 5000, "9" * 5000, "0001-01-01T00:00:00%2B14:00", "[]", "null", "٣")


def test_values_of_queries(api: Api, path: str, subtests: pytest.Subtests) -> None:
    """Half of the values for each name; the names that are read alike get the others."""
    for place, name in enumerate(PARAMETERS):
        for value in OF_NO_PARAMETER[place % 2 :: 2]:
            with subtests.test(f"{name} {value[:40]}"):
                refused = api.request("GET", f"{path}?{name}={value}")
                assert refused.status_code == 422
                assert set(refused.json()["errors"]) == {name}
