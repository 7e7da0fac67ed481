"""Accounts are there while a module that needs them is switched on, and leave no trace otherwise."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from allauth.account import views as allauth
from django.conf import settings
from django.template.loader import get_template
from django.test import Client

from cms_api.accounts.urls import pages
from cms_api.core.module import Module
from cms_api.flags.services import switch_feature
from cms_api.http import page_cache
from home.models import StandardPage
from home.services import create_home_page

from .signing_in import LOGIN

pytestmark = pytest.mark.django_db

PAGES = (
    *("/accounts/", LOGIN, "/accounts/logout/", "/accounts/signup/", "/accounts/inactive/", "/accounts/confirm-email/"),
    *("/accounts/confirm-email/MTI3:x/", "/accounts/email/", "/accounts/password/change/", "/accounts/password/reset/"),
    *("/accounts/password/reset/done/", "/accounts/password/reset/key/1-x/", "/accounts/password/reset/key/done/"),
)


def main(answer: Any) -> str:
    return answer.content.decode().split("<main")[1]


@pytest.mark.both_databases
def test_it_works(needy: Module) -> None:
    client = Client()
    assert client.get(LOGIN).status_code == 404
    switch_feature(name=needy.feature, on=True)
    assert client.get(LOGIN).status_code == 200
    switch_feature(name=needy.feature, on=False)
    assert client.get(LOGIN).status_code == 404


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_unknown_while_they_are_off(path: str, needy: Module) -> None:
    client = Client(enforce_csrf_checks=True)
    for method in ("GET", "POST"):
        found, unknown = client.generic(method, path), client.generic(method, path.replace("accounts", "nothing"))
        assert found.status_code == unknown.status_code
        assert found.status_code == 404 or (method == "POST" and found.status_code == 403)
        assert found.content == unknown.content
        assert dict(found.headers, **{"X-Request-Id": ""}) == dict(unknown.headers, **{"X-Request-Id": ""})
        assert not found.cookies


@pytest.mark.parametrize("path", PAGES)
def test_no_page_of_theirs_is_kept_by_anybody(path: str, visitor: Client) -> None:
    answer = visitor.get(path)
    assert answer.status_code in (200, 302)
    assert {"private", "no-store"} <= set(answer.headers["Cache-Control"].split(", "))
    assert not page_cache._pages


def test_every_page_is_looked_at() -> None:
    assert len(PAGES) == len(pages)


@pytest.mark.both_databases
def test_a_page_of_that_name_is_the_sites_own_meanwhile(needy: Module) -> None:
    page = create_home_page().add_child(instance=StandardPage(title="Our accounts", slug="accounts"))
    # From before addresses of modules were refused.
    StandardPage.objects.filter(pk=page.pk).update(slug="accounts", url_path=page.url_path.replace(page.slug, "accounts"))
    page.refresh_from_db()
    assert "Our accounts" in Client().get(page.url).content.decode()
    switch_feature(name=needy.feature, on=True)
    assert Client().get(page.url).status_code == 302


def test_other_features_bring_none(needy: Module) -> None:
    switch_feature(name="webhooks", on=True)
    assert Client().get(LOGIN).status_code == 404


def test_what_allauth_does_beside_has_no_page(visitor: Client) -> None:
    for path in ("login/code/", "login/code/confirm/", "reauthenticate/", "password/set/", "phone/verify/", "social/login/"):
        assert visitor.get(f"/accounts/{path}").status_code == 404


def test_every_page_has_words_of_this_site() -> None:
    views = [view for name in dir(allauth) if hasattr(view := getattr(allauth, name), "template_name")]
    routed = {base for pattern in pages if hasattr(pattern.callback, "view_class") for base in pattern.callback.view_class.mro()}
    names = {view.template_name for view in views if view in routed and view.template_name} | {
        "account/email_change.html",
        "account/account.html",
    }
    assert len(names) > 10
    for name in names:
        template: Any = get_template(name)
        assert Path(template.origin.name).is_relative_to(Path(settings.BASE_DIR) / "templates"), name


@pytest.mark.both_databases
def test_the_header_leads_to_them_with_the_next_request(needy: Module) -> None:
    create_home_page()
    client = Client()
    assert LOGIN not in client.get("/").content.decode()
    switch_feature(name=needy.feature, on=True)
    assert f'<a href="{LOGIN}">Sign in</a>' in client.get("/").content.decode()
    switch_feature(name=needy.feature, on=False)
    assert LOGIN not in client.get("/").content.decode()


def test_page_cache_are_the_same_for_every_guest(member: Any, sign_in: Callable[[Any], Client]) -> None:
    create_home_page()
    signed_in = sign_in(member)
    own = signed_in.get("/")
    assert own.headers["Cache-Control"] == "private, no-cache"
    assert '<a href="/accounts/">My account</a>' in own.content.decode()
    assert not page_cache._pages
    guests = [Client(), Client(), Client()]
    guests[1].get(LOGIN)
    guests[2].post(LOGIN, {"login": "mia@example.com", "password": "not the one"})
    answers = [guest.get("/") for guest in guests]
    assert len({answer.content for answer in answers}) == len({answer.headers["ETag"] for answer in answers}) == 1
    assert "My account" not in answers[0].content.decode()
    assert all(answer.headers["Vary"] == "Cookie" and not answer.cookies for answer in answers)
    signed_in.post("/accounts/logout/")
    assert signed_in.get("/").content == answers[0].content
