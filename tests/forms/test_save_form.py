"""Saving a form: valid fields, and the errors of invalid ones."""

from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.forms.models import Form
from cms_api.forms.services import forms as services
from cms_api.forms.services.forms import save_form
from tests.builders import field, make_form
from tests.client import together

pytestmark = pytest.mark.django_db


def errors_of(*fields: Any, **changes: Any) -> dict[str, list[str]]:
    with pytest.raises(Invalid) as refused:
        save_form(slug="x", values={"name": "X", "fields": list(fields), **changes})
    assert not Form.objects.exists()
    return refused.value.errors


@pytest.mark.both_databases
def test_it_works() -> None:
    form = save_form(values={"name": " Write  to us ", "fields": [field("name", "text", required="1", help_text=" In full. ")]})
    stored = Form.objects.get()
    assert (stored.slug, stored.name, stored.store_submissions, stored.enabled) == ("write-to-us", "Write  to us", True, True)
    assert stored.fields == [
        {"key": "name", "label": "Name", "type": "text", "required": True, "help_text": "In full.", "options": None}
    ]
    save_form(form=form, slug="other", values={"name": "Changed", "enabled": False})
    stored.refresh_from_db()
    assert (stored.slug, stored.name, stored.enabled, len(stored.fields)) == ("write-to-us", "Changed", False, 1)


MISTAKES: dict[str, tuple[Any, str]] = {
    "no key": ({"label": "A", "type": "text"}, "fields.0.key"),
    "a key with a capital": (field("Name", "text"), "fields.0.key"),
    "a key that begins with a digit": (field("1st", "text"), "fields.0.key"),
    "a key that begins with an underscore": (field("_back", "text"), "fields.0.key"),
    "a key with a hyphen": (field("first-name", "text"), "fields.0.key"),
    "a key with a dot": (field("a.b", "text"), "fields.0.key"),
    "a key that is too long": (field("a" * 51, "text"), "fields.0.key"),
    "a key of another alphabet": (field("имя", "text"), "fields.0.key"),
    "the key of the trap": (field("hp_url", "url"), "fields.0.key"),
    "the key of the token": (field("csrfmiddlewaretoken", "text"), "fields.0.key"),
    "no label": ({"key": "a", "type": "text"}, "fields.0.label"),
    "a label of two lines": ({"key": "a", "type": "text", "label": "a\nb"}, "fields.0.label"),
    "no type": ({"key": "a", "label": "A"}, "fields.0.type"),
    "an unknown type": (field("a", "colour"), "fields.0.type"),
    "a type of content": (field("a", "richtext_tiptap"), "fields.0.type"),
    "required by half": (field("a", "text", required="perhaps"), "fields.0.required"),
    "a choice without options": (field("a", "select"), "fields.0.options"),
    "a choice of nothing": (field("a", "radio", options=[]), "fields.0.options"),
    "options that are a text": (field("a", "checkboxes", options="red"), "fields.0.options"),
    "an empty option": (field("a", "select", options=["red", " "]), "fields.0.options.1"),
    "an option twice": (field("a", "select", options=["red", "red"]), "fields.0.options.1"),
    "an option that is a number": (field("a", "select", options=[1]), "fields.0.options.0"),
    "too many options": (field("a", "select", options=[str(n) for n in range(201)]), "fields.0.options"),
    "options of a text": (field("a", "text", options=["red"]), "fields.0.options"),
    "a value of what is not hidden": (field("a", "text", default="x"), "fields.0.default"),
    "a hidden value that is too long": (field("a", "hidden", default="x" * 1001), "fields.0.default"),
    "a NUL": (field("a", "text", help_text="a\0b"), "fields.0.help_text"),
    "a surrogate": (field("a", "select", options=["\ud800"]), "fields.0.options.0"),
    "no object": ("name", "fields.0"),
}


@pytest.mark.parametrize(("wrong", "path"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_in_fields(wrong: Any, path: str) -> None:
    assert set(errors_of(wrong)) == {path}


def test_two_fields_cannot_have_one_key() -> None:
    assert errors_of(field("a", "text"), field("b", "text"), field("a", "email")) == {
        "fields.2.key": ["The key has already been taken."]
    }


def test_all_mistakes_are_told_at_once() -> None:
    found = errors_of(field("A", "text"), field("b", "nothing"), name="", recipients=["nobody"], submit_label="x" * 61)
    assert set(found) == {"fields.0.key", "fields.1.type", "name", "recipients", "submit_label"}


def test_there_are_limits() -> None:
    assert set(errors_of(*(field(f"f{n}", "text") for n in range(101)))) == {"fields"}
    assert set(errors_of(name="x" * 121)) == {"name"}
    assert set(errors_of(recipients=[f"a{n}@example.org" for n in range(21)])) == {"recipients"}
    assert set(errors_of(success_message="x" * 1001)) == {"success_message"}


@pytest.mark.parametrize("slug", ["Two Words", "a/b", "ä", "x" * 101, "a.b", "..", "A"])
def test_slugs_that_are_refused(slug: str) -> None:
    with pytest.raises(Invalid) as refused:
        save_form(slug=slug, values={"name": "X"})
    assert set(refused.value.errors) == {"slug"}


@pytest.mark.both_databases
def test_a_slug_that_is_taken() -> None:
    make_form(slug="contact")
    with pytest.raises(Invalid) as refused:
        save_form(slug="contact", values={"name": "X"})
    assert refused.value.errors == {"slug": ["The slug has already been taken."]}
    assert [save_form(values={"name": "Contact"}).slug for _ in range(2)] == ["contact-2", "contact-3"]
    assert save_form(values={"name": "日本"}).slug == "form"


@pytest.mark.django_db(transaction=True)
def test_one_of_many_gets_a_slug() -> None:
    def save(_: int) -> str:
        try:
            save_form(slug="contact", values={"name": "X"})
        except Invalid as refusal:
            return next(iter(refusal.errors))
        return "saved"

    assert sorted(together(save, 6)) == ["saved", *["slug"] * 5]


@pytest.mark.both_databases
def test_a_slug_that_is_taken_in_the_same_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    make_form(slug="contact")
    monkeypatch.setattr(services, "_read_slug", lambda given, name: given)
    with pytest.raises(Invalid) as refused:
        save_form(slug="contact", values={"name": "X"})
    assert set(refused.value.errors) == {"slug"}
