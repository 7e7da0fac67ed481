"""Fixtures of the tests of accounts: a module that needs them, and budgets of their own."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.core import registry
from cms_api.core.module import Module
from cms_api.flags.services import switch_feature
from tests.people import PASSWORD

NEEDY = Module(name="needy", title="Needy", description="Of the tests.", feature="members", needs_accounts=True)


@pytest.fixture(autouse=True)
def _own_attempts(settings: Any) -> None:
    """Attempts that no other test has used up, in the real cache."""
    (chosen,) = django_settings.CACHES.values()
    settings.CACHES = {"default": {**chosen, "KEY_PREFIX": os.urandom(8).hex()}}


@pytest.fixture(autouse=True)
def _no_other_way(mailoutbox: list[Any]) -> Iterator[None]:
    """No test of accounts sees a mail leave but by the queue."""
    yield
    assert mailoutbox == []


@pytest.fixture
def needy(db: None, monkeypatch: pytest.MonkeyPatch) -> Module:
    """A module that needs accounts, installed; its switch is off."""
    others = tuple(module for module in registry.modules() if not module.needs_accounts and module.feature != NEEDY.feature)
    monkeypatch.setattr(registry, "modules", lambda: (*others, NEEDY))
    return NEEDY


@pytest.fixture
def accounts_on(needy: Module) -> None:
    switch_feature(name=needy.feature, on=True)


@pytest.fixture
def visitor(accounts_on: None) -> Client:
    return Client()


@pytest.fixture
def member(accounts_on: None) -> Any:
    return create_member(email="mia@example.com", password=PASSWORD, name="Mia Sand")


@pytest.fixture
def signed_in(member: Any, sign_in: Callable[[Any], Client]) -> Client:
    return sign_in(member)
