"""Fixtures shared by the whole suite."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from cms_api.core import versions
from cms_api.flags.services import switch_feature

from . import people
from .builders import make_token
from .client import Api


@pytest.fixture(autouse=True)
def _fresh_snapshot() -> Iterator[None]:
    """Every test begins as a request does: with no snapshot of the versions."""
    versions.forget()
    yield
    versions.forget()


@pytest.fixture
def api_on(db: None) -> None:
    switch_feature(name="api", on=True)


@pytest.fixture
def api(api_on: None) -> Api:
    """A client that may do everything with content."""
    return Api(make_token("content:read", "content:write"))


@pytest.fixture
def anonymous(api_on: None) -> Api:
    return Api()


@pytest.fixture
def sign_in(db: None) -> Callable[[Any], Client]:
    """A browser-less session of one of the people."""

    def enter(person: Any) -> Client:
        client = Client()
        client.force_login(person)
        return client

    return enter


@pytest.fixture
def admin_client(sign_in: Callable[[Any], Client]) -> Client:
    return sign_in(people.alice())
