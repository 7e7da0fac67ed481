"""The people of the tests: Alice is an admin, Mallory a manager, Bob an editor, and Charlie has no role."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.http import HttpRequest
from django.test import RequestFactory

from cms_api.gateway.roles import ADMIN, create_editor, create_roles

PASSWORD = "correct horse battery staple"


def alice() -> Any:
    """An admin. The other roles are not created, which saves some seventy statements."""
    Group.objects.get_or_create(name=ADMIN)
    return create_editor(email="alice@example.com", role="admin", password=PASSWORD)


def mallory_manager() -> Any:
    """A manager, for tests of the difference between roles."""
    create_roles()
    return create_editor(email="mallory@example.com", role="manager", password=PASSWORD)


def bob() -> Any:
    create_roles()
    return create_editor(email="bob@example.com", role="editor", password=PASSWORD)


def charlie() -> Any:
    return get_user_model().objects.create_user("charlie@example.com", "charlie@example.com", PASSWORD)


def request_by(person: Any, path: str = "/admin/") -> HttpRequest:
    """A GET request by a person, complete enough for menus and cards."""
    request = RequestFactory().get(path)
    request.user = person
    return request
