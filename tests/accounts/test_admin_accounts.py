"""Staff and site accounts in the admin: two lists, of which each user is in one."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.test import Client

from cms_api.accounts.selectors import is_member, site_accounts, staff
from cms_api.accounts.services import create_member
from cms_api.core.module import Module
from tests import people

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

User = get_user_model()
LIST = "/admin/site-accounts/"


@pytest.fixture
def mia(db: None) -> Any:
    return create_member(email="mia@example.com", password=people.PASSWORD, name="Mia")


def page(client: Client, path: str) -> str:
    return client.get(path).content.decode()


@pytest.mark.both_databases
def test_it_works(admin_client: Client, accounts_on: None, mia: Any) -> None:
    assert "mia@example.com" in page(admin_client, LIST)
    assert "mia@example.com" not in page(admin_client, "/admin/users/")
    assert "alice" in page(admin_client, "/admin/users/")
    assert "alice" not in page(admin_client, f"{LIST}results/")
    assert "Site accounts" in page(admin_client, "/admin/")


def test_each_user_is_in_one_list(mia: Any) -> None:
    bob, alone = people.bob(), User.objects.create(username="alone")
    promoted = create_member(email="zoe@example.com", password=people.PASSWORD)
    promoted.groups.set(Group.objects.filter(name="editor"))
    EmailAddress.objects.create(user=bob, email="bob@example.com", verified=True, primary=True)
    assert [account.pk for account in site_accounts()] == [mia.pk]
    assert {mia.pk, *staff().values_list("pk", flat=True)} == set(User.objects.values_list("pk", flat=True))
    assert {bob.pk, alone.pk, promoted.pk} <= set(staff().values_list("pk", flat=True))
    assert [is_member(User.objects.get(pk=each.pk)) for each in (mia, bob, alone, promoted)] == [True, False, False, False]


def test_a_site_account_is_offered_no_role(admin_client: Client, accounts_on: None, mia: Any) -> None:
    own = f"{LIST}inspect/{mia.pk}/"
    for path in (f"/admin/users/edit/{mia.pk}/", f"/admin/users/delete/{mia.pk}/"):
        assert admin_client.get(path).url == own
        assert admin_client.post(path, {"groups": "1", "is_superuser": "on"}).url == own
    form = admin_client.get(f"{LIST}edit/{mia.pk}/").context["form"]
    assert list(form.fields) == ["name"]
    admin_client.post(f"{LIST}edit/{mia.pk}/", {"name": "Mia Reyes", "is_superuser": "on", "is_staff": "on"})
    mia.refresh_from_db()
    assert (mia.first_name, mia.is_staff, mia.is_superuser) == ("Mia Reyes", False, False)


def test_an_account_is_deactivated_activated_and_deleted(admin_client: Client, accounts_on: None, mia: Any) -> None:
    for action, active in (("deactivate", False), ("activate", True)):
        admin_client.post(f"{LIST}{action}/{mia.pk}/")
        mia.refresh_from_db()
        assert mia.is_active is active
    other = create_member(email="zoe@example.com", password=people.PASSWORD)
    admin_client.post(f"{LIST}delete/{mia.pk}/")
    admin_client.post(f"/admin/bulk/accounts/siteaccount/delete/?id={other.pk}&next={LIST}")
    assert not site_accounts().exists()


def test_staff_are_out_of_reach_of_the_list_of_accounts(admin_client: Client, accounts_on: None) -> None:
    bob = people.bob()
    assert admin_client.post(f"{LIST}delete/{bob.pk}/").status_code == 404
    admin_client.post(f"/admin/bulk/accounts/siteaccount/delete/?id={bob.pk}&next={LIST}")
    assert User.objects.filter(pk=bob.pk).exists()


@pytest.mark.parametrize("chosen", ["id=all", "id={}"])
def test_bulk_actions_of_staff_do_not_reach_site_accounts(admin_client: Client, mia: Any, chosen: str) -> None:
    bob, query = people.bob(), f"?{chosen.format(mia.pk)}&next=/admin/users/"
    admin_client.post(f"/admin/bulk/auth/user/set_active_state/{query}", {"mark_as_active": ""})
    admin_client.post(f"/admin/bulk/auth/user/delete/{query}")
    mia.refresh_from_db()
    assert mia.is_active
    assert User.objects.filter(pk=bob.pk).exists() == (chosen != "id=all")


def test_only_admins_see_it_and_only_while_accounts_are_needed(
    sign_in: Callable[[Any], Client], admin_client: Client, mia: Any
) -> None:
    assert admin_client.get(LIST).status_code == 404
    assert "Site accounts" not in page(admin_client, "/admin/")


def test_managers_are_not_let_in(sign_in: Callable[[Any], Client], accounts_on: None, needy: Module, mia: Any) -> None:
    client = sign_in(people.mallory_manager())
    for path in (LIST, f"{LIST}inspect/{mia.pk}/", f"{LIST}edit/{mia.pk}/", f"{LIST}delete/{mia.pk}/"):
        assert client.get(path).status_code in {302, 403}, path
    assert "Site accounts" not in page(client, "/admin/")


def test_others_do_not_learn_who_has_an_account(sign_in: Callable[[Any], Client], accounts_on: None, mia: Any) -> None:
    client, bob = sign_in(people.mallory_manager()), people.bob()
    for page in ("edit", "delete"):
        assert len({client.get(f"/admin/users/{page}/{user.pk}/").headers["Location"] for user in (mia, bob)}) == 1


def test_only_admins_make_admins_and_change_them(sign_in: Callable[[Any], Client]) -> None:
    """A role may be given the care of users, but not what admins alone can do."""
    clerks = Group.objects.create(name="clerks")
    clerks.permissions.set(Permission.objects.filter(codename__in=["add_user", "change_user", "delete_user", "access_admin"]))
    clerk, alice = people.charlie(), people.alice()
    clerk.groups.set([clerks])
    client = sign_in(clerk)
    password = {"password1": people.PASSWORD, "password2": people.PASSWORD}
    person = {
        "username": "eve",
        "email": "eve@example.com",
        "first_name": "Eve",
        "last_name": "Ng",
        "is_active": "on",
        **password,
    }
    assert client.post("/admin/users/new/", {**person, "is_superuser": "on"}).status_code == 302
    made, manager = User.objects.get(username="eve"), Group.objects.get(name="manager")
    assert not made.is_superuser
    # Nor do others give roles, to themselves or anybody.
    client.post(f"/admin/users/edit/{made.pk}/", {**person, "first_name": "Evi", "is_superuser": "on", "groups": manager.pk})
    client.post(f"/admin/bulk/auth/user/assign_role/?id={made.pk}&id={clerk.pk}&next=/admin/users/", {"role": manager.pk})
    client.post(f"/admin/users/edit/{clerk.pk}/", {**person, "username": clerk.username, "groups": manager.pk})
    made.refresh_from_db()
    assert (made.first_name, made.is_superuser) == ("Evi", False)
    assert (list(made.groups.all()), list(clerk.groups.all())) == ([], [clerks])
    before = User.objects.values().get(pk=alice.pk)
    client.get("/admin/users/")
    client.post(f"/admin/users/edit/{alice.pk}/", {**person, "username": alice.username, "email": "eve2@example.com"})
    client.post(f"/admin/users/delete/{alice.pk}/")
    for action, values in (
        ("set_active_state", {"mark_as_active": "False"}),
        ("delete", {}),
        ("assign_role", {"role": clerks.pk}),
    ):
        client.post(f"/admin/bulk/auth/user/{action}/?id={alice.pk}&next=/admin/users/", values)
    assert User.objects.values().get(pk=alice.pk) == before
    assert not alice.groups.filter(pk=clerks.pk).exists()
    client.post(f"/admin/bulk/auth/user/set_active_state/?id={made.pk}&next=/admin/users/", {"mark_as_active": "False"})
    made.refresh_from_db()
    assert not made.is_active
    sign_in(alice).post(f"/admin/users/edit/{made.pk}/", {**person, "is_superuser": "on"})
    made.refresh_from_db()
    assert made.is_superuser
