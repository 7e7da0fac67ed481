"""GET /content-items: the envelope, pages, sorting and fields; filters and cursors have files of their own."""

from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import orjson
import pytest
from django.utils import timezone

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.resources.documents import ContentItemResource
from cms_api.content.resources.records import finish
from cms_api.content.resources.sparse import KEYS, STORED, columns, records
from tests.builders import blog_post, field, make_image, make_item, make_term, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db


def titles(api: Api, **query: Any) -> list[str]:
    return [record["title"] for record in api.data("/content-items", **query)]


def make_dated(*titles: str, item_type: ContentType | None = None) -> list[ContentItem]:
    """Published items, an hour apart, the first one first."""
    begin = timezone.now() - timedelta(days=1)
    return [make_item(item_type, title=title, published_at=begin + timedelta(hours=n)) for n, title in enumerate(titles)]


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    make_dated("One", "Two", "Three")
    found = api.get("/content-items")
    assert found.status_code == 200
    url = "http://testserver/api/v1/content-items"
    assert found.json()["links"] == {"first": f"{url}?page=1", "last": f"{url}?page=1", "prev": None, "next": None}
    assert found.json()["meta"] == {
        **{"current_page": 1, "from": 1, "last_page": 1, "path": url, "per_page": 15, "to": 3, "total": 3},
    }
    assert [record["title"] for record in found.json()["data"]] == ["Three", "Two", "One"]


def test_records_are_those_of_a_single_read(api: Api) -> None:
    make_dated("One", "Two")
    for record in api.data("/content-items"):
        assert api.data(f"/content-items/{record['id']}") == record


@pytest.mark.both_databases
def test_an_empty_list(api: Api) -> None:
    found = api.get("/content-items").json()
    assert found["data"] == []
    meta = found["meta"]
    assert (meta["current_page"], meta["from"], meta["to"], meta["total"], meta["last_page"]) == (1, None, None, 0, 1)


def test_pages(api: Api) -> None:
    make_dated(*"ABCDE")
    seen = []
    for page, (first, last) in {1: (1, 2), 2: (3, 4), 3: (5, 5)}.items():
        found = api.get("/content-items", per_page=2, page=page).json()
        seen += [record["title"] for record in found["data"]]
        meta = found["meta"]
        assert (meta["current_page"], meta["from"], meta["to"], meta["last_page"], meta["total"]) == (page, first, last, 3, 5)
        assert (found["links"]["prev"] is None) == (page == 1)
        assert (found["links"]["next"] is None) == (page == 3)
    assert seen == list("EDCBA")


def test_links_keep_the_query_and_can_be_followed(api: Api) -> None:
    make_dated(*"ABCDE")
    found = api.get("/content-items", type="blog-post", per_page=2, search="a & é", **{"term.x": "y"})
    assert found.status_code == 422
    found = api.get("/content-items", type="blog-post", per_page=2, page=2, unknown="a & é", sort="title").json()
    for page, name in ((1, "first"), (3, "last"), (1, "prev"), (3, "next")):
        kept = "type=blog-post&per_page=2&unknown=a+%26+%C3%A9&sort=title"
        assert found["links"][name] == f"http://testserver/api/v1/content-items?{kept}&page={page}"
    following = api.request("GET", found["links"]["next"].removeprefix("http://testserver/api/v1")).json()
    assert [record["title"] for record in following["data"]] == ["E"]


def test_links_are_at_the_sites_own_address(api: Api, settings: Any) -> None:
    settings.BASE_URL = "https://example.org"
    settings.ALLOWED_HOSTS = ["other.example"]
    found = api.request("GET", "/content-items", host="other.example").json()
    assert found["links"]["first"].startswith("https://example.org/api/v1/content-items?")
    assert found["meta"]["path"] == "https://example.org/api/v1/content-items"


def test_more_than_100_a_page_is_read_as_100(api: Api) -> None:
    item_type = make_type()
    for _ in range(3):
        make_item(item_type)
    for per_page in (101, 1000, 10**17):
        found = api.get("/content-items", per_page=per_page).json()
        assert (found["meta"]["per_page"], len(found["data"])) == (100, 3)
    assert api.get("/content-items", per_page=100).json()["meta"]["per_page"] == 100
    assert api.get("/content-items", per_page=1).json()["meta"]["last_page"] == 3


