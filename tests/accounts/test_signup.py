"""Signing up, and confirming the address by the link in the mail."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.core.context import request_context
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpResponse
from django.test import Client, RequestFactory

from cms_api.accounts.services import create_member
from cms_api.accounts.views.forms import SignupForm
from tests import people
from tests.client import together
from tests.hashing import FastHasher

from .signing_in import LOGIN, SIGNUP, is_logged_in, link, log_in, mails, sign_up

pytestmark = pytest.mark.django_db

User = get_user_model()
SENT = "/accounts/confirm-email/"


@pytest.mark.both_databases
def test_it_works(visitor: Client) -> None:
    assert visitor.get(SIGNUP).status_code == 200
    answer = sign_up(visitor, "Nina@Example.com", next="/blog-post")
    assert (answer.status_code, answer.headers["Location"]) == (302, SENT)
    assert visitor.get(SENT).status_code == 200
    assert not is_logged_in(visitor)
    (mail,) = mails()
    assert (mail.template, mail.recipient) == ("account_welcome", "nina@example.com")
    path = link(mail)
    assert b"nina@example.com" in visitor.get(path).content
    assert not is_logged_in(visitor)
    confirmed = visitor.post(path)
    assert (confirmed.status_code, confirmed.headers["Location"]) == (302, "/blog-post")
    assert is_logged_in(visitor)
    nina = User.objects.get()
    assert (nina.username, nina.email, nina.first_name) == ("nina@example.com", "nina@example.com", "Nina")


def test_an_address_that_is_taken_takes_as_long(visitor: Client, member: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    passwords: list[str] = []
    encode = FastHasher.encode

    def note(self: FastHasher, password: str, salt: str) -> str:
        passwords.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(FastHasher, "encode", note)
    sign_up(visitor, "nina@example.com")
    assert len(passwords) == 1
    sign_up(visitor, member.email)
    assert len(passwords) == 2


def test_the_link_works_in_another_browser_once(visitor: Client) -> None:
    sign_up(visitor)
    path = link(mails()[0])
    other = Client()
    assert other.post(path).headers["Location"] == LOGIN
    assert b"You have confirmed nina@example.com" in other.get(LOGIN).content
    assert not is_logged_in(other)
    assert log_in(other, "nina@example.com").status_code == 302
    assert is_logged_in(other)
    used = Client().get(path)
    assert b"This link is no longer valid" in used.content
    assert Client().post(path).status_code == 404


def test_nobody_signs_in_before_they_have_confirmed(visitor: Client) -> None:
    sign_up(visitor)
    assert log_in(Client(), "nina@example.com").headers["Location"] == SENT
    assert not is_logged_in(visitor)


@pytest.mark.parametrize("key", ["x", "MTI3:1abc:abc", "٣:١:٢", "a" * 5000, "%00", "%ED%B3%BF", ":::"])
def test_a_forged_link_confirms_nothing(key: str, visitor: Client) -> None:
    sign_up(visitor)
    for client in (visitor, Client()):
        assert client.get(f"{SENT}{key}/").status_code in (200, 404)
        assert client.post(f"{SENT}{key}/").status_code == 404
    assert not EmailAddress.objects.filter(verified=True).exists()


@pytest.mark.parametrize("spelled", ["mia@example.com", "MIA@EXAMPLE.COM", " Mia@example.com "])
@pytest.mark.both_databases
def test_whether_an_address_is_taken_is_told_to_its_mailbox_only(spelled: str, visitor: Client, member: Any) -> None:
    taken, free = sign_up(visitor, spelled), sign_up(Client())
    assert (taken.status_code, taken.headers["Location"]) == (free.status_code, free.headers["Location"])
    assert set(taken.cookies) == set(free.cookies)
    assert [(mail.template, mail.recipient) for mail in mails()] == [
        ("account_exists", "mia@example.com"),
        ("account_welcome", "nina@example.com"),
    ]
    assert visitor.get(SENT).content == Client().get(SENT).content
    member.refresh_from_db()
    assert (member.first_name, User.objects.count()) == ("Mia Sand", 2)


@pytest.mark.both_databases
def test_an_editors_address_is_taken_too(visitor: Client) -> None:
    bob = people.bob()
    User.objects.filter(pk=bob.pk).update(username="bob", email="Bob@Example.com")
    sign_up(visitor, "bob@example.com")
    assert [mail.template for mail in mails()] == ["account_exists"]
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(
            ("email", value)
            for value in ("", "nina", "n\0@example.com", "n" * 150 + "@example.com", "n" * 100_000, "a@b.co\nc@d.co")
        ),
        *(("password1", value) for value in ("", "short", "password", "7391846205", "nina@example.com", "nothing\0in it")),
        *(("name", value) for value in ("", " ", "n" * 151, "n\0", "two\nlines", "\u202eNina", "n" * 100_000)),
    ],
)
def test_what_cannot_be_is_refused(field: str, value: str, visitor: Client) -> None:
    answer = sign_up(visitor, **{field: value})
    assert answer.status_code == 200
    assert set(answer.context["form"].errors) == {field}
    assert b"Error: Sign up" in answer.content
    assert b'aria-invalid="true"' in answer.content
    assert not User.objects.exists()
    assert not mails()


@pytest.mark.both_databases
def test_what_fills_in_the_trap_gets_no_account(visitor: Client) -> None:
    assert sign_up(visitor, hp_url="https://spam.example/").headers["Location"] == SENT
    assert not User.objects.exists()
    assert not mails()


def test_a_name_is_shown_as_text(visitor: Client) -> None:
    answer = sign_up(visitor, name='<script>alert("x")</script>', email="nina")
    assert b"<script>alert" not in answer.content


def test_attempts_run_out(visitor: Client) -> None:
    for number in range(10):
        sign_up(visitor, f"nina{number}@example.com")
    refused = sign_up(visitor, "nina10@example.com")
    assert refused.status_code == 429
    assert b"Too many requests" in refused.content
    assert "no-store" in refused.headers["Cache-Control"]
    assert User.objects.count() == len(mails()) == 10


def test_an_address_that_is_taken_while_the_form_is_read(accounts_on: None, rf: RequestFactory) -> None:
    request: Any = rf.post(SIGNUP)
    SessionMiddleware(lambda _: HttpResponse()).process_request(request)
    request.user, request._messages = AnonymousUser(), CookieStorage(request)
    with request_context(request):
        form = SignupForm({"name": "Nina", "email": "nina@example.com", "password1": people.PASSWORD})
        assert form.is_valid()
        create_member(email="nina@example.com", password="another good phrase")
        made, answer = form.try_save(request)
    assert (made, answer.url) == (None, SENT)
    assert [mail.template for mail in mails()] == ["account_exists"]
    assert User.objects.get().check_password("another good phrase")


@pytest.mark.django_db(transaction=True)
def test_one_address_at_once_makes_one_account(accounts_on: None) -> None:
    answers = together(lambda number: sign_up(Client(REMOTE_ADDR=f"198.51.100.{number}")), 5)
    assert {(answer.status_code, answer.headers["Location"]) for answer in answers} == {(302, SENT)}
    assert User.objects.count() == EmailAddress.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_other_addresses_at_once_make_an_account_each(accounts_on: None) -> None:
    together(lambda number: sign_up(Client(REMOTE_ADDR=f"198.51.100.{number}"), f"nina{number}@example.com"), 5)
    assert User.objects.count() == len(mails("account_welcome")) == 5
