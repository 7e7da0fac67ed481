"""Drafts of pages are seen by those who work with their part of the tree, and by nobody else who may enter the admin."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.test import Client
from wagtail.models import GroupPagePermission, Page

from tests.builders import make_page

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_menu")]
SECRET = "The takeover"


@pytest.fixture
def agent(sign_in: Callable[[Any], Client]) -> Client:
    """Somebody who enters the admin for something else."""
    group = Group.objects.create(name="Agents")
    group.permissions.add(Permission.objects.get(codename="access_admin"))
    user = get_user_model().objects.create_user("agent", "agent@example.com")
    user.groups.add(group)
    return sign_in(user)


@pytest.fixture
def draft() -> Page:
    return make_page(title=SECRET, live=False)


def chosen(client: Client, *pages: Page) -> str:
    return client.get("/admin/choose-page/chosen-multiple/", {"id": [page.pk for page in pages]}).content.decode()


def test_it_works(admin_client: Client, draft: Page) -> None:
    other = make_page(title="About")
    found = chosen(admin_client, draft, other)
    assert SECRET in found
    assert "About" in found
    assert SECRET in admin_client.get(f"/admin/pages/{draft.pk}/move/{other.pk}/confirm/").content.decode()


def test_others_learn_no_titles_of_drafts(agent: Client, draft: Page) -> None:
    other = make_page(title="About")
    found = chosen(agent, draft, other)
    assert SECRET not in found
    assert "About" in found


def test_others_are_not_asked_whether_to_move_a_page(agent: Client, draft: Page) -> None:
    answer = agent.get(f"/admin/pages/{draft.pk}/move/{draft.get_parent().pk}/confirm/", follow=True)
    assert SECRET not in answer.content.decode()
    path = draft.path
    agent.post(f"/admin/pages/{draft.pk}/move/{make_page(title='About').pk}/confirm/")
    draft.refresh_from_db()
    assert draft.path == path


def test_those_who_change_its_part_of_the_tree_choose_a_draft(agent: Client, draft: Page) -> None:
    change = Permission.objects.get(content_type__app_label="wagtailcore", codename="change_page")
    GroupPagePermission.objects.create(group=Group.objects.get(name="Agents"), page=draft.get_parent(), permission=change)
    assert SECRET in chosen(agent, draft)
