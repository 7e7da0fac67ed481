"""Contacts in the admin: found, written down, changed, noted of, deleted; by those who may and while the CRM is on."""

import csv
import io
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from wagtail.admin.icons import get_icons
from wagtail.models import ModelLogEntry

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.admin.contacts import ICONS
from commerce.crm.models import Activity, Company, Contact
from commerce.crm.services import record_activity
from commerce.crm.services.timeline import add_note
from commerce.crm.types import ActivityKind, NewActivity
from tests import people
from tests.builders import make_endpoint

from .records import make_company, make_contact

pytestmark = pytest.mark.django_db

LIST = "/admin/crm/contacts/"


def shown(client: Client, query: str = "") -> list[str]:
    """The addresses of the listing, in its order."""
    page = client.get(f"{LIST}results/{query}")
    assert page.status_code == 200, query
    return [contact.email.partition("@")[0] for contact in page.context["object_list"]]


def some() -> dict[str, Contact]:
    found = {
        "dana": make_contact(
            "dana@example.com", first_name="Dana", last_name="Reyes", company="Reyes Ceramics, Inc.", tags=["Weddings"]
        ),
        "omer": make_contact("omer@example.com", first_name="Ömer", lifecycle="customer", country="TR", phone="0312 555-0142"),
        "ruth": make_contact("ruth@example.com", source="Import", company="Nordlicht GmbH", tags=["wedding"]),
    }
    for days, contact in enumerate(found.values()):
        Contact.objects.filter(pk=contact.pk).update(created_at=timezone.now() - timedelta(days=days))
    return found


def fields(**values: Any) -> dict[str, Any]:
    empty = ("email", "first_name", "last_name", "phone", "job_title", "company_name", "street", "street2", "city", "state")
    names = (*empty, "postal_code", "country", "person", "tag_list", "notes", "source")
    return dict.fromkeys(names, "") | {"lifecycle": "lead", **values}


def test_it_works(admin_client: Client) -> None:
    sent = fields(
        email="Dana@Example.com",
        first_name=" Dana ",
        last_name="Reyes",
        company_name="Reyes Ceramics",
        tag_list='weddings,"a, b"',
    )
    answer = admin_client.post(f"{LIST}new/", sent)
    contact = Contact.objects.get()
    assert answer.headers["Location"] == f"{LIST}inspect/{contact.pk}/"
    assert (contact.email, contact.first_name, contact.source) == ("dana@example.com", "Dana", "admin")
    assert str(contact.company) == "Reyes Ceramics"
    assert contact.tags == ["weddings", "a, b"]
    page = admin_client.get(f"{LIST}inspect/{contact.pk}/").content.decode()
    assert "mailto:dana@example.com" in page
    assert "No activity yet." in page
    assert admin_client.get(f"{LIST}edit/{contact.pk}/").status_code == 200
    changed = {**sent, "email": "dana@example.com", "first_name": "Danielle", "phone": "+1 802 555 0142", "company_name": ""}
    assert admin_client.post(f"{LIST}edit/{contact.pk}/", changed).status_code == 302
    contact.refresh_from_db()
    assert (contact.first_name, contact.phone, contact.company) == ("Danielle", "+1 802 555 0142", None)
    assert contact.tags == ["weddings", "a, b"]
    assert "tel:+18025550142" in admin_client.get(f"{LIST}inspect/{contact.pk}/").content.decode()
    actions = ModelLogEntry.objects.filter(object_id=str(contact.pk)).values_list("action", flat=True)
    assert sorted(actions) == ["wagtail.create", "wagtail.edit"]
    assert admin_client.get(f"{LIST}history/{contact.pk}/").status_code == 200
    assert "Are you sure" in admin_client.get(f"{LIST}delete/{contact.pk}/").content.decode()
    assert admin_client.post(f"{LIST}delete/{contact.pk}/").status_code == 302
    assert not Contact.objects.exists()


