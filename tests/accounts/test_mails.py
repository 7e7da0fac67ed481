"""Every mail that allauth can send is one that the module declares, and leaves by the queue."""

import re
from pathlib import Path
from typing import Any

import allauth.account
import pytest
from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from cms_api.accounts.module import MODULE
from cms_api.accounts.services.mails import MAILS, send
from tests import people

from .signing_in import link, log_in, mails, sign_up

pytestmark = pytest.mark.django_db

#: Sent where codes stand for passwords and links, which is not so here.
CODES = {"login_code", "password_reset_code"}
CONTEXT = {"key": "MTI3:x", "uid": "3f", "to_email": "new@example.com", "deleted_email": "old@example.com"}


@pytest.mark.both_databases
def test_it_works() -> None:
    send(prefix="account/email/email_changed", to="mia@example.com", context=CONTEXT)
    (mail,) = mails()
    assert (mail.template, mail.recipient) == ("account_changed", "mia@example.com")
    assert "Your email address was changed to new@example.com." in mail.text


def test_every_mail_that_allauth_names_is_known() -> None:
    source = Path(allauth.account.__file__).parent
    named = {name for path in source.rglob("*.py") for name in re.findall(r"account/email/([a-z_]+)", path.read_text())}
    assert named == set(MAILS) | CODES
    assert not [name for name in dir(settings) if name.startswith("ACCOUNT_") and "CODE" in name]


def test_every_declared_mail_is_sent() -> None:
    ours = {"account_invitation"}
    assert {name for name, _ in MAILS.values()} | ours == {mail.name for mail in MODULE.mails}


@pytest.mark.parametrize("name", MAILS)
def test_each_is_written_down(name: str) -> None:
    send(prefix=f"account/email/{name}", to="mia@example.com", context=CONTEXT)
    (mail,) = mails()
    assert mail.template == MAILS[name][0]
    assert "{{" not in mail.subject + mail.text + mail.html
    assert link(mail).startswith("/accounts/")


def test_a_mail_that_is_not_known_does_not_leave() -> None:
    with pytest.raises(KeyError):
        get_adapter().send_mail("account/email/login_code", "mia@example.com", {})
    assert not mails()


def test_an_editors_address_to_which_nothing_can_be_sent(visitor: Client) -> None:
    """It fails in silence: the answer is that of any other address."""
    get_user_model().objects.create_user("odd", "odd@-example.com", people.PASSWORD)
    get_adapter().send_mail("account/email/unknown_account", "no address", {})
    assert [mail.state for mail in mails()] == ["failed"]


def test_all_the_ways_write_into_one_log(visitor: Client, member: Any) -> None:
    """Nothing leaves beside it: the fixtures of these tests look."""
    sign_up(visitor)
    sign_up(visitor, "mia@example.com")
    for email in ("mia@example.com", "nobody@example.com"):
        visitor.post("/accounts/password/reset/", {"email": email})
    log_in(visitor)
    visitor.post("/accounts/email/", {"action_add": "1", "email": "new@example.com", "password": people.PASSWORD})
    visitor.post(link(mails()[-1]))
    assert [mail.template for mail in mails()] == [
        *("account_welcome", "account_exists", "account_reset", "account_unknown"),
        *("account_confirm", "account_changed"),
    ]
