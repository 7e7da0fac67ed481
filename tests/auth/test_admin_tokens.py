"""The token pages of the admin."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from wagtail.log_actions import registry as log_registry

from cms_api.adminkit.columns import local_date
from cms_api.auth.models import ApiToken
from cms_api.auth.services.tokens import create_token, revoke_token
from cms_api.core import registry
from cms_api.core.module import ABILITY_GROUPS
from cms_api.flags.services import switch_feature
from tests import people
from tests.client import Api

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]

INDEX, ADD = "/admin/api-tokens/", "/admin/api-tokens/new/"
PLAINTEXT = re.compile(r"swt_[0-9A-Za-z]{40}")


def form(client: Client, **changes: Any) -> dict[str, Any]:
    """The form data of the dialog, with the key of a freshly opened form."""
    once = client.get(ADD).context["form"]["once"].value()
    return {"name": "Newsletter sync", "expires": "30d", "abilities": ["content:read"], "once": once, **changes}


def make(**changes: Any) -> ApiToken:
    return create_token(**{"name": "Shop window", "abilities": ["content:read"], **changes})[0]


def test_it_works(admin_client: Client, api_on: None) -> None:
    created = admin_client.post(ADD, form(admin_client))
    assert created.status_code == 200
    plaintext = PLAINTEXT.search(created.content.decode()).group()  # type: ignore[union-attr]
    token = ApiToken.objects.get()
    assert (token.name, token.abilities, token.last_four) == ("Newsletter sync", ["content:read"], plaintext[-4:])
    assert token.created_by.username == "alice@example.com"  # type: ignore[union-attr]
    assert timedelta(days=29) < token.expires_at - timezone.now() <= timedelta(days=30)  # type: ignore[operator]
    assert f"Authorization: Bearer {plaintext}" in created.content.decode().replace("&quot;", '"')
    assert "http://testserver/api/v1/content-items" in created.content.decode()
    assert Api(plaintext).get("/content-items").status_code == 200
    listed = admin_client.get(INDEX).content.decode()
    assert "Newsletter sync" in listed
    assert f"…{token.last_four}" in listed


@pytest.mark.parametrize(("ability", "path"), [("media:read", "/media"), ("crm:read", "/crm/contacts"), ("forms:write", "")])
def test_the_example_is_a_request_that_the_token_may_make(admin_client: Client, api_on: None, ability: str, path: str) -> None:
    switch_feature(name="crm", on=True)
    created = admin_client.post(ADD, form(admin_client) | {"abilities": [ability]}).content.decode()
    plaintext = PLAINTEXT.search(created).group()  # type: ignore[union-attr]
    assert re.search(rf"{plaintext}\S* http://testserver/api/v1{path}<", created.replace("&quot;", '"')), created
    assert Api(plaintext).get(path).status_code == 200


def test_the_plaintext_is_shown_exactly_once(admin_client: Client) -> None:
    sent = form(admin_client)
    created = admin_client.post(ADD, sent)
    plaintext = PLAINTEXT.search(created.content.decode()).group()  # type: ignore[union-attr]
    assert "no-store" in created["Cache-Control"]
    again = admin_client.post(ADD, sent, follow=True)
    assert again.redirect_chain == [(INDEX, 302)]
    assert "was already submitted" in again.content.decode()
    assert ApiToken.objects.count() == 1
    token = ApiToken.objects.get()
    pages = [INDEX, ADD, *(reverse(f"tokens:{name}", args=[token.pk]) for name in ("inspect", "history", "revoke"))]
    for page in [again, *(admin_client.get(url) for url in pages)]:
        assert plaintext[4:] not in page.content.decode()


def test_the_plaintext_is_in_no_table_and_no_log(admin_client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    created = admin_client.post(ADD, form(admin_client))
    plaintext = PLAINTEXT.search(created.content.decode()).group()  # type: ignore[union-attr]
    for model in apps.get_models(include_auto_created=True):
        for row in model._base_manager.values_list():
            assert plaintext[4:] not in repr(row), model
    assert plaintext[4:] not in caplog.text
    assert plaintext not in repr(dict(admin_client.session))


def test_revoking_makes_the_api_refuse_at_once(admin_client: Client, api_on: None) -> None:
    token, plaintext = create_token(name="Shop window", abilities=["content:read"])
    assert Api(plaintext).get("/content-items").status_code == 200
    confirm = reverse("tokens:revoke", args=[token.pk])
    assert "Shop window" in admin_client.get(confirm).content.decode()
    assert Api(plaintext).get("/content-items").status_code == 200
    assert admin_client.post(confirm).headers["Location"] == reverse("tokens:inspect", args=[token.pk])
    assert Api(plaintext).get("/content-items").status_code == 401
    token.refresh_from_db()
    assert token.state == "revoked"
    assert admin_client.get(confirm).headers["Location"] == reverse("tokens:inspect", args=[token.pk])
    assert "was already revoked" in admin_client.post(confirm, follow=True).content.decode()


def test_the_history_says_who_did_what(admin_client: Client) -> None:
    admin_client.post(ADD, form(admin_client))
    token = ApiToken.objects.get()
    admin_client.post(reverse("tokens:revoke", args=[token.pk]))
    entries = log_registry.get_logs_for_instance(token)
    assert [(entry.action, entry.user.username) for entry in entries] == [
        ("tokens.revoke", "alice@example.com"),
        ("wagtail.create", "alice@example.com"),
    ]
    shown = admin_client.get(reverse("tokens:history", args=[token.pk])).content.decode()
    assert "Revoked" in shown
    assert "Created" in shown


def test_a_command_may_revoke_too() -> None:
    token = make()
    call_command("revoke_token", "Shop window", stdout=StringIO())
    assert log_registry.get_logs_for_instance(token).first().action == "tokens.revoke"


URLS = ["index", "index_results", "add", "inspect", "revoke", "history", "history_results"]


@pytest.mark.parametrize("name", URLS)
@pytest.mark.parametrize(
    "person",
    [
        people.mallory_manager,
        None,
    ],
)
def test_only_admins_come_in(sign_in: Callable[[Any], Client], person: Callable[[], Any] | None, name: str) -> None:
    token = make()
    client = sign_in(person()) if person else Client()
    url = reverse(f"tokens:{name}", args=[token.pk] if name in {"inspect", "revoke", "history", "history_results"} else [])
    for answer in (client.get(url), client.post(url, {"name": "Mine", "abilities": ["content:read"], "once": "x"})):
        assert answer.status_code == 302
        inside = person in {people.mallory_manager, people.bob}
        assert answer.headers["Location"].partition("?")[0] == ("/admin/" if inside else "/admin/login/")
    token.refresh_from_db()
    assert (ApiToken.objects.count(), token.revoked_at) == (1, None)


def test_a_group_permission_does_not_let_in(sign_in: Callable[[Any], Client]) -> None:
    mallory = people.mallory_manager()
    mallory.user_permissions.set(Permission.objects.filter(content_type__app_label="tokens"))
    assert sign_in(mallory).get(INDEX).status_code == 302


def test_only_admins_have_the_menu_entry(sign_in: Callable[[Any], Client], admin_client: Client) -> None:
    assert INDEX in admin_client.get("/admin/").content.decode()
    for person in (people.mallory_manager(), people.bob()):
        assert INDEX not in sign_in(person).get("/admin/").content.decode()


def test_there_is_no_way_to_edit_or_delete(admin_client: Client) -> None:
    token = make()
    for path in ("edit", "delete", "copy", "usage"):
        assert admin_client.get(f"{INDEX}{path}/{token.pk}/").status_code == 404


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"name": "  "}, "name", "This field is required."),
        ({"name": "x" * 101}, "name", "at most 100 characters"),
        ({"abilities": []}, "abilities", "This field is required."),
        ({"abilities": ["nothing:read"]}, "abilities", "nothing:read is not one of the available choices"),
        ({"expires": "2d"}, "expires", "2d is not one of the available choices"),
        ({"expires": ""}, "expires", "This field is required."),
    ],
)
def test_errors_stand_at_their_fields(admin_client: Client, changes: dict[str, Any], field: str, sentence: str) -> None:
    sent = form(admin_client, **changes)
    refused = admin_client.post(ADD, sent)
    assert refused.status_code == 200
    assert sentence in str(refused.context["form"].errors[field])
    assert sentence in refused.content.decode()
    assert not ApiToken.objects.exists()
    mended = admin_client.post(ADD, sent | {"name": "Good", "expires": "never", "abilities": ["content:read"]})
    assert PLAINTEXT.search(mended.content.decode())


def test_the_dialog_offers_the_abilities_of_installed_modules_in_their_groups(admin_client: Client) -> None:
    groups = admin_client.get(ADD).context["form"].fields["abilities"].choices
    titles = [title for title, _ in groups]
    assert titles == [title for title in ABILITY_GROUPS if title in titles]
    offered = {ability: title for title, abilities in groups for ability, _ in abilities}
    assert offered == {ability: module.api.group for module in registry.modules() for ability in module.api.abilities}


def test_the_dialog_offers_presets_of_abilities(admin_client: Client) -> None:
    page = admin_client.get(ADD).content.decode()
    for preset in (preset for module in registry.modules() for preset in module.api.token_presets):
        assert f'{escape(json.dumps(list(preset.abilities)))}">{preset.title}</button>' in page


@pytest.mark.parametrize("state", ["active", "expired", "revoked"])
@pytest.mark.both_databases
def test_the_listing_filters_by_state(admin_client: Client, state: str) -> None:
    make(name="Active")
    ApiToken.objects.filter(pk=make(name="Expired").pk).update(expires_at=timezone.now() - timedelta(hours=1))
    revoke_token(token=make(name="Revoked"))
    shown = admin_client.get(INDEX, {"state": state}).context["object_list"]
    assert [token.name.lower() for token in shown] == [state]


def test_the_listing_searches_by_name(admin_client: Client) -> None:
    make(name="Shop window")
    make(name="Newsletter")
    assert [token.name for token in admin_client.get(INDEX, {"q": "shop"}).context["object_list"]] == ["Shop window"]


def test_the_listing_says_when_a_token_was_used(admin_client: Client) -> None:
    token = make(lifetime="30d")
    assert "Never" in admin_client.get(INDEX).content.decode()
    used = timezone.now() - timedelta(hours=3)
    ApiToken.objects.filter(pk=token.pk).update(last_used_at=used)
    shown = admin_client.get(INDEX).content.decode()
    assert local_date(used) in shown
    assert local_date(token.expires_at) in shown
    assert "Never" not in shown


def test_the_listing_asks_the_same_queries_for_many(admin_client: Client) -> None:
    counts = []
    for number in (1, 9):
        for _ in range(number):
            make(user=people.alice())
        admin_client.get(INDEX)
        with CaptureQueriesContext(connection) as asked:
            admin_client.get(INDEX)
        counts.append(len(asked))
    assert counts[0] == counts[1]


def leave(person: Any, how: str) -> None:
    """Let somebody be an admin no more."""
    if how == "deleted":
        person.delete()
    else:
        setattr(person, "is_active" if how == "deactivated" else "is_superuser", False)
        person.save()


@pytest.mark.parametrize("how", ["deleted", "deactivated", "no longer an admin"])
def test_tokens_of_former_admins_are_reported_and_still_work(admin_client: Client, api_on: None, how: str) -> None:
    make(name="By command")
    make(name="By Alice", user=get_user_model().objects.get(username="alice@example.com"))
    eve = get_user_model().objects.create_superuser("eve@example.com", "eve@example.com", people.PASSWORD)
    token, plaintext = create_token(name="By Eve", abilities=["content:read"], user=eve)
    revoke_token(token=create_token(name="Old", abilities=["content:read"], user=eve)[0])
    assert "API tokens of former admins" not in admin_client.get("/admin/").content.decode()
    leave(eve, how)
    assert "API tokens of former admins" in admin_client.get("/admin/").content.decode()
    listed = admin_client.get(INDEX, {"creator": "gone"})
    assert [each.name for each in listed.context["object_list"]] == ["By Eve"]
    for path in (f"{INDEX}?creator=gone", reverse("tokens:inspect", args=[token.pk])):
        shown = admin_client.get(path).content.decode()
        assert "eve@example.com" in shown
        assert how.capitalize() in shown
    assert Api(plaintext).get("/content-items").status_code == 200
