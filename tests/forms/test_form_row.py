"""A form among the rows of a page: sent from there, come back to there, and never another visitor's."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from cms_api.forms.models import Submission
from cms_api.forms.services.forms import delete_form, save_form
from cms_api.http import page_cache
from home.models import RecordTemplate, StandardPage
from tests import people
from tests.builders import blog_post, field, make_form, make_item, make_page, make_shared_row

from .visitor import fill_in, hidden

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_budgets")]

FORM = '<form class="form"'

GOOD = {"name": "Dana", "email": "dana@example.com"}


def row(slug: str, **more: Any) -> dict[str, Any]:
    return {"type": "form", "value": {"heading": "Ask us", "text": "", "form": slug, **more}}


def path_of(page: Any) -> str:
    return f"/{page.slug}/"


def anchor_of(page: Any) -> str:
    return str(page.page_rows.get(kind="form").slug)


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    form = make_form(success_message="Thank you.")
    page = make_page(row(form.slug, text="<p>We <b>answer</b>.</p>"))
    path, anchor = path_of(page), anchor_of(page)
    shown = client.get(path).content.decode()
    assert "Ask us</h2>" in shown
    assert "We <b>answer</b>." in shown
    assert f'id="{anchor}-email"' in shown
    assert f'<form class="form" id="{anchor}-form" action="/forms/{form.slug}" method="post" novalidate>' in shown
    answer = fill_in(client, form, path, **GOOD)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{path}?sent={form.slug}#{anchor}")
    assert not Submission.objects.get().is_spam
    sent = client.get(answer.headers["Location"]).content.decode()
    assert "Thank you." in sent
    assert FORM not in sent
    assert f'<a href="{path}#{anchor}">Submit another response</a>' in sent


def test_mistakes_are_mended_on_the_forms_own_page(client: Client) -> None:
    form = make_form()
    page = make_page(row(form.slug))
    back = f"{path_of(page)}#{anchor_of(page)}"
    refused = fill_in(client, form, path_of(page), name="Dana")
    assert refused.status_code == 422
    shown = refused.content.decode()
    assert f'<a href="{back}">Back to the previous page</a>' in shown
    inputs = {name: html.unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', shown)}
    mended = client.post(f"/forms/{form.slug}", {**inputs, **GOOD})
    assert mended.headers["Location"] == f"{path_of(page)}?sent={form.slug}#{anchor_of(page)}"


def test_a_page_with_a_form_is_made_for_each_visitor() -> None:
    form = make_form()
    path = path_of(make_page(row(form.slug)))
    first, second = Client(), Client()
    tokens = {hidden(visitor, path)["csrfmiddlewaretoken"] for visitor in (first, first, second)}
    assert len(tokens) == 3
    assert first.cookies["csrftoken"].value != second.cookies["csrftoken"].value
    assert not page_cache._pages
    assert first.get(path).headers["Cache-Control"] == "private, no-cache"
    # Also where a browser brings a cookie that it has: Django sends it again with each token.
    stranger = Client()
    stranger.cookies["csrftoken"] = first.cookies["csrftoken"].value
    assert stranger.get(path).cookies["csrftoken"]
    assert not page_cache._pages


def test_each_visitor_can_send_it_with_a_token_of_their_own_only() -> None:
    form = make_form()
    path = path_of(make_page(row(form.slug)))
    first, second = Client(enforce_csrf_checks=True), Client(enforce_csrf_checks=True)
    theirs = hidden(first, path)
    hidden(second, path)
    assert second.post(f"/forms/{form.slug}", {**theirs, **GOOD}).status_code == 403
    assert first.post(f"/forms/{form.slug}", {**theirs, **GOOD}).status_code == 302


def test_in_a_shared_row_and_around_a_record(client: Client) -> None:
    form = make_form()
    shared = make_shared_row(row(form.slug))
    page = make_page({"type": "shared", "value": {"row": shared.pk}})
    item = make_item()
    make_page({"type": "record", "value": {}}, row(form.slug), kind=RecordTemplate, record_type=blog_post())
    for path in (path_of(page), f"/blog-post/{item.slug}"):
        answer = fill_in(client, form, path, **GOOD)
        assert answer.headers["Location"].startswith(f"{path}?sent={form.slug}#")
    assert not page_cache._pages


def test_the_same_form_twice_has_two_sets_of_ids(client: Client) -> None:
    form = make_form()
    shown = client.get(path_of(make_page(row(form.slug), row(form.slug)))).content.decode()
    ids = re.findall(r' id="([^"]+)"', shown)
    assert len(ids) == len(set(ids))


def test_a_form_that_is_changed_disabled_or_gone_ends_its_pages(client: Client) -> None:
    form = make_form()
    path = path_of(make_page(row(form.slug)))
    save_form(form=form, values={"fields": [field("colour", "text")]})
    assert "Colour" in client.get(path).content.decode()
    save_form(form=form, values={"enabled": False})
    for _ in range(2):
        assert FORM not in client.get(path).content.decode()
    assert page_cache._pages
    save_form(form=form, values={"enabled": True})
    assert FORM in client.get(path).content.decode()
    delete_form(form=form)
    assert FORM not in client.get(path).content.decode()


def test_what_is_said_once_it_was_sent_is_everybodys(client: Client) -> None:
    """No token is in it; and it ends with the form's words."""
    form = make_form(success_message="Before")
    path = path_of(make_page(row(form.slug)))
    assert "Before" in client.get(f"{path}?sent={form.slug}").content.decode()
    assert page_cache._pages
    save_form(form=form, values={"success_message": "After"})
    assert "After" in client.get(f"{path}?sent={form.slug}").content.decode()
    assert FORM in client.get(f"{path}?sent=another").content.decode()


def test_an_editor_chooses_among_the_forms(sign_in: Any) -> None:
    bob = sign_in(people.bob())
    form, hidden_form = make_form(name="Write to us"), make_form(name="Not yet", enabled=False)
    page = make_page(row(form.slug))
    shown = bob.get(f"/admin/pages/{page.pk}/edit/").content.decode()
    assert "Write to us" in shown
    assert hidden_form.slug not in shown
    for path in ("/admin/forms/", f"/admin/forms/edit/{form.pk}/", "/admin/forms/submissions/"):
        assert bob.get(path).status_code in {302, 403}
    assert StandardPage.objects.get().rows[0].value["form"] == form.slug
