"""/forms/<slug>: the page for visitors, and the handling of their submissions."""

import html
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.forms.models import Form, Submission
from cms_api.forms.services.forms import delete_form, save_form
from cms_api.forms.types import TYPES
from cms_api.http import page_cache
from tests.builders import field, make_form

from .conftest import mails
from .visitor import fill_in, hidden

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets")]

GOOD = {"name": "Dana", "email": "dana@example.com", "message": "Hello"}


def with_every_type() -> Form:
    """A form with a field of each type, its key the type's name."""
    options = {kind: {"options": ["red & blue", "green"]} for kind in ("select", "radio", "checkboxes")}
    return make_form(*(field(kind, kind, **options.get(kind, {})) for kind in TYPES))


@pytest.mark.both_databases
def test_it_works(client: Client, subscribed: Callable[[], list[Any]], business: str) -> None:
    form = make_form(success_message="Thank you so much.")
    answer = fill_in(client, form, **GOOD)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/forms/{form.slug}?sent={form.slug}")
    assert "Thank you so much." in client.get(answer.headers["Location"]).content.decode()
    submission = Submission.objects.get()
    assert (submission.data, submission.source, submission.is_spam) == (GOOD, "site", False)
    assert subscribed()[0]["id"] == submission.pk
    (mail,) = mails()
    assert (mail.recipient, mail.reply_to) == (business, "dana@example.com")


def test_the_page_says_what_it_asks_for(client: Client) -> None:
    form = make_form(
        field("name", "text", required=True, help_text="As on your card."),
        field("colour", "radio", options=["red", "green"]),
        name="Order <b>now</b>",
        description="One\nTwo",
        submit_label="Order",
    )
    page = client.get(f"/forms/{form.slug}").content.decode()
    assert "<h1>Order &lt;b&gt;now&lt;/b&gt;</h1>" in page
    assert "One<br>Two" in page
    prefix = f"form-{form.slug}"
    assert f'<label class="form__label" for="{prefix}-name">Name</label>' in page
    assert re.search(rf'id="{prefix}-name"[^>]* required aria-describedby="{prefix}-name-help"', page)
    assert f'<p class="form__help" id="{prefix}-name-help">As on your card.</p>' in page
    assert page.count("<fieldset") == page.count("<legend") == 1
    assert '<button class="button" type="submit">Order</button>' in page


def test_every_type_can_be_filled_in_and_is_shown_again(client: Client) -> None:
    form = with_every_type()
    sent = {
        "text": "One <line>",
        "textarea": "Two\r\nlines",
        "email": "a@example.com",
        "phone": "+1 555 0100",
        "number": "4.5",
        "url": "https://example.com/x?a=1&b=2",
        "date": "2026-03-01",
        "select": "red & blue",
        "radio": "green",
        "checkbox": "1",
        "checkboxes": ["red & blue", "green"],
        "hidden": "kept",
    }
    again = fill_in(client, form, **{**sent, "email": "nobody"})
    assert again.status_code == 422
    page = again.content.decode()
    for shown in ("One <line>", "https://example.com/x?a=1&b=2", "2026-03-01", "nobody", "4.5", "+1 555 0100", "kept"):
        assert f'value="{html.escape(shown)}"' in page
    assert '<option value="red &amp; blue" selected>' in page
    assert page.count(" checked") == 4
    assert "\nTwo\r\nlines</textarea>" in page
    assert fill_in(client, form, **sent).status_code == 302
    assert Submission.objects.get().data == {
        **sent,
        "textarea": "Two\nlines",
        "number": 4.5,
        "checkbox": True,
        "file": None,
    }


def test_an_empty_form_is_a_submission_too(client: Client) -> None:
    form = with_every_type()
    assert fill_in(client, form).status_code == 302
    found = Submission.objects.get().data
    assert {key: value for key, value in found.items() if value is not None} == {"checkbox": False, "checkboxes": []}


def test_mistakes_are_told_beside_their_fields_and_in_a_summary(client: Client) -> None:
    form = make_form(
        field("name", "text", required=True, help_text="In full."),
        field("email", "email"),
        field("colour", "radio", options=["red", "green"], required=True),
        field("terms", "checkbox", required=True),
    )
    answer = fill_in(client, form, email="nobody", colour="blue")
    assert answer.status_code == 422
    page = answer.content.decode()
    prefix = f"form-{form.slug}"
    assert "<title>Error: " in page
    assert re.search(r'<div class="form-errors" role="alert" tabindex="-1" autofocus', page)
    assert "Please fix 4 fields" in page
    for key, sentence in {
        "name": "Fill in “Name”.",
        "email": "Enter a valid email address.",
        "colour": "Choose one of the options for “Colour”.",
        "terms": "Tick “Terms”.",
    }.items():
        assert f'<a href="#{prefix}-{key}">{sentence}</a>' in page
        assert f'id="{prefix}-{key}"' in page
        assert f'<p class="form__error" id="{prefix}-{key}-error">{sentence}</p>' in page
    assert f'aria-invalid="true" aria-describedby="{prefix}-name-error {prefix}-name-help"' in page
    assert f'<fieldset class="form__field form__choices form__field--wrong" aria-describedby="{prefix}-colour-error">' in page
    assert not Submission.objects.exists()


