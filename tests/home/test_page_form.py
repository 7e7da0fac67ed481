"""The form of a page: it begins without an error, and saves drafts that are not complete."""

import json
import re
from typing import Any

import pytest
from django.test import Client
from wagtail.models import PageViewRestriction
from wagtail.test.utils.form_data import nested_form_data, streamfield

from home.models import LandingPage, RecordTemplate, StandardPage
from home.models.blocks import plain_rows
from home.models.fields import RowsBlockAdapter
from home.services import create_home_page
from tests.builders import blog_post, make_item, make_page, make_type

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

EMPTY = {"rows": streamfield([]), "comments": {"TOTAL_FORMS": 0, "INITIAL_FORMS": 0, "MIN_NUM_FORMS": 0, "MAX_NUM_FORMS": 1000}}


def add_url(kind: str) -> str:
    return f"/admin/pages/add/home/{kind}/{create_home_page().pk}/"


def autosave(client: Client, url: str, **values: Any) -> Any:
    """Send the form as the editor's script does while somebody writes."""
    answer = client.post(url, nested_form_data({**EMPTY, **values}), headers={"accept": "application/json"})
    return answer.status_code, json.loads(answer.content)


@pytest.mark.parametrize("kind", ["landingpage", "recordtemplate"])
def test_the_browser_is_not_told_of_minimum_numbers(admin_client: Client, kind: str) -> None:
    rows = admin_client.get(add_url(kind)).context["form"].fields["rows"].block
    *_, meta = RowsBlockAdapter().js_args(rows)
    assert meta["minNum"] is None
    assert not any(limits["min_num"] for limits in meta["blockCounts"].values())


@pytest.mark.both_databases
def test_incomplete_rows_are_saved_as_a_draft_but_not_published(admin_client: Client) -> None:
    rows = streamfield([("call_to_action", {"heading": "", "text": "", "links": streamfield([]), "background": ""})])
    link = {"text": "Go", "page": "", "url": ""}
    rows["0"]["value"]["links"] = {"count": 1, "0": {"deleted": "", "order": 0, "type": "", "id": "", "value": link}}
    values = {"title": "Come along", "slug": "come-along", "rows": rows}
    status, answer = autosave(admin_client, add_url("landingpage"), **values)
    assert (status, answer["success"]) == (200, True)
    url = answer["url"]
    published = admin_client.post(url, nested_form_data({**EMPTY, **values, "action-publish": "1"}))
    assert "Choose a page, or enter an address or a path." in published.content.decode()
    assert not LandingPage.objects.get().live


def test_an_unsafe_address_is_refused_in_a_draft_too(admin_client: Client) -> None:
    rows = streamfield([("hero", {"heading": "Hello", "text": "null", "image": "", "image_alt": ""})])
    link = {"text": "Go", "page": "", "url": "javascript:alert(1)"}
    rows["0"]["value"]["links"] = {"count": 1, "0": {"deleted": "", "order": 0, "type": "", "id": "", "value": link}}
    status, _ = autosave(admin_client, add_url("landingpage"), title="Hello", slug="hello", rows=rows)
    assert status == 400


def test_fields_without_which_there_is_no_draft_are_marked_for_the_script(admin_client: Client) -> None:
    page = admin_client.get(add_url("recordtemplate")).content.decode()
    marked = re.findall(r'<(?:input|select|textarea)[^>]*name="(\w+)"[^>]*data-draft-needs', page)
    assert set(marked) == {"title", "slug", "record_type"}
    assert "home_admin/autosave.js" in page


def test_pages_may_have_the_same_title(admin_client: Client) -> None:
    make_page(title="About")
    for _ in range(2):
        status, answer = autosave(admin_client, add_url("standardpage"), title="About", slug="about", introduction="")
        assert status == 200
    # The form still has the slug that follows the title.
    status, _ = autosave(admin_client, answer["url"], title="About", slug="about", introduction="")
    assert status == 200
    assert sorted(StandardPage.objects.values_list("slug", flat=True)) == ["about", "about-2", "about-3"]


def test_a_slug_of_ones_own_and_that_of_a_public_page_are_never_changed(admin_client: Client) -> None:
    make_page(title="About")
    status, _ = autosave(admin_client, add_url("standardpage"), title="Something else", slug="about", introduction="")
    assert status == 400
    other = make_page(title="Other")
    other.save_revision().publish()
    status, _ = autosave(admin_client, f"/admin/pages/{other.pk}/edit/", title="About", slug="about", introduction="")
    assert status == 400


