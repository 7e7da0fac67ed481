"""GET /content-types and GET /content-types/{slug}."""

from typing import Any

import pytest

from cms_api.content.services.builtin import create as create_builtin_types
from cms_api.content.services.types import save_type
from cms_api.fields import FIELD_TYPES
from cms_api.flags.services import set_setting, switch_feature
from tests.builders import blog_post, field, make_item, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db

KEYS = [
    *("id", "slug", "name", "name_plural", "description", "icon", "is_system", "schema_type", "has_detail", "excerpt_enabled"),
    *("comments_enabled", "index_layout", "detail_layout", "fields", "taxonomies", "item_count"),
]
FIELD_KEYS = {"key", "label", "type", "required", "help_text", "default", "options", "multiple", "facet", "unique"}


def listed(api: Api) -> dict[str, Any]:
    return {record["slug"]: record for record in api.data("/content-types")}


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    create_builtin_types()
    found = api.get("/content-types").json()
    assert {"blog-post", "service", "projects"} <= {record["slug"] for record in found["data"]}
    assert all(list(record) == KEYS for record in found["data"])
    assert set(found) == {"data", "links", "meta"}


@pytest.mark.both_databases
def test_the_list_comes_whole_as_one_page(api: Api) -> None:
    for _ in range(20):
        make_type()
    url = "http://testserver/api/v1/content-types"
    found = api.get("/content-types", per_page=5, page=3)
    assert len(found.json()["data"]) == 20
    meta = {"current_page": 1, "from": 1, "last_page": 1, "path": url, "per_page": 20, "to": 20, "total": 20}
    assert found.json()["meta"] == meta
    kept = f"{url}?per_page=5&page=3"
    assert found.json()["links"] == {"first": kept, "last": kept, "prev": None, "next": None}


@pytest.mark.both_databases
def test_an_empty_list(api: Api) -> None:
    assert api.get("/content-types").json()["meta"]["total"] == 0
    assert api.get("/content-types").json()["meta"]["from"] is None


def test_one_by_its_slug(api: Api) -> None:
    blog_post()
    record = api.data("/content-types/blog-post")
    assert record == listed(api)["blog-post"]
    assert (record["name"], record["is_system"], record["schema_type"]) == ("Blog post", True, "BlogPosting")
    assert record["fields"][0] == {
        **{"key": "title", "label": "Title", "type": "text", "required": True, "help_text": "", "default": None},
        **{"options": None, "multiple": False, "facet": False, "unique": False},
    }
    assert record["taxonomies"][0] == {"key": "category", "label": "Category", "multiple": True, "hierarchical": False}


def test_built_in_types_need_a_title_alone(api: Api) -> None:
    create_builtin_types()
    for slug in ("blog-post", "service", "projects"):
        assert api.post("/content-items", {"type": slug, "data": {"title": "Hello"}}).status_code == 201


def test_the_schema_of_every_kind_of_field(api: Api) -> None:
    options = [{"value": "a", "label": "A"}]
    fields = [field(kind, kind, **({"options": options} if FIELD_TYPES[kind].takes_options else {})) for kind in FIELD_TYPES]
    record = api.data(f"/content-types/{make_type(*fields).slug}")
    assert [each["type"] for each in record["fields"]] == ["text", *FIELD_TYPES]
    for each in record["fields"]:
        assert set(each) == FIELD_KEYS
        assert (each["options"] == options) == FIELD_TYPES[each["type"]].takes_options
    assert [each["key"] for each in record["taxonomies"]] == ["taxonomy"]


def test_a_taxonomy_says_what_it_takes(api: Api) -> None:
    item_type = make_type(field("genre", "taxonomy", multiple=True, hierarchical=True))
    record = api.data(f"/content-types/{item_type.slug}")
    assert record["taxonomies"] == [{"key": "genre", "label": "Genre", "multiple": True, "hierarchical": True}]


@pytest.mark.both_databases
def test_items_are_counted_when_published_and_not_owned(api: Api) -> None:
    item = make_item()
    for status in ("published", "draft", "unpublished"):
        make_item(status=status)
    assert api.data("/content-types/blog-post")["item_count"] == 2
    assert listed(api)["blog-post"]["item_count"] == 2
    api.delete(f"/content-items/{item.pk}")
    assert api.data("/content-types/blog-post")["item_count"] == 1
    assert api.data(f"/content-types/{make_type().slug}")["item_count"] == 0


def test_a_type_whose_feature_is_off_is_absent(api: Api) -> None:
    make_type(slug="fairs", feature="events")
    assert "fairs" not in listed(api)
    for path in ("/content-types/fairs", "/content-types/fairs/terms"):
        assert api.get(path).content == b'{"message":"Not Found."}'
    switch_feature(name="events", on=True)
    assert "fairs" in listed(api)
    assert api.data("/content-types/fairs")["slug"] == "fairs"


@pytest.mark.parametrize("slug", ["nothing", "Blog-Post", "1", "blog-post%20", "blog_post"])
@pytest.mark.both_databases
def test_an_unknown_type(api: Api, slug: str) -> None:
    blog_post()
    assert api.get(f"/content-types/{slug}").content == b'{"message":"Not Found."}'


def test_fields_picks_keys(api: Api) -> None:
    item_type = blog_post()
    assert api.data("/content-types/blog-post", fields="slug,name") == {
        "id": item_type.pk,
        "slug": "blog-post",
        "name": "Blog post",
    }
    assert {"id": item_type.pk, "slug": "blog-post"} in api.data("/content-types", fields="slug")
    assert api.data("/content-types/blog-post", fields="fields")["fields"][0]["key"] == "title"
    for path in ("/content-types", "/content-types/blog-post"):
        refused = api.get(path, fields="slug,epoch")
        assert (refused.status_code, list(refused.json()["errors"])) == (422, ["fields"])


def test_a_change_shows_with_the_next_request(api: Api) -> None:
    item_type = make_type(slug="things", name="Things")
    before = api.get("/content-types/things")
    save_type(item_type=item_type, values={"name": "Other things", "fields": [field("headline", "text")]})
    after = api.get("/content-types/things")
    assert (after.json()["data"]["name"], [each["key"] for each in after.json()["data"]["fields"]]) == (
        "Other things",
        ["headline"],
    )
    assert after.headers["ETag"] != before.headers["ETag"]


def test_a_layout_is_the_settings_before_the_types_own(api: Api) -> None:
    make_type(slug="things", index_layout="content-grid")
    assert api.data("/content-types/things")["index_layout"] == "content-grid"
    set_setting(key="index_layout.default.things", value="content-list")
    set_setting(key="detail_layout.default.things", value="content-wide")
    record = api.data("/content-types/things")
    assert (record["index_layout"], record["detail_layout"]) == ("content-list", "content-wide")
