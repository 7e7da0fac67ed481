"""`create_member`: by the command and by the service."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.core.errors import Invalid
from tests import people
from tests.client import together

from .signing_in import is_logged_in, log_in

pytestmark = pytest.mark.django_db

User = get_user_model()


@pytest.mark.both_databases
def test_it_works(visitor: Client, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_member", "Mia@Example.com", "--password", people.PASSWORD)
    member = User.objects.get(email="mia@example.com")
    assert capsys.readouterr().out == f"{member.pk}\n"
    answer = log_in(visitor)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/accounts/")
    assert is_logged_in(visitor)
    page = visitor.get("/accounts/")
    assert b"mia@example.com" in page.content


@pytest.mark.both_databases
def test_a_second_time_gives_the_password_and_makes_nobody(visitor: Client) -> None:
    first = create_member(email="mia@example.com", password=people.PASSWORD, name="Mia")
    User.objects.filter(pk=first.pk).update(is_active=False)
    second = create_member(email="MIA@example.com", password="another good phrase")
    assert (second.pk, second.first_name, second.is_active) == (first.pk, "Mia", True)
    assert EmailAddress.objects.filter(user=first).count() == 1
    assert log_in(visitor).status_code == 200
    assert log_in(visitor, password="another good phrase").status_code == 302


@pytest.mark.parametrize(
    ("email", "password"),
    [
        *((email, people.PASSWORD) for email in ("", "mia", "mia@", "mia@example.com\0", "a\ud800@example.com")),
        ("m" * 150 + "@b.co", people.PASSWORD),
        *((email, people.PASSWORD) for email in ("Mia <mia@example.com>", "a@example.com\nb@example.com")),
        ("mia@example.com", ""),
        *(("mia@example.com", password) for password in ("with\0nothing inside", "half \ud800 a character")),
    ],
)
def test_what_is_no_address_or_no_password_is_refused(email: str, password: str) -> None:
    with pytest.raises(CommandError, match=r"^(email|password): "):
        call_command("create_member", email, "--password", password)
    assert not User.objects.exists()


def test_a_name_stands_on_one_line() -> None:
    for name in ("two\nlines", "n" * 151, "nothing\0"):
        with pytest.raises(Invalid, match="single line"):
            create_member(email="mia@example.com", password=people.PASSWORD, name=name)


def test_an_editor_is_not_made_a_member() -> None:
    alice, bob = people.alice(), people.bob()
    for editor in (alice, bob):
        with pytest.raises(Invalid, match="editor"):
            create_member(email=editor.email.upper(), password="another good phrase")
        editor.refresh_from_db()
        assert editor.check_password(people.PASSWORD)


def test_a_member_may_not_enter_the_admin(signed_in: Client, member: Any) -> None:
    assert not member.is_staff
    assert not member.has_perm("wagtailadmin.access_admin")
    for path in ("/admin/", "/admin/pages/", "/admin/content/items/", "/admin/users/", "/admin/mail/log/"):
        answer = signed_in.get(path)
        assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, "/admin/login/")


@pytest.mark.django_db(transaction=True)
def test_many_at_once_make_one_account() -> None:
    made = together(lambda number: create_member(email=f"{'Mm'[number % 2]}ia@example.com", password=people.PASSWORD).pk, 6)
    assert len(set(made)) == 1
    assert User.objects.count() == EmailAddress.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_other_addresses_at_once_make_an_account_each() -> None:
    made = together(lambda number: create_member(email=f"mia{number}@example.com", password=people.PASSWORD).pk, 6)
    assert len(set(made)) == 6
