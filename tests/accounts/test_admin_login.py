"""Signing in to the admin and to private pages has the limits of the public sign-in page, and counts with it."""

import time
from contextlib import nullcontext
from typing import Any

import pytest
from allauth.core.internal import ratelimit
from django.contrib.auth import get_user_model
from django.test import Client

from cms_api.flags.services import set_setting
from tests import people
from tests.client import together

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


def later(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    now = time.time
    monkeypatch.setattr(ratelimit.time, "time", lambda: now() + seconds)


@FORMS
def test_it_works(path: str, bob: Any) -> None:
    page = Client().get(path)
    assert (page.status_code, b"username" in page.content) == (200, True)
    assert "no-store" in page.headers["Cache-Control"]
    answer = enter(path)
    assert (answer.status_code, is_logged_in(answer.client)) == (302, True)


@FORMS
def test_failures_of_an_account_run_out_from_any_address(path: str, bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = [guess(path, 1, REMOTE_ADDR=f"198.51.100.{number}")[0] for number in range(6)]
    assert statuses == [200] * 5 + [429]
    refused = enter(path)
    assert (refused.status_code, refused.headers["Retry-After"], is_logged_in(refused.client)) == (429, "300", False)
    assert b"Too many requests" in refused.content
    later(monkeypatch, 301)
    assert enter(path).status_code == 302


@FORMS
def test_failures_of_an_address_run_out_for_any_account(path: str, bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    statuses = [guess(path, 1, name=f"guess{number}")[0] for number in range(11)]
    assert statuses == [200] * 10 + [429]
    assert enter(path).status_code == 429
    assert enter(path, REMOTE_ADDR="203.0.113.9").status_code == 302
    later(monkeypatch, 61)
    assert enter(path).status_code == 302


@FORMS
def test_requests_of_an_address_run_out(path: str, bob: Any) -> None:
    assert [enter(path).status_code for _ in range(31)] == [302] * 30 + [429]
    refused = enter(path)
    assert (refused.headers["Retry-After"], is_logged_in(refused.client)) == ("60", False)
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


def test_requests_to_reset_a_password_run_out(mailoutbox: list[Any], bob: Any) -> None:
    def ask(email: str = "Bob@example.com", address: str = "198.51.100.1") -> Any:
        return Client().post(RESET, {"email": email}, REMOTE_ADDR=address)

    statuses = [ask(address=f"198.51.100.{number}").status_code for number in range(6)]
    assert statuses == [302] * 5 + [429]
    assert len(mailoutbox) == 5
    mailoutbox.clear()
    assert ask("somebody@example.com", "198.51.100.9").status_code == 302
    asked = [ask(f"guess{number}@example.com", "203.0.113.9") for number in range(11)]
    assert [answer.status_code for answer in asked] == [302] * 10 + [429]
    assert asked[-1].headers["Retry-After"] == "3600"
    assert Client().get(RESET).status_code == 200
    # Wagtail's form sends its mail itself.
    mailoutbox.clear()


@pytest.fixture
def slow_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave time between reading a count and writing it."""
    count = ratelimit.apply_rate

    def slow(*given: Any, **more: Any) -> Any:
        time.sleep(0.02)
        return count(*given, **more)

    monkeypatch.setattr(ratelimit, "apply_rate", slow)


def attack() -> int:
    """Guess from many addresses at once, and return the number of guesses that were looked at."""
    statuses = together(lambda number: guess(times=1, REMOTE_ADDR=f"198.51.100.{number}")[0], 12)
    assert set(statuses) <= {200, 429}
    return statuses.count(200)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("slow_count")
def test_the_limit_is_exact_for_guesses_at_once(bob: Any) -> None:
    assert 1 <= attack() <= 5


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("slow_count")
def test_without_its_lock_the_limit_would_not_be(bob: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control of the test above."""
    monkeypatch.setattr(ratelimit, "cache_lock", lambda key: nullcontext(True))
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
