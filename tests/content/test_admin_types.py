"""Content types and vocabularies in the admin."""

import json
from typing import Any

import pytest
from django.test import Client
from wagtail.models import ModelLogEntry

from cms_api.content.admin.schema import KINDS, SCHEMA_BLOCK, from_stream, to_stream
from cms_api.content.models import ContentType, Term
from cms_api.content.services.types import save_type
from cms_api.fields import FIELD_TYPES
from tests.builders import field, make_item, make_term, make_type

from .test_admin_forms import open_form

pytestmark = pytest.mark.django_db

NEW = "/admin/content/types/new/"
OPTIONS = [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]
NAMES = {"name": "Recipe", "name_plural": "Recipes", "slug": "recipes", "icon": "doc-full", "index_layout": "content-grid"}


def stream(*definitions: dict[str, Any]) -> dict[str, str]:
    """The form data of the field editor's blocks."""
    sent = {"fields_editor-count": str(len(definitions))}
    for index, definition in enumerate(definitions):
        base = f"fields_editor-{index}"
        sent |= {f"{base}-type": definition["type"], f"{base}-order": str(index), f"{base}-deleted": "", f"{base}-id": ""}
        for name, value in definition.items():
            if name == "options":
                sent[f"{base}-value-options-count"] = str(len(value))
                for place, option in enumerate(value):
                    at = f"{base}-value-options-{place}"
                    sent |= {f"{at}-order": str(place), f"{at}-deleted": "", f"{at}-id": ""}
                    sent |= {f"{at}-value-{part}": text for part, text in option.items()}
            elif name != "type" and value is not False:
                sent[f"{base}-value-{name}"] = "on" if value is True else str(value)
    return sent


TITLE = {"type": "text", "label": "Title", "required": True}


def edit_url(item_type: ContentType) -> str:
    return f"/admin/content/types/edit/{item_type.pk}/"


def errors_of(answer: Any) -> Any:
    assert answer.status_code == 200
    found = answer.context["form"].errors.get("fields_editor")
    return found.as_data()[0].as_json_data() if found else None


@pytest.mark.both_databases
def test_making_a_type(admin_client: Client) -> None:
    assert admin_client.get("/admin/content/types/").status_code == 200
    quick = {"label": "Quick", "value": ""}
    choice = {"type": "select", "label": "Cooking Time!", "multiple": True, "options": [quick], "default": "Quick"}
    fields = stream(TITLE, choice, {"type": "taxonomy", "label": "Diet", "key": "diet", "hierarchical": True})
    answer = admin_client.post(NEW, {**open_form(admin_client, NEW), **NAMES, **fields})
    assert answer.status_code == 302, answer.context["form"].errors
    made = ContentType.objects.get(slug="recipes")
    assert (made.name, made.index_layout) == ("Recipe", "content-grid")
    assert [found.key for found in made.schema] == ["title", "cooking_time", "diet"]
    assert made.schema[1].options == (("Quick", "Quick"),)
    assert (made.schema[1].default, made.schema[2].hierarchical, made.schema[0].required) == (["Quick"], True, True)
    history = admin_client.get(f"/admin/content/types/history/{made.pk}/")
    assert history.status_code == 200
    assert ModelLogEntry.objects.filter(object_id=str(made.pk), action="wagtail.create").count() == 1


def test_every_field_type_has_a_block() -> None:
    assert set(KINDS) == set(FIELD_TYPES) == set(SCHEMA_BLOCK.child_blocks)


def test_definitions_go_through_the_editor_unchanged(admin_client: Client) -> None:
    flags = {"required": True, "help_text": "Help"}
    choices = ("select", "radio", "checkbox")
    fields = [field(f"f_{kind}", kind, **(flags if kind != "boolean" else {})) for kind in FIELD_TYPES if kind not in choices]
    fields += [field(f"f_{kind}", kind, options=OPTIONS) for kind in choices]
    fields += [
        field("more", "select", options=OPTIONS, multiple=True, default=["a", "b"]),
        field("number", "number", default=5),
        field("whole", "integer", default=3, unique=True),
        field("on", "boolean", default=True),
        field("off", "boolean", default=False),
        field("when", "datetime", facet=True, default={"start": "2026-03-01T10:00"}),
        field("day", "date", default="2026-03-01"),
        field("colour", "color", default="#112233"),
        field("tree", "taxonomy", multiple=True, hierarchical=True),
    ]
    item_type = make_type(*fields)
    assert from_stream(to_stream(item_type.fields), item_type.fields) == item_type.fields
    assert admin_client.get(edit_url(item_type)).status_code == 200


def test_saving_a_type_keeps_what_its_blocks_do_not_show(admin_client: Client) -> None:
    item_type = make_type(field("day", "date", default="2026-03-01"), slug="kept")
    fields = stream({**TITLE, "key": "title"}, {"type": "date", "label": "Day", "key": "day"}, {"type": "email", "label": "Mail"})
    answer = admin_client.post(edit_url(item_type), {**open_form(admin_client, edit_url(item_type)), "name": "Changed", **fields})
    assert answer.status_code == 302
    item_type = ContentType.objects.get(pk=item_type.pk)
    assert (item_type.slug, item_type.name) == ("kept", "Changed")
    assert [(found.key, found.default) for found in item_type.schema] == [("title", None), ("day", "2026-03-01"), ("mail", None)]