def test_an_address_that_is_there_leads_to_its_contact(admin_client: Client) -> None:
    contact = make_contact("dana@example.com", first_name="Dana")
    answer = admin_client.post(f"{LIST}new/", fields(email="DANA@example.com", first_name="Other", city="Leeds"), follow=True)
    assert answer.redirect_chain == [(f"{LIST}inspect/{contact.pk}/", 302)]
    assert "already exists" in answer.content.decode()
    contact.refresh_from_db()
    assert (contact.first_name, contact.city) == ("Dana", "Leeds")
    assert Contact.objects.count() == 1
    assert not ModelLogEntry.objects.filter(action="wagtail.create").exists()


def test_the_address_cannot_be_changed(admin_client: Client) -> None:
    contact = make_contact("dana@example.com")
    admin_client.post(f"{LIST}edit/{contact.pk}/", fields(email="other@example.com", first_name="Dana"))
    contact.refresh_from_db()
    assert (contact.email, contact.first_name) == ("dana@example.com", "Dana")


def test_only_what_was_changed_is_written_and_told(admin_client: Client) -> None:
    switch_feature(name="webhooks", on=True)
    contact = make_contact("dana@example.com", first_name="Dana", phone="1", tags=["b c", "a"])
    make_endpoint("crm.contact.updated")
    same = fields(email=contact.email, first_name="Dana", phone="1", tag_list='"b c",a', source="api")
    assert admin_client.post(f"{LIST}edit/{contact.pk}/", same).status_code == 302
    assert not OutboxEvent.objects.exists()
    assert admin_client.post(f"{LIST}edit/{contact.pk}/", {**same, "phone": ""}).status_code == 302
    contact.refresh_from_db()
    assert (contact.phone, contact.tags) == ("", ["b c", "a"])
    assert OutboxEvent.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("email", "nobody"),
        ("first_name", "\0"),
        ("tag_list", "x" * 51),
        ("lifecycle", "king"),
        ("person", "9" * 30),
    ],
)
def test_what_the_api_refuses_the_form_refuses_at_its_field(admin_client: Client, name: str, value: str) -> None:
    answer = admin_client.post(f"{LIST}new/", fields(**{"email": "dana@example.com", name: value}))
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [name]
    assert not Contact.objects.exists()


def test_somebody_who_left_goes_on_looking_after_contacts_until_it_is_changed(admin_client: Client) -> None:
    manager = people.mallory_manager()
    contact = make_contact("dana@example.com", assigned_to=manager.pk)
    manager.groups.clear()
    sent = fields(email=contact.email, person=str(manager.pk), city="Leeds", source="api")
    assert admin_client.post(f"{LIST}edit/{contact.pk}/", sent).status_code == 302
    contact.refresh_from_db()
    assert (contact.assigned_to, contact.city) == (manager, "Leeds")


@pytest.mark.both_databases
def test_filters_search_and_order(admin_client: Client) -> None:
    found = some()
    manager = people.mallory_manager()
    Contact.objects.filter(pk=found["ruth"].pk).update(assigned_to=manager)
    record_activity(email=found["omer"].email, activity=NewActivity(ActivityKind.ORDER, "Order"))
    day = timezone.localdate() - timedelta(days=1)
    for query, expected in {
        "": ["dana", "omer", "ruth"],
        "?lifecycle=customer": ["omer"],
        "?lifecycle=customer&lifecycle=lead": ["dana", "omer", "ruth"],
        f"?assigned_to={manager.pk}": ["ruth"],
        "?assigned_to=null": ["dana", "omer"],
        "?company=ceram": ["dana"],
        "?company=NORDLICHT+AG": ["ruth"],
        "?tag=weddings": ["dana"],
        "?source=import": ["ruth"],
        "?country=tr": ["omer"],
        f"?created_at_from={day}&created_at_to={day}": ["omer"],
        "?q=rey": ["dana"],
        "?q=omer": ["omer"],
        "?q=03125550142": ["omer"],
        "?q=+": ["dana", "omer", "ruth"],
        "?q=nobody": [],
        "?q=dana&lifecycle=customer": [],
        "?ordering=created_at": ["ruth", "omer", "dana"],
        "?ordering=email": ["dana", "omer", "ruth"],
        "?ordering=last_activity_at": ["omer", "ruth", "dana"],
        "?ordering=-last_activity_at": ["omer", "ruth", "dana"],
    }.items():
        assert shown(admin_client, query) == expected, query
    for odd in ("lifecycle=x&assigned_to=x&company=%00&tag=%00&source=%00", f"assigned_to={'9' * 30}", "q=%00"):
        assert admin_client.get(f"{LIST}?{odd}").status_code == 200, odd
    for odd in (f"created_at_from=2024-02-30&tag=%27%22%25&company={'x' * 5000}", f"q={'x' * 5000}", "p=x", "ordering=x"):
        assert admin_client.get(f"{LIST}?{odd}").status_code in {200, 404}, odd


