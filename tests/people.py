"""The three people of the tests: Alice is an admin, Bob an editor, Charlie a stranger who must see nothing."""

from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group
from django.http import HttpRequest
from django.test import RequestFactory

from cms_api.gateway.roles import ADMIN, create_editor, create_roles

PASSWORD = "correct horse battery staple"


def alice() -> Any:
    """May do everything, whatever the other roles may: those are left out, which are granted in some seventy statements."""
    Group.objects.get_or_create(name=ADMIN)
    return create_editor(email="alice@example.com", role="admin", password=PASSWORD)


def mallory_manager() -> Any:
    """A manager, where the difference between the roles is the point."""
    create_roles()
    return create_editor(email="mallory@example.com", role="manager", password=PASSWORD)


def bob() -> Any:
    create_roles()
    return create_editor(email="bob@example.com", role="editor", password=PASSWORD)


def charlie() -> Any:
    return get_user_model().objects.create_user("charlie@example.com", "charlie@example.com", PASSWORD)


def request_by(person: Any, path: str = "/admin/") -> HttpRequest:
    """A GET of the admin by a person, as far as menus and cards look at it."""
    request = RequestFactory().get(path)
    request.user = person
    return request
