"""A forgotten password, and a changed one."""

import re
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from cms_api.accounts.services import limiting
from tests import people

from .signing_in import RESET, is_logged_in, link, log_in, mails

pytestmark = pytest.mark.django_db

NEW = "another good phrase"
CHANGE = "/accounts/password/change/"


def ask(client: Client, email: str = "mia@example.com", **more: Any) -> Any:
    return client.post(RESET, {"email": email}, **more)


def choose(client: Client, path: str, password: str = NEW, again: str = "") -> Any:
    form = client.get(path, follow=True)
    return client.post(form.request["PATH_INFO"], {"password1": password, "password2": again or password})


def test_labels(visitor: Client, member: Any, signed_in: Client) -> None:
    ask(visitor)
    for form in (visitor.get(link(mails()[0]), follow=True), signed_in.get(CHANGE)):
        assert re.findall(r'for="id_password\d">([^<]*)<', form.content.decode()) == ["New password", "New password again"]
    assert "Current password" in signed_in.get(CHANGE).content.decode()


@pytest.mark.both_databases
def test_it_works(visitor: Client, member: Any) -> None:
    answer = ask(visitor, "MIA@example.com")
    assert (answer.status_code, answer.headers["Location"]) == (302, RESET + "done/")
    assert visitor.get(RESET + "done/").status_code == 200
    (mail,) = mails()
    assert (mail.template, mail.recipient) == ("account_reset", "mia@example.com")
    path = link(mail)
    led = visitor.get(path)
    assert led.headers["Location"].endswith("-set-password/")
    assert "no-store" in led.headers["Cache-Control"]
    done = choose(visitor, path)
    assert (done.status_code, done.headers["Location"]) == (302, RESET + "key/done/")
    assert visitor.get(RESET + "key/done/").status_code == 200
    assert log_in(visitor).status_code == 200
    assert log_in(visitor, password=NEW).status_code == 302
    assert [mail.template for mail in mails()] == ["account_reset", "account_changed"]
    assert "Your password was changed." in mails()[1].text


def test_a_link_works_once(visitor: Client, member: Any) -> None:
    ask(visitor)
    path = link(mails()[0])
    choose(visitor, path)
    again = Client().get(path)
    assert b"This link is no longer valid" in again.content


@pytest.mark.both_databases
def test_unknown_addresses_are_told_by_mail_only(visitor: Client, member: Any) -> None:
    get_user_model().objects.create_user("old@example.com", "old@example.com", people.PASSWORD, is_active=False)
    answers = [ask(visitor, email) for email in ("mia@example.com", "nobody@example.com", "old@example.com")]
    assert len({(answer.status_code, answer.headers["Location"], answer.content) for answer in answers}) == 1
    assert [(mail.template, mail.recipient) for mail in mails()] == [
        ("account_reset", "mia@example.com"),
        ("account_unknown", "nobody@example.com"),
        ("account_unknown", "old@example.com"),
    ]


def test_links_name_the_sites_own_host(visitor: Client, member: Any, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    ask(visitor, HTTP_HOST="evil.example")
    assert "evil.example" not in mails()[0].text + mails()[0].html


def test_an_editor_is_led_to_the_admin(visitor: Client) -> None:
    alice = people.alice()
    answer = ask(visitor, alice.email)
    assert answer.status_code == 302
    (mail,) = mails()
    assert (mail.template, mail.recipient) == ("account_reset", alice.email)
    assert "http://testserver/admin/password_reset/\n" in mail.words.text
    assert "/key/" not in mail.text


@pytest.mark.parametrize("email", ["", "mia", "m\0@example.com", "m" * 100_000 + "@example.com", "m" * 200 + "@example.com"])
def test_what_is_no_address_is_refused(email: str, visitor: Client) -> None:
    answer = ask(visitor, email)
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == {"email"}
    assert not mails()


@pytest.mark.parametrize("key", ["1-x", "1-set-password", "zzzzzzzzzzzzz-x", "0-%00", "1-" + "x" * 3000, "z" * 100 + "-x-y"])
def test_a_forged_link_leads_nowhere(key: str, visitor: Client, member: Any) -> None:
    path = f"{RESET}key/{key}/"
    assert b"This link is no longer valid" in visitor.get(path).content
    assert visitor.post(path, {"password1": NEW, "password2": NEW}).status_code in (200, 302)
    member.refresh_from_db()
    assert member.check_password(people.PASSWORD)


@pytest.mark.parametrize(
    ("password", "again"), [("", ""), ("short", ""), ("mia@example.com", ""), (NEW, "another"), ("a\0bcdefghij", "")]
)
def test_a_weak_password_is_refused(password: str, again: str, visitor: Client, member: Any) -> None:
    ask(visitor)
    answer = choose(visitor, link(mails()[0]), password, again)
    assert answer.status_code == 200
    assert answer.context["form"].errors
    member.refresh_from_db()
    assert member.check_password(people.PASSWORD)


def test_attempts_run_out(visitor: Client, member: Any) -> None:
    """In one network, and for an address; the browser in which its owner has signed in before may still ask."""
    log_in(visitor)
    visitor.session.flush()
    assert [ask(Client()).status_code for _ in range(6)] == [302] * 5 + [429]
    statuses = [ask(Client(), REMOTE_ADDR=f"198.51.100.{number}").status_code for number in range(6)]
    assert statuses == [302] * 5 + [429]
    assert ask(visitor, REMOTE_ADDR="203.0.113.9").status_code == 302


def test_a_borrowed_browser_does_not_find_the_password_by_trying(
    signed_in: Client, member: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(limiting.RATES, "change_password", ())
    for _ in range(10):
        signed_in.post(CHANGE, {"oldpassword": "not the one", "password1": NEW, "password2": NEW})
    refused = signed_in.post(CHANGE, {"oldpassword": people.PASSWORD, "password1": NEW, "password2": NEW})
    assert "Too many requests" in str(refused.context["form"].errors["oldpassword"])
    member.refresh_from_db()
    assert member.check_password(people.PASSWORD)


def test_a_password_is_changed_by_who_knows_it(signed_in: Client, member: Any) -> None:
    other = Client()
    log_in(other)
    wrong = signed_in.post(CHANGE, {"oldpassword": "not the one", "password1": NEW, "password2": NEW})
    assert set(wrong.context["form"].errors) == {"oldpassword"}
    changed = signed_in.post(CHANGE, {"oldpassword": people.PASSWORD, "password1": NEW, "password2": NEW})
    assert (changed.status_code, changed.headers["Location"]) == (302, "/accounts/")
    assert b"Password successfully changed" in signed_in.get("/accounts/").content
    assert [(mail.template, mail.recipient) for mail in mails()] == [("account_changed", "mia@example.com")]
    assert other.get("/accounts/").status_code == 302


def test_guests_are_asked_to_sign_in(visitor: Client) -> None:
    for path in ("/accounts/", "/accounts/email/", CHANGE):
        for answer in (visitor.get(path), visitor.post(path)):
            assert (answer.status_code, answer.headers["Location"]) == (302, f"/accounts/login/?next={path}")
    assert not is_logged_in(visitor)
