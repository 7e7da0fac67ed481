"""Bulk actions of listings, as modules have them: who may, how many at once, what is named, and what is said."""

import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection, transaction
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from wagtail import hooks

from cms_api.adminkit import bulk_actions
from cms_api.adminkit.bulk_actions import ListingAction
from cms_api.adminkit.ids import ids_in
from cms_api.adminkit.once import new_key
from cms_api.comments.models import Comment
from cms_api.content.models import ContentItem
from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.flags.services import switch_feature
from tests import people
from tests.builders import make_item
from tests.comments.conftest import commentable, make_comment
from tests.commerce.crm.records import make_contact
from tests.features import switch_all_on

pytestmark = pytest.mark.django_db

COMMENTS = "/admin/bulk/comments/comment/{}/"
ITEMS = "/admin/bulk/content/contentitem/{}/"
CONTACTS = "/admin/bulk/crm/contact/{}/"
BACK = "&next=/admin/comments/"


def actions() -> list[type[ListingAction]]:
    return [action for action in hooks.get_hooks("register_bulk_action") if issubclass(action, ListingAction)]


def page(answer: Any) -> str:
    return answer.content.decode()  # type: ignore[no-any-return]


def many(number: int) -> None:
    item, now = commentable(), timezone.now()
    values = {"item": item, "email": "dana@example.com", "body": "Hello", "created_at": now}
    Comment.objects.bulk_create([Comment(author_name=f"Guest {each}", **values) for each in range(number)])


def test_it_works(admin_client: Client) -> None:
    many(501)
    with CaptureQueriesContext(connection) as captured:
        asked = page(admin_client.get(COMMENTS.format("approve") + "?id=all"))
    assert "501 comments are selected. They will be published" in asked
    assert asked.count("<li>Guest ") == 20
    assert "<li>and 481 more</li>" in asked
    # SQLite takes no more than some thousand values in one statement, so the records are read in parts.
    parts = [each["sql"] for each in captured if each["sql"].startswith("SELECT") and " IN (" in each["sql"]]
    assert len([each for each in parts if '"comments_comment"."author_name"' in each]) == 2
    answer = admin_client.post(COMMENTS.format("approve") + "?id=all" + BACK, follow=True)
    assert "501 comments approved." in page(answer)
    assert Comment.objects.filter(status="approved").count() == 501


def test_the_list_names_its_actions(admin_client: Client) -> None:
    make_comment(commentable())
    listed = page(admin_client.get("/admin/comments/"))
    for name in ("Approve selected comments", "Mark selected comments as spam", "Delete selected comments"):
        assert f'aria-label="{name}"' in listed


def test_a_form_that_is_sent_twice_is_carried_out_once(admin_client: Client) -> None:
    one = make_comment(commentable())
    asked = page(admin_client.get(f"{COMMENTS.format('approve')}?id={one.pk}{BACK}"))
    (address,) = re.findall(r'action="([^"]+once=[\w-]+)"', asked)
    assert admin_client.post(unescape(address)).url == "/admin/comments/"
    Comment.objects.update(status="pending")
    again = page(admin_client.post(unescape(address), follow=True))
    assert "This form was already submitted. Nothing was done a second time." in again
    assert Comment.objects.get().status == "pending"


def test_without_a_list_to_go_back_to_it_leads_to_the_list(admin_client: Client) -> None:
    answer = admin_client.post(COMMENTS.format("approve") + f"?id={make_comment(commentable()).pk}")
    assert (answer.status_code, answer.url) == (302, "/admin/comments/")


@pytest.mark.both_databases
def test_one_is_called_one_and_what_stays_is_counted(admin_client: Client) -> None:
    one = make_comment(author_name="<b>Dana</b>", body="word " * 100)
    asked = page(admin_client.get(f"{COMMENTS.format('approve')}?id={one.pk}"))
    assert "1 comment is selected." in asked
    assert "&lt;b&gt;Dana&lt;/b&gt;: word" in asked
    assert "more</li>" not in asked
    assert "word " * 30 not in asked
    assert "1 comment approved." in page(admin_client.post(f"{COMMENTS.format('approve')}?id={one.pk}{BACK}", follow=True))
    make_comment()
    answer = admin_client.post(f"{COMMENTS.format('approve')}?id=all{BACK}", follow=True)
    assert "1 comment approved. 1 unchanged." in page(answer)


def test_nothing_is_there_any_more(admin_client: Client) -> None:
    asked = page(admin_client.get(f"{COMMENTS.format('approve')}?id=1"))
    assert "None of the selected comments exist any more." in asked
    assert ">Approve</button>" not in asked


