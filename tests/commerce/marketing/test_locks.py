"""A form holds a contact and comes to the subscriber: nobody who holds the subscriber may wait for the contact."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction

from cms_api.core.module import Block
from cms_api.flags.services import switch_feature
from commerce.crm.models import Activity, Contact
from commerce.crm.services import timeline, upsert_contact
from commerce.crm.services.bulk import delete_contact
from commerce.crm.services.merging import merge_contacts
from commerce.marketing.models import Subscriber
from commerce.marketing.services import mail_subscriber, mailing, subscribers, unsubscribe, upsert_subscriber
from commerce.marketing.types import Status
from tests.client import together
from tests.waiting import until, waiting

from .conftest import mails, make_subscriber

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time."),
]

EMAIL, OTHER = "dana@example.com", "d.reyes@example.com"
CONTEXT = {"more": Block("", "")}

Write = Callable[[Subscriber], Any]


def contact(email: str) -> Contact:
    return upsert_contact(values={"email": email}, source="test").contact


def recorded() -> list[tuple[str, str]]:
    """The addresses of contacts, and the kinds of activities that marketing recorded."""
    return list(Activity.objects.filter(kind__in=("mail", "subscription")).values_list("contact__email", "kind"))


def meet(write: Write, status: Status, beside: Callable[[], Any] | None = None) -> None:
    """`write` begins while a form holds the contact, and `beside` waits for it; then the form comes to the subscriber."""
    subscriber = make_subscriber(EMAIL, status=status)
    switch_feature(name="crm", on=True)
    contact(EMAIL)
    begun, over = threading.Event(), threading.Event()

    def act(number: int) -> None:
        if number == 0:
            with transaction.atomic():
                contact(EMAIL)
                begun.set()
                until(lambda: over.is_set() or waiting() > (beside is not None))
                upsert_subscriber(values={"email": EMAIL}, source="form", status=Status.PENDING)
            return
        begun.wait(20)
        if number == 1:
            if beside is not None:
                until(waiting)
            write(subscriber)
            over.set()
        elif beside is not None:
            beside()

    together(act, 2 if beside is None else 3)


WRITES = pytest.mark.parametrize(
    ("write", "status"),
    [
        (lambda subscriber: unsubscribe(subscriber=subscriber), Status.ACTIVE),
        (lambda subscriber: subscribers.confirm(subscriber=subscriber), Status.PENDING),
        (
            lambda subscriber: mail_subscriber(subscriber=subscriber, template="subscription_exists", context=CONTEXT),
            Status.ACTIVE,
        ),
        (lambda subscriber: upsert_subscriber(values={"email": EMAIL, "resubscribe": True}, source="api"), Status.PENDING),
        (lambda subscriber: subscribers.resubscribe(subscriber=subscriber), Status.UNSUBSCRIBED),
    ],
    ids=["unsubscribe", "confirm", "mail", "upsert", "resubscribe"],
)


@WRITES
def test_it_works(write: Write, status: Status) -> None:
    meet(write, status)
    assert [email for email, _ in recorded()] == [EMAIL]


def leave(subscriber: Subscriber) -> None:
    unsubscribe(subscriber=subscriber)


def test_while_the_contact_is_deleted() -> None:
    """The deletion waits for the form, and is overtaken by those whom the form waits for."""
    meet(leave, Status.ACTIVE, lambda: delete_contact(contact=Contact.objects.get(email=EMAIL)))
    assert not Contact.objects.exists()


def test_while_the_contact_is_merged() -> None:
    switch_feature(name="crm", on=True)
    kept = contact(OTHER)
    meet(leave, Status.ACTIVE, lambda: merge_contacts(kept=kept, others=[Contact.objects.get(email=EMAIL)]))
    assert Contact.objects.get() == kept
    assert recorded() == [(OTHER, "subscription")]


def test_whoever_unsubscribes_while_a_mail_is_written_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    subscriber, queue, begun = make_subscriber(EMAIL), mailing.queue, threading.Event()

    def slowly(**given: Any) -> Any:
        begun.set()
        until(waiting)
        return queue(**given)

    def act(number: int) -> bool:
        if number == 0:
            return mail_subscriber(subscriber=subscriber, template="subscription_exists", context=CONTEXT)
        begun.wait(20)
        unsubscribe(subscriber=subscriber)
        return bool(mails())

    monkeypatch.setattr(mailing, "queue", slowly)
    assert together(act, 2) == [True, True]


def test_control_a_timeline_that_waits_for_whoever_changes_the_contact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "_touch", lambda ids, at: Contact.objects.filter(pk__in=ids).update(last_activity_at=at))
    with pytest.raises(OperationalError, match="deadlock"):
        meet(leave, Status.ACTIVE)
