"""The builder in the admin: forms are listed, made, changed, copied and deleted, by those who may."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.forms.models import Form, Submission
from cms_api.forms.types import TYPES, Source
from cms_api.forms.types.builder import SCHEMA_BLOCK, from_stream
from tests import people
from tests.builders import field, make_form

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]


def built(*fields: tuple[str, dict[str, Any]]) -> dict[str, str]:
    """The builder's inputs."""
    sent = {"fields_editor-count": str(len(fields))}
    for number, (kind, values) in enumerate(fields):
        prefix = f"fields_editor-{number}"
        sent |= {f"{prefix}-deleted": "", f"{prefix}-order": str(number), f"{prefix}-type": kind, f"{prefix}-id": ""}
        for name, value in values.items():
            if name == "options":
                sent |= {f"{prefix}-value-options-count": str(len(value))}
                for index, option in enumerate(value):
                    inner = f"{prefix}-value-options-{index}"
                    sent |= {f"{inner}-value": option, f"{inner}-deleted": "", f"{inner}-order": str(index), f"{inner}-id": ""}
            else:
                sent[f"{prefix}-value-{name}"] = value
    return sent


def settings_of(**changes: str) -> dict[str, str]:
    values = {"name": "Write to us", "slug": "", "description": "", "submit_label": "", "success_message": ""}
    values |= {"recipients_editor": "", "enabled": "on", "store_submissions": "on"}
    return {name: value for name, value in (values | changes).items() if value is not None}


NAME = ("text", {"label": "Your name", "key": "", "required": "on"})
COLOUR = ("select", {"label": "Colour", "key": "colour", "options": ["red", "green"]})


def test_it_works(admin_client: Client) -> None:
    assert "Your email address" in admin_client.get("/admin/forms/new/").content.decode()
    sent = settings_of(recipients_editor="one@example.org\r\ntwo@example.org, three@example.org")
    answer = admin_client.post("/admin/forms/new/", {**sent, **built(NAME, COLOUR)})
    assert answer.status_code == 302, answer.content.decode()[:2000]
    form = Form.objects.get()
    assert (form.slug, form.recipients) == ("write-to-us", ["one@example.org", "two@example.org", "three@example.org"])
    assert [(each.key, each.type, each.required, each.options) for each in form.schema] == [
        ("your_name", "text", True, ()),
        ("colour", "select", False, ("red", "green")),
    ]


def test_fields_are_changed_reordered_and_taken_away(admin_client: Client) -> None:
    form = make_form(field("name", "text"), field("colour", "select", options=["red"]))
    url = f"/admin/forms/edit/{form.pk}/"
    page = admin_client.get(url).content.decode()
    assert f"/forms/{form.slug}" in page
    assert 'name="slug"' not in page
    first, second = (
        ("select", {"label": "Colour", "key": "colour", "options": ["blue"]}),
        ("email", {"label": "Mail", "key": "mail"}),
    )
    answer = admin_client.post(url, {**settings_of(name="Other"), **built(first, second)})
    assert answer.status_code == 302
    form = Form.objects.get()
    assert (form.name, [each.key for each in form.schema], form.schema[0].options) == ("Other", ["colour", "mail"], ("blue",))
    assert "Edited" in admin_client.get(f"/admin/forms/history/{form.pk}/").content.decode()


def test_mistakes_are_shown_where_they_are(admin_client: Client) -> None:
    twice = built(
        ("text", {"label": "A", "key": "a"}),
        ("text", {"label": "B", "key": "a"}),
        ("radio", {"label": "C", "key": "hp_url", "options": ["x", "x"]}),
    )
    shown = admin_client.post("/admin/forms/new/", {**settings_of(slug="Not A Slug", recipients_editor="nobody"), **twice})
    assert shown.status_code == 200
    page = shown.content.decode()
    for sentence in (
        "The key has already been taken.",
        "is reserved",
        "option has already been taken",
        "nobody is not a valid email",
    ):
        assert sentence in page
    assert "only lower-case letters" in page
    assert not Form.objects.exists()


def test_a_form_with_files_that_keeps_nothing_is_refused(admin_client: Client) -> None:
    sent = {**settings_of(), **built(("file", {"label": "Plan", "key": "plan"}))}
    del sent["store_submissions"]
    shown = admin_client.post("/admin/forms/new/", sent).content.decode()
    assert "A form with file fields must store its submissions." in shown


def test_every_type_goes_through_the_builder() -> None:
    assert set(SCHEMA_BLOCK.child_blocks) == set(TYPES)
    more: dict[str, dict[str, Any]] = {"hidden": {"default": "x"}}
    more |= {kind: {"options": ["red", "green"]} for kind in ("select", "radio", "checkboxes")}
    form = make_form(*(field(kind, kind, **more.get(kind, {})) for kind in TYPES))
    again = from_stream(SCHEMA_BLOCK.from_definitions(form.fields))
    assert make_form(*again).fields == form.fields


@pytest.mark.both_databases
def test_the_list_counts(admin_client: Client) -> None:
    form = make_form(name="Write to us")
    values = {"form": form, "source": Source.SITE, "created_at": timezone.now()}
    Submission.objects.bulk_create([Submission(**values, is_spam=number < 2) for number in range(5)])
    make_form(name="Nothing yet", enabled=False)
    page = admin_client.get("/admin/forms/").content.decode()
    assert f'<a href="/admin/forms/submissions/?form={form.pk}">3</a>' in page
    assert f'<a href="/admin/forms/submissions/?form={form.pk}&amp;is_spam=true">2</a>' in page
    assert "Disabled" in page
    found = admin_client.get("/admin/forms/?q=nothing").content.decode()
    assert "Nothing yet" in found
    assert "Write to us" not in found
    for order in ("name", "-kept", "quarantined", "slug"):
        assert admin_client.get(f"/admin/forms/?ordering={order}").status_code == 200