def test_a_form_that_is_mended_at_once_is_no_spam(client: Client) -> None:
    """The time counts from when it was first shown."""
    form = make_form()
    first = hidden(client, f"/forms/{form.slug}")
    refused = client.post(f"/forms/{form.slug}", {**first, **GOOD, "email": ""})
    assert refused.status_code == 422
    stamp = html.unescape(re.findall(r'name="_stamp" value="([^"]*)"', refused.content.decode())[0])
    assert stamp == first["_stamp"]
    client.post(f"/forms/{form.slug}", {**first, **GOOD, "_stamp": stamp})
    assert not Submission.objects.get().is_spam


@pytest.mark.parametrize("path", ["/forms/nothing", "/forms/", "/forms/a/b/", "/forms/%00", "/forms/Ä/"])
def test_other_addresses_are_not_found(client: Client, path: str) -> None:
    make_form()
    assert client.get(path).status_code == 404
    assert client.post(path).status_code == 404


def test_a_form_that_is_disabled_or_gone_is_not_found(client: Client) -> None:
    form = make_form()
    path = f"/forms/{form.slug}"
    assert client.get(f"{path}/")["Location"] == path
    save_form(form=form, values={"enabled": False})
    assert (client.get(path).status_code, client.post(path, GOOD).status_code) == (404, 404)
    save_form(form=form, values={"enabled": True})
    assert client.get(path).status_code == 200
    delete_form(form=form)
    assert client.get(path).status_code == 404


def test_a_form_that_is_deleted_while_somebody_fills_it_in(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    form = make_form()
    monkeypatch.setattr("cms_api.forms.selectors.find_form", lambda slug: form)
    sent = hidden(client, f"/forms/{form.slug}")
    Form.objects.all().delete()
    assert client.post(f"/forms/{form.slug}", {**sent, **GOOD}).status_code == 404


def test_a_post_needs_the_visitors_token(client: Client) -> None:
    form = make_form()
    strict = Client(enforce_csrf_checks=True)
    path = f"/forms/{form.slug}"
    sent = hidden(strict, path)
    forged = strict.post(path, {**sent, **GOOD, "csrfmiddlewaretoken": ""})
    assert forged.status_code == 403
    assert "Please try again" in forged.content.decode()
    assert Client(enforce_csrf_checks=True).post(path, {**sent, **GOOD}).status_code == 403
    assert not Submission.objects.exists()
    assert strict.post(path, {**sent, **GOOD}).status_code == 302


def test_two_visitors_have_pages_of_their_own(client: Client) -> None:
    path = f"/forms/{make_form().slug}"
    first, second = Client(), Client()
    tokens = [hidden(visitor, path)["csrfmiddlewaretoken"] for visitor in (first, second, first)]
    assert len(set(tokens)) == 3
    assert first.cookies["csrftoken"].value != second.cookies["csrftoken"].value
    assert client.get(path).headers["Cache-Control"] == "private, no-cache"
    assert not page_cache._pages


@pytest.mark.parametrize(
    "back",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "/a\r\nX-Evil: 1",
        "\t//evil.example",
        "x",
    ],
)
def test_nobody_is_led_to_a_strangers_address(client: Client, back: str) -> None:
    form = make_form()
    answer = fill_in(client, form, **GOOD, _back=back)
    assert answer.headers["Location"] == f"/forms/{form.slug}?sent={form.slug}"
    refused = fill_in(client, form, _back=back)
    assert "evil" not in refused.content.decode()


def test_other_methods_are_refused(client: Client) -> None:
    path = f"/forms/{make_form().slug}"
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS"):
        assert client.generic(method, path).status_code == 405
    assert client.head(path).status_code == 200


HOSTILE = ["a\0b", "\ud800".encode("utf-8", "surrogatepass"), "‮" * 300, "x" * 100_000, "{{ 7*7 }}", "<script>", "'; DROP TABLE"]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: repr(value)[:20])
def test_hostile_values_are_refused_or_kept_as_text(client: Client, value: Any) -> None:
    """In all fields at once, and in some alone."""
    form, place = with_every_type(), HOSTILE.index(value)
    for keys in (list(TYPES), *([key] for key in list(TYPES)[place :: len(HOSTILE)])):
        answer = fill_in(client, form, **dict.fromkeys(keys, value))
        assert answer.status_code in {302, 422}, keys
        assert b"<script>" not in answer.content.replace(b"&lt;", b"")
        again = fill_in(client, form, **{key: [value, value] for key in keys})
        assert again.status_code in {302, 422}, keys


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data"),
        ("multipart/form-data", b"abc"),
        ("application/json", b'{"name": "Dana"}'),
        ("text/plain", b"\xff\xfe"),
        ("application/x-www-form-urlencoded", b"name=%ff%fe&email[]=1&&&=&%00=%00"),
        ("application/x-www-form-urlencoded", b"&".join(b"x=1" for _ in range(2000))),
    ],
)
def test_hostile_bodies_are_refused(client: Client, kind: str, body: bytes) -> None:
    form = make_form()
    assert client.post(f"/forms/{form.slug}", body, content_type=kind).status_code in {400, 422}
    assert not Submission.objects.exists()


def test_a_body_that_is_too_large_is_not_read(client: Client) -> None:
    form = make_form()
    answer = client.post(f"/forms/{form.slug}", GOOD, headers={"Content-Length": str(10**9)})
    assert answer.status_code == 413
    assert "The files are larger than " in answer.content.decode()


def test_a_length_that_is_none_is_nothing_special(client: Client) -> None:
    form = make_form()
    for length in ("x", "-1", "9" * 30):
        assert client.generic("POST", f"/forms/{form.slug}", b"", CONTENT_LENGTH=length).status_code in {400, 422}
