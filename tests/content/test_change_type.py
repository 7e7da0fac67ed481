"""Items after a change of their type: of its fields, of the fields' types, and of unique fields."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.services.items import publish_item, save_draft
from cms_api.content.services.types import delete_type, refresh_items, save_type
from cms_api.core.errors import Invalid
from cms_api.fields import FIELD_TYPES
from tests.builders import blog_post, field, make_item, make_term, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db

OPTIONS = [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]

#: A value of every kind of field, but for references.
SAMPLES: dict[str, Any] = {
    "text": "hello",
    "textarea": "<script>alert(1)</script> & more\n2026-03-01",
    "phone": "+33 1 23 45",
    "color": "#aabbcc",
    "richtext_tiptap": "<p>Text</p>",
    "number": 1.5,
    "integer": 7,
    "boolean": True,
    "select": "a",
    "radio": "b",
    "checkbox": ["a", "b"],
    "date": "2026-03-01",
    "time": "18:30",
    "datetime": {"start": "2026-03-01T18:30"},
    "url": "https://example.com",
    "email": "a@example.com",
    "address": {"street": "Main 1"},
    "hours": {"mon": [{"open": "09:00", "close": "17:00"}]},
    "image": "media/a.jpg",
    "file": "media/a.pdf",
    "gallery": ["media/a.jpg", "media/b.jpg"],
}


def of_kind(key: str, kind: str, **more: Any) -> dict[str, Any]:
    return field(key, kind, **({"options": OPTIONS} if FIELD_TYPES[kind].takes_options else {}), **more)


def change_fields(item_type: ContentType, *fields: dict[str, Any]) -> ContentType:
    return save_type(item_type=item_type, values={"fields": [item_type.fields[0], *fields]})


def values(api: Api, item: ContentItem) -> dict[str, Any]:
    found: dict[str, Any] = api.data(f"/content-items/{item.pk}")["fields"]
    return found


def assert_fits(item_type: ContentType, found: dict[str, Any]) -> None:
    for each in item_type.schema:
        if each.type != "taxonomy":
            schema = FIELD_TYPES[each.type].json_schema(each, writing=False)
            assert not list(Draft202012Validator(schema).iter_errors(found[each.key])), (each.key, found[each.key])


@pytest.mark.parametrize("kind", [*SAMPLES, "taxonomy", "relation"])
def test_a_field_of_every_kind_may_become_one_of_every_other(api: Api, kind: str) -> None:
    item_type = make_type(*(of_kind(other, kind) for other in FIELD_TYPES))
    term_ids = {other: make_term(item_type, other, "News").pk for other in FIELD_TYPES if kind == "taxonomy"}
    target = make_item().pk
    data = {other: SAMPLES.get(kind, term_ids.get(other, target)) for other in FIELD_TYPES}
    item = make_item(item_type, title="Hello", data=data)
    draft = make_item(item_type, title="Draft", status="draft", data=data)
    change_fields(item_type, *(of_kind(other, other) for other in FIELD_TYPES))
    assert_fits(item_type, values(api, item))
    assert values(api, item)[kind if kind != "taxonomy" else "title"]
    assert {record["id"] for record in api.data("/content-items", type=item_type.slug, status="all")} == {item.pk, draft.pk}
    refresh_items()
    assert_fits(item_type, values(api, item))
    changed = api.patch(f"/content-items/{item.pk}", {"data": {"title": "Changed"}})
    assert changed.status_code == 200
    assert_fits(item_type, changed.json()["data"]["fields"])
    assert api.patch(f"/content-items/{draft.pk}", {"status": "published"}).status_code == 200
    assert api.delete(f"/content-items/{target}").status_code == 200
    assert api.delete(f"/content-items/{item.pk}").status_code == 200


def test_text_that_becomes_rich_text_is_cleaned(api: Api) -> None:
    item_type = make_type(field("note", "textarea"))
    item = make_item(item_type, data={"note": "<p onclick='x()'>Hi</p><script>alert(1)</script>"})
    change_fields(item_type, field("note", "richtext_tiptap"))
    assert values(api, item)["note"] == ContentItem.objects.get(pk=item.pk).data["note"] == "<p>Hi</p>"


@pytest.mark.both_databases
def test_what_a_field_left_behind_is_not_taken_for_the_value_of_another(api: Api) -> None:
    item_type = make_type(field("note", "textarea"))
    item = make_item(item_type, data={"note": "<script>alert(1)</script>Hi"})
    change_fields(item_type)
    assert values(api, item).keys() == {"title"}
    change_fields(item_type, field("note", "datetime"))
    assert values(api, item)["note"] is None
    api.patch(f"/content-items/{item.pk}", {"data": {"note": {"start": "2026-03-01T10:00"}}})
    change_fields(item_type)
    change_fields(item_type, field("note", "relation"))
    assert values(api, item)["note"] is None


CONVERTED: list[tuple[dict[str, Any], Any, dict[str, Any], Any]] = [
    (field("v", "integer"), 2026, field("v", "text"), "2026"),
    (field("v", "text"), "2026", field("v", "integer"), 2026),
    (field("v", "text"), "many", field("v", "integer"), None),
    (field("v", "textarea"), "One", field("v", "text"), "One"),
    (field("v", "textarea"), "One\nTwo", field("v", "text"), None),
    (of_kind("v", "select"), "a", of_kind("v", "select", multiple=True), ["a"]),
    (of_kind("v", "checkbox"), ["b", "a"], of_kind("v", "radio"), "b"),
    (field("v", "image"), "media/a.jpg", field("v", "gallery"), ["media/a.jpg"]),
    (field("v", "gallery"), ["media/a.jpg", "media/b.jpg"], field("v", "image"), "media/a.jpg"),
    (field("v", "date"), "2026-03-01", field("v", "text"), "2026-03-01"),
]


@pytest.mark.parametrize(("before", "sent", "after", "expected"), CONVERTED)
def test_values_are_kept_where_they_can_be_read(
    api: Api, before: dict[str, Any], sent: Any, after: dict[str, Any], expected: Any
) -> None:
    item_type = make_type(before)
    item = make_item(item_type, data={"v": sent})
    change_fields(item_type, after)
    assert values(api, item)["v"] == expected


@pytest.mark.both_databases
def test_one_relation_becomes_many_and_many_become_one(api: Api) -> None:
    item_type = make_type(field("v", "relation"))
    a, b = make_item(), make_item()
    item = make_item(item_type, data={"v": a.pk})
    change_fields(item_type, field("v", "relation", multiple=True))
    assert values(api, item)["v"] == [a.pk]
    api.patch(f"/content-items/{item.pk}", {"data": {"v": [b.pk, a.pk]}})
    change_fields(item_type, field("v", "relation"))
    assert values(api, item)["v"] == b.pk


def test_a_new_label_leaves_the_values_alone(api: Api) -> None:
    item_type = make_type(field("v", "select", options=OPTIONS))
    item = make_item(item_type, data={"v": "a"})
    change_fields(item_type, field("v", "select", options=[{"value": "a", "label": "New"}], help_text="Choose"))
    assert values(api, item)["v"] == "a"


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", ["select", "radio", "checkbox"])
def test_values_move_along_with_a_renamed_option(api: Api, kind: str) -> None:
    item_type = make_type(field("v", kind, options=OPTIONS))
    many = kind == "checkbox"
    item = make_item(item_type, data={"v": ["a", "b"] if many else "a"})
    draft = make_item(item_type)
    save_draft(item=draft, values={"data": {"v": ["a"] if many else "a"}})
    change_fields(item_type, field("v", kind, options=[{"value": "first", "label": "First"}, OPTIONS[1]]))
    assert values(api, item)["v"] == (["first", "b"] if many else "first")
    draft.refresh_from_db()
    assert publish_item(item=draft)
    assert values(api, draft)["v"] == (["first"] if many else "first")
    assert api.patch(f"/content-items/{item.pk}", {"data": {"v": values(api, item)["v"]}}).status_code == 200


def test_an_option_that_items_have_is_not_removed(api: Api) -> None:
    item_type = make_type(field("v", "select", options=OPTIONS))
    item = make_item(item_type, data={"v": "a"})
    with pytest.raises(Invalid) as refused:
        change_fields(item_type, field("v", "select", options=OPTIONS[1:]))
    label = OPTIONS[0]["label"]
    assert refused.value.errors == {"fields.1.options": [f"1 item has “{label}”. Choose something else there first."]}
    assert values(api, item)["v"] == "a"


def test_another_field_by_date_is_followed_by_the_next_job(api: Api) -> None:
    item_type = make_type(field("a", "datetime", facet=True), field("b", "datetime"))
    make_item(item_type, title="Hello", data={"a": {"start": "2001-01-01T10:00"}, "b": {"start": "2901-01-01T10:00"}})
    assert len(api.data("/content-items", type=item_type.slug, when="past")) == 1
    change_fields(item_type, field("a", "datetime"), field("b", "datetime", facet=True))
    assert refresh_items() == 1
    assert api.data("/content-items", type=item_type.slug, when="past") == []
    assert len(api.data("/content-items", type=item_type.slug, when="upcoming")) == 1


@pytest.mark.both_databases
def test_a_field_becomes_unique_where_its_values_are(api: Api) -> None:
    item_type = make_type(field("sku", "text"))
    for sku in ("A", "B", None, None):
        make_item(item_type, data={"sku": sku})
    change_fields(item_type, field("sku", "text", unique=True))
    with pytest.raises(Invalid, match="already been taken"):
        make_item(item_type, data={"sku": "A"})
    refresh_items()
    change_fields(item_type, field("sku", "text"))
    make_item(item_type, data={"sku": "A"})


@pytest.mark.both_databases
def test_a_field_cannot_become_unique_where_its_values_are_not(api: Api) -> None:
    item_type = make_type(field("sku", "text"))
    for _ in range(2):
        make_item(item_type, data={"sku": "A"})
    with pytest.raises(Invalid) as refused:
        change_fields(item_type, field("sku", "text", unique=True))
    assert refused.value.errors == {"fields.1.unique": ["Several items have the same value."]}
    assert not ContentType.objects.get(pk=item_type.pk).schema[1].unique
    assert len(api.data("/content-items", type=item_type.slug)) == 2


@pytest.mark.both_databases
def test_a_stale_copy_of_the_type_does_not_set_its_epoch_back(api: Api) -> None:
    item_type = make_type(field("genre", "taxonomy"), name="Before")
    stale = ContentType.objects.get(pk=item_type.pk)
    make_term(item_type, "genre", "Jazz")
    item = make_item(ContentType.objects.get(pk=item_type.pk))
    save_type(item_type=stale, values={"has_detail": False})
    assert "url" not in api.data(f"/content-items/{item.pk}")


@pytest.mark.both_databases
def test_a_built_in_type_cannot_be_deleted() -> None:
    with pytest.raises(Invalid, match="built-in"):
        delete_type(item_type=blog_post())


@pytest.mark.both_databases
def test_a_type_with_items_cannot_be_deleted(api: Api) -> None:
    item_type = make_type(slug="things")
    item = make_item(item_type)
    with pytest.raises(Invalid, match="with items can't be deleted"):
        delete_type(item_type=item_type)
    api.delete(f"/content-items/{item.pk}")
    delete_type(item_type=item_type)
    assert api.get("/content-types/things").status_code == 404
    assert api.get("/content-items", type="things").status_code == 422


REFUSED: list[tuple[str, dict[str, Any], set[str]]] = [
    ("", {}, {"slug"}),
    ("Capital", {}, {"slug"}),
    ("a b", {}, {"slug"}),
    ("a" * 51, {}, {"slug"}),
    ("admin", {}, {"slug"}),
    ("api", {}, {"slug"}),
    ("blog-post", {}, {"slug"}),
    ("fine", {"name": ""}, {"name"}),
    ("fine", {"fields": [{}]}, {"fields.0.key", "fields.0.label", "fields.0.type"}),
    ("fine", {"fields": [field("a", "nothing")]}, {"fields.0.type"}),
    ("fine", {"fields": [field("a", "text"), field("a", "text")]}, {"fields.1.key"}),
    ("fine", {"fields": [field("a", "select")]}, {"fields.0.options"}),
]


@pytest.mark.parametrize(("slug", "changes", "paths"), REFUSED)
def test_a_type_that_makes_no_sense_is_refused(slug: str, changes: dict[str, Any], paths: set[str]) -> None:
    blog_post()
    with pytest.raises(Invalid) as refused:
        save_type(slug=slug, values={"name": "Fine", "fields": [], **changes})
    assert set(refused.value.errors) == paths
