"""The mail that strangers can cause with the forms of accounts: one for each purpose, address and hour."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from cms_api.accounts.services.mails import _PURPOSES, MAILS, send
from tests import people
from tests.client import together
from tests.conftest import renew_budgets

from .conftest import renew_attempts
from .signing_in import link, log_in, mails, sign_up
from .test_mails import CONTEXT

pytestmark = pytest.mark.django_db


def sent() -> dict[str, int]:
    return dict(Counter(mail.template for mail in mails()))


@pytest.fixture
def again(settings: Any) -> Iterator[Client]:
    """Visitors one after the other, each with allauth's own limits reset, as when its minutes have passed."""

    def visitors() -> Iterator[Client]:
        for number in range(5):
            renew_attempts(settings)
            yield Client(REMOTE_ADDR=f"192.0.2.{number}")

    return visitors()


@pytest.mark.both_databases
def test_signing_up_again_and_again(visitor: Client, again: Iterator[Client]) -> None:
    for client in again:
        sign_up(client)
        log_in(client, "nina@example.com")
    assert sent() == {"account_welcome": 1, "account_exists": 1}


def test_signing_up_with_a_members_address(member: Any, again: Iterator[Client]) -> None:
    for client in again:
        sign_up(client, "mia@example.com")
    assert sent() == {"account_exists": 1}


def test_resets_for_an_address_that_has_no_account(visitor: Client, again: Iterator[Client]) -> None:
    for client in again:
        assert client.post("/accounts/password/reset/", {"email": "nobody@example.com"}).status_code == 302
    assert sent() == {"account_unknown": 1}


def test_resets_for_an_account_that_was_never_confirmed(visitor: Client, again: Iterator[Client]) -> None:
    sign_up(visitor)
    for client in again:
        client.post("/accounts/password/reset/", {"email": "nina@example.com"})
    assert sent() == {"account_welcome": 1, "account_reset": 1}


def test_an_editor_who_asks_here(visitor: Client, again: Iterator[Client]) -> None:
    people.alice()
    for client in again:
        client.post("/accounts/password/reset/", {"email": people.alice().email})
    assert sent() == {"account_reset": 1}


def test_a_member_may_ask_for_more_resets(member: Any, again: Iterator[Client]) -> None:
    for client in again:
        client.post("/accounts/password/reset/", {"email": "mia@example.com"})
    assert sent() == {"account_reset": 5}


@pytest.mark.both_databases
def test_changing_to_a_strangers_address(signed_in: Client, again: Iterator[Client]) -> None:
    """The link that was mailed keeps working, although the address was entered again."""
    for _ in again:
        signed_in.post("/accounts/email/", {"action_add": "1", "email": "new@example.com", "password": people.PASSWORD})
        signed_in.post("/accounts/email/", {"action_send": "1"})
    assert sent() == {"account_confirm": 1}
    signed_in.post(link(mails()[0]))
    assert EmailAddress.objects.get(verified=True).email == "new@example.com"


def test_an_hour_later(visitor: Client, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_up(visitor)
    renew_budgets(monkeypatch)
    renew_attempts(settings)
    log_in(visitor, "nina@example.com")
    assert sent() == {"account_welcome": 1, "account_confirm": 1}


def test_each_mail_is_limited_or_goes_to_the_owner() -> None:
    """A new mail of allauth has to be put on one of the two lists."""
    to_the_owner = {"account_changed"}
    assert {name for name, _ in MAILS.values()} == to_the_owner | set(_PURPOSES)


@pytest.mark.django_db(transaction=True)
class TestRace:
    THREADS = 20

    def race(self) -> int:
        together(lambda _: send(prefix="account/email/unknown_account", to="nobody@example.com", context=CONTEXT), self.THREADS)
        return len(mails())

    def test_it_works(self) -> None:
        assert self.race() == 1

    def test_without_the_budget_there_would_be_many(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The positive control."""
        monkeypatch.setattr("cms_api.accounts.services.mails._may_send", lambda name, to: True)
        assert self.race() == self.THREADS