@pytest.mark.both_databases
def test_the_list_takes_a_constant_number_of_statements(admin_client: Client) -> None:
    found = []
    for number in (1, 4):
        for _ in range(number):
            make_contact(company=f"Company {number}-{_}", assigned_to=people.mallory_manager().pk)
        admin_client.get(LIST)
        with CaptureQueriesContext(connection) as captured:
            assert admin_client.get(LIST).status_code == 200
        found.append(len(captured))
    assert found[0] == found[1], found


def test_the_download_holds_what_is_listed(admin_client: Client) -> None:
    some()
    make_contact("evil@example.com", first_name="=1+1")
    answer = admin_client.get(f"{LIST}?export=csv&ordering=email")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [row["email"] for row in rows] == ["dana@example.com", "evil@example.com", "omer@example.com", "ruth@example.com"]
    assert (rows[0]["company"], rows[0]["tags"], rows[0]["source"]) == ("Reyes Ceramics, Inc.", "Weddings", "api")
    assert rows[1]["first_name"] == "'=1+1"
    answer = admin_client.get(f"{LIST}?export=csv&q=rey")
    assert b"".join(answer.streaming_content).count(b"@example.com") == 1


def test_notes_and_the_timeline(admin_client: Client) -> None:
    contact = make_contact("dana@example.com")
    answer = admin_client.post(f"{LIST}inspect/{contact.pk}/note/", {"text": "Likes <b>tea</b>.\n\nNo milk."})
    assert answer.headers["Location"] == f"{LIST}inspect/{contact.pk}/"
    ordered = NewActivity(ActivityKind.ORDER, "Order 1", "order:1", "/admin/orders/inspect/1/")
    record_activity(email=contact.email, activity=ordered)
    switch_feature(name="shop", on=True)
    page = admin_client.get(f"{LIST}inspect/{contact.pk}/").content.decode()
    assert page.index("Order 1") < page.index("Likes &lt;b&gt;tea&lt;/b&gt;.</p>")
    assert '<a href="/admin/orders/inspect/1/">Order 1</a>' in page
    assert "alice@example.com" in page
    for text in ("", "  ", "\0", "x" * 20_001):
        refused = admin_client.post(f"{LIST}inspect/{contact.pk}/note/", {"text": text})
        assert refused.status_code == 200
        assert refused.context["note"].errors["text"]
    assert Activity.objects.count() == 2
    assert admin_client.get(f"{LIST}inspect/{contact.pk}/note/").status_code == 302


def test_a_line_about_a_feature_that_is_off_has_no_link(admin_client: Client) -> None:
    contact = make_contact("dana@example.com")
    ordered = NewActivity(ActivityKind.ORDER, "Order 1", "order:1", "/admin/orders/inspect/1/")
    record_activity(email=contact.email, activity=ordered)
    page = admin_client.get(f"{LIST}inspect/{contact.pk}/").content.decode()
    assert '<p class="crm__summary">Order 1</p>' in page
    assert "/admin/orders/" not in page


