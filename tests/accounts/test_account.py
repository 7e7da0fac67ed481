"""The account's own page, and the change of its address."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from django.contrib.auth import get_user_model
from django.test import Client

from cms_api.accounts.services import create_member
from tests import people
from tests.client import together

from .signing_in import confirmation_path, link, log_in, mails

pytestmark = pytest.mark.django_db

EMAIL = "/accounts/email/"
User = get_user_model()


def change(client: Client, email: str = "new@example.com", password: str = people.PASSWORD) -> Any:
    return client.post(EMAIL, {"action_add": "1", "email": email, "password": password})


def addresses(user: Any) -> list[tuple[str, bool, bool]]:
    return list(EmailAddress.objects.filter(user=user).order_by("pk").values_list("email", "verified", "primary"))


@pytest.mark.both_databases
def test_it_works(signed_in: Client, member: Any) -> None:
    assert signed_in.get(EMAIL).status_code == 200
    assert change(signed_in, "New@example.com").status_code == 302
    page = signed_in.get(EMAIL).content
    assert b"new@example.com" in page
    assert b"new@example.com awaiting confirmation" in signed_in.get("/accounts/").content
    member.refresh_from_db()
    assert (member.email, member.username) == ("mia@example.com", "mia@example.com")
    (mail,) = mails()
    assert (mail.template, mail.recipient) == ("account_confirm", "new@example.com")
    signed_in.post(link(mail))
    member.refresh_from_db()
    assert (member.email, member.username) == ("new@example.com", "new@example.com")
    assert addresses(member) == [("new@example.com", True, True)]
    mail = mails()[1]
    assert (mail.template, mail.recipient) == ("account_changed", "mia@example.com")
    assert "changed to new@example.com." in mail.text
    assert log_in(Client()).status_code == 200
    assert log_in(Client(), "new@example.com").status_code == 302


@pytest.mark.both_databases
def test_the_old_address_is_free_again(signed_in: Client, member: Any) -> None:
    change(signed_in)
    signed_in.post(link(mails()[0]))
    assert create_member(email="mia@example.com", password=people.PASSWORD).pk != member.pk


def test_a_change_takes_the_password(signed_in: Client, member: Any) -> None:
    answer = change(signed_in, password="not the one")
    assert set(answer.context["form"].errors) == {"password"}
    assert not mails()
    assert addresses(member) == [("mia@example.com", True, True)]


@pytest.mark.parametrize("email", ["", "new", "n\0@example.com", "n" * 200 + "@example.com", "MIA@example.com"])
def test_what_is_no_other_address_is_refused(email: str, signed_in: Client, member: Any) -> None:
    answer = change(signed_in, email)
    assert set(answer.context["form"].errors) == {"email"}
    assert addresses(member) == [("mia@example.com", True, True)]


@pytest.mark.both_databases
def test_a_taken_address_is_told_to_its_mailbox_only(signed_in: Client, member: Any) -> None:
    create_member(email="nina@example.com", password=people.PASSWORD)
    bob = people.bob()
    for email in ("nina@example.com", bob.email):
        taken = change(signed_in, email)
        assert (taken.status_code, taken.headers["Location"]) == (302, EMAIL)
        assert (mails()[-1].template, mails()[-1].recipient) == ("account_exists", email)
        assert "confirm" not in mails()[-1].text
    member.refresh_from_db()
    assert member.email == "mia@example.com"


def test_a_change_is_called_off(signed_in: Client, member: Any) -> None:
    change(signed_in)
    path = link(mails()[0])
    assert signed_in.post(EMAIL, {"action_remove": "1"}).status_code == 302
    assert addresses(member) == [("mia@example.com", True, True)]
    assert signed_in.post(path).status_code == 404


@pytest.mark.parametrize("action", ["action_primary", "action_remove", "action_send", "action_add", "nothing"])
@pytest.mark.parametrize("email", ["mia@example.com", "new@example.com", "\0", ""])
def test_no_action_makes_an_unconfirmed_address_the_accounts(action: str, email: str, signed_in: Client, member: Any) -> None:
    change(signed_in)
    assert signed_in.post(EMAIL, {action: "1", "email": email}).status_code in (200, 302)
    member.refresh_from_db()
    assert member.email == "mia@example.com"
    assert ("mia@example.com", True, True) in addresses(member)


def test_an_editor_confirms_their_own_address_first(accounts_on: None, sign_in: Callable[[Any], Client]) -> None:
    bob = people.bob()
    client = sign_in(bob)
    assert b"Change email address" not in client.get(EMAIL).content.split(b"<main")[1]
    for action in ("action_add", "action_primary", "action_remove"):
        client.post(EMAIL, {action: "1", "email": "alice@example.com", "password": people.PASSWORD})
    bob.refresh_from_db()
    assert bob.email == "bob@example.com"
    assert not mails()
    client.post(EMAIL, {"action_send": "1"})
    assert [(mail.template, mail.recipient) for mail in mails()] == [("account_confirm", "bob@example.com")]
    client.post(link(mails()[0]))
    assert addresses(bob) == [("bob@example.com", True, True)]
    assert b"Change email address" in client.get(EMAIL).content.split(b"<main")[1]


@pytest.mark.django_db(transaction=True)
def test_a_change_that_is_sent_twice_at_once(signed_in: Client, member: Any) -> None:
    cookie = signed_in.cookies["sessionid"].value

    def send(number: int) -> int:
        client = Client()
        client.cookies["sessionid"] = cookie
        return int(change(client).status_code)

    assert set(together(send, 4)) <= {200, 302}
    assert addresses(member) == [("mia@example.com", True, True), ("new@example.com", False, False)]
    (mail,) = mails("account_confirm")
    signed_in.post(link(mail))
    assert addresses(member) == [("new@example.com", True, True)]


@pytest.mark.django_db(transaction=True)
def test_two_who_confirm_one_address_at_once(accounts_on: None, sign_in: Callable[[Any], Client]) -> None:
    members = [create_member(email=f"mia{number}@example.com", password=people.PASSWORD) for number in range(2)]
    asked = [EmailAddress.objects.create(user=member, email="new@example.com") for member in members]
    paths = [confirmation_path(address) for address in asked]
    answers = together(lambda number: Client().post(paths[number]), 2)
    assert [answer.status_code for answer in answers].count(500) == 0
    assert User.objects.filter(email="new@example.com").count() == 1
    assert EmailAddress.objects.filter(email="new@example.com", verified=True).count() == 1


@pytest.mark.both_databases
def test_a_link_never_confirms_the_address_that_got_the_number_of_a_lost_one(visitor: Client, member: Any) -> None:
    lost = EmailAddress.objects.create(user=member, email="lost@example.com")
    paths = [confirmation_path(lost), f"/accounts/confirm-email/{EmailConfirmationHMAC(lost).key}/"]
    number = lost.pk
    lost.delete()
    EmailAddress.objects.create(pk=number, user=member, email="victim@example.com")
    for path in paths:
        visitor.post(path)
    assert not EmailAddress.objects.get(pk=number).verified


@pytest.mark.both_databases
def test_a_name_is_saved(signed_in: Client, member: Any) -> None:
    assert b"Mia Sand" in signed_in.get("/accounts/").content
    assert signed_in.post("/accounts/", {"name": "Mia Stone"}).status_code == 302
    member.refresh_from_db()
    assert member.get_full_name() == "Mia Stone"
    assert b"Your name has been saved." in signed_in.get("/accounts/").content


@pytest.mark.parametrize("name", ["", "n\0", "n" * 151, "two\nlines"])
def test_what_is_no_name_is_refused(name: str, signed_in: Client, member: Any) -> None:
    answer = signed_in.post("/accounts/", {"name": name})
    assert answer.status_code == 422
    member.refresh_from_db()
    assert member.first_name == "Mia Sand"


def test_the_pages_of_an_account_are_kept_by_nobody(signed_in: Client) -> None:
    for path in ("/accounts/", EMAIL, "/accounts/password/change/", "/accounts/logout/"):
        answer = signed_in.get(path)
        assert answer.status_code == 200
        assert "no-store" in answer.headers["Cache-Control"]


def test_other_methods_are_refused(signed_in: Client) -> None:
    for method in ("PUT", "DELETE", "PATCH"):
        assert signed_in.generic(method, "/accounts/").status_code == 405
