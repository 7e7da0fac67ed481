"""The log of sign-ins: who, when, from where, and whether it succeeded."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.accounts.models import SignIn
from cms_api.accounts.services import create_member
from cms_api.accounts.services.sign_ins import expire_sign_ins, network_to_keep
from tests import people

from .signing_in import LOGIN

pytestmark = pytest.mark.django_db

LIST = "/admin/sign-ins/"


def enter(path: str = "/admin/login/", password: str = people.PASSWORD, name: str = "bob@example.com") -> None:
    field = "login" if path == LOGIN else "username"
    browser = {"REMOTE_ADDR": "203.0.113.77", "HTTP_USER_AGENT": "Firefox\x07/145 " + "x" * 300}
    Client().post(path, {field: name, "password": password}, **browser)


@pytest.mark.parametrize("path", ["/admin/login/", "/_util/login/"])
@pytest.mark.both_databases
def test_it_works(path: str) -> None:
    bob = people.bob()
    enter(path, password="not the one")
    enter(path)
    made, failed = SignIn.objects.all()
    assert [(each.user, each.name, each.succeeded) for each in (made, failed)] == [
        (bob, "bob@example.com", True),
        (bob, "bob@example.com", False),
    ]
    assert (made.network, made.browser[:13], len(made.browser)) == ("203.0.113.0/24", "Firefox/145 x", 200)


def test_site_accounts(accounts_on: None) -> None:
    mia = create_member(email="mia@example.com", password=people.PASSWORD)
    enter(LOGIN, name="mia@example.com", password="not the one")
    enter(LOGIN, name="mia@example.com")
    assert [(each.user, each.succeeded) for each in SignIn.objects.all()] == [(mia, True), (mia, False)]


@pytest.mark.parametrize("name", ["hunter2", "nobody@example.com", "a\0b"])
@pytest.mark.both_databases
def test_an_unknown_name_is_not_stored(name: str) -> None:
    enter(name=name, password="x")
    assert [(each.user, each.name) for each in SignIn.objects.all()] in ([(None, "")], [])


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
        ("fe80::1%eth0", "fe80::/48"),
        ("unknown", ""),
        ("", ""),
    ],
)
def test_networks(address: str, network: str) -> None:
    assert network_to_keep(address) == network


@pytest.mark.both_databases
def test_it_outlives_the_account_and_ends_after_three_months() -> None:
    people.bob()
    enter()
    people.bob().delete()
    kept = SignIn.objects.get()
    assert (kept.user, kept.name) == (None, "bob@example.com")
    expire_sign_ins()
    assert SignIn.objects.exists()
    SignIn.objects.update(at=timezone.now() - timedelta(days=91))
    expire_sign_ins()
    assert not SignIn.objects.exists()


@pytest.mark.both_databases
def test_admins_see_it(admin_client: Client, sign_in: Callable[[Any], Client]) -> None:
    SignIn.objects.all().delete()
    people.bob()
    enter()
    enter(name="hunter2")
    page = admin_client.get(LIST).content.decode()
    assert "bob@example.com" in page
    assert "203.0.113.0/24" in page
    for query, shown in (
        ({"result": "failed"}, ["Unknown name"]),
        ({"result": "succeeded"}, ["bob@example.com"]),
        ({"people": "staff"}, ["bob@example.com"]),
        ({"people": "unknown"}, ["Unknown name"]),
        ({"people": "members"}, []),
        ({"q": "bob"}, ["bob@example.com"]),
    ):
        assert [str(each) for each in admin_client.get(LIST, query).context["object_list"]] == shown, query
    assert "bob@example.com,True" in b"".join(admin_client.get(LIST, {"export": "csv"})).decode()
    for person in (people.mallory_manager(), people.bob()):
        client = sign_in(person)
        assert client.get(LIST).status_code == 302
        assert LIST not in client.get("/admin/").content.decode()
    assert LIST in admin_client.get("/admin/").content.decode()
