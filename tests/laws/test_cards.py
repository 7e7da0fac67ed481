"""Cards and first steps of the admin's home: each names the permission that it needs, and is called for nobody without it."""

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission

from cms_api.adminkit import cards
from cms_api.core import registry
from cms_api.core.module import ADMINS
from tests import people
from tests.features import switch_all_on

from .traces import called_for_home

pytestmark = pytest.mark.django_db

DECLARED = {
    dotted: permission
    for module in registry.modules()
    for functions in (module.admin.cards, module.admin.first_steps)
    for dotted, permission in functions.items()
}
FOR_ADMINS = {
    "cms_api.auth.admin.cards.count_abandoned",
    "cms_api.auth.admin.cards.create_first_token",
    "cms_api.gateway.dashboard.invite_editor",
    "cms_api.gateway.dashboard.switch_features_on",
    "cms_api.gateway.jobs_admin.delays",
    "cms_api.gateway.jobs_admin.failures",
    "cms_api.gateway.jobs_admin.pauses",
    "cms_api.gateway.jobs_admin.problems",
    "cms_api.webhooks.admin.cards.failing",
    "commerce.payments.admin.cards.set_up",
}
FOR_EDITORS = {
    "cms_api.comments.admin.cards.waiting",
    "cms_api.content.admin.cards.create",
    "cms_api.content.admin.cards.show_changed",
    "cms_api.content.admin.cards.show_scheduled",
    "cms_api.content.admin.cards.write_first_item",
    "cms_api.media.admin.cards.create",
    # It shows the imports of those kinds of records that a person may add.
    "commerce.imports.admin.cards.count_failed",
    "events.admin.cards.count_submitted",
    "events.admin.cards.create",
    "events.admin.cards.next_dates",
    "home.admin.cards.create",
    "home.admin.cards.create_first_page",
    "home.admin.cards.show_changed",
    "home.admin.cards.show_scheduled",
}


@pytest.fixture(autouse=True)
def _all_on() -> None:
    switch_all_on()


def test_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = DECLARED.keys()
    assert called_for_home(people.alice(), monkeypatch) == everything
    assert called_for_home(people.mallory_manager(), monkeypatch) == everything - FOR_ADMINS
    assert called_for_home(people.bob(), monkeypatch) == FOR_EDITORS
    assert called_for_home(people.charlie(), monkeypatch) == set()


def permissions() -> dict[str, Permission]:
    found = Permission.objects.select_related("content_type")
    return {f"{each.content_type.app_label}.{each.codename}": each for each in found}


def test_every_permission_exists() -> None:
    assert {*DECLARED.values()} - {ADMINS} <= permissions().keys()


def called_without_permission(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The functions that are called for somebody who has all permissions but theirs."""
    granted, found = permissions(), set()
    somebody: Any = people.charlie()
    for needed in {*DECLARED.values()}:
        somebody.user_permissions.set([each for name, each in granted.items() if name != needed])
        without = get_user_model().objects.get(pk=somebody.pk)
        called = called_for_home(without, monkeypatch)
        assert called
        found |= {dotted for dotted in called if DECLARED[dotted] == needed}
    return found


def test_no_function_is_called_for_somebody_without_its_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    assert called_without_permission(monkeypatch) == set()


def test_a_call_without_permission_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "has_permission", lambda user, permission: True)
    assert called_without_permission(monkeypatch) == DECLARED.keys()
