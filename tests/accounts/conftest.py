"""Fixtures of the tests of accounts: a member, a visitor, and attempts of their own."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from cms_api.accounts.services import create_member
from tests.people import PASSWORD


@pytest.fixture(autouse=True)
def _own_attempts(settings: Any) -> None:
    """Attempts that no other test has used up, in the real cache."""
    renew_attempts(settings)


def renew_attempts(settings: Any) -> None:
    (chosen,) = django_settings.CACHES.values()
    settings.CACHES = {"default": {**chosen, "KEY_PREFIX": os.urandom(8).hex()}}


@pytest.fixture(autouse=True)
def _no_other_way(mailoutbox: list[Any]) -> Iterator[None]:
    """No test of accounts sees a mail leave but by the queue."""
    yield
    assert mailoutbox == []


@pytest.fixture
def visitor(accounts_on: None) -> Client:
    return Client()


@pytest.fixture
def member(accounts_on: None) -> Any:
    return create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")


@pytest.fixture
def signed_in(member: Any, sign_in: Callable[[Any], Client]) -> Client:
    return sign_in(member)
