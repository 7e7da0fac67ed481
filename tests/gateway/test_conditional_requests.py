"""ETag and If-None-Match: 304 for as long as nothing that the answer shows was written."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.content.models import ContentItem, ContentType, Term
from cms_api.content.services.bulk import create_items
from cms_api.content.services.items import publish_due_items, publish_revision, save_draft, unpublish_item
from cms_api.content.services.types import delete_term, save_term, save_type
from cms_api.flags.services import set_setting, switch_feature
from tests.builders import blog_post, field, make_item, make_term, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db

PATHS = [
    "/content-items",
    "/content-items?cursor=",
    "/content-items?type=things&sort=title&per_page=1",
    "/content-items?search=one",
    "/content-items?term.genre=jazz",
    "/content-items?when=past",
    "/content-items?fields=title",
    "/content-items/one?type=things",
    "/content-items/one?type=things&fields=title",
    "/content-types",
    "/content-types/things",
    "/content-types/things/terms",
    "/openapi.json",
]


@pytest.fixture(autouse=True)
def things(db: None) -> ContentType:
    things = make_type(field("genre", "taxonomy"), field("when", "datetime", facet=True), slug="things")
    make_term(things, "genre", "Jazz")
    make_item(things, title="One", data={"genre": "jazz", "when": {"start": "2001-01-01", "all_day": True}})
    return things


def read(api: Api, path: str, **headers: str) -> Any:
    return api.request("GET", path, **headers)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.both_databases
def test_it_works(api: Api, path: str) -> None:
    whole = read(api, path)
    assert whole.status_code == 200
    tag = whole.headers["ETag"]
    assert tag.startswith('"')
    assert read(api, path).headers["ETag"] == tag
    kept = read(api, path, if_none_match=tag)
    assert (kept.status_code, kept.content, kept.headers["ETag"]) == (304, b"", tag)
    assert kept.headers["X-RateLimit-Limit"]
    assert kept.headers["Cache-Control"] == whole.headers["Cache-Control"]
    head = api.request("HEAD", path, if_none_match=tag)
    assert (head.status_code, head.content) == (304, b"")


@pytest.mark.parametrize("path", PATHS)
def test_another_tag_brings_the_answer(api: Api, path: str) -> None:
    for tag in ('"another"', 'W/"another"', "", "another", ","):
        assert read(api, path, if_none_match=tag).status_code == 200


@pytest.mark.parametrize("path", PATHS)
def test_spellings_of_the_header(api: Api, path: str) -> None:
    tag = read(api, path).headers["ETag"]
    for spelling in (f"W/{tag}", f'"a", {tag}', f'{tag},"b"', f" {tag} ", "*"):
        assert read(api, path, if_none_match=spelling).status_code == 304


def test_tags_of_different_answers_differ(api: Api) -> None:
    tags = [read(api, path).headers["ETag"] for path in PATHS]
    assert len(set(tags)) == len(tags)
    assert read(api, "/content-items").headers["ETag"] != read(api, "/content-items?page=2").headers["ETag"]


def test_errors_and_writes_have_none(api: Api, things: ContentType) -> None:
    for found in (read(api, "/content-items/0"), read(api, "/content-items?page=0"), Api().get("/content-items")):
        assert "ETag" not in found.headers
    sent = {"type": "things", "data": {"title": "Two"}}
    made = api.post("/content-items", sent, if_none_match="*")
    assert made.status_code == 201
    assert "ETag" not in made.headers
    changed = api.patch(f"/content-items/{made.json()['data']['id']}", {"excerpt": "x"}, if_none_match="*")
    assert changed.status_code == 200


def test_a_tag_is_no_way_round_the_token(api: Api) -> None:
    tag = read(api, "/content-items").headers["ETag"]
    refused = Api().request("GET", "/content-items", if_none_match=tag)
    assert (refused.status_code, "ETag" in refused.headers) == (401, False)


def one() -> ContentItem:
    return ContentItem.objects.get(slug="one")


def come_due() -> None:
    item = make_item(one().type, status="scheduled", published_at=timezone.now() + timedelta(hours=1))
    ContentItem.objects.filter(pk=item.pk).update(published_at=timezone.now() - timedelta(seconds=1))
    publish_due_items()


def publish_a_draft() -> None:
    _, revision = save_draft(item=one(), values={"data": {"title": "Drafted"}})
    publish_revision(item=one(), revision=revision)


WRITES: dict[str, Callable[[Api], Any]] = {
    "create": lambda api: api.post("/content-items", {"type": "things", "data": {"title": "One"}, "status": "published"}),
    "import": lambda api: create_items(item_type=one().type, rows=[{"data": {"title": "One"}, "status": "published"}]),
    "update": lambda api: api.patch(f"/content-items/{one().pk}", {"data": {"title": "One more"}}),
    "delete": lambda api: api.delete(f"/content-items/{one().pk}"),
    "unpublish": lambda api: unpublish_item(item=one()),
    "publish a draft": lambda api: publish_a_draft(),
    "become due": lambda api: come_due(),
    "rename a term": lambda api: save_term(
        item_type=one().type, taxonomy="genre", name="Blues", slug="jazz", term=Term.objects.get()
    ),
    "delete a term": lambda api: delete_term(term=Term.objects.get()),
    "change the type": lambda api: save_type(item_type=one().type, values={"has_detail": False}),
    "another address": lambda api: None,
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.both_databases
def test_a_list_is_new_after_every_write_that_changes_it(api: Api, write: str, settings: Any) -> None:
    before = {path: read(api, path) for path in PATHS if path.startswith("/content-items?")}
    WRITES[write](api)
    if write == "another address":
        settings.BASE_URL = "https://example.org"
    for path, found in before.items():
        again = read(api, path, if_none_match=found.headers["ETag"])
        if again.status_code == 304:
            assert read(api, path).content == found.content, path
        else:
            assert again.status_code in {200, 422}
    assert read(api, "/content-items", if_none_match=before["/content-items?cursor="].headers["ETag"]).status_code == 200


@pytest.mark.parametrize("write", ["update", "unpublish", "publish a draft", "rename a term", "delete a term", "change the type"])
def test_a_record_is_new_after_every_write_that_changes_it(api: Api, write: str) -> None:
    path = f"/content-items/{one().pk}"
    tag = read(api, path).headers["ETag"]
    WRITES[write](api)
    assert read(api, path, if_none_match=tag).status_code == 200


@pytest.mark.parametrize("write", ["create", "delete", "unpublish", "rename a term", "change the type"])
def test_types_are_new_after_every_write_that_changes_them(api: Api, write: str) -> None:
    paths = ["/content-types/things/terms"] if write == "rename a term" else ["/content-types", "/content-types/things"]
    tags = [read(api, path).headers["ETag"] for path in paths]
    WRITES[write](api)
    assert [read(api, path, if_none_match=tag).status_code for path, tag in zip(paths, tags, strict=True)] == [200] * len(paths)


@pytest.mark.both_databases
def test_a_draft_behind_a_public_item_changes_nothing(api: Api) -> None:
    path = f"/content-items/{one().pk}"
    tag = read(api, path).headers["ETag"]
    save_draft(item=one(), values={"data": {"title": "Drafted"}})
    assert read(api, path, if_none_match=tag).status_code == 304


@pytest.mark.both_databases
def test_a_list_of_another_type_stays(api: Api) -> None:
    make_item(blog_post())
    tag = read(api, "/content-items?type=blog-post").headers["ETag"]
    WRITES["update"](api)
    assert read(api, "/content-items?type=blog-post", if_none_match=tag).status_code == 304


def test_a_bare_date_is_of_the_sites_zone_of_now(api: Api) -> None:
    path = "/content-items?from=2001-01-01&to=2001-01-01"
    tag = read(api, path).headers["ETag"]
    set_setting(key="site.timezone", value="Pacific/Auckland")
    assert read(api, path, if_none_match=tag).status_code == 200


def test_switching_the_feature_of_a_type_makes_lists_new(api: Api) -> None:
    fairs = make_type(slug="fairs", feature="events")
    switch_feature(name="events", on=True)
    make_item(fairs)
    tags = {path: read(api, path).headers["ETag"] for path in ("/content-items", "/content-types")}
    switch_feature(name="events", on=False)
    for path, tag in tags.items():
        assert read(api, path, if_none_match=tag).status_code == 200


def test_a_layout_setting_makes_types_new(api: Api) -> None:
    tag = read(api, "/content-types").headers["ETag"]
    set_setting(key="index_layout.default.things", value="content-grid")
    assert read(api, "/content-types", if_none_match=tag).status_code == 200
