"""Signing in and out on the public site."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tests import people

from .signing_in import LOGIN, is_logged_in, log_in, mails, sign_up

pytestmark = pytest.mark.django_db

WRONG = b"The email address or password is incorrect."


@pytest.mark.both_databases
def test_it_works(visitor: Client, member: Any) -> None:
    page = visitor.get(LOGIN)
    assert page.status_code == 200
    assert "no-store" in page.headers["Cache-Control"]
    answer = log_in(visitor, "MIA@example.com", sent={"next": "/forms/contact?a=1#top"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/forms/contact?a=1#top")
    assert is_logged_in(visitor)
    assert visitor.session.get_expire_at_browser_close()


def test_who_asks_for_it_stays_signed_in(visitor: Client, member: Any) -> None:
    answer = log_in(visitor, sent={"remember": "on"})
    assert answer.cookies["sessionid"]["max-age"] == timedelta(days=14).total_seconds()
    assert answer.cookies["sessionid"]["httponly"]


def test_a_wrong_password_and_an_unknown_account_look_the_same(visitor: Client, member: Any) -> None:
    wrong, unknown = log_in(visitor, password="not the one"), log_in(visitor, "nobody@example.com")
    assert wrong.status_code == unknown.status_code == 200
    assert WRONG in wrong.content
    assert b"not the one" not in wrong.content

    def without_token(answer: Any) -> bytes:
        token = answer.context["csrf_token"]
        return answer.content.replace(str(token).encode(), b"").replace(b"mia@", b"nobody@")

    assert without_token(wrong) == without_token(unknown)
    assert not is_logged_in(visitor)


def test_a_name_is_no_address(visitor: Client) -> None:
    get_user_model().objects.create_user("mia", "", people.PASSWORD)
    assert log_in(visitor, "mia").status_code == 200
    assert not is_logged_in(visitor)


@pytest.mark.both_databases
def test_a_closed_account_is_told_so_with_its_password_only(visitor: Client, member: Any) -> None:
    get_user_model().objects.update(is_active=False)
    assert WRONG in log_in(visitor, password="not the one").content
    answer = log_in(visitor)
    assert answer.headers["Location"] == "/accounts/inactive/"
    assert visitor.get("/accounts/inactive/").status_code == 200
    assert not is_logged_in(visitor)


@pytest.mark.parametrize(
    "target",
    [
        *("https://evil.example/", "//evil.example/", "http:///evil.example", "\\\\evil.example", "/\\evil.example"),
        *("javascript:alert(1)", "https://testserver@evil.example/", "http://127.0.0.1/", " //evil.example", "http:evil.example"),
        *("/x\r\nSet-Cookie: a=b", "/x\0", "/" + "x" * 3000),
    ],
)
def test_nobody_is_led_to_another_host(target: str, visitor: Client, member: Any) -> None:
    answer = log_in(visitor, sent={"next": target})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/")
    out = visitor.post("/accounts/logout/", {"next": target})
    assert (out.status_code, out.headers["Location"]) == (302, "/")


@pytest.mark.parametrize(
    "value", ["\0", "mia@example.com\0", "x" * 100_000, "x" * 100_000 + "@example.com", "\udcff@example.com", "🦭"]
)
@pytest.mark.parametrize("field", ["login", "password", "next", "remember"])
def test_hostile_fields_are_refused(field: str, value: str, visitor: Client, member: Any) -> None:
    sent = {"login": "mia@example.com", "password": people.PASSWORD, field: value}
    body = urlencode(sent, errors="surrogateescape")
    answer = visitor.post(LOGIN, body, content_type="application/x-www-form-urlencoded")
    assert answer.status_code in (200, 302)
    assert is_logged_in(visitor) == (field in ("next", "remember"))
    asked = LOGIN + "?" + urlencode({field: value[:5000]}, errors="surrogateescape")
    assert visitor.get(asked).status_code in (200, 302)


def test_an_unconfirmed_address_is_asked_for_first(visitor: Client) -> None:
    get_user_model().objects.create_user("old@example.com", "old@example.com", people.PASSWORD)
    answer = log_in(visitor, "old@example.com")
    assert answer.headers["Location"] == "/accounts/confirm-email/"
    assert not is_logged_in(visitor)
    assert [mail.template for mail in mails()] == ["account_confirm"]


def test_a_form_without_its_token_is_refused(member: Any) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert log_in(strict).status_code == 403
    assert not is_logged_in(strict)


def test_signing_out_takes_a_post_and_clears_the_cookie(visitor: Client, member: Any) -> None:
    log_in(visitor)
    assert visitor.get("/accounts/logout/").status_code == 200
    assert is_logged_in(visitor)
    answer = visitor.post("/accounts/logout/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/")
    assert answer.cookies["sessionid"]["max-age"] == 0
    assert not is_logged_in(visitor)
    assert visitor.get("/accounts/").headers["Location"] == "/accounts/login/?next=/accounts/"


def test_a_session_does_not_outlive_signing_in(visitor: Client, member: Any) -> None:
    """An attacker who planted the session cannot use it after the visitor has signed in."""
    visitor.post("/accounts/signup/", {"email": "x"})
    session = visitor.session
    session["planted"] = True
    session.save()
    before = session.session_key
    visitor.cookies["sessionid"] = before
    log_in(visitor)
    assert visitor.session.session_key != before


def test_failures_run_out(visitor: Client, member: Any) -> None:
    for _ in range(5):
        assert WRONG in log_in(visitor, password="not the one").content
    refused = log_in(visitor)
    assert b"Too many failed login attempts" in refused.content
    assert not is_logged_in(visitor)


def test_a_forwarded_address_is_not_believed(visitor: Client, member: Any) -> None:
    for number in range(30):
        log_in(visitor, f"guess{number}@example.com", sent={"HTTP_X_FORWARDED_FOR": f"198.51.100.{number}"})
    assert log_in(visitor, sent={"HTTP_X_FORWARDED_FOR": "203.0.113.9"}).status_code == 429
    assert log_in(Client(), sent={"REMOTE_ADDR": "203.0.113.9"}).status_code == 302


@pytest.mark.both_databases
def test_the_address_that_a_trusted_proxy_forwards_counts(visitor: Client, member: Any, settings: Any) -> None:
    settings.TRUSTED_PROXIES = ["127.0.0.1"]
    for number in range(30):
        log_in(visitor, f"guess{number}@example.com", sent={"HTTP_X_FORWARDED_FOR": "198.51.100.7"})
    assert log_in(visitor, sent={"HTTP_X_FORWARDED_FOR": "198.51.100.7"}).status_code == 429
    assert log_in(visitor, sent={"HTTP_X_FORWARDED_FOR": "198.51.100.7, 198.51.100.8"}).status_code == 302


def test_editors_sign_in_to_the_admin_by_their_name(visitor: Client) -> None:
    bob = people.bob()
    get_user_model().objects.filter(pk=bob.pk).update(username="bob")

    def enter_admin(name: str) -> int:
        return Client().post("/admin/login/", {"username": name, "password": people.PASSWORD}).status_code

    assert enter_admin("bob") == 302
    assert enter_admin("bob@example.com") == 200


@pytest.mark.parametrize("path", ["/admin/login/", "/_util/login/"])
def test_members_sign_in_by_no_other_form(path: str, visitor: Client, member: Any) -> None:
    """Neither do those who have not confirmed their address."""
    sign_up(Client())
    for name in ("mia@example.com", "nina@example.com"):
        assert visitor.post(path, {"username": name, "password": people.PASSWORD}).status_code == 200
        assert not is_logged_in(visitor)


def test_accounts_without_an_address_keep_their_way_to_private_pages(visitor: Client) -> None:
    charlie = people.charlie()
    assert visitor.post("/_util/login/", {"username": charlie.username, "password": people.PASSWORD}).status_code == 302
    assert is_logged_in(visitor)
