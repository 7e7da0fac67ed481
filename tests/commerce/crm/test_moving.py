"""An account changes its address: its contact gets it too, and is merged with a contact of the new address."""

import os
import threading
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as django_settings
from django.contrib.auth import get_user_model
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet
from django.test import Client
from wagtail.log_actions import registry

from cms_api.accounts.services import create_member
from cms_api.flags.services import switch_feature
from cms_api.forms.services.submissions import submit
from cms_api.forms.types import Source
from commerce.crm.models import Activity, Contact, MergedAddress
from commerce.crm.selectors import find_contacts
from commerce.crm.services import record_activity, upsert_contact
from commerce.crm.services.merging import merge_contacts
from commerce.crm.services.moving import move_contact
from commerce.crm.types import ActivityKind, NewActivity
from commerce.marketing.models import Subscriber
from commerce.marketing.services import unsubscribe, upsert_subscriber
from commerce.members.models import Member
from tests import people
from tests.accounts.signing_in import confirmation_path, link, mails
from tests.builders import field, make_form
from tests.client import Api, together
from tests.waiting import until, waiting

from .conftest import Emitted
from .records import be_patient, lines, make_company, make_contact, make_rule, team

pytestmark = pytest.mark.django_db

OLD, NEW, OTHER = "mia@example.com", "mia@new.example", "omar@example.com"
User = get_user_model()


@pytest.fixture(autouse=True)
def action() -> None:
    """The log's word for it, where the admin has not said it."""
    if not registry.action_exists("crm.merge"):
        registry.register_action("crm.merge", "Merge contacts", "Merged")


@pytest.fixture(autouse=True)
def _own_attempts(settings: Any) -> None:
    """Attempts that no other test has used up, in the real cache."""
    (chosen,) = django_settings.CACHES.values()
    settings.CACHES = {"default": {**chosen, "KEY_PREFIX": os.urandom(8).hex()}}


@pytest.fixture
def members_on(db: None) -> None:
    switch_feature(name="members", on=True)


def make_account(email: str = OLD) -> Any:
    return create_member(email=email, password=people.PASSWORD, name="Mia Sand")


def change(client: Client, email: str = NEW) -> None:
    client.post("/accounts/email/", {"action_add": "1", "email": email, "password": people.PASSWORD})
    client.post(link(mails("account_confirm")[-1]))


def known() -> dict[str, str]:
    """Every address that leads to a contact, and the contact's own."""
    merged = MergedAddress.objects.values_list("email", "contact__email")
    return {email: email for email in Contact.objects.values_list("email", flat=True)} | dict(merged)


@pytest.mark.both_databases
def test_it_works(members_on: None, sign_in: Callable[[Any], Client], crm_api: Api, emitted: Emitted) -> None:
    user = make_account()
    former = Contact.objects.get()
    before = len(emitted())
    change(sign_in(user))
    contact = Contact.objects.get()
    found = crm_api.data(f"/crm/contacts/{contact.pk}")
    assert (found["email"], found["name"], found["source"]) == (NEW, "Mia Sand", "member")
    assert contact.created_at == former.created_at
    made, merged = emitted()[before:]
    assert (made[0], merged[0]) == ("crm.contact.created", "crm.contact.updated")
    assert merged[1] == {**found, "last_activity_at": merged[1]["last_activity_at"], "updated_at": merged[1]["updated_at"]}
    assert (made[1]["id"], made[1]["email"]) == (contact.pk, NEW)
    assert known() == {NEW: NEW, OLD: NEW}
    assert {"Became a member", f"Merged with {OLD}"} <= set(lines(contact))
    assert [row["id"] for row in crm_api.data("/crm/contacts", search="new.example")] == [contact.pk]
    assert Member.objects.get().email == NEW
    mailed = Activity.objects.filter(kind="mail", summary__contains="account was changed")
    assert [line.contact_id for line in mailed] == [contact.pk]


@pytest.mark.both_databases
def test_a_contact_that_has_the_new_address_becomes_one_with_it(crm_api: Api, emitted: Emitted) -> None:
    mine = make_contact(OLD, first_name="M.", lifecycle="customer", tags=["one"])
    other = make_contact(NEW, first_name="Mia", last_name="Sand", phone="555 1234", tags=["two"])
    for contact in (mine, other):
        ordered = NewActivity(ActivityKind.ORDER, f"Ordered as {contact.email}", f"order:{contact.pk}")
        record_activity(email=contact.email, activity=ordered)
    before = len(emitted())
    move_contact(OLD, NEW)
    found = crm_api.data(f"/crm/contacts/{other.pk}")
    assert (found["email"], found["name"], found["phone"], found["lifecycle"], found["tags"]) == (
        *(NEW, "Mia Sand", "555 1234"),
        *("customer", ["two", "one"]),
    )
    assert (Contact.objects.count(), known()) == (1, {NEW: NEW, OLD: NEW})
    assert sorted(lines(other)) == [f"Merged with {OLD}", f"Ordered as {OLD}", f"Ordered as {NEW}"]
    assert [kind for kind, _ in emitted()[before:]] == ["crm.contact.updated"]
    assert emitted()[-1][1]["email"] == NEW


