"""Choosers show what a person may see: drafts only to those who work with content or pages."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse
from wagtail.models import GroupPagePermission, Page

from home.models import SharedRow, StandardPage
from tests import people
from tests.builders import make_item, make_page, make_type

pytestmark = pytest.mark.django_db


@pytest.fixture
def clerk(sign_in: Callable[[Any], Client]) -> Client:
    """Somebody who may come into the admin, and nothing else."""
    charlie = people.charlie()
    group = Group.objects.create(name="Clerks")
    group.permissions.add(Permission.objects.get(codename="access_admin"))
    charlie.groups.add(group)
    return sign_in(charlie)


@pytest.fixture
def items() -> dict[str, Any]:
    kind = make_type(name="Thing")
    return {
        "draft": make_item(kind, title="Secret merger", status="draft"),
        "published": make_item(kind, title="Open day", status="published"),
    }


def titles(client: Client, **query: str) -> str:
    urls = [reverse(f"content_item_chooser:{name}") for name in ("choose", "choose_results")]
    return "".join(client.get(url, query).content.decode() for url in urls)


def test_it_works(items: dict[str, Any], clerk: Client, sign_in: Callable[[Any], Client]) -> None:
    for person in (people.bob(), people.mallory_manager()):
        client = sign_in(person)
        assert "Secret merger" in titles(client)
        assert client.get(reverse("content_item_chooser:chosen", args=[items["draft"].pk])).status_code == 200
    for query in ({}, {"q": "secret"}, {"q": "merger", "type": str(items["draft"].type_id)}):
        assert "Secret merger" not in titles(clerk, **query)
    assert "Open day" in titles(clerk)


def test_a_draft_is_not_chosen_by_its_id(items: dict[str, Any], clerk: Client) -> None:
    draft, published = items["draft"].pk, items["published"].pk
    assert "Secret merger" not in clerk.get(reverse("content_item_chooser:chosen", args=[draft])).content.decode()
    several = clerk.get(reverse("content_item_chooser:chosen_multiple"), {"id": [draft, published]})
    assert "Secret merger" not in several.content.decode()
    assert "Open day" in several.content.decode()


def test_shared_rows_are_for_those_who_work_with_them(clerk: Client, sign_in: Callable[[Any], Client]) -> None:
    SharedRow.objects.bulk_create([SharedRow(name="Layoffs")])
    row = SharedRow.objects.get()
    for name, args in (("choose", []), ("choose_results", []), ("chosen", [row.pk]), ("chosen_multiple", [])):
        url = reverse(f"wagtailsnippetchoosers_home_sharedrow:{name}", args=args)
        assert b"Layoffs" not in clerk.get(f"{url}?id={row.pk}").content, name
        assert b"Layoffs" in sign_in(people.bob()).get(f"{url}?id={row.pk}").content, name


def test_draft_pages_are_for_those_who_work_with_that_part_of_the_tree(clerk: Client, sign_in: Callable[[Any], Client]) -> None:
    ours, theirs = make_page(title="Ours"), make_page(title="Theirs")
    for page in (ours, theirs):
        page.add_child(instance=StandardPage(title=f"Draft of {page.title}", live=False))
    GroupPagePermission.objects.create(
        group=Group.objects.get(name="Clerks"), page=ours, permission=Permission.objects.get(codename="change_page")
    )
    search, below = reverse("wagtailadmin_choose_page_search"), reverse("wagtailadmin_choose_page_child", args=[theirs.pk])
    for url in (f"{search}?q=Draft", below):
        assert b"Draft of Theirs" not in clerk.get(url).content
        assert b"Draft of Theirs" in sign_in(people.bob()).get(url).content
    assert b"Draft of Ours" in clerk.get(f"{search}?q=Draft").content
    assert Page.objects.filter(live=False).count() == 2