def test_keys_are_used_once(admin_client: Client) -> None:
    twice = stream(TITLE, {"type": "email", "label": "Other", "key": "mail"}, {"type": "text", "label": "Mail", "key": "mail"})
    answer = admin_client.post(NEW, {**open_form(admin_client, NEW), **NAMES, **twice})
    errors = errors_of(answer)["blockErrors"]
    assert errors == {2: {"blockErrors": {"key": {"messages": ["The key has already been taken."]}}}}
    assert "fields_editor" in json.dumps(answer.context["form"].errors.get_json_data())
    derived = stream(TITLE, {"type": "text", "label": "Note"}, {"type": "text", "label": "Note"})
    admin_client.post(NEW, {**open_form(admin_client, NEW), **NAMES, **derived})
    assert [found.key for found in ContentType.objects.get(slug="recipes").schema] == ["title", "note", "note_2"]


def test_a_refusal_stands_at_the_block(admin_client: Client) -> None:
    fields = stream(
        TITLE,
        {"type": "email", "label": "Mail", "default": "nonsense"},
        {"type": "text", "label": "Key", "key": "Not A Key"},
        {"type": "radio", "label": "Choice", "options": [{"label": "A", "value": "x"}, {"label": "B", "value": "x"}]},
    )
    answer = admin_client.post(NEW, {**open_form(admin_client, NEW), **NAMES, **fields})
    errors = errors_of(answer)["blockErrors"]
    assert errors[1]["blockErrors"]["default"]["messages"] == ["The mail field must be a valid email address."]
    assert "lowercase" in errors[2]["blockErrors"]["key"]["messages"][0]
    assert errors[3]["blockErrors"]["options"]["blockErrors"][1]["blockErrors"]["value"]["messages"]
    assert not ContentType.objects.filter(slug="recipes").exists()


def test_a_bad_slug_is_refused_at_its_field(admin_client: Client) -> None:
    opened = open_form(admin_client, NEW)
    for slug in ("", "admin", "Not a slug"):
        answer = admin_client.post(NEW, {**opened, **NAMES, "slug": slug, **stream(TITLE)})
        assert answer.status_code == 200
        assert "slug" in answer.context["form"].errors, slug


def test_deleting_a_type(admin_client: Client) -> None:
    empty, full = make_type(), make_type()
    save_type(slug="system", values={"name": "System"}, system=True)
    system = ContentType.objects.get(slug="system")
    make_item(full)
    for item_type in (empty, full, system):
        url = f"/admin/content/types/delete/{item_type.pk}/"
        assert admin_client.post(url).status_code in (302, 403)
    assert set(ContentType.objects.all()) == {full, system}
    page = admin_client.get(edit_url(system)).content.decode()
    assert "/admin/content/types/delete/" not in page
    assert f"/admin/content/types/usage/{system.pk}/" in page


def test_terms(admin_client: Client) -> None:
    item_type = make_type(field("category", "taxonomy", hierarchical=True), slug="news")
    parent = make_term(item_type, name="Parent")
    picker = admin_client.get("/admin/content/vocabularies/new/").content.decode()
    assert "/admin/content/vocabularies/new/?vocabulary=news.category" in picker
    url = "/admin/content/vocabularies/new/?vocabulary=news.category"
    answer = admin_client.post(url, open_form(admin_client, url, name="Child", parent=str(parent.pk), position="2"))
    assert answer.url == "/admin/content/vocabularies/?vocabulary=news.category"
    child = Term.objects.get(name="Child")
    assert (child.slug, child.parent, child.position) == ("child", parent, 2)
    edit = f"/admin/content/vocabularies/edit/{parent.pk}/"
    refused = admin_client.post(edit, open_form(admin_client, edit, parent=str(child.pk), slug="child"))
    assert set(refused.context["form"].errors) == {"slug", "parent"}
    admin_client.post(edit, open_form(admin_client, edit, name="Renamed"))
    parent.refresh_from_db()
    assert (parent.name, parent.slug) == ("Renamed", "parent")
    delete = admin_client.post(f"/admin/content/vocabularies/delete/{child.pk}/")
    assert delete.url == "/admin/content/vocabularies/?vocabulary=news.category"
    logged = ModelLogEntry.objects.filter(object_id=str(child.pk), user__isnull=False).order_by("pk")
    assert list(logged.values_list("action", flat=True)) == ["wagtail.create", "wagtail.delete"]
    assert list(Term.objects.all()) == [parent]
    assert admin_client.get(f"/admin/content/vocabularies/history/{parent.pk}/").status_code == 200


def test_terms_are_listed_by_vocabulary(admin_client: Client) -> None:
    item_type = make_type(field("category", "taxonomy"), field("tag", "taxonomy"), slug="news")
    make_term(item_type, "category", "First")
    make_term(item_type, "tag", "Second")
    listing = "/admin/content/vocabularies/"
    assert {term.name for term in admin_client.get(listing).context["object_list"]} == {"First", "Second"}
    assert {term.name for term in admin_client.get(listing, {"vocabulary": "news.tag"}).context["object_list"]} == {"Second"}
    assert {term.name for term in admin_client.get(listing, {"q": "fir"}).context["object_list"]} == {"First"}
