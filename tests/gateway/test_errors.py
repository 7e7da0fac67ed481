"""The contract's table of errors, a row each: status, body and headers."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from cms_api.content import api as content_api
from cms_api.core.errors import ApiError, ErrorCollector, Invalid
from cms_api.core.module import Module
from tests.builders import blog_post, field, make_token, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db

GOOD = {"type": "blog-post", "data": {"title": "Hello"}}


@pytest.fixture(autouse=True)
def _a_type(db: None) -> None:
    blog_post()


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An endpoint that fails as no one foresaw."""

    def fail(*args: Any, **named: Any) -> None:
        raise RuntimeError("the database password is hunter2")

    monkeypatch.setattr(content_api.selectors, "find_row", fail)
    return


def test_it_works(api: Api) -> None:
    assert api.post("/content-items", GOOD).status_code == 201


@pytest.mark.parametrize(
    "raw", [b"", b"{", b"[]", b"null", b'{"a": NaN}', b'{"a": Infinity}', b'{"a": "\xff"}', b'{"a":' * 65 + b"1" + b"}" * 65]
)
def test_400(api: Api, raw: bytes) -> None:
    refused = api.post("/content-items", raw)
    assert refused.status_code == 400
    assert set(refused.json()) == {"message"}


def test_401(anonymous: Api) -> None:
    refused = anonymous.get("/content-items")
    assert (refused.status_code, refused.json()) == (401, {"message": "Unauthenticated."})
    assert refused.headers["WWW-Authenticate"] == "Bearer"


def test_403(api_on: None) -> None:
    refused = Api(make_token("content:read")).post("/content-items", GOOD)
    assert refused.status_code == 403
    message = "This token is missing the required ability: content:write."
    assert refused.json() == {"message": message, "required_ability": "content:write"}
    assert refused.headers["WWW-Authenticate"] == 'Bearer error="insufficient_scope", scope="content:write"'


def test_404_is_the_same_for_everything_that_is_not_there(api: Api, planted: Module) -> None:
    paths = ["/nothing", "/content-items/987654321", "/content-items/nothing", "/content-types/nothing", "/crm/planted"]
    bodies = {api.get(path).content for path in paths}
    assert bodies == {b'{"message":"Not Found."}'}
    assert {api.get(path).status_code for path in paths} == {404}


def test_405(api: Api) -> None:
    refused = api.delete("/content-items")
    assert (refused.status_code, refused.json()) == (405, {"message": "Method Not Allowed"})
    assert refused.headers["Allow"] == "GET, HEAD, POST"


def test_413(api: Api) -> None:
    refused = api.post("/content-items", b'"' + b"a" * (2 * 1024 * 1024))
    assert refused.status_code == 413
    assert set(refused.json()) == {"message"}


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
@pytest.mark.parametrize("path", ["/content-items", "/content-items/1", "/nothing", "/nothing/" + "a" * 9000, ""])
def test_414(api: Api, anonymous: Api, settings: Any, method: str, path: str) -> None:
    """The same for everyone, before anything else is checked."""
    for client in (api, anonymous):
        refused = client.http.generic(method, f"/api/v1{path}?search={'a' * 9000}", HTTP_AUTHORIZATION=f"Bearer {client.token}")
        assert refused.status_code == 414
        assert refused.json() == {"message": "The path and query may not be longer than 8192 characters."}
        assert refused.headers["Content-Type"] == "application/json"
        assert refused.headers["X-Request-Id"]


def test_the_longest_path_and_query(api: Api) -> None:
    query = "?unknown=" + "%C3%A9" * 100
    whole = "/content-items" + query + "a" * (8192 - len("/api/v1/content-items" + query))
    assert api.request("GET", whole).status_code == 200
    assert api.request("GET", whole + "a").status_code == 414


def test_415(api: Api) -> None:
    refused = api.post("/content-items", json.dumps(GOOD), content_type="text/plain")
    assert refused.status_code == 415
    assert set(refused.json()) == {"message"}


def test_422_of_one_error(api: Api) -> None:
    refused = api.post("/content-items", {"type": "blog-post", "data": {}})
    assert refused.status_code == 422
    sentence = "The title field is required."
    assert refused.json() == {"message": sentence, "errors": {"data.title": [sentence]}}


@pytest.mark.both_databases
def test_422_of_more_errors_counts_them(api: Api) -> None:
    two = api.post("/content-items", {"data": {"title": "Hello"}, "status": "gone"}).json()
    assert two == {
        "message": "The type field is required. (and 1 more error)",
        "errors": {
            "type": ["The type field is required."],
            "status": ["The selected status is invalid. Valid values: draft, published, scheduled, unpublished."],
        },
    }
    three = api.post("/content-items", {"status": "gone"}).json()
    assert three["message"] == "The type field is required. (and 2 more errors)"


def test_422_of_a_nested_key_has_dots(api: Api) -> None:
    events = make_type(field("event_date", "datetime"))
    date = {"start": "2026-03-01T18:30", "repeat": {"frequency": "daily", "interval": 0}}
    refused = api.post("/content-items", {"type": events.slug, "data": {"title": "Fair", "event_date": date}})
    assert list(refused.json()["errors"]) == ["data.event_date.repeat.interval"]


def test_422_collects_the_errors_of_all_fields(api: Api) -> None:
    item_type = make_type(field("when", "date"), field("mail", "email"), field("much", "number"))
    sent = {"when": "soon", "mail": "nobody", "much": "many"}
    errors = api.post("/content-items", {"type": item_type.slug, "data": sent, "slug": "NO"}).json()["errors"]
    assert set(errors) == {"data.title", "data.when", "data.mail", "data.much", "slug"}


@pytest.mark.usefixtures("own_budgets")
def test_429(api: Api, settings: Any) -> None:
    settings.API_RATE_PER_MINUTE = 1
    api.get("/content-items")
    refused = api.get("/content-items")
    assert (refused.status_code, refused.json()) == (429, {"message": "Too Many Attempts."})
    assert 1 <= int(refused.headers["Retry-After"]) <= 60


@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.usefixtures("broken")
def test_500_tells_nothing(api: Api, settings: Any, debug: bool) -> None:
    settings.DEBUG = debug
    api.http.raise_request_exception = False
    failed = api.get("/content-items/1")
    assert (failed.status_code, failed.content) == (500, b'{"message":"Server Error"}')
    assert failed.headers["Content-Type"] == "application/json"
    assert failed.headers["X-Request-Id"]


@pytest.mark.usefixtures("broken")
def test_500_is_logged_with_its_cause(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    api.http.raise_request_exception = False
    api.get("/content-items/1")
    assert "hunter2" in caplog.text


def test_an_error_of_no_kind_is_a_500() -> None:
    assert (ApiError().status, ApiError().body()) == (500, {"message": "Server Error"})


def test_errors_are_collected_under_their_prefix() -> None:
    collector = ErrorCollector()
    collector.raise_if_any()
    with collector.under("data"):
        raise Invalid({"a.b": "One.", "": ["Two.", "Three."]})
    collector.add("data", "Four.")
    assert collector.errors == {"data.a.b": ["One."], "data": ["Two.", "Three.", "Four."]}
    with pytest.raises(Invalid) as refused:
        collector.raise_if_any()
    assert refused.value.message == "One. (and 3 more errors)"
