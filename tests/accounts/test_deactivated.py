"""Accounts that are deactivated, of the staff and of members: no way that finds an account by its address gives it back."""

from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.core.management import CommandError, call_command
from django.test import Client

from cms_api.accounts.selectors import is_member, site_accounts
from cms_api.accounts.services import create_member, invite_member
from cms_api.accounts.services.mails import send_invitation
from cms_api.core.errors import Invalid
from cms_api.mail.models import OutgoingMail
from tests import people

from .signing_in import RESET, confirmation_path, is_logged_in, link, log_in, mails, sign_up

pytestmark = pytest.mark.django_db

ADDRESS = "fired@example.com"


def _staff_by_role(role: str) -> Any:
    """As `Settings -> Users` makes them: without `is_staff`."""
    user = get_user_model().objects.create_user("fired", ADDRESS, people.PASSWORD)
    user.groups.set([Group.objects.get(name=role)])
    return user


def _staff_by_permission() -> Any:
    user = get_user_model().objects.create_user("fired", ADDRESS, people.PASSWORD)
    user.user_permissions.set([Permission.objects.get(content_type__app_label="wagtailadmin", codename="access_admin")])
    return user


def _flagged(**flags: bool) -> Any:
    return get_user_model().objects.create_user("fired", ADDRESS, people.PASSWORD, **flags)


def _never_confirmed() -> Any:
    user = get_user_model().objects.create_user(ADDRESS, ADDRESS, people.PASSWORD)
    EmailAddress.objects.create(user=user, email=ADDRESS, primary=True)
    return user


MAKERS: dict[str, Any] = {
    "manager": lambda: _staff_by_role("manager"),
    "editor": lambda: _staff_by_role("editor"),
    "permission": _staff_by_permission,
    "staff": lambda: _flagged(is_staff=True),
    "superuser": lambda: _flagged(is_superuser=True),
    "member": lambda: create_member(email=ADDRESS, password=people.PASSWORD),
    "never confirmed": _never_confirmed,
}
OF_STAFF = ["manager", "editor", "permission", "staff", "superuser"]


@pytest.fixture(params=MAKERS)
def account(request: Any, accounts_on: None) -> Any:
    made = MAKERS[request.param]()
    get_user_model().objects.filter(pk=made.pk).update(is_active=False)
    return get_user_model().objects.get(pk=made.pk)


def state(account: Any) -> tuple[Any, ...]:
    user = get_user_model().objects.get(pk=account.pk)
    addresses = EmailAddress.objects.filter(user=user).values_list("email", "verified", "primary")
    groups = user.groups.values_list("name", flat=True)
    return (user.is_active, user.username, user.email, user.first_name, user.password, list(addresses), list(groups))


@pytest.mark.both_databases
@pytest.mark.parametrize("address", [ADDRESS, ADDRESS.upper()])
def test_nobody_is_invited(account: Any, address: str) -> None:
    before = state(account)
    with pytest.raises(Invalid) as refusal:
        invite_member(email=address, name="Fred")
    assert "email" in refusal.value.errors
    assert state(account) == before
    assert not OutgoingMail.objects.exists()


@pytest.mark.parametrize("kind", OF_STAFF)
def test_the_command_gives_nobody_of_the_staff_back(kind: str, accounts_on: None) -> None:
    account = MAKERS[kind]()
    for active in (False, True):
        get_user_model().objects.filter(pk=account.pk).update(is_active=active)
        before = state(account)
        with pytest.raises(CommandError, match="editor"):
            call_command("create_member", ADDRESS, "--password", "another good phrase")
        assert state(account) == before


def test_a_visitor_who_signs_up_with_the_address(account: Any, visitor: Client) -> None:
    before = state(account)
    sign_up(visitor, ADDRESS)
    assert state(account) == before
    assert get_user_model().objects.count() == 1
    assert not is_logged_in(visitor)


def test_a_visitor_who_asks_for_a_new_password(account: Any, visitor: Client) -> None:
    before = state(account)
    visitor.post(RESET, {"email": ADDRESS})
    visitor.post("/admin/password_reset/", {"email": ADDRESS})
    assert state(account) == before
    assert not mails("account_reset")


def test_a_member_who_enters_the_address_for_the_own_account(account: Any, visitor: Client) -> None:
    mia = create_member(email="mia@example.com", password=people.PASSWORD)
    log_in(visitor)
    before = state(account)
    visitor.post("/accounts/email/", {"action_add": "", "email": ADDRESS, "password": people.PASSWORD})
    assert not mails("account_confirm")
    visitor.get(confirmation_path(EmailAddress.objects.create(user=mia, email=f"x{ADDRESS}")))
    assert state(account) == before


def test_links_that_were_mailed_before(account: Any, visitor: Client) -> None:
    """They neither confirm an address nor sign anybody in."""
    send_invitation(user=account)
    asked = EmailAddress.objects.create(user=account, email="other@example.com")
    before = state(account)
    path = confirmation_path(asked)
    visitor.get(path)
    visitor.post(path)
    page = visitor.get(link(mails("account_invitation")[0]))
    # Not to the form.
    assert page.status_code == 200
    assert state(account) == before
    assert not is_logged_in(visitor)


@pytest.mark.parametrize("kind", OF_STAFF)
def test_a_deactivated_editor_is_no_site_account(kind: str, accounts_on: None) -> None:
    """Else the admin's page of the user would lead to a site account, which is not there."""
    account = MAKERS[kind]()
    EmailAddress.objects.create(user=account, email=ADDRESS, primary=True, verified=True)
    for active in (True, False):
        get_user_model().objects.filter(pk=account.pk).update(is_active=active)
        found = get_user_model().objects.get(pk=account.pk)
        assert not is_member(found)
        assert not site_accounts().filter(pk=found.pk).exists()


def test_a_user_whom_an_admin_has_made_without_a_role_is_not_invited(accounts_on: None) -> None:
    user = get_user_model().objects.create_user("newcomer", ADDRESS, people.PASSWORD, first_name="Nora")
    before = state(user)
    with pytest.raises(Invalid, match="a user without a role"):
        invite_member(email=ADDRESS, name="Mallory")
    assert state(user) == before
