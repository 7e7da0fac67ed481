"""Timelines: what other modules record, once for each reference, with the contact of an address."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.services import switch_feature
from commerce.crm.models import Activity, Contact
from commerce.crm.services import record_activities, record_activity
from commerce.crm.services.contacts import update_contact
from commerce.crm.services.timeline import add_note
from commerce.crm.types import MAX_NOTES, ActivityKind, NewActivity
from commerce.marketing.services import unsubscribe, upsert_subscriber
from tests.client import Api, together

from .conftest import Emitted
from .records import lines, make_contact

ORDER = NewActivity(ActivityKind.ORDER, "Ordered a vase", "order:318", "/admin/shop/orders/318/")


@pytest.mark.both_databases
def test_it_works(crm_api: Api, emitted: Emitted) -> None:
    contact = make_contact("dana@example.com")
    earlier = emitted()
    at = timezone.now() - timedelta(days=1)
    record_activity(email=" DANA@example.com", activity=ORDER, at=at)
    line = Activity.objects.get()
    assert (line.contact, line.kind, line.summary, line.link) == (contact, "order", "Ordered a vase", ORDER.link)
    assert line.happened_at == at
    contact.refresh_from_db()
    assert contact.last_activity_at == at
    assert contact.updated_at < timezone.now()
    assert emitted() == earlier


@pytest.mark.both_databases
def test_recorded_again_it_is_written_once() -> None:
    contact = make_contact("dana@example.com")
    for _ in range(3):
        record_activity(email="dana@example.com", activity=ORDER)
        record_activities([("dana@example.com", ORDER), ("Dana@example.com", ORDER)])
    assert lines(contact) == ["Ordered a vase"]
    record_activity(email="dana@example.com", activity=NewActivity(ActivityKind.INVOICE, "Another kind", "order:318"))
    record_activity(email="dana@example.com", activity=NewActivity(ActivityKind.ORDER, "Another one", "order:319"))
    assert len(lines(contact)) == 3


def test_without_a_reference_it_is_written_each_time() -> None:
    contact = make_contact("dana@example.com")
    activity = NewActivity(ActivityKind.SUBSCRIPTION, "Subscribed")
    record_activities([("dana@example.com", activity)] * 3)
    assert lines(contact) == ["Subscribed"] * 3


def test_only_those_who_are_known() -> None:
    dana, otto = make_contact("dana@example.com"), make_contact("otto@example.com")
    record_activities(
        [(email, ORDER) for email in ("dana@example.com", "nobody@example.com", "", "not an address", "OTTO@example.com")]
    )
    assert (lines(dana), lines(otto), Activity.objects.count()) == (["Ordered a vase"], ["Ordered a vase"], 2)
    record_activities([])


def test_while_the_crm_is_off_nothing_is_written() -> None:
    make_contact("dana@example.com")
    switch_feature(name="crm", on=False)
    record_activity(email="dana@example.com", activity=ORDER)
    assert not Activity.objects.exists()


def test_what_happened_earlier_does_not_turn_back_the_last_activity() -> None:
    contact = make_contact("dana@example.com")
    now = timezone.now()
    for days in (3, 1, 2):
        record_activity(
            email="dana@example.com", activity=NewActivity(ActivityKind.NOTE, f"{days} days ago"), at=now - timedelta(days=days)
        )
    contact.refresh_from_db()
    assert contact.last_activity_at == now - timedelta(days=1)
    assert lines(contact) == ["1 days ago", "2 days ago", "3 days ago"]


def test_long_summaries_are_cut() -> None:
    contact = make_contact("dana@example.com")
    record_activity(email="dana@example.com", activity=NewActivity(ActivityKind.TICKET, "a" * 300))
    assert lines(contact) == ["a" * 255]


def test_contacts_that_are_gone() -> None:
    contact = make_contact("dana@example.com")
    Contact.objects.all().delete()
    add_note(contact=contact, text="Likes blue.")
    assert not Activity.objects.exists()


def test_notes(admin_user: Any) -> None:
    contact = make_contact("dana@example.com")
    add_note(contact=contact, text="  Likes blue.\n\nRings twice. ", user=admin_user)
    line = Activity.objects.get()
    assert (line.kind, line.summary, line.body, line.user) == (
        "note",
        "Likes blue. Rings twice.",
        "Likes blue.\n\nRings twice.",
        admin_user,
    )
    for wrong in ("", " \n ", "a" * (MAX_NOTES + 1)):
        with pytest.raises(Invalid) as refusal:
            add_note(contact=contact, text=wrong)
        assert set(refusal.value.errors) == {"text"}


def test_subscriptions() -> None:
    contact = make_contact("dana@example.com")
    subscriber = upsert_subscriber(values={"email": "dana@example.com"}, source="api").subscriber
    unsubscribe(subscriber=subscriber)
    unsubscribe(subscriber=subscriber)
    assert lines(contact) == ["Unsubscribed", "Subscribed"]


@pytest.mark.django_db(transaction=True)
def test_many_record_the_same_at_once() -> None:
    contacts = [make_contact(f"guest{number}@example.com") for number in range(5)]
    addresses = [contact.email for contact in contacts]
    together(lambda _: record_activities([(address, ORDER) for address in addresses]), 20)
    assert [lines(contact) for contact in contacts] == [["Ordered a vase"]] * 5


@pytest.mark.django_db(transaction=True)
def test_control_looking_before_writing_records_it_twice() -> None:
    """Without the constraint's help."""
    contact = make_contact("dana@example.com")

    def look_and_write(_: int) -> bool:
        seen = Activity.objects.filter(contact=contact, reference=ORDER.reference).exists()
        wait.wait(10)
        if not seen:
            Activity.objects.create(contact=contact, kind="order", summary="x", happened_at=timezone.now())
        return not seen

    wait = threading.Barrier(8)
    assert together(look_and_write, 8).count(True) > 1
    assert len(lines(contact)) > 1


@pytest.mark.django_db(transaction=True)
def test_recording_does_not_wait_for_a_change_of_the_contact() -> None:
    """The time of the last activity is then set after the transaction. On SQLite there is one writer at a time."""
    contact = make_contact("dana@example.com")
    if connection.vendor == "sqlite":
        pytest.skip("SQLite has one writer at a time.")
    at = timezone.now()

    def record(_: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '5s'")
        with transaction.atomic():
            record_activity(email="dana@example.com", activity=ORDER, at=at)
            # The update after the transaction waits for the contact; here it is left out.
            connection.run_on_commit = []

    with transaction.atomic():
        update_contact(contact=contact, values={"first_name": "Dana"})
        together(record, 1)
        assert lines(contact) == ["Ordered a vase"]
    contact.refresh_from_db()
    assert (contact.first_name, contact.last_activity_at) == ("Dana", None)
    record_activity(email="dana@example.com", activity=NewActivity(ActivityKind.NOTE, "Later"), at=at)
    contact.refresh_from_db()
    assert contact.last_activity_at == at


@pytest.mark.django_db(transaction=True)
def test_the_last_activity_is_right_after_many_at_once() -> None:
    contact = make_contact("dana@example.com")
    now = timezone.now()

    def record(number: int) -> None:
        activity = NewActivity(ActivityKind.ORDER, "Ordered", f"order:{number}")
        record_activity(email="dana@example.com", activity=activity, at=now + timedelta(minutes=number))
        update_contact(contact=contact, values={"first_name": str(number)})

    together(record, 20)
    contact.refresh_from_db()
    assert contact.last_activity_at == now + timedelta(minutes=19)
    assert len(lines(contact)) == 20
