"""Sessions of staff: how long they last, and what ends them."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.test import Client

from cms_api.accounts.services import create_member, sessions
from cms_api.gateway.roles import create_editor
from tests import people

from .signing_in import LOGIN, is_logged_in

pytestmark = pytest.mark.django_db

HOUR = 3600
COOKIE = settings.SESSION_COOKIE_NAME


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Move the clock of sessions forward, by hours."""
    now = [time.time()]
    monkeypatch.setattr(sessions.time, "time", lambda: now[0])

    def move(hours: float) -> None:
        now[0] += hours * HOUR

    return move


def enter(**more: str) -> Client:
    client = Client()
    person = people.bob()
    assert client.post("/admin/login/", {"username": person.username, "password": people.PASSWORD, **more}).status_code == 302
    return client


def is_in(client: Client, path: str = "/admin/") -> bool:
    return client.get(path).status_code == 200


@pytest.mark.both_databases
def test_it_works(later: Callable[[float], None]) -> None:
    client = enter()
    later(11.9)
    assert is_in(client)
    later(11.9)
    assert is_in(client)
    later(12.1)
    assert not is_in(client)
    assert not is_logged_in(client)


def test_an_open_editor_is_no_use(later: Callable[[float], None]) -> None:
    client = enter()
    for _ in range(2):
        later(6.1)
        client.post("/admin/editing-sessions/ping/home/standardpage/1/1/")
    assert not is_in(client)


def test_a_session_in_use_ends_after_a_week(later: Callable[[float], None]) -> None:
    client = enter()
    for _ in range(7 * 24 // 11):
        later(11)
        assert is_in(client)
    later(11)
    assert not is_in(client)


@pytest.mark.parametrize(("remember", "seconds"), [("on", 12 * HOUR), ("", "")])
def test_the_cookie_ends_with_it(remember: str, seconds: Any) -> None:
    assert enter(remember=remember).cookies[COOKIE]["max-age"] == seconds


def test_a_sign_in_makes_a_new_key() -> None:
    client = Client()
    client.cookies[COOKIE] = "chosen-by-somebody-else-123456789"
    person = people.bob()
    client.post("/admin/login/", {"username": person.username, "password": people.PASSWORD})
    first = client.cookies[COOKIE].value
    assert first != "chosen-by-somebody-else-123456789"
    client.post("/admin/login/?next=/admin/", {"username": person.username, "password": people.PASSWORD})
    assert client.cookies[COOKIE].value != first


def change_password() -> None:
    person = people.bob()
    person.set_password("another long passphrase")
    person.save()


def promote() -> None:
    create_editor(email="bob@example.com", role="admin", password=people.PASSWORD)


def join_group() -> None:
    people.bob().groups.add(Group.objects.create(name="Press"))


def lose_role() -> None:
    people.bob().groups.clear()


def deactivate() -> None:
    person = people.bob()
    person.is_active = False
    person.save()


@pytest.mark.parametrize("change", [change_password, promote, join_group, lose_role, deactivate])
@pytest.mark.both_databases
def test_what_ends_it(change: Callable[[], None]) -> None:
    client = Client()
    client.force_login(people.bob())
    assert is_in(client)
    change()
    assert not is_in(client)
    assert not is_logged_in(client)


def test_a_member_who_gets_a_role_signs_in_again() -> None:
    client = Client()
    member = create_member(email="mia@example.com", password=people.PASSWORD)
    client.force_login(member)
    member.is_staff = member.is_superuser = True
    member.save()
    assert not is_in(client)
    client.force_login(member)
    assert is_in(client)


def test_members_stay(later: Callable[[float], None], accounts_on: None) -> None:
    client = Client()
    create_member(email="mia@example.com", password=people.PASSWORD)
    client.post(LOGIN, {"login": "mia@example.com", "password": people.PASSWORD, "remember": "on"})
    later(13 * 24)
    assert is_logged_in(client)


def test_a_link_to_the_admin_signs_no_member_out() -> None:
    member = people.charlie()
    client = Client()
    client.force_login(member)
    assert [client.get(f"/admin/{path}").status_code for path in ("", "sprite/", "pages/")] == [302, 200, 302]
    assert client.session["_auth_user_id"] == str(member.pk)
