"""Cookies that no browser sends."""

from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NAMES = (settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "messages", "known_browser", "cart", "menu_cart")


@pytest.mark.parametrize("path", ["/search", "/admin/login/", "/accounts/login/", "/readyz", "/shop/cart", "/nothing"])
def test_a_nul_reaches_no_database(path: str, accounts_on: None) -> None:
    """PostgreSQL takes none in a text."""
    asked: list[Any] = []

    def note(execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
        asked.append(values)
        return execute(sql, values, many, context)

    visitor = Client()
    for name in NAMES:
        visitor.cookies[name] = "abcdefgh\0ijklmnop"
    with connection.execute_wrapper(note):
        answer = visitor.get(path)
    assert answer.status_code < 500
    assert "\\x00" not in repr(asked)


def test_other_cookies_stay(admin_client: Client) -> None:
    admin_client.cookies["other"] = "a\0b"
    assert admin_client.get("/admin/").status_code == 200
