"""The areas of the admin's search: Wagtail's own, and the lists of viewsets."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver
from wagtail.admin.search import admin_search_areas

from cms_api.flags.services import switch_feature
from events.services.builtin import create as create_events
from tests import people
from tests.builders import make_item
from tests.commerce.crm.records import make_contact
from tests.features import switch_all_on

pytestmark = pytest.mark.django_db

ITEMS = "/admin/content/items/"


@pytest.fixture(autouse=True)
def _everything_on(db: None) -> None:
    # A type whose items take comments.
    create_events()
    switch_all_on()


def areas(person: Any) -> list[str]:
    # The permissions of viewsets are registered with their addresses.
    assert get_resolver().url_patterns
    return [str(area.label) for area in admin_search_areas.search_items_for_request(people.request_by(person))]


def links(html: str) -> Iterator[tuple[str, str, bool]]:
    """The links to the areas: label, address, and whether it is the current one."""
    options = re.findall(r'<ul class="filter-options">(.*?)</ul>', html, re.DOTALL)[0]
    for link in re.findall(r"<a .*?</a>", options, re.DOTALL):
        label = re.sub("<.*?>", "", link, flags=re.DOTALL).strip()
        yield label, unescape(re.findall('href="(.*?)"', link)[0]), "nolink" in link


def test_it_works(admin_client: Client, without_menu: None) -> None:
    make_item(title="Heron & co")
    html = admin_client.get(ITEMS, {"q": "Heron &"}).content.decode()
    found = {label: (path, is_current) for label, path, is_current in links(html)}
    assert list(found)[:6] == ["Pages", "Content", "Contacts", "Companies", "Subscribers", "Submissions"]
    assert {"Images", "Documents", "Users", "Comments", "Members", "RSVPs"} <= set(found)
    assert found["Content"] == (f"{ITEMS}?q=Heron%20%26", True)
    assert found["Contacts"] == ("/admin/crm/contacts/?q=Heron%20%26", False)
    assert [label for label, (_, is_current) in found.items() if is_current] == ["Content"]
    assert "Heron &amp; co" in admin_client.get(found["Content"][0]).content.decode()
    for path, _ in found.values():
        response = admin_client.get(path)
        assert response.status_code == 200, path
        assert 'value="Heron &amp;"' in response.content.decode(), path
        assert list(links(response.content.decode())), path


@pytest.mark.both_databases
def test_they_are_offered_by_the_search_only(admin_client: Client) -> None:
    make_contact(email="dana@example.com")
    assert "Other searches" not in admin_client.get("/admin/crm/contacts/").content.decode()
    results = admin_client.get("/admin/crm/contacts/results/", {"q": "dana"}).content.decode()
    assert [label for label, _, is_current in links(results) if is_current] == ["Contacts"]
    # Wagtail's own search of pages leads to the lists.
    html = admin_client.get("/admin/pages/search/", {"q": "dana"}).content.decode()
    assert ("Contacts", "/admin/crm/contacts/?q=dana", False) in list(links(html))
    assert admin_client.get("/admin/crm/contacts/", {"q": "a\0b"}).status_code in {200, 400}


def test_people_see_the_areas_of_lists_that_they_may_see() -> None:
    assert areas(people.bob()) == ["Pages", "Content", "Images", "Documents", "Comments"]
    assert {"Contacts", "Companies", "Subscribers", "Submissions", "Members", "RSVPs"} <= set(areas(people.mallory_manager()))
    assert areas(people.charlie()) == []


def test_areas_of_modules_that_are_off() -> None:
    alice = people.alice()
    switch_feature(name="crm", on=False)
    assert "Contacts" not in areas(alice)
    assert "Companies" not in areas(alice)
    assert "Content" in areas(alice)


@pytest.mark.both_databases
def test_the_search_of_the_menu_is_that_of_the_first_area(sign_in: Callable[[Any], Client]) -> None:
    assert '"/admin/pages/search/"' in unescape(sign_in(people.bob()).get("/admin/").content.decode())


def test_short_lists_are_no_areas() -> None:
    assert not {"API tokens", "Content types", "Webhooks", "Media categories"} & set(areas(people.alice()))
