"""The limits of the account pages are not counted in the cache, which is empty while Redis is away."""

from typing import Any

import pytest
from allauth.account.app_settings import RATE_LIMITS
from django.test import Client

from cms_api.accounts.services.limiting import RATES

from .signing_in import LOGIN, SIGNUP, log_in, mails, sign_up

pytestmark = pytest.mark.django_db

EMPTY = {"default": {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}}


@pytest.fixture(autouse=True)
def no_cache(settings: Any) -> None:
    settings.CACHES = EMPTY


def statuses(client: Client, path: str, number: int, **values: str) -> list[int]:
    return [client.post(path, values).status_code for _ in range(number)]


@pytest.mark.both_databases
def test_it_works(visitor: Client) -> None:
    assert [sign_up(visitor, f"nina{number}@example.com").status_code for number in range(12)] == [302] * 10 + [429] * 2
    assert len(mails()) == 10
    refused = sign_up(visitor, "nina@example.com")
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert visitor.get(SIGNUP).status_code == 200


@pytest.mark.parametrize("path", [LOGIN, "/admin/login/", "/_util/login/"])
def test_signing_in(path: str, visitor: Client) -> None:
    found = statuses(visitor, path, 31, login="", username="")
    assert (found.count(429), found[-1]) == (1, 429)


@pytest.mark.parametrize(
    ("path", "posts"), [("/accounts/password/change/", 5), ("/accounts/email/", 10), ("/accounts/password/reset/key/1-x/", 20)]
)
def test_other_pages(path: str, posts: int, visitor: Client, member: Any) -> None:
    log_in(visitor)
    found = statuses(visitor, path, posts + 1)
    assert (found.count(429), found[-1]) == (1, 429)


def test_a_link_and_a_notice_are_mailed_once_in_a_few_minutes(visitor: Client) -> None:
    sign_up(visitor, "nina@example.com")
    for _ in range(3):
        log_in(visitor, "nina@example.com")
        sign_up(visitor, "nina@example.com")
    assert sorted(mail.template for mail in mails()) == ["account_exists", "account_welcome"]


def test_allauth_counts_nothing() -> None:
    assert RATE_LIMITS == {}
    assert set(RATES) == {"login", "signup", "reset_password_from_key", "change_password", "manage_email"}
