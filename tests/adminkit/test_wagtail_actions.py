"""Wagtail's own bulk actions: whose records they name, and that each is carried out once."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse
from wagtail.admin.views.bulk_action import BulkAction
from wagtail.admin.views.bulk_action.registry import bulk_action_registry
from wagtail.models import Collection, GroupCollectionPermission, GroupPagePermission, Page

from cms_api.adminkit.bulk_actions import ListingAction
from cms_api.adminkit.once import BulkOnce, new_key
from cms_api.adminkit.wagtail_actions import OfWorkers
from cms_api.media.models import MediaImage
from tests import people
from tests.builders import make_page, make_shared_row
from tests.content.test_public_pages import make_image
from tests.features import switch_all_on

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.usefixtures("without_menu")]

PAGES = "/admin/bulk/wagtailcore/page/{}/"
IMAGES = "/admin/bulk/media/mediaimage/{}/"
OF_PAGES, OF_IMAGES = ("delete", "move", "publish", "unpublish"), ("delete", "add_tags", "add_to_collection")


def actions() -> Iterator[type[BulkAction]]:
    """Every bulk action that an address leads to."""
    for model in apps.get_models():
        yield from bulk_action_registry.get_bulk_actions_for_model(model._meta.app_label, model._meta.model_name)


def group_of(person: Any, *codenames: str) -> Group:
    """A role of a person's own, with permissions on no page and in no collection."""
    group = Group.objects.create(name="Own role")
    group.permissions.set(Permission.objects.filter(codename__in=["access_admin", *codenames]))
    person.groups.set([group])
    return group


def works_with(group: Group, place: Any, codename: str) -> None:
    permission = Permission.objects.get(codename=codename, content_type__app_label__in=["wagtailcore", "wagtailimages"])
    model, name = (GroupPagePermission, "page") if isinstance(place, Page) else (GroupCollectionPermission, "collection")
    model.objects.create(group=group, permission=permission, **{name: place})


def text(answer: Any) -> str:
    return unescape(answer.content.decode())


def test_every_action_of_wagtail_is_replaced() -> None:
    found = list(actions())
    assert len(found) > 12
    assert [action for action in found if not issubclass(action, ListingAction | OfWorkers)] == []
    assert [action for action in found if not issubclass(action, BulkOnce)] == []


@pytest.mark.parametrize("chosen", ["id={page}", "id=all&childOf={parent}", "id=all&childOf={parent}&q=Merger"])
@pytest.mark.parametrize("action", OF_PAGES)
def test_who_works_with_no_page_is_led_away(sign_in: Callable[[Any], Client], action: str, chosen: str) -> None:
    page = make_page(title="Merger with Acme", live=False)
    charlie = people.charlie()
    group_of(charlie, "view_contact")
    query = chosen.format(page=page.pk, parent=page.get_parent().pk)
    answer = sign_in(charlie).get(f"{PAGES.format(action)}?{query}")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/")


@pytest.mark.parametrize("action", OF_PAGES)
def test_pages_of_others_are_not_named(sign_in: Callable[[Any], Client], action: str) -> None:
    secret, own = make_page(title="Merger with Acme", live=False), make_page(title="Team")
    charlie = people.charlie()
    works_with(group_of(charlie), own, "add_page")
    client, address = sign_in(charlie), PAGES.format(action)
    for query in (f"id={secret.pk}&id={own.pk}", f"id=all&childOf={own.get_parent().pk}"):
        shown = text(client.get(f"{address}?{query}"))
        assert "Merger with Acme" not in shown
        assert "Team" in shown
    # As one that does not exist.
    for pk in (secret.pk, 99999):
        assert client.get(f"{address}?id={pk}").status_code == 404
        assert client.post(f"{address}?id={pk}").status_code == 404
    assert Page.objects.filter(pk=secret.pk).exists()


@pytest.mark.parametrize("action", OF_IMAGES)
def test_files_in_collections_of_others_are_not_named(sign_in: Callable[[Any], Client], action: str) -> None:
    root = Collection.get_first_root_node()
    secret, own = make_image(title="Dismissal letter"), make_image(title="Our team")
    MediaImage.objects.filter(pk=secret.pk).update(collection=root.add_child(name="Board"))
    mine = root.add_child(name="Team")
    MediaImage.objects.filter(pk=own.pk).update(collection=mine)
    charlie = people.charlie()
    group = group_of(charlie)
    client, address = sign_in(charlie), IMAGES.format(action)
    assert client.get(f"{address}?id={secret.pk}").headers["Location"] == "/admin/"
    works_with(group, mine, "choose_image")
    shown = text(client.get(f"{address}?id={secret.pk}&id={own.pk}"))
    assert "Our team" in shown
    assert "Dismissal letter" not in shown
    assert client.get(f"{address}?id={secret.pk}").status_code == 404


def test_users_are_not_named_to_others(sign_in: Callable[[Any], Client]) -> None:
    bob, charlie = people.bob(), people.charlie()
    group_of(charlie, "change_image")
    for action in ("delete", "assign_role", "set_active_state"):
        answer = sign_in(charlie).get(f"/admin/bulk/auth/user/{action}/?id={bob.pk}")
        assert answer.headers["Location"] == "/admin/"


def test_every_form_is_sent_to_an_address_with_a_key(admin_client: Client) -> None:
    switch_all_on()
    bob, page, image, row = people.bob(), make_page(), make_image(), make_shared_row({"type": "text", "value": {}})
    addresses = [
        *(f"{PAGES.format(action)}?id={page.pk}" for action in OF_PAGES),
        *(f"{IMAGES.format(action)}?id={image.pk}" for action in OF_IMAGES),
        *(f"/admin/bulk/auth/user/{action}/?id={bob.pk}" for action in ("delete", "assign_role", "set_active_state")),
        reverse("wagtail_bulk_action", args=["home", "sharedrow", "delete"]) + f"?id={row.pk}",
    ]
    for address in addresses:
        shown = text(admin_client.get(address))
        assert re.search(rf'action="{re.escape(address)}&once=[\w-]+"', shown), address


def test_a_form_that_is_sent_twice_is_carried_out_once(admin_client: Client) -> None:
    first, second = make_page(title="First", slug="one"), make_page(title="Second", slug="two")
    address = f"{PAGES.format('delete')}?id={first.pk}&next=/admin/pages/&once={new_key()}"
    assert admin_client.post(address).status_code == 302
    again = admin_client.post(address, follow=True)
    assert "This form was already submitted. Nothing was done a second time." in text(again)
    assert list(Page.objects.filter(pk__in=[first.pk, second.pk])) == [Page.objects.get(pk=second.pk)]


def test_a_form_that_was_refused_can_be_sent_again(admin_client: Client) -> None:
    page = make_page()
    address = f"{PAGES.format('move')}?id={page.pk}&next=/admin/pages/&once={new_key()}"
    assert admin_client.post(address, {"chooser": "99999"}).status_code == 200
    answer = admin_client.post(address, {"chooser": page.get_parent().pk}, follow=True)
    assert "already submitted" not in text(answer)