def test_a_page_past_the_end_is_empty(api: Api) -> None:
    make_dated("One", "Two")
    for page in (2, 3, 10**17):
        found = api.get("/content-items", page=page).json()
        assert found["data"] == []
        meta = found["meta"]
        assert (meta["current_page"], meta["from"], meta["to"], meta["total"], meta["last_page"]) == (page, None, None, 2, 1)
        assert found["links"]["next"] is None
        assert found["links"]["prev"].endswith("page=1")


@pytest.mark.parametrize("name", ["page", "per_page"])
@pytest.mark.parametrize("value", ["0", "-1", "x", "", "1.5", "nan"])
def test_a_number_that_is_none_is_refused(api: Api, name: str, value: str) -> None:
    refused = api.request("GET", f"/content-items?{name}={value}")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, [name])


@pytest.mark.both_databases
def test_unknown_parameters_are_ignored(api: Api) -> None:
    make_dated("One")
    assert titles(api, nothing="x", limit="-1", order="%", **{"filter[a]": "b"}) == ["One"]


def test_fields_picks_keys(api: Api) -> None:
    item = make_item(title="One")
    found = api.get("/content-items", fields="title", per_page=1)
    assert found.json()["data"] == [{"id": item.pk, "title": "One"}]
    assert found.json()["links"]["first"].endswith("?fields=title&per_page=1&page=1")
    assert api.data("/content-items", cursor="", fields="title,terms")[0].keys() == {"id", "title", "terms"}
    assert api.get("/content-items", fields="title,nothing").status_code == 422


#: Texts that look like keys of the JSON around them.
LIKE_KEYS = {
    "title": 'Quotes, ",\\"terms\\":{}, "',
    "excerpt": ',"fields":',
    "meta_title": "\\",
    "meta_description": '"owner_id":1}',
}


@pytest.fixture(params=[("url", "owner_id", "meta_title"), ("slug", "terms", "updated_at"), ()], ids=["keys", "terms", "none"])
def tricky(request: pytest.FixtureRequest) -> ContentItem:
    """An item with fields that are named like keys of items, and with a picture and a term if it has any."""
    keys = request.param
    kind = make_type(*(field(key, "text") for key in keys), field("topics", "taxonomy"), has_detail="url" in keys)
    data: dict[str, Any] = {key: f',"{key}":' for key in keys}
    more = {}
    if keys:
        data["topics"] = [make_term(kind, taxonomy="topics", name="News").pk]
        more["featured_media_id"] = make_image().pk
    kind.refresh_from_db()
    published_at = datetime(999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)
    return make_item(kind, data=data, published_at=published_at, **LIKE_KEYS, **more)


def test_fields_are_those_of_the_whole(api: Api, tricky: ContentItem) -> None:
    [whole] = api.data("/content-items", per_page=1)
    # The whole is as documented, and other tests compare parts with the document.
    api.validate = False
    assert (("url" in whole), bool(whole["featured_image"])) == (tricky.type.has_detail, bool(tricky.featured_media_id))
    for names in (KEYS, {"title", "terms"}, {"url", "featured_image"}, *({each} for each in KEYS)):
        for more in ({}, {"cursor": ""}, {"search": "quotes"}, {"term[topics]": "news"} if tricky.featured_media_id else {}):
            [found] = api.data("/content-items", fields=",".join(names), per_page=1, **more)
            assert found == {key: value for key, value in whole.items() if key in names | {"id"}}
        assert api.data(f"/content-items/{tricky.pk}", fields=",".join(names)) == found
        assert api.data(f"/content-items/{tricky.slug}", type=tricky.type.slug, fields=",".join(names)) == found


def test_any_two_fields_are_those_of_the_whole(tricky: ContentItem) -> None:
    stored = bytes(ContentItem.objects.get(pk=tricky.pk).cached_json)
    whole = orjson.loads(finish(stored))
    assert frozenset(ContentItemResource().fields) == KEYS
    for names in (frozenset({"id", *pair}) for pair in combinations(sorted(KEYS), 2)):
        rows = ContentItem.objects.filter(pk=tricky.pk).values_list("pk", *columns(names))
        found = records(rows, names, stored=[stored] if names & STORED else (), with_origin=False)
        assert orjson.loads(orjson.dumps(found)) == [{key: value for key, value in whole.items() if key in names}]


