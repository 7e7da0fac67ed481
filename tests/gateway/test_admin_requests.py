"""Requests that no page of the admin sends: they get a 4xx, and nothing is written."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from wagtail.models import Page, Workflow
from wagtail.test.utils.form_data import inline_formset, nested_form_data, streamfield

from cms_api.adminkit.viewset import ListingViewSet
from cms_api.content.models import ContentItem
from cms_api.flags.services import switch_feature
from commerce.marketing.models import Sequence
from tests.builders import blog_post, make_item, make_page
from tests.content.test_public_pages import make_image

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

#: Where several records can be chosen.
CHOOSERS = ("choose-page", "images/chooser", "documents/chooser", "snippets/choose/home/sharedrow", "content/items/choose")


def whole() -> dict[str, Any]:
    """The form data of the page editor with one row."""
    rows = streamfield([("text", {"heading": "Words", "text": "null"})])
    return nested_form_data({"title": "Changed", "slug": "about", "rows": rows, "comments": inline_formset([])})


def test_a_whole_form_is_taken(admin_client: Client) -> None:
    page = make_page(title="About")
    assert admin_client.post(f"/admin/pages/{page.pk}/edit/", whole()).status_code == 302
    assert Page.objects.get(pk=page.pk).get_latest_revision_as_object().title == "Changed"


@pytest.mark.parametrize(
    "changed",
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
def test_rows_without_what_holds_them_together(admin_client: Client, changed: dict[str, str | None]) -> None:
    page = make_page(title="About")
    sent = {key: value for key, value in {**whole(), **changed}.items() if value is not None}
    answer = admin_client.post(f"/admin/pages/{page.pk}/edit/", sent)
    assert (answer.status_code, page.revisions.count()) == (400, 0)
    assert "We couldn't process your request" in answer.content.decode()


@pytest.mark.parametrize("action", ["lock", "unlock"])
def test_the_root_is_not_locked(admin_client: Client, action: str) -> None:
    root = Page.objects.get(depth=1)
    assert admin_client.post(f"/admin/pages/{root.pk}/{action}/").status_code == 404
    root.refresh_from_db()
    assert not root.locked
    page = make_page(title="About")
    assert admin_client.post(f"/admin/pages/{page.pk}/{action}/").status_code == 302
    page.refresh_from_db()
    assert page.locked is (action == "lock")


def test_records_that_a_form_never_had(admin_client: Client) -> None:
    switch_feature(name="marketing", on=True)
    steps = {"TOTAL_FORMS": "1", "INITIAL_FORMS": "1", "MIN_NUM_FORMS": "0", "MAX_NUM_FORMS": "1000"}
    sent = {"name": "Welcome", "trigger": "manual", **{f"steps-{name}": value for name, value in steps.items()}}
    answer = admin_client.post("/admin/marketing/sequences/new/", sent)
    assert (answer.status_code, Sequence.objects.count()) == (400, 0)


@pytest.mark.parametrize(
    "ids",
    [
        "id=x",
        "id=9999999999999999999",
        "id=%D9%A1",
        "id=x&id=y",
    ],
)
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


BEYOND = 9223372036854775808


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *((f"{chooser}/chosen-multiple/?id={id}", 200) for chooser in CHOOSERS for id in ("x", "%00", BEYOND, "%D9%A1", "")),
        *((f"choose-page/?target_pages[]={value}", 400) for value in ("x", "%00")),
        ("choose-page/chosen-multiple/?id=1", 400),
        *((f"choose-external-link/?parent_page_id={value}", 400) for value in ("x", "-1", "%00")),
        *((f"workflows/edit/1/?p={page}", 400) for page in ("2", "x", "0", "", BEYOND, "9" * 5000, "a" * 5000)),
        *((f"api/main/pages/find/?id={value}", 400) for value in ("x", "", "%00")),
        *((f"images/chooser/chosen/{value}/", 400) for value in ("x", "%00")),
    ],
)
def test_values_that_wagtail_does_not_check(admin_client: Client, path: str, status: int) -> None:
    assert admin_client.get(f"/admin/{path}").status_code == status


@pytest.mark.parametrize(
    "path",
    [
        "images/chooser/?tag=%00",
        "tag-autocomplete/?term=%00",
        "pages/search/?q=%00",
        "reports/site-history/?timestamp_from=0001-01-01",
        f"choose-page/?target_pages[]={BEYOND}",
        f"api/main/images/?offset={BEYOND}",
        *(f"pages/?owner={value}" for value in (BEYOND, "9" * 30)),
        f"images/chooser/chosen/{BEYOND}/",
    ],
)
def test_values_that_some_databases_refuse(admin_client: Client, path: str) -> None:
    """Others find nothing by them."""
    with transaction.atomic():
        assert admin_client.get(f"/admin/{path}").status_code in {200, 400, 404}
        transaction.set_rollback(True)


ORDERED = {f"workflow_tasks-{name}_FORMS": "1" for name in ("TOTAL", "INITIAL", "MIN_NUM", "MAX_NUM")}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("pages/1/set_position/", {}),
        (f"pages/2/set_position/?position={BEYOND}", {}),
        ("choose-external-link/", {}),
        ("workflows/enable/1/", {"next": "x"}),
        ("workflows/enable/1/", {"next": "a\0b"}),
        ("workflows/edit/1/", ORDERED | {"workflow_tasks-0-ORDER": "x", "workflow_tasks-0-DELETE": "1"}),
        ("pages/2/copy/", {"new_parent_page": "x"}),
        ("pages/2/copy/", {"new_parent_page": "99999"}),
    ],
)
def test_posts_that_wagtail_does_not_check(admin_client: Client, path: str, body: dict[str, str]) -> None:
    Workflow.objects.update(active=False)
    with transaction.atomic():
        assert admin_client.post(f"/admin/{path}", body).status_code in {302, 400}
        transaction.set_rollback(True)


@pytest.mark.parametrize("body", ["null", "[1]", '"x"', "{", '{"a": "\\ud800"}', "[" * 2000])
def test_json_of_another_shape(admin_client: Client, body: str) -> None:
    answer = admin_client.patch("/admin/dismissibles/", body, content_type="application/json")
    assert answer.status_code == 400 or "ud800" in body


@pytest.mark.both_databases
def test_the_images_of_a_tag_are_searched(admin_client: Client) -> None:
    assert admin_client.get("/admin/images/chooser/results/?q=mill&tag=river").status_code == 200


def test_a_date_before_every_time_zone(admin_client: Client) -> None:
    """The kit's own filter says so at the field."""
    switch_feature(name="crm", on=True)
    for query in ("created_at_from=0001-01-01", "created_at_to=9999-12-31"):
        assert admin_client.get(f"/admin/crm/contacts/?{query}").status_code == 200


def test_a_value_that_our_own_code_does_not_check_is_a_failure(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistake of ours is not put down to who sent something."""
    monkeypatch.setattr(ListingViewSet, "search_records", lambda self, records, text: records.filter(pk=int(text)))
    with pytest.raises(ValueError, match="invalid literal for int"):
        admin_client.get("/admin/comments/?q=x")


@pytest.mark.parametrize("words", ['"', '"(', '"x.y"', 'tag:"[', "x " * 1200, "x" * 51_000])
def test_any_words_can_be_searched_for(words: str, admin_client: Client) -> None:
    """SQLite's search fails for some quoted words, and for long patterns."""
    make_image("A heron")
    for path in ("images/", "documents/", "images/chooser/", "pages/search/", "mail/log/", "comments/", "forms/"):
        assert admin_client.get(f"/admin/{path}", {"q": words}).status_code == 200, path
    assert "A heron" in admin_client.get("/admin/images/", {"q": '"heron"'}).content.decode()


def test_nobody_can_make_the_admin_fail(admin_client: Client) -> None:
    assert admin_client.get("/admin/failwhale/").status_code == 404
