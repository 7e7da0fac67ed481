"""Mail to subscribers: with a way out of it in the mail and in its headers, and to nobody who does not want it."""

from email import message_from_bytes
from typing import Any

import pytest

from cms_api.core.module import Block
from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.messages import message
from commerce.marketing.models import Subscriber
from commerce.marketing.services import mail_subscriber, unsubscribe
from commerce.marketing.services.wording import values_of
from commerce.marketing.types import Status
from tests.client import together

from .conftest import mails, make_subscriber, path_in

TEMPLATE = "subscription_exists"
CONTEXT = {"more": Block("", "")}


def send(subscriber: Subscriber) -> bool:
    return mail_subscriber(subscriber=subscriber, template=TEMPLATE, context=CONTEXT)


@pytest.mark.both_databases
def test_it_works() -> None:
    assert send(make_subscriber(first_name="Dana", last_name="Reyes")) is True
    (mail,) = mails()
    assert mail.to == '"Dana Reyes" <dana@example.com>'
    assert path_in(mail, "/unsubscribe/") in mail.html
    assert path_in(mail, "/subscriptions/") in mail.html


def test_names_with_a_web_address_are_not_mailed() -> None:
    """A stranger may have entered them in a form."""
    dana = make_subscriber(first_name="Win at evil.com", last_name="Reyes")
    send(dana)
    assert mails()[0].to == "dana@example.com"
    values = values_of(dana)
    assert (values["greeting"], values["first_name"], values["last_name"]) == ("Hello", "", "Reyes")


def test_the_headers_are_those_of_one_click(settings: Any) -> None:
    send(make_subscriber())
    (mail,) = mails()
    sent = message_from_bytes(message(mail).message().as_bytes())
    address = sent["List-Unsubscribe"].replace("\n", "").strip()
    assert address == f"<{settings.BASE_URL}{path_in(mail, '/unsubscribe/')}>"
    assert sent["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


@pytest.mark.parametrize("status", [Status.PENDING, Status.UNSUBSCRIBED])
def test_nobody_else_gets_any(status: Status) -> None:
    subscriber = make_subscriber(status=status)
    assert send(subscriber) is False
    assert not mails()


def test_what_the_caller_holds_may_be_out_of_date() -> None:
    subscriber = make_subscriber()
    unsubscribe(subscriber=Subscriber.objects.get())
    assert subscriber.status == Status.ACTIVE
    assert send(subscriber) is False
    subscriber.delete()
    assert send(Subscriber(pk=99, email="dana@example.com")) is False
    assert not mails()


def test_nothing_while_the_feature_is_off() -> None:
    subscriber = make_subscriber()
    switch_feature(name="marketing", on=False)
    assert send(subscriber) is False
    assert not mails()


@pytest.mark.django_db(transaction=True)
def test_mail_races_unsubscribing() -> None:
    """Whatever is queued was queued before somebody unsubscribed: those that say so, and no others."""
    subscriber = make_subscriber()

    def act(number: int) -> bool:
        if number == 5:
            unsubscribe(subscriber=subscriber)
            return False
        return send(subscriber)

    sent = together(act, 12)
    left = Subscriber.objects.get().unsubscribed_at
    assert left
    assert OutgoingMail.objects.count() == sum(sent)
    assert send(subscriber) is False
