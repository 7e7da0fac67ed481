"""One-time links and codes are in the mail alone: never shown to staff, and gone once it is sent, has failed or is replaced."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from cms_api.accounts.services import create_member
from cms_api.accounts.services.mails import send_invitation
from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services import queue
from cms_api.mail.services.log import SECRETS_REMOVED, resend, resend_failed
from cms_api.mail.services.queueing import HIDDEN
from cms_api.mail.services.sending import send_due
from cms_api.mail.types import MailState
from tests import people

from .postoffice import PostOffice

pytestmark = pytest.mark.django_db

RESET = r"/accounts/password/reset/key/[^\s\"]+"


@pytest.fixture(autouse=True)
def _members_on(db: None) -> None:
    switch_feature(name="members", on=True)


@pytest.fixture
def mail() -> OutgoingMail:
    """The email with which a member resets their password."""
    create_member(email="mia@example.com", password=people.PASSWORD)
    Client().post("/accounts/password/reset/", {"email": "mia@example.com"})
    return OutgoingMail.objects.get(template="account_reset")


def secret_of(mail: OutgoingMail) -> str:
    found = re.search(RESET, mail.words.text)
    assert found
    return found[0].rstrip("/").rpartition("/")[2]


def stored(mail: OutgoingMail) -> str:
    return str(OutgoingMail.objects.filter(pk=mail.pk).values().get())


@pytest.mark.both_databases
def test_it_works(mail: OutgoingMail, office: PostOffice) -> None:
    secret = secret_of(mail)
    assert secret in mail.words.html
    assert secret not in mail.text + mail.html + mail.subject
    assert HIDDEN in mail.text
    send_due()
    (message,) = [each.message for each in office.taken if each.message["Message-ID"] == mail.message_id]
    parts = [part.get_content() for part in message.walk() if part.get_content_maintype() == "text"]
    assert [secret in part for part in parts] == [True, True]
    assert secret not in stored(mail)


def test_a_manager_cannot_read_it(mail: OutgoingMail, sign_in: Any) -> None:
    client = sign_in(people.mallory_manager())
    secret = secret_of(mail)
    for page in (reverse("mail_log:index"), reverse("mail_log:inspect", args=[mail.pk])):
        answer = client.get(page)
        assert answer.status_code == 200
        assert mail.subject in answer.content.decode()
        assert secret not in answer.content.decode()
    page = client.get(reverse("mail_log:inspect", args=[mail.pk])).content.decode()
    assert "One-time links and codes are not shown" in page


@pytest.mark.parametrize("state", [MailState.FAILED, MailState.SENT])
def test_it_is_not_sent_again_without_its_secret(mail: OutgoingMail, admin_client: Client, state: MailState) -> None:
    secret = secret_of(mail)
    ends = OutgoingMail.FAILED if state == MailState.FAILED else OutgoingMail.SUCCEEDED
    OutgoingMail.objects.filter(pk=mail.pk).update(**ends, next_attempt_at=None, finished_at=timezone.now())
    assert secret not in stored(mail)
    with pytest.raises(Invalid) as refusal:
        resend(mail=mail)
    assert refusal.value.message == SECRETS_REMOVED
    assert resend_failed() == 0
    if state == MailState.FAILED:
        page = admin_client.post(reverse("mail_log:resend", args=[mail.pk]), follow=True).content.decode()
        assert "Ask the recipient to request a new one" in page
    mail.refresh_from_db()
    assert mail.state == state


def test_an_invitation_is_a_secret_too() -> None:
    user = create_member(email="mia@example.com", password=people.PASSWORD)
    OutgoingMail.objects.all().delete()
    send_invitation(user=user)
    mail = OutgoingMail.objects.get()
    assert secret_of(mail) not in mail.text + mail.html


def test_mails_without_secrets_are_stored_as_they_are() -> None:
    queue(template="account_unknown", to=["x@example.com"], context={"sign_up": "http://testserver/accounts/signup/"})
    mail = OutgoingMail.objects.get()
    assert (mail.has_secrets, mail.secret_content) == (False, None)
    assert "/accounts/signup/" in mail.text


def test_every_one_time_link_and_code_is_declared() -> None:
    one_time = re.compile(r"/(confirm-email|password/reset/key|subscribe/confirm|donations/changes)/|^[0-9]{6}$")
    for name, (_, mail) in registry.mails().items():
        samples = {key: getattr(value.sample, "text", value.sample) for key, value in mail.placeholders.items()}
        found = {key for key, text in samples.items() if one_time.search(text) and "admin" not in key}
        assert found == set(mail.secrets), name
        assert set(mail.secrets) <= set(mail.placeholders), name