def test_a_copy_begins_as_the_other_and_is_another(admin_client: Client) -> None:
    form = make_form(field("colour", "select", options=["red"]), name="Write to us", recipients=["one@example.org"])
    page = admin_client.get(f"/admin/forms/copy/{form.pk}/").content.decode()
    assert "Write to us (copy)" in page
    assert "one@example.org" in page
    assert "colour" in page
    admin_client.post("/admin/forms/new/", {**settings_of(name="Write to us (copy)"), **built(COLOUR)})
    assert sorted(Form.objects.values_list("slug", flat=True)) == [form.slug, "write-to-us-copy"]


def test_deleting_tells_what_goes_too(admin_client: Client) -> None:
    form = make_form()
    Submission.objects.create(form=form, source=Source.SITE, created_at=timezone.now())
    url = f"/admin/forms/delete/{form.pk}/"
    assert "Its 1 submission is deleted too." in admin_client.get(url).content.decode()
    assert admin_client.post(url).status_code == 302
    assert (Form.objects.count(), Submission.objects.count()) == (0, 0)


def test_who_may(sign_in: Callable[[Any], Client]) -> None:
    form = make_form()
    paths = ("/admin/forms/", "/admin/forms/new/", f"/admin/forms/edit/{form.pk}/", f"/admin/forms/copy/{form.pk}/")
    manager, editor, stranger = (sign_in(person()) for person in (people.mallory_manager, people.bob, people.charlie))
    for path in (*paths, f"/admin/forms/delete/{form.pk}/", "/admin/forms/submissions/"):
        assert manager.get(path).status_code == 200, path
        assert editor.get(path).status_code in {302, 403}, path
        assert stranger.get(path).status_code in {302, 403}, path
    assert "/admin/forms/" in manager.get("/admin/").content.decode()
    assert "/admin/forms/" not in editor.get("/admin/").content.decode()
    assert editor.post(f"/admin/forms/delete/{form.pk}/").status_code in {302, 403}
    assert Form.objects.exists()


def test_the_name_comes_first_and_fills_in_the_slug(admin_client: Client) -> None:
    page = admin_client.get("/admin/forms/new/").content.decode()
    assert page.index('id="panel-child-form-child-name') < page.index('id="panel-child-form-child-fields')
    assert re.search(r'<input[^>]*name="name"[^>]*data-w-sync-target-value="#id_slug"', page)
    make_form(slug="write-to-us")
    # As the browser has filled it in: another form has it, so the service finds a free one.
    assert admin_client.post("/admin/forms/new/", {**settings_of(slug="write-to-us"), **built(NAME)}).status_code == 302
    assert set(Form.objects.values_list("slug", flat=True)) == {"write-to-us", "write-to-us-2"}
    sent = {**settings_of(slug="write-to-us", name="Another"), **built(NAME)}
    assert admin_client.post("/admin/forms/new/", sent).context["form"].errors["slug"]


def test_a_preview_shows_what_is_not_saved(admin_client: Client) -> None:
    sent = {**settings_of(name="Hire <a room>", submit_label="Ask"), **built(NAME, COLOUR)}
    page = admin_client.post("/admin/forms/new/preview/", sent).content.decode()
    assert "Hire &lt;a room&gt;</h1>" in page
    assert 'type="submit" disabled>Ask<' in page
    assert "<option" in page
    assert not Form.objects.exists()
    form = make_form(field("name", "text"))
    answer = admin_client.post(f"/admin/forms/edit/{form.pk}/preview/", sent)
    assert "Colour" in answer.content.decode()
    assert "no-store" in answer.headers["Cache-Control"]
    assert [each["key"] for each in Form.objects.get().fields] == ["name"]


def test_a_preview_of_mistakes_shows_the_builder(admin_client: Client) -> None:
    answer = admin_client.post("/admin/forms/new/preview/", {**settings_of(name=""), **built(NAME)})
    assert answer.context["form"].errors["name"]
    # Only the service knows that this is no address.
    for path in ("new", f"edit/{make_form(field('name', 'text')).pk}"):
        answer = admin_client.post(f"/admin/forms/{path}/preview/", {**settings_of(recipients_editor="nobody"), **built(NAME)})
        assert answer.status_code == 200
        assert answer.context["form"].errors
    assert admin_client.post("/admin/forms/edit/987654/preview/", settings_of()).status_code == 404


def test_a_refused_form_opens_the_tab_with_the_mistake(admin_client: Client) -> None:
    tab = re.compile(r'data-w-tabs-active-panel-id-value="([^"]*)"')
    assert not tab.search(admin_client.get("/admin/forms/new/").content.decode())
    page = admin_client.post("/admin/forms/new/", {**settings_of(recipients_editor="nobody"), **built(NAME)}).content.decode()
    found = tab.search(page)
    assert found
    assert f'<section\n                    id="{found[1]}"' in page
    assert "settings" in found[1]
    page = admin_client.post("/admin/forms/new/", {**settings_of(), **built(("text", {"label": "", "key": ""}))}).content.decode()
    assert "Form (errors)" in page
    assert "Settings (errors)" not in page
