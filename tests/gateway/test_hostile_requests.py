"""Hostile bodies, queries and paths: each is refused in the contract's shape, and leaves nothing changed."""

from collections.abc import Iterator
from typing import Any

import pytest

from cms_api.content.models import ContentItem
from tests.builders import blog_post, make_item, make_token
from tests.client import Api

from .hostile import BODIES, MIB, PATHS, QUERIES, TYPES, body

pytestmark = pytest.mark.django_db


def label(value: object) -> str:
    return str(value)[:60].encode("ascii", "backslashreplace").decode()


@pytest.fixture
def item(api: Api) -> Iterator[ContentItem]:
    """A draft; afterwards everything must be as it was, in every list."""
    blog_post()
    item = make_item(title="The one", status="draft")
    before = api.data(f"/content-items/{item.pk}")
    yield item
    assert ContentItem.objects.count() == 1
    assert api.data("/content-items", status="all", search="the") == [before]
    for query in ({"status": "all"}, {"status": "all", "cursor": ""}, {"status": "all", "sort": "title"}):
        assert api.data("/content-items", **query) == [before]


def is_unchanged(item: ContentItem) -> bool:
    """Whether the draft is as it was, and the only item there is."""
    return list(ContentItem.objects.values_list("pk", "updated_at")) == [(item.pk, item.updated_at)]


def is_refusal(response: Any, status: int) -> dict[str, Any]:
    """The JSON of a refusal, whose shape is the contract's."""
    assert response.status_code == status, response.content[:300]
    found: dict[str, Any] = response.json()
    assert found["message"]
    assert set(found) == ({"message", "errors"} if status == 422 else {"message"})
    if status == 422:
        sentences = [sentence for sentences in found["errors"].values() for sentence in sentences]
        assert sentences
        more = len(sentences) - 1
        suffix = f" (and {more} more error{'s' * (more > 1)})" if more else ""
        assert found["message"] == sentences[0] + suffix
    return found


def test_bodies(api: Api, item: ContentItem, subtests: pytest.Subtests) -> None:
    for name, raw, status in BODIES:
        with subtests.test(name):
            is_refusal(api.post("/content-items", raw), status)
            is_refusal(api.patch(f"/content-items/{item.pk}", raw), status)
            assert is_unchanged(item)


def test_media_types(api: Api, item: ContentItem, subtests: pytest.Subtests) -> None:
    for media_type in TYPES:
        with subtests.test(label(media_type)):
            is_refusal(api.post("/content-items", body(), content_type=media_type), 415)
            is_refusal(api.patch(f"/content-items/{item.pk}", body(), content_type=media_type), 415)
            assert is_unchanged(item)


def test_spellings_of_the_one_media_type(api: Api, item: ContentItem, subtests: pytest.Subtests) -> None:
    spellings = ("utf-8", "UTF-8", "utf8", "Utf8", '"utf-8"', '"UTF-8"', "UTF-8; v=1")
    charsets = [f"application/json;{space}Charset={charset}" for charset in spellings for space in ("", " ")]
    for media_type in (*charsets, "APPLICATION/JSON", "application/json ; v=1", "application/json;", ""):
        with subtests.test(media_type):
            is_refusal(api.post("/content-items", b"{}", content_type=media_type), 422)


def test_a_body_may_have_two_mebibytes_and_no_byte_more(api: Api, item: ContentItem) -> None:
    for send in (api.post, lambda path, raw: api.patch(f"{path}/{item.pk}", raw)):
        is_refusal(send("/content-items", b" " * (2 * MIB + 1)), 413)
        is_refusal(send("/content-items", b" " * (6 * MIB)), 413)
        is_refusal(send("/content-items", b" " * (2 * MIB)), 400)


def test_a_body_of_64_levels_is_read(api: Api, item: ContentItem) -> None:
    deep = b'{"type":"blog-post","data":{"title":7,"x":' + b"[" * 62 + b"]" * 62 + b"}}"
    assert set(is_refusal(api.post("/content-items", deep), 422)["errors"]) == {"data.title"}


