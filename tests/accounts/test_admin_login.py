"""Signing in to the admin and to private pages has the limits of the public sign-in page, and counts with it."""

import re
import secrets
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from benchmarks.servers import free_port
from cms_api.accounts.services import guarding
from cms_api.auth.services import budgets
from cms_api.core.errors import TooManyAttempts
from cms_api.core.outages import CircuitBreaker
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.mail.services.queueing import HIDDEN
from tests import people
from tests.client import together
from tests.conftest import renew_budgets

from .signing_in import LOGIN, is_logged_in, log_in

pytestmark = pytest.mark.django_db

ADMIN, PRIVATE, RESET = "/admin/login/", "/_util/login/", "/admin/password_reset/"
FORMS = pytest.mark.parametrize("path", [ADMIN, PRIVATE])


@pytest.fixture
def bob() -> Any:
    person = people.bob()
    get_user_model().objects.filter(pk=person.pk).update(username="bob")
    return person


def enter(path: str = ADMIN, name: str = "bob", password: str = people.PASSWORD, **headers: str) -> Any:
    return Client().post(path, {"username": name, "password": password}, **headers)


def guess(path: str = ADMIN, times: int = 5, **sent: str) -> list[int]:
    return [enter(path, password="not the one", **sent).status_code for _ in range(times)]


@FORMS
def test_it_works(path: str, bob: Any) -> None:
    page = Client().get(path)
    assert (page.status_code, b"username" in page.content) == (200, True)
    assert "no-store" in page.headers["Cache-Control"]
    answer = enter(path)
    assert (answer.status_code, is_logged_in(answer.client)) == (302, True)


