"""The admin's menu: few top-level entries whatever features are on, and only permitted entries for each person."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from wagtail.admin.menu import admin_menu

from cms_api.core import registry
from cms_api.core.module import MENU_GROUPS
from cms_api.flags.services import switch_feature
from events.services.builtin import create as create_events
from tests import people
from tests.builders import blog_post, make_type
from tests.features import switch_all_on

pytestmark = pytest.mark.django_db

#: Search, which is no entry of the menu, included.
MOST = 12
#: Groups that are there once a business module is.
BUSINESS = {"Sales", "Service"}


@pytest.fixture
def everything_on(db: None) -> None:
    blog_post()
    create_events()
    switch_all_on()


def menu_of(person: Any) -> dict[str, Any]:
    """The menu as a person sees it: labels to addresses, or to the entries of a submenu."""
    return dict(_entries(admin_menu.render_component(people.request_by(person))))


def _entries(items: list[Any]) -> Iterator[tuple[str, Any]]:
    for item in items:
        yield str(item.label), dict(_entries(item.menu_items)) if hasattr(item, "menu_items") else item.url


def top(menu: dict[str, Any]) -> list[str]:
    """The entries at the top that do not depend on which business modules are installed."""
    return [label for label in menu if label not in BUSINESS]


def addresses(menu: dict[str, Any]) -> Iterator[str]:
    for value in menu.values():
        if isinstance(value, dict):
            yield from addresses(value)
        else:
            yield value


def test_it_works(everything_on: None) -> None:
    menu = menu_of(people.alice())
    assert top(menu) == ["Website", "Calendar", "Contacts", "Reports", "API", "Settings", "Help"]
    website = ["Pages", "Content", "Images", "Documents", "Media categories", "Forms", "Comments", "Shared rows"]
    assert [entry for entry in menu["Website"] if entry != "Comments"][:7] == [each for each in website if each != "Comments"]
    assert "/admin/content/items/?type=blog-post" in menu["Website"]["Content"].values()
    assert list(menu["Website"]["Forms"]) == ["Forms", "Submissions"]
    assert list(menu["Calendar"]) == ["Events", "RSVPs", "Tickets"]
    assert list(menu["Contacts"])[:2] == ["Contacts", "Companies"]
    assert {"Members", "Marketing", "Loyalty", "Imports"} <= set(menu["Contacts"])
    assert list(menu["API"]) == ["API tokens", "Webhooks", "Webhook deliveries", "API documentation"]
    assert list(menu["Settings"])[:4] == ["Features and settings", "Mail templates", "Sent mail", "Users"]
    assert next(iter(menu["Reports"])) == "Analytics"
    assert "Site history" in menu["Reports"]


def test_the_top_stays_short_whatever_is_on(everything_on: None) -> None:
    assert len(menu_of(people.alice())) + 1 <= MOST
    # Even with something in each of the groups.
    assert len(MENU_GROUPS) + len({"Search", "Help"}) <= MOST


def test_every_entry_leads_somewhere_and_stands_once(
    everything_on: None, sign_in: Callable[[Any], Client], request: pytest.FixtureRequest
) -> None:
    alice = people.alice()
    client = sign_in(alice)
    found = [address for address in addresses(menu_of(alice)) if address.startswith("/")]
    assert len(found) == len(set(found))
    request.getfixturevalue("without_menu")
    for address in found:
        assert client.get(address, follow=True).status_code == 200, address


def test_every_viewset_with_a_label_has_an_entry(everything_on: None) -> None:
    make_type(comments_enabled=True)
    found = set(addresses(menu_of(people.alice())))
    for module in registry.modules():
        for viewset in map(registry.load, module.admin.viewsets):
            for each in getattr(viewset, "registerables", [viewset]):
                assert not each.menu_label or each.menu_url in found, each


def test_the_page_explorer_opens_in_its_group(everything_on: None) -> None:
    website = next(item for item in admin_menu.render_component(people.request_by(people.alice())) if item.name == "website")
    pages = website.menu_items[0]
    assert type(pages).__name__ == "PageExplorerMenuItem"
    assert pages.start_page_id


def test_editors_see_what_they_work_with(everything_on: None) -> None:
    menu = menu_of(people.bob())
    assert top(menu) == ["Website", "Calendar", "Reports", "Help"]
    assert {"Forms", "Theme"}.isdisjoint(menu["Website"])
    assert list(menu["Calendar"]) == ["Events"]
    assert "Analytics" not in menu["Reports"]
    assert {"Pages", "Content", "Images", "Documents", "Shared rows"} <= set(menu["Website"])


def test_managers_see_records_and_no_switches(everything_on: None) -> None:
    menu = menu_of(people.mallory_manager())
    assert top(menu) == ["Website", "Calendar", "Contacts", "Reports", "API", "Settings", "Help"]
    assert list(menu["Settings"]) == ["Mail templates", "Sent mail", "Tax rates"]
    assert list(menu["Calendar"]) == ["Events", "RSVPs", "Tickets"]
    assert "Theme" in menu["Website"]
    assert "Analytics" in menu["Reports"]
    assert list(menu["API"]) == ["API documentation"]


def test_strangers_see_nothing_of_modules(everything_on: None) -> None:
    assert {"Website", "Calendar", "Contacts", "Settings"}.isdisjoint(menu_of(people.charlie()))


def test_a_group_is_hidden_while_nothing_is_in_it(everything_on: None) -> None:
    alice = people.alice()
    for name in ("members", "marketing", "loyalty", "crm", "events", "shop", "reviews", "directory"):
        switch_feature(name=name, on=False)
    menu = menu_of(alice)
    assert top(menu) == ["Website", "Reports", "API", "Settings", "Help"]
    switch_feature(name="webhooks", on=False)
    assert list(menu_of(alice)["API"]) == ["API tokens", "API documentation"]


def test_what_other_applications_add_to_wagtails_settings_is_there(everything_on: None) -> None:
    settings = menu_of(people.alice())["Settings"]
    assert {"Users", "Groups", "Workflows", "Collections", "Sites"} <= set(settings)
    assert "/admin/settings/home/theme/" not in settings.values()


def test_content_types_come_and_go(everything_on: None) -> None:
    alice = people.alice()
    assert "Notes" not in menu_of(alice)["Website"]["Content"]
    make_type(slug="notes", name_plural="Notes")
    make_type(slug="gated", name_plural="Gated", feature="webhooks")
    assert {"Notes", "Gated"} <= set(menu_of(alice)["Website"]["Content"])
    # Events stand in their own group.
    assert "Events" not in menu_of(alice)["Website"]["Content"]