@pytest.mark.parametrize("length", ["x", "-1", "", "9" * 30])
def test_lengths_that_are_none(length: str, api: Api, item: ContentItem) -> None:
    response = api.request("POST", "/content-items", body(), x_unused="")
    assert response.status_code == 201
    ContentItem.objects.exclude(pk=item.pk).get()
    api.delete(f"/content-items/{response.json()['data']['id']}")
    refused = api.http.generic(
        "POST",
        "/api/v1/content-items",
        b"{}",
        content_type="application/json",
        CONTENT_LENGTH=length,
        HTTP_AUTHORIZATION=f"Bearer {api.token}",
    )
    assert refused.status_code in {400, 413, 422}
    assert refused.json()["message"]


def test_queries(api: Api, item: ContentItem, subtests: pytest.Subtests) -> None:
    for query, named in QUERIES:
        with subtests.test(label(query)):
            response = api.request("GET", f"/content-items?{query}")
            if named:
                assert set(is_refusal(response, 422)["errors"]) == {named}
            else:
                assert response.status_code == 200, response.content[:300]


@pytest.mark.parametrize("query", ["&".join(["a=1"] * 1251), "&".join(f"{n:x}=1" for n in range(1251))], ids=["same", "other"])
def test_queries_of_too_many_parameters(query: str, api: Api, item: ContentItem) -> None:
    is_refusal(api.request("GET", f"/content-items?{query}"), 400)


def test_queries_that_are_too_long(api: Api, item: ContentItem) -> None:
    is_refusal(api.request("GET", "/content-items?" + "&".join(f"term.x{n}=1" for n in range(2000))), 414)


@pytest.mark.parametrize("query", ["type=%00", "type=%FF", "fields=nothing", "fields=%00", "type=" + "a" * 5000], ids=label)
def test_queries_of_a_read(query: str, api: Api, item: ContentItem) -> None:
    for path in (f"/content-items/{item.pk}", "/content-items/the-one"):
        assert api.request("GET", f"{path}?{query}").status_code in {404, 422}


def test_paths(api: Api, item: ContentItem, subtests: pytest.Subtests) -> None:
    refusals = [(404, b'{"message":"Not Found."}'), (405, b'{"message":"Method Not Allowed"}')]
    for path in PATHS:
        with subtests.test(label(path)):
            for method in ("GET", "PATCH", "DELETE"):
                response = api.request(method, path, b"{}" if method == "PATCH" else None)
                assert (response.status_code, response.content) in refusals
                assert response.status_code == 404 or (method != "GET" and path.startswith("/content-types"))
            assert api.request("GET", path.rstrip("?") + "?type=blog-post").status_code == 404
            assert is_unchanged(item)


HEADERS = {
    "an If-None-Match of commas": {"if_none_match": "," * 5000},
    "an If-None-Match of quotes": {"if_none_match": '"' * 5000},
    "an Accept of XML": {"accept": "application/xml"},
    "an Accept of nothing": {"accept": "*/*;q=0"},
    "a language": {"accept_language": "xx-" + "y" * 5000},
    "another method": {"x_http_method_override": "DELETE"},
    "another host": {"x_forwarded_host": "evil.example"},
    "a range": {"range": "bytes=0-1"},
    "a cookie": {"cookie": "sessionid=" + "a" * 5000},
    "a request id of a million characters": {"x_request_id": "a" * 1_000_000},
    "an encoding": {"content_encoding": "gzip"},
}


def test_headers(api: Api, item: ContentItem, subtests: pytest.Subtests) -> None:
    for name, headers in HEADERS.items():
        with subtests.test(name):
            assert api.request("GET", "/content-items", **headers).status_code == 200
            assert b"evil" not in api.request("GET", "/content-items", **headers).content


def test_a_token_is_no_help(api_on: None, item: ContentItem) -> None:
    """A missing ability is refused before the content is looked at."""
    reader = Api(make_token("content:read"))
    for _, raw, _ in BODIES[:30]:
        assert reader.post("/content-items", raw).status_code == 403
        assert reader.patch(f"/content-items/{item.pk}", raw).status_code == 403


def test_there_are_enough_of_them() -> None:
    assert 2 * len(BODIES) + len(QUERIES) + 4 * len(PATHS) > 600