@pytest.mark.both_databases
def test_what_is_known_goes_over(crm_api: Api, robin: Any) -> None:
    """Also who looks after the contact: no rule is asked again."""
    company = make_company("Reyes Ceramics")
    values = {"first_name": "Mia", "job_title": "Potter", "company": company.name, "lifecycle": "prospect", "tags": ["one"]}
    place = {"street": "Mill Lane 1", "city": "Leeds", "country": "GB", "notes": "Rings twice.", "assigned_to": robin.pk}
    mine = make_contact(OLD, **values, **place, source="fair")
    rule = make_rule(*team(2))
    before = crm_api.data(f"/crm/contacts/{mine.pk}")
    move_contact(OLD, NEW)
    after = crm_api.data("/crm/contacts", email=NEW)[0]
    changed = ("id", "email", "updated_at", "last_activity_at")
    assert {key: value for key, value in after.items() if key not in changed} == {
        key: value for key, value in before.items() if key not in changed
    }
    rule.refresh_from_db()
    assert rule.last_assignee_id == 0


def test_who_has_come_further_stays_there() -> None:
    make_contact(OLD)
    make_contact(NEW, lifecycle="partner")
    move_contact(OLD, NEW)
    assert Contact.objects.get().lifecycle == "partner"


def test_what_comes_from_the_former_address_finds_the_contact() -> None:
    make_contact(OLD)
    form = make_form(field("email", "email"), field("phone", "phone"))
    earlier = submit(form=form, data={"email": OLD}, source=Source.SITE)
    move_contact(OLD, NEW)
    later = submit(form=form, data={"email": OLD.upper(), "phone": "555 1234"}, source=Source.SITE)
    earlier.refresh_from_db()
    contact = Contact.objects.get()
    assert earlier.contact_id == later.contact_id == contact.pk
    assert (contact.email, contact.phone) == (NEW, "555 1234")
    assert find_contacts([OLD])[OLD] == contact


def test_there_and_back_again() -> None:
    make_contact(OLD, first_name="Mia")
    for former, address in ((OLD, NEW), (NEW, OTHER), (OTHER, OLD), (OLD, OLD.upper())):
        move_contact(former, address)
    assert Contact.objects.get().name == "Mia"
    assert known() == {OLD: OLD, NEW: OLD, OTHER: OLD}


@pytest.mark.both_databases
def test_two_who_exchange_their_addresses_stay_two() -> None:
    """By way of a third one, as two accounts cannot have one address."""
    make_contact(OLD, first_name="Mia")
    make_contact(OTHER, first_name="Omar")
    move_contact(OLD, NEW)
    move_contact(OTHER, OLD)
    move_contact(NEW, OTHER)
    assert dict(Contact.objects.values_list("first_name", "email")) == {"Mia": OTHER, "Omar": OLD}
    assert known() == {OTHER: OTHER, NEW: OTHER, OLD: OLD}


@pytest.mark.both_databases
def test_a_contact_that_was_merged_is_found_by_the_address_it_had() -> None:
    work = make_contact("mia@work.example", last_name="Sand")
    merge_contacts(kept=work, others=[make_contact(OLD)])
    move_contact(OLD, NEW)
    assert Contact.objects.get().last_name == "Sand"
    assert known() == {NEW: NEW, OLD: NEW, "mia@work.example": NEW}


@pytest.mark.both_databases
def test_an_unknown_address_creates_no_contact(emitted: Emitted) -> None:
    other = make_contact(NEW)
    before = emitted()
    move_contact(OLD, NEW)
    assert (list(Contact.objects.all()), known(), emitted()) == ([other], {NEW: NEW}, before)


def test_a_contact_with_the_new_address_already_stays_as_it_is(emitted: Emitted) -> None:
    contact = make_contact(NEW)
    merge_contacts(kept=contact, others=[make_contact(OLD)])
    before = emitted()
    move_contact(OLD, NEW)
    assert (known(), emitted()) == ({NEW: NEW, OLD: NEW}, before)


def test_while_the_crm_is_off_nothing_follows(members_on: None, sign_in: Callable[[Any], Client]) -> None:
    user = make_account()
    switch_feature(name="crm", on=False)
    change(sign_in(user))
    assert Member.objects.get().email == NEW
    assert known() == {OLD: OLD}


def test_an_address_that_is_confirmed_for_the_first_time_moves_nobody(members_on: None) -> None:
    make_contact(OLD)
    make_account(NEW)
    assert known() == {OLD: OLD, NEW: NEW}


