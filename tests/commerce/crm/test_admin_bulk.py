"""Bulk actions on contacts: the service changes each one, with a log entry and a webhook event of its own."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.flags.services import switch_feature
from cms_api.forms.models import Submission
from cms_api.text.search import matching
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Contact
from commerce.crm.services.bulk import assign_contacts, delete_contacts, set_lifecycle, tag_contacts
from tests import people
from tests.builders import make_endpoint, make_form

from .records import make_contact

pytestmark = pytest.mark.django_db

LIST = "/admin/crm/contacts/"
BULK = "/admin/bulk/crm/contact/{}/"


def three() -> list[Contact]:
    return [make_contact(f"{name}@example.com", tags=["old"]) for name in ("a", "b", "c")]


@pytest.fixture
def webhook_endpoint() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("crm.contact.updated")


@pytest.mark.parametrize(
    ("action", "sent", "column", "value"),
    [
        ("tag", {"tag": " Garden  party "}, "tags", ["old", "Garden party"]),
        ("lifecycle", {"lifecycle": "partner"}, "lifecycle", "partner"),
        ("assign", {}, "assigned_to_id", None),
    ],
)
def test_those_that_are_chosen_are_changed(
    admin_client: Client, webhook_endpoint: None, action: str, sent: dict[str, str], column: str, value: Any
) -> None:
    chosen, left = three(), make_contact("left@example.com")
    before = getattr(left, column)
    if action == "assign":
        manager = people.mallory_manager()
        sent, value = {"person": str(manager.pk)}, manager.pk
    url = f"{BULK.format(action)}?{'&'.join(f'id={each.pk}' for each in chosen)}&next={LIST}"
    assert "3 contacts are selected" in admin_client.get(url).content.decode()
    assert admin_client.post(url, sent).headers["Location"] == LIST
    assert [getattr(each, column) for each in Contact.objects.exclude(pk=left.pk)] == [value] * 3
    left.refresh_from_db()
    assert getattr(left, column) == before
    assert OutboxEvent.objects.count() == 3
    assert ModelLogEntry.objects.filter(action="wagtail.edit", user__email="alice@example.com").count() == 3
    admin_client.post(url, sent)
    assert OutboxEvent.objects.count() == 3


def test_deleted(admin_client: Client) -> None:
    chosen, left = three(), make_contact("left@example.com", first_name="Leftover")
    submission = Submission.objects.create(form=make_form(), data={}, contact_id=chosen[0].pk, created_at=timezone.now())
    url = f"{BULK.format('delete')}?{'&'.join(f'id={each.pk}' for each in chosen)}&next={LIST}"
    assert admin_client.get(url).status_code == 200
    assert admin_client.post(url).status_code == 302
    assert list(Contact.objects.all()) == [left]
    submission.refresh_from_db()
    assert submission.contact_id is None
    assert ModelLogEntry.objects.filter(action="wagtail.delete").count() == 3
    assert list(matching(Contact.objects.all(), "left")) == [left]


def test_all_are_those_that_were_listed(admin_client: Client) -> None:
    make_contact("a@example.com", first_name="Dana", lifecycle="customer")
    make_contact("b@example.com", first_name="Dana")
    make_contact("c@example.com", lifecycle="customer")
    url = f"{BULK.format('tag')}?id=all&q=dana&lifecycle=customer&next={LIST}"
    assert admin_client.post(url, {"tag": "x"}).status_code == 302
    assert [(each.email, each.tags) for each in Contact.objects.order_by("email")] == [
        ("a@example.com", ["x"]),
        ("b@example.com", []),
        ("c@example.com", []),
    ]


def test_more_than_may_be_at_once_is_refused(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    three()
    monkeypatch.setattr("cms_api.adminkit.bulk_actions.MAX_RECORDS", 2)
    answer = admin_client.post(f"{BULK.format('delete')}?id=all&next={LIST}", follow=True)
    assert "Narrow the list" in answer.content.decode()
    assert Contact.objects.count() == 3


def test_odd_ids_and_values_change_nothing(admin_client: Client) -> None:
    contact = three()[0]
    for odd in ("id=x", f"id={'9' * 30}", "id=-1", "", "id=%00", "id=all&lifecycle=king", "id=all&q=%00"):
        for action in ("delete", "tag", "lifecycle", "assign"):
            answer = admin_client.post(f"{BULK.format(action)}?{odd}", {"tag": "x", "lifecycle": "lead", "person": ""})
            assert answer.status_code in {200, 302, 404}, odd
    for action, sent in (
        ("tag", {"tag": ""}),
        ("tag", {"tag": "x" * 51}),
        ("tag", {"tag": "\0"}),
        ("lifecycle", {"lifecycle": "king"}),
        ("assign", {"person": "9" * 30}),
        ("assign", {"person": "x"}),
    ):
        answer = admin_client.post(f"{BULK.format(action)}?id={contact.pk}", sent)
        assert answer.status_code == 200
        assert answer.context["form"].errors
    assert Contact.objects.filter(tags=["old"], lifecycle="lead").count() == 3


def test_the_services_refuse_what_is_not() -> None:
    chosen = three()
    for refused in (
        lambda: tag_contacts(contacts=chosen, tag="  "),
        lambda: tag_contacts(contacts=chosen, tag="x" * 51),
        lambda: set_lifecycle(contacts=chosen, lifecycle="king"),
        lambda: assign_contacts(contacts=chosen, assigned_to=people.bob().pk),
        lambda: assign_contacts(contacts=chosen, assigned_to=0),
    ):
        with pytest.raises(Invalid):
            refused()


def test_contacts_that_are_gone_are_passed_over() -> None:
    chosen = three()
    Contact.objects.filter(pk=chosen[0].pk).delete()
    assert tag_contacts(contacts=chosen, tag="new") == 2
    assert set_lifecycle(contacts=chosen, lifecycle="lead") == 0
    assert delete_contacts(contacts=chosen) == 2
    assert delete_contacts(contacts=chosen) == 0


def test_a_contact_takes_as_many_tags_as_one_may_have() -> None:
    full = make_contact(tags=[str(number) for number in range(50)])
    assert tag_contacts(contacts=[full], tag="one more") == 0
    assert tag_contacts(contacts=[full], tag="7") == 0


@pytest.mark.both_databases
def test_the_confirmation_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    found = []
    for number in (1, 21):
        for _ in range(number):
            make_contact()
        admin_client.get(f"{BULK.format('tag')}?id=all")
        with CaptureQueriesContext(connection) as captured:
            page = admin_client.get(f"{BULK.format('tag')}?id=all").content.decode()
        found.append(len(captured))
    assert found[0] == found[1], found
    assert "and 2 more" in page


def test_a_contact_that_goes_while_it_is_written_is_not_found(admin_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    contact = three()[0]

    def gone(**values: Any) -> None:
        raise NotFound

    monkeypatch.setattr("commerce.crm.admin.contacts.update_contact", gone)
    assert admin_client.post(f"{LIST}edit/{contact.pk}/", {"lifecycle": "customer"}).status_code == 404
    assert admin_client.post(f"{LIST}lifecycle/{contact.pk}/", {"lifecycle": "customer"}).status_code == 404
