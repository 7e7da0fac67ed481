"""Requests that no page of the admin sends: they get a 4xx, and nothing is written."""

from typing import Any

import pytest
from django.test import Client
from wagtail.models import Page
from wagtail.test.utils.form_data import inline_formset, nested_form_data, streamfield

from cms_api.content.models import ContentItem
from cms_api.flags.services import switch_feature
from commerce.marketing.models import Sequence
from tests.builders import blog_post, make_item, make_page

pytestmark = pytest.mark.django_db


def whole() -> dict[str, Any]:
    """The form data of the page editor with one row."""
    rows = streamfield([("text", {"heading": "Words", "text": "null"})])
    return nested_form_data({"title": "Changed", "slug": "about", "rows": rows, "comments": inline_formset([])})


def test_a_whole_form_is_taken(admin_client: Client) -> None:
    page = make_page(title="About")
    assert admin_client.post(f"/admin/pages/{page.pk}/edit/", whole()).status_code == 302
    assert Page.objects.get(pk=page.pk).get_latest_revision_as_object().title == "Changed"


@pytest.mark.parametrize(
    "mangled",
    [
        {"rows-count": None},
        {"rows-count": "x"},
        {"rows-count": "99"},
        {"rows-count": "1.5"},
        {"rows-0-order": None},
        {"rows-0-order": "x"},
        {"rows-0-type": None},
        {"rows-0-deleted": None},
    ],
    ids=str,
)
def test_rows_without_what_holds_them_together(admin_client: Client, mangled: dict[str, str | None]) -> None:
    page = make_page(title="About")
    sent = {key: value for key, value in {**whole(), **mangled}.items() if value is not None}
    answer = admin_client.post(f"/admin/pages/{page.pk}/edit/", sent)
    assert (answer.status_code, page.revisions.count()) == (400, 0)
    assert "We couldn't process your request" in answer.content.decode()


def test_records_that_a_form_never_had(admin_client: Client) -> None:
    switch_feature(name="marketing", on=True)
    steps = {"TOTAL_FORMS": "1", "INITIAL_FORMS": "1", "MIN_NUM_FORMS": "0", "MAX_NUM_FORMS": "1000"}
    sent = {"name": "Welcome", "trigger": "manual", **{f"steps-{name}": value for name, value in steps.items()}}
    answer = admin_client.post("/admin/marketing/sequences/new/", sent)
    assert (answer.status_code, Sequence.objects.count()) == (400, 0)


@pytest.mark.parametrize("ids", ["id=x", "id=", "id=-1", "id=9999999999999999999", "id=%D9%A1", "id=1.0", "id=None", "id=x&id=y"])
@pytest.mark.parametrize(
    ("place", "status"),
    [
        ("content/contentitem/delete", 200),
        ("comments/comment/delete", 200),
        ("media/mediaimage/delete", 404),
        ("auth/user/delete", 404),
        ("wagtailcore/page/delete", 404),
    ],
)
def test_ids_that_are_none(admin_client: Client, place: str, status: int, ids: str) -> None:
    """As if nothing had been chosen."""
    make_item(blog_post())
    assert admin_client.get(f"/admin/bulk/{place}/?{ids}").status_code == status
    assert admin_client.post(f"/admin/bulk/{place}/?{ids}&next=/admin/").status_code in (status, 302)
    assert ContentItem.objects.count() == 1


def test_other_failures_are_failures(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of ours is not put down to who sent something."""

    def fail(*args: Any, **kwargs: Any) -> None:
        raise ValueError("ours")

    page = make_page(title="About")
    monkeypatch.setattr("wagtail.admin.views.pages.edit.EditView.save_action", fail)
    with pytest.raises(ValueError, match="ours"):
        admin_client.post(f"/admin/pages/{page.pk}/edit/", whole())