@pytest.mark.both_databases
def test_subscriptions_stay_with_the_address_they_were_confirmed_for() -> None:
    make_contact(OLD)
    switch_feature(name="marketing", on=True)
    upsert_subscriber(values={"email": OLD}, source="api")
    move_contact(OLD, NEW)
    subscriber = Subscriber.objects.get()
    assert (subscriber.email, subscriber.status) == (OLD, "active")
    unsubscribe(subscriber=subscriber)
    assert "Unsubscribed" in lines(Contact.objects.get())


def test_an_address_that_is_refused_moves_nobody(members_on: None, sign_in: Callable[[Any], Client]) -> None:
    """Somebody else has confirmed it since the link was sent."""
    user = make_account()
    asked = EmailAddress.objects.create(user=user, email=NEW)
    make_account(NEW)
    before = known()
    answer = sign_in(user).post(confirmation_path(asked))
    assert answer.status_code in (200, 302, 404)
    user.refresh_from_db()
    assert (user.email, user.username) == (OLD, OLD)
    assert (Contact.objects.count(), known()) == (2, before)


def test_who_runs_the_site_confirms_another_address(members_on: None) -> None:
    """The command for an account on whose row an editor has written another address."""
    user = make_account()
    User.objects.filter(pk=user.pk).update(email=NEW)
    assert create_member(email=NEW, password=people.PASSWORD) == user
    assert known() == {NEW: NEW, OLD: NEW}


@pytest.mark.both_databases
def test_another_spelling_of_a_domain_is_one_address(members_on: None) -> None:
    make_account("mia@xn--mnchen-3ya.example")
    assert list(known()) == ["mia@münchen.example"]
    move_contact("mia@xn--mnchen-3ya.example", NEW)
    assert known() == {NEW: NEW, "mia@münchen.example": NEW}


@pytest.mark.django_db(transaction=True)
def test_two_changes_of_one_account_at_once(members_on: None) -> None:
    """Two links are followed: the address is that of the later one, and the contact has it too."""
    for turn in range(2):
        user = make_account(f"mia{turn}@example.com")
        asked = [EmailAddress.objects.create(user=user, email=f"mia{turn}@new{number}.example") for number in range(3)]
        paths = [confirmation_path(each) for each in asked]

        def follow(number: int, paths: list[str] = paths) -> int:
            be_patient()
            return Client().post(paths[number]).status_code

        assert 500 not in together(follow, 3)
        user.refresh_from_db()
        contact = find_contacts([f"mia{turn}@example.com"])[f"mia{turn}@example.com"]
        assert contact.email == user.email
        assert not Contact.objects.filter(email=f"mia{turn}@example.com").exists()


@pytest.mark.django_db(transaction=True)
def test_a_change_while_others_write_to_both_addresses() -> None:
    """One contact is left, to which both addresses lead, and no line is lost."""
    for turn in range(4):
        old, new = f"old{turn}@example.com", f"new{turn}@example.com"
        make_contact(old)

        def work(number: int, old: str = old, new: str = new) -> None:
            be_patient()
            activity = NewActivity(ActivityKind.FORM, "Sent", f"form:{number}")
            if number == 0:
                move_contact(old, new)
            elif number % 2:
                upsert_contact(values={"email": old}, source="api", activity=activity)
            else:
                upsert_contact(values={"email": new}, source="api", activity=activity)

        together(work, 9)
        owners = {email: own for email, own in known().items() if email in (old, new)}
        assert owners == {old: new, new: new}
        assert lines(Contact.objects.get(email=new)).count("Sent") == 8


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time.")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_control", [False, True])
def test_staff_whose_address_changes_while_they_get_a_contact(
    members_on: None, robin: Any, monkeypatch: pytest.MonkeyPatch, is_control: bool
) -> None:
    """The new contact refers to their account, which is checked at the end, when the account is locked already."""
    make_contact(OLD)
    EmailAddress.objects.create(user=robin, email=OLD, verified=True, primary=True)
    asked = EmailAddress.objects.create(user=robin, email=NEW)
    begun, original = threading.Event(), QuerySet.select_for_update
    if is_control:
        monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **how: original(rows, **{**how, "no_key": False}))

    def act(number: int) -> None:
        if number == 0:
            with transaction.atomic():
                upsert_contact(values={"email": OTHER, "assigned_to": robin.pk}, source="api")
                begun.set()
                until(waiting)
            return
        begun.wait(20)
        Client().post(confirmation_path(asked))

    if is_control:
        with pytest.raises(OperationalError, match="deadlock"):
            together(act, 2)
        return
    together(act, 2)
    assert known() == {OLD: NEW, NEW: NEW, OTHER: OTHER}
