"""A form holds a contact and comes to the subscriber: nobody who holds the subscriber may wait for the contact."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from cms_api.core.module import Block
from cms_api.flags.services import switch_feature
from commerce.crm.models import Contact
from commerce.crm.selectors import find_contacts
from commerce.crm.services import timeline, upsert_contact
from commerce.marketing.models import Subscriber
from commerce.marketing.services import mail_subscriber, subscribers, unsubscribe, upsert_subscriber
from commerce.marketing.types import Status
from tests.client import together

from .conftest import make_subscriber

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time."),
]

EMAIL = "dana@example.com"
TEMPLATE = "subscription_exists"
CONTEXT = {"more": Block("", "")}

Write = Callable[[Subscriber], Any]


def somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        return bool(cursor.fetchone()[0])


def meet(write: Write, status: Status) -> None:
    """`write` begins while a form holds the contact; then the form comes to the subscriber."""
    switch_feature(name="crm", on=True)
    subscriber = make_subscriber(EMAIL, status=status)
    upsert_contact(values={"email": EMAIL}, source="test")
    begun = threading.Event()

    def act(number: int) -> None:
        if number:
            begun.wait(10)
            write(subscriber)
            return
        with transaction.atomic():
            upsert_contact(values={"email": EMAIL}, source="form")
            begun.set()
            deadline = time.monotonic() + 10
            while not somebody_waits() and time.monotonic() < deadline:
                time.sleep(0.01)
            upsert_subscriber(values={"email": EMAIL}, source="form", status=Status.PENDING)

    together(act, 2)


@pytest.mark.parametrize(
    ("write", "status"),
    [
        (lambda subscriber: unsubscribe(subscriber=subscriber), Status.ACTIVE),
        (lambda subscriber: subscribers.confirm(subscriber=subscriber), Status.PENDING),
        (
            lambda subscriber: mail_subscriber(subscriber=subscriber, template="subscription_exists", context=CONTEXT),
            Status.ACTIVE,
        ),
        (lambda subscriber: upsert_subscriber(values={"email": EMAIL, "resubscribe": True}, source="api"), Status.PENDING),
    ],
    ids=["unsubscribe", "confirm", "mail", "resubscribe"],
)
def test_it_works(write: Write, status: Status) -> None:
    meet(write, status)


def lock(ids: set[int]) -> set[int]:
    return set(Contact.objects.select_for_update(no_key=True).filter(pk__in=ids).values_list("pk", flat=True))


def test_control_subscribers_first_and_a_timeline_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without both: contacts before subscribers, and a timeline that waits for nobody who changes a contact."""
    monkeypatch.setattr(subscribers, "hold_contacts", find_contacts)
    monkeypatch.setattr(timeline, "_keep", lock)
    with pytest.raises(OperationalError, match="deadlock"):
        meet(lambda subscriber: unsubscribe(subscriber=subscriber), Status.ACTIVE)