SORTED = {
    "title": ["Ann", "Bob", "Cid"],
    "-title": ["Cid", "Bob", "Ann"],
    "published_at": ["Bob", "Cid", "Ann"],
    "-published_at": ["Ann", "Cid", "Bob"],
    "created_at": ["Cid", "Ann", "Bob"],
    "-created_at": ["Bob", "Ann", "Cid"],
    "updated_at": ["Ann", "Bob", "Cid"],
    "-updated_at": ["Cid", "Bob", "Ann"],
}


@pytest.fixture
def three(db: None) -> None:
    """Ann, Bob and Cid, in another order by each of their dates."""
    now = timezone.now() - timedelta(days=1)
    for title, published, created, updated in (("Ann", 3, 2, 1), ("Bob", 1, 3, 2), ("Cid", 2, 1, 3)):
        item = make_item(title=title, published_at=now + timedelta(minutes=published))
        dates = {"created_at": now + timedelta(minutes=created), "updated_at": now + timedelta(minutes=updated)}
        ContentItem.objects.filter(pk=item.pk).update(**dates)


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize(("sort", "expected"), SORTED.items(), ids=SORTED)
@pytest.mark.both_databases
def test_sorting(api: Api, sort: str, expected: list[str]) -> None:
    assert titles(api, sort=sort) == expected
    assert titles(api, sort=sort, cursor="") == expected
    assert titles(api, sort=sort, type="blog-post", status="all") == expected


@pytest.mark.usefixtures("three")
def test_the_newest_comes_first_by_default(api: Api) -> None:
    assert titles(api) == SORTED["-published_at"]
    assert api.get("/content-items", sort="").status_code == 422


@pytest.mark.both_databases
def test_drafts_come_in_the_order_of_their_changes(api: Api) -> None:
    long_ago = timezone.now() - timedelta(days=9999)
    items = [make_item(title=title, status="draft", published_at=long_ago) for title in ("One", "Two", "Three")]
    assert titles(api, status="draft") == ["Three", "Two", "One"]
    api.patch(f"/content-items/{items[0].pk}", {"excerpt": "Changed"})
    assert titles(api, status="draft") == ["One", "Three", "Two"]


@pytest.mark.parametrize("sort", ["title", "published_at", "created_at", "updated_at"])
@pytest.mark.both_databases
def test_ties_break_on_the_id(api: Api, sort: str) -> None:
    items = [make_item(title="Same") for _ in range(5)]
    now = timezone.now() - timedelta(hours=1)
    ContentItem.objects.update(listed_at=now, created_at=now, updated_at=now)
    ids = [item.pk for item in items]
    assert [record["id"] for record in api.data("/content-items", sort=sort)] == ids
    assert [record["id"] for record in api.data("/content-items", sort="-" + sort)] == ids[::-1]
    pages = [record["id"] for page in range(1, 6) for record in api.data("/content-items", sort=sort, page=page, per_page=1)]
    assert pages == ids


@pytest.mark.both_databases
def test_an_unknown_sort_is_refused(api: Api) -> None:
    for sort in ("nothing", "id", "-id", "slug", "--title", "title,-id"):
        refused = api.get("/content-items", sort=sort)
        valid = "Valid values: published_at, created_at, updated_at, title."
        assert (refused.status_code, refused.json()["errors"]) == (422, {"sort": [f"The selected sort is invalid. {valid}"]})


def test_all_that_is_wrong_with_the_paging_is_told(api: Api) -> None:
    assert set(api.get("/content-items", page=0, per_page=0, sort="x").json()["errors"]) == {"page", "per_page", "sort"}


def test_all_that_is_wrong_with_the_filters_is_told(api: Api) -> None:
    refused = api.get("/content-items", status="x", owner_id="y", to="z", when="never")
    assert set(refused.json()["errors"]) == {"status", "owner_id", "to", "when"}


@pytest.mark.both_databases
def test_a_list_of_one_type_counts_its_own(api: Api) -> None:
    other = make_type()
    make_dated("One", "Two")
    make_dated("Three", item_type=other)
    assert blog_post().slug == "blog-post"
    totals = {slug: api.get("/content-items", type=slug).json()["meta"]["total"] for slug in ("blog-post", other.slug)}
    assert totals == {"blog-post": 2, other.slug: 1}
    assert api.get("/content-items").json()["meta"]["total"] == 3