def test_a_refusal_stands_in_the_form(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    switch_feature(name="crm", on=True)
    contact = make_contact(lifecycle="lead")
    refusing = next(action for action in actions() if action.heading == "Set the lifecycle of contacts")

    def refuse(records: list[Any], user: Any, values: Any) -> int:
        type(contact).objects.update(lifecycle=values["lifecycle"])
        raise Invalid({"lifecycle": "Not this one.", "elsewhere": ["Nor that."]})

    monkeypatch.setattr(refusing, "bulk", replace(refusing.bulk, run=refuse))
    address = f"{CONTACTS.format('lifecycle')}?id={contact.pk}&once={new_key()}"
    answer = admin_client.post(address, {"lifecycle": "partner"})
    assert answer.status_code == 200
    assert answer.context["form"].errors == {"lifecycle": ["Not this one."], "__all__": ["Nor that."]}
    assert "Not this one." in page(answer)
    assert "Nor that." in page(answer)
    contact.refresh_from_db()
    assert contact.lifecycle == "lead"
    # It can be sent again.
    assert admin_client.post(address, {"lifecycle": "partner"}).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_records_that_are_taken_one_by_one_are_stored_one_by_one(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    items = [make_item(title=f"Note {number}", status="draft") for number in range(4)]
    deleting = next(action for action in actions() if path_of(action) == ITEMS.format("delete"))
    stored = []

    def delete(item: ContentItem, user: Any, values: Any) -> None:
        assert not transaction.get_connection().savepoint_ids
        stored.append(ContentItem.objects.count())
        is_refused = item.pk == items[1].pk
        item.delete()
        if is_refused:
            raise Invalid({"item": "Not this one."})

    monkeypatch.setattr(deleting, "bulk", replace(deleting.bulk, each=delete))
    said = page(admin_client.post(f"{ITEMS.format('delete')}?id=all&next=/admin/content/items/", follow=True))
    assert stored == [4, 3, 3, 2]
    assert "3 blog posts deleted." in said
    assert "1 blog post could not be deleted. Note 1: Not this one." in said


def test_what_there_is_no_time_for_is_left_for_the_next_time(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        make_item(title=f"Note {number}", status="draft")
    moments = iter((0, 1, bulk_actions.ACTION_SECONDS + 1))
    monkeypatch.setattr(bulk_actions, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    said = page(admin_client.post(f"{ITEMS.format('publish')}?id=all&next=/admin/content/items/", follow=True))
    assert "1 blog post published." in said
    assert "There was no time for 2 more. Select them again to continue." in said
    assert "unchanged" not in said
    assert ContentItem.objects.filter(status="published").count() == 1


def test_an_action_is_named_by_its_phrase_and_gated_with_its_list() -> None:
    found = {path_of(action): action for action in actions()}
    spam, tag = found[COMMENTS.format("mark_as_spam")], found[CONTACTS.format("tag")]
    assert (spam.heading, spam.aria_label) == ("Mark comments as spam", "Mark selected comments as spam")
    assert (tag.heading, tag.display_name) == ("Add a tag to contacts", "Add tag")
    assert registry.module_of(tag.__module__) == registry.module_of("commerce.crm")


@pytest.fixture
def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every action is there, and would have something to do if it called its service."""
    switch_all_on()

    def called(*args: Any, **kwargs: Any) -> int:
        raise AssertionError("The service was called.")

    for action in actions():
        monkeypatch.setattr(action, "act", called)


def path_of(action: type[ListingAction]) -> str:
    options = action.models[0]._meta
    return f"/admin/bulk/{options.app_label}/{options.model_name}/{action.action_type}/"


def test_who_may_not_is_led_away(everything: None, sign_in: Callable[[Any], Client]) -> None:
    reader = people.bob()
    reader.groups.clear()
    reader.user_permissions.add(Permission.objects.get(codename="access_admin"))
    client = sign_in(reader)
    assert len(actions()) > 10
    for action in actions():
        for answer in (client.get(path_of(action) + "?id=all"), client.post(path_of(action) + "?id=all")):
            assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/"), action


def test_more_than_may_be_at_once_is_refused(
    everything: None, without_menu: None, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk_actions, "MAX_RECORDS", 2)
    for action in actions():
        monkeypatch.setattr(action, "list_records", lambda self: Comment.objects.all())
    many(3)
    for number, action in enumerate(actions()):
        words = action.models[0]._meta.verbose_name_plural
        # By turns, because they are counted in two ways.
        chosen = "id=1&id=2&id=3" if number % 2 else "id=all"
        answer = admin_client.post(f"{path_of(action)}?{chosen}{BACK}", follow=True)
        assert f"You can select at most 2 {words} at once. Narrow the list" in page(answer), action


def test_what_is_no_id_is_left_out() -> None:
    query = "id=7&id=x&id=-1&id=3&id=7&id=%00&id=1.5&id=%D9%A3&id=" + "9" * 19 + "&other=5&id="
    assert ids_in(RequestFactory().get(f"/?{query}"), "id") == [7, 3]
    assert ids_in(RequestFactory().get(f"/?{query}"), "other") == [5]
