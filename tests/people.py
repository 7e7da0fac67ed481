"""The people of the tests: Alice is an admin, Mallory a manager, Bob an editor, and Charlie has no role.

Every test begins with the groups of the roles, as a site has them after its setup.
"""

from typing import Any

from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.test import RequestFactory

from cms_api.gateway.roles import create_editor

PASSWORD = "correct horse battery staple"


def alice() -> Any:
    return create_editor(email="alice@example.com", role="admin", password=PASSWORD)


def mallory_manager() -> Any:
    return create_editor(email="mallory@example.com", role="manager", password=PASSWORD)


def bob() -> Any:
    return create_editor(email="bob@example.com", role="editor", password=PASSWORD)


def charlie() -> Any:
    return get_user_model().objects.create_user("charlie@example.com", "charlie@example.com", PASSWORD)


def request_by(person: Any, path: str = "/admin/") -> HttpRequest:
    """A GET request by a person, complete enough for menus and cards."""
    request = RequestFactory().get(path)
    request.user = person
    return request