@FORMS
def test_failures_of_an_account_run_out_in_their_network(path: str, bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner signs in elsewhere."""
    assert guess(path, 6) == [200] * 5 + [429]
    refused = enter(path)
    assert (refused.status_code, is_logged_in(refused.client)) == (429, False)
    assert 0 < int(refused.headers["Retry-After"]) <= 300
    assert b"Too many requests" in refused.content
    assert enter(path, REMOTE_ADDR="203.0.113.9").status_code == 302
    renew_budgets(monkeypatch)
    assert enter(path).status_code == 302


@FORMS
def test_a_browser_that_was_signed_in_before_has_its_own_limit(path: str, bob: Any) -> None:
    own = enter(path).client
    assert guess(path, 6) == [200] * 5 + [429]
    own.session.flush()

    def try_again(name: str = "bob", password: str = people.PASSWORD) -> int:
        return own.post(path, {"username": name, "password": password}).status_code

    assert try_again("alice", "not the one") == 200
    assert [try_again(password="not the one") for _ in range(11)] == [200] * 10 + [429]
    assert try_again() == 429
    assert enter(path, REMOTE_ADDR="203.0.113.9").status_code == 302


def test_a_cookie_that_was_made_up_is_no_known_browser(bob: Any) -> None:
    cookie = enter().cookies[guarding.COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    guess()
    for value in ("x", cookie.value[:-1], "[]", f'{{"accounts": [{bob.pk}]}}'):
        client = Client()
        client.cookies[guarding.COOKIE] = value
        assert client.post(ADMIN, {"username": "bob", "password": people.PASSWORD}).status_code == 429


def test_guesses_from_many_networks_run_out_but_for_the_owners_browser(bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarding, "ACCOUNT_FAILURES_PER_HOUR", 8)
    own = enter().client
    own.session.flush()
    statuses = [guess(ADMIN, 1, REMOTE_ADDR=f"198.51.100.{number}")[0] for number in range(9)]
    assert statuses == [200] * 8 + [429]
    assert enter(REMOTE_ADDR="203.0.113.9").status_code == 429
    assert own.post(ADMIN, {"username": "bob", "password": people.PASSWORD}).status_code == 302


def test_the_limit_holds_while_redis_is_away(bob: Any, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    away = budgets.RedisKeys(settings.REDIS_URL)
    monkeypatch.setattr(budgets, "store", lambda: away)
    monkeypatch.setattr(budgets, "redis_breaker", CircuitBreaker("Redis", instead="the database counts", pause=60))
    # The store of the disk is shared by all tests.
    address = f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"
    assert guess(ADMIN, 40, REMOTE_ADDR=address) == [200] * 5 + [429] * 35


@pytest.mark.both_databases
def test_a_network_of_ipv6_counts_as_one(bob: Any) -> None:
    statuses = [guess(ADMIN, 1, REMOTE_ADDR=f"2001:db8::{number}")[0] for number in range(6)]
    assert statuses == [200] * 5 + [429]
    assert enter(REMOTE_ADDR="2001:db8:0:1::1").status_code == 302


@FORMS
def test_failures_of_an_address_run_out_for_any_account(path: str, bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = [guess(path, 1, name=f"guess{number}")[0] for number in range(11)]
    assert statuses == [200] * 10 + [429]
    assert enter(path).status_code == 429
    assert enter(path, REMOTE_ADDR="203.0.113.9").status_code == 302
    renew_budgets(monkeypatch)
    assert enter(path).status_code == 302


@FORMS
def test_requests_of_an_address_run_out(path: str, bob: Any) -> None:
    assert [enter(path).status_code for _ in range(31)] == [302] * 30 + [429]
    refused = enter(path)
    assert (0 < int(refused.headers["Retry-After"]) <= 60, is_logged_in(refused.client)) == (True, False)
    assert Client().get(path).status_code == 200


@FORMS
def test_a_right_password_is_no_failure_and_forgives_none(path: str, bob: Any) -> None:
    assert guess(path, 4) == [200] * 4
    assert [enter(path).status_code for _ in range(3)] == [302] * 3
    assert guess(path, 2) == [200, 429]


def test_all_forms_count_together(accounts_on: None) -> None:
    people.bob()
    name = "bob@example.com"
    assert guess(ADMIN, 3, name=name) == [200] * 3
    assert guess(PRIVATE, 2, name=name) == [200] * 2
    assert b"Too many failed login attempts" in log_in(Client(), name).content
    assert enter(name=name).status_code == 429
    for number in range(30):
        Client().post(LOGIN, {"login": f"guess{number}@example.com", "password": "x"}, REMOTE_ADDR="198.51.100.7")
    assert enter(name="somebody", REMOTE_ADDR="198.51.100.7").status_code == 429


def test_a_refusal_looks_like_the_admin(bob: Any) -> None:
    guess()
    page = enter().content.decode()
    assert "wagtailadmin" in page
    assert f'href="{ADMIN}"' in page


def test_requests_to_reset_a_password_run_out(bob: Any) -> None:
    def ask(email: str = "Bob@example.com", address: str = "198.51.100.1") -> Any:
        return Client().post(RESET, {"email": email}, REMOTE_ADDR=address)

    assert [ask().status_code for _ in range(6)] == [302] * 5 + [429]
    statuses = [ask(address=f"198.51.100.{number}").status_code for number in range(2, 8)]
    assert statuses == [302] * 5 + [429]
    assert OutgoingMail.objects.filter(template="account_reset", recipient=bob.email).count() == 10
    assert ask("somebody@example.com", "198.51.100.9").status_code == 302
    asked = [ask(f"guess{number}@example.com", "203.0.113.9") for number in range(21)]
    assert [answer.status_code for answer in asked] == [302] * 20 + [429]
    assert 0 < int(asked[-1].headers["Retry-After"]) <= 3600
    assert Client().get(RESET).status_code == 200


def test_the_link_to_choose_a_new_password_is_sent_by_a_worker(bob: Any, mailoutbox: list[Any]) -> None:
    """A slow mail server does not show who has an account, and nobody but the recipient sees the link."""
    assert Client().post(RESET, {"email": bob.email}).status_code == 302
    assert not mailoutbox
    mail = OutgoingMail.objects.get()
    assert HIDDEN in mail.text
    assert "confirm" not in mail.text + mail.html
    (link,) = re.findall(r"http://testserver(/admin/password_reset/confirm/\S+)", mail.words.text)
    visitor = Client()
    form = visitor.get(link, follow=True).redirect_chain[-1][0]
    new = "a new pass phrase of bob"
    assert visitor.post(form, {"new_password1": new, "new_password2": new}).status_code == 302
    assert enter(password=new).status_code == 302
    assert Client().post(RESET, {"email": "nobody@example.com"}).status_code == 302
    assert OutgoingMail.objects.count() == 1


@FORMS
def test_a_name_may_be_of_any_length(path: str) -> None:
    assert enter(path, name="x" * 60_000).status_code == 200


def attack() -> int:
    """Guess from one network at once, and return the number of guesses that were looked at."""
    statuses = together(lambda number: guess(times=1)[0], 12)
    assert set(statuses) <= {200, 429}
    return statuses.count(200)


@pytest.mark.django_db(transaction=True)
def test_the_limit_is_exact_for_guesses_at_once(bob: Any) -> None:
    assert attack() == 5


@pytest.mark.django_db(transaction=True)
def test_counted_after_the_comparison_the_limit_would_not_be(bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control of the test above."""
    used: list[str] = []
    all_have_looked = threading.Barrier(12)

    def late(request: Any, *, login: str, check: Callable[[], Any]) -> Any:
        if len(used) >= 5:
            raise TooManyAttempts(headers={"Retry-After": "300"})
        all_have_looked.wait(30)
        found = check()
        used.append(login)
        return found

    monkeypatch.setattr("cms_api.accounts.services.adapter.guess_password", late)
    assert attack() > 5


def test_it_bears_the_sites_name_and_one_link_for_a_forgotten_password(bob: Any) -> None:
    set_setting(key="site.name", value="Millrace <Arts>")
    for page in (Client().get(ADMIN), enter(password="not the one")):
        html = page.content.decode()
        assert "<h1>Sign in to Millrace &lt;Arts&gt;</h1>" in html
        assert "<title>Sign in - Millrace &lt;Arts&gt;</title>" in " ".join(html.split())
        assert html.count(RESET) == 1
        assert "wagtail</" not in html.lower()
    assert "Millrace &lt;Arts&gt;</title>" in Client().get(RESET).content.decode()