def test_the_address_of_a_module_or_type_is_refused_by_its_name(admin_client: Client) -> None:
    make_type(slug="stories", name="Story", name_plural="Stories")
    for slug, owner in (("stories", "The content type “Stories”"), ("donate", "The module “Donations”")):
        values = nested_form_data({**EMPTY, "title": "Ours", "slug": slug, "introduction": ""})
        form = admin_client.post(add_url("standardpage"), values).context["form"]
        assert form.errors["slug"] == [f"{owner} has the address /{slug}. Choose another one."]
    status, _ = autosave(admin_client, add_url("standardpage"), title="Donate", slug="donate", introduction="")
    assert (status, StandardPage.objects.get().slug) == (200, "donate-2")


def test_a_page_is_not_moved_to_the_address_of_a_module(admin_client: Client) -> None:
    parent = make_page(title="Help")
    page = parent.add_child(instance=StandardPage(title="Support", slug="support"))
    home = create_home_page()
    answer = admin_client.post(f"/admin/pages/{page.pk}/move/{home.pk}/confirm/", follow=True)
    assert "The module “Ticket system” has the address /support." in answer.content.decode()
    page.refresh_from_db()
    assert page.url_path.endswith("/help/support/")


def test_a_record_template_begins_with_the_record_and_offers_types_without_one(admin_client: Client) -> None:
    post, other = blog_post(), make_type()
    make_page(kind=RecordTemplate, record_type=post)
    form = admin_client.get(add_url("recordtemplate")).context["form"]
    offered = form.fields["record_type"].queryset
    assert post not in offered
    assert other in offered
    assert [row.block_type for row in form["rows"].value()] == ["record"]
    template = RecordTemplate.objects.get()
    form = admin_client.get(f"/admin/pages/{template.pk}/edit/").context["form"]
    assert post in form.fields["record_type"].queryset


def test_a_record_template_keeps_its_type_while_that_is_off(admin_client: Client) -> None:
    hidden, other, visible = (make_type(feature=feature) for feature in ("shop", "shop", ""))
    template = make_page(kind=RecordTemplate, record_type=hidden)
    form = admin_client.get(f"/admin/pages/{template.pk}/edit/").context["form"]
    assert set(form.fields["record_type"].queryset) == {hidden, visible}
    rows = streamfield([("record", {})])
    status, answer = autosave(
        admin_client, add_url("recordtemplate"), title="Other", slug="other", rows=rows, record_type=other.pk
    )
    assert (status, answer["success"]) == (400, False)
    status, answer = autosave(
        admin_client, add_url("recordtemplate"), title="Other", slug="other", rows=rows, record_type=visible.pk
    )
    assert (status, answer["success"]) == (200, True)


OPENED = 'data-w-tabs-active-panel-id-value="tab-{}"'


def test_a_refused_page_opens_the_tab_with_the_first_mistake(admin_client: Client) -> None:
    make_page(title="About")
    url = f"/admin/pages/{make_page(title='Other').pk}/edit/"
    assert "active-panel" not in admin_client.get(url).content.decode()
    for values, tab in (({"slug": "about"}, "promote"), ({"slug": "about", "introduction": "x" * 501}, "content")):
        sent = {**EMPTY, "title": "Other", "introduction": "", **values}
        assert OPENED.format(tab) in admin_client.post(url, nested_form_data(sent)).content.decode()


def test_a_hidden_type_is_marked_for_the_script(admin_client: Client) -> None:
    make_item(make_type(slug="leaflet", feature="shop", name_plural="Leaflets"))
    blog_post()
    widget = dict(plain_rows())["item_list"].child_blocks["type"].field.widget
    html = widget.render("type", "leaflet")
    marked = re.findall(r'<option value="([^"]*)"[^>]* data-kept-select-target="kept"', html)
    assert marked == ["leaflet"]
    assert 'value="blog-post"' in html


def test_a_template_has_no_restriction_that_would_protect_nothing(admin_client: Client) -> None:
    template = make_page(kind=RecordTemplate, record_type=blog_post())
    address = f"/admin/pages/{template.pk}/privacy/"
    assert "set_privacy_done" not in admin_client.get(address).content.decode()
    sent = {"restriction_type": "password", "password": "secret", "groups": []}
    admin_client.post(address, sent)
    assert not PageViewRestriction.objects.exists()
    page = make_page()
    admin_client.post(f"/admin/pages/{page.pk}/privacy/", sent)
    assert PageViewRestriction.objects.get().page_id == page.pk