@pytest.mark.both_databases
def test_fifty_lines_a_page_in_a_constant_number_of_statements(admin_client: Client) -> None:
    contact, manager, found = make_contact("dana@example.com"), people.mallory_manager(), []
    for number in (2, 60):
        for line in range(number):
            add_note(contact=contact, text=f"Note {line}", user=manager)
        admin_client.get(f"{LIST}inspect/{contact.pk}/")
        with CaptureQueriesContext(connection) as captured:
            page = admin_client.get(f"{LIST}inspect/{contact.pk}/")
        found.append(len(captured))
    assert found[0] == found[1], found
    assert len(page.context["lines"]) == 50
    assert len(admin_client.get(f"{LIST}inspect/{contact.pk}/?p=2").context["lines"]) == 12
    assert admin_client.get(f"{LIST}inspect/{contact.pk}/?p=x").status_code == 200


def test_every_kind_of_line_has_an_icon_that_there_is() -> None:
    assert set(ICONS) == set(ActivityKind)
    drawn = get_icons()
    assert [name for name in ICONS.values() if f'id="icon-{name}"' not in drawn] == []


def test_the_lifecycle_is_changed_from_the_page(admin_client: Client) -> None:
    contact = make_contact("dana@example.com")
    for value, expected in (("customer", "customer"), ("king", "customer"), ("", "customer"), ("\0", "customer")):
        assert admin_client.post(f"{LIST}lifecycle/{contact.pk}/", {"lifecycle": value}).status_code == 302
        contact.refresh_from_db()
        assert contact.lifecycle == expected
    assert admin_client.get(f"{LIST}lifecycle/{contact.pk}/").status_code == 302


def test_names_and_tags_are_offered_as_one_types(admin_client: Client) -> None:
    some()
    make_company("Reyes & Sons")
    assert admin_client.get("/admin/crm/companies/names/?q=REYES").json() == ["Reyes & Sons", "Reyes Ceramics, Inc."]
    assert admin_client.get("/admin/crm/companies/names/?q=").json() == []
    assert admin_client.get(f"{LIST}tags/?term=Wedd").json() == ["wedding", "Weddings"]
    assert admin_client.get(f"{LIST}tags/").json() == []
    for odd in ("%00", "x" * 5000, "%27%22%25_"):
        assert admin_client.get(f"/admin/crm/companies/names/?q={odd}").json() == []
        assert admin_client.get(f"{LIST}tags/?term={odd}").json() == []


PAGES = ["", "results/", "new/", "inspect/{}/", "edit/{}/", "delete/{}/", "history/{}/", "merge/?id={}", "duplicates/", "tags/"]


def test_managers_have_all_and_editors_nothing(sign_in: Callable[[Any], Client]) -> None:
    contact = make_contact("dana@example.com", first_name="Secret")
    company = make_company("Secret Ltd")
    paths = [LIST + path.format(contact.pk) for path in PAGES]
    paths += [f"/admin/crm/companies/{path}" for path in ("", "new/", f"inspect/{company.pk}/", "names/?q=Secret")]
    paths += ["/admin/crm/rules/", "/admin/crm/rules/new/", f"/admin/bulk/crm/contact/delete/?id={contact.pk}"]
    manager = sign_in(people.mallory_manager())
    assert LIST in manager.get("/admin/").content.decode()
    for path in paths:
        assert manager.get(path).status_code == 200, path
    for stranger in (Client(), sign_in(people.charlie()), sign_in(people.bob())):
        assert "/admin/crm" not in stranger.get("/admin/").content.decode()
        for path in paths:
            answer = stranger.get(path)
            assert b"Secret" not in answer.content, path
            assert answer.status_code in {200, 302, 403}, path
            assert answer.status_code != 200 or "bulk" in path, path
        for path in ("note/", "lifecycle/"):
            stranger.post(f"{LIST}inspect/{contact.pk}/{path}", {"text": "x", "lifecycle": "partner"})
        stranger.post(f"{LIST}delete/{contact.pk}/")
        stranger.post(f"{LIST}merge/?id={contact.pk}", {"kept": contact.pk})
        stranger.post(f"/admin/bulk/crm/contact/delete/?id={contact.pk}")
    contact.refresh_from_db()
    assert contact.lifecycle == "lead"
    assert not Activity.objects.exists()
    assert Company.objects.count() == 1
