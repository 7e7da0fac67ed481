"""Permissions of each role for content in the admin."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.services.types import save_type
from cms_api.flags.services import switch_feature
from tests import people
from tests.builders import field, make_item, make_term, make_type

from .test_admin_forms import edit_url, open_form

pytestmark = pytest.mark.django_db

EDITED = ("/admin/content/types/edit/", "/admin/content/vocabularies/edit/")
SignIn = Callable[[Any], Client]


def item_urls(item: ContentItem) -> list[str]:
    base, revision = "/admin/content/items", item.latest_revision_id
    views = ("edit", "delete", "usage", "history", "history-results", "copy", "preview", "unpublish")
    history = f"{base}/history/{item.pk}/revisions"
    return [
        *(f"{base}/{view}/{item.pk}/" for view in views),
        f"{history}/{revision}/view/",
        f"{history}/{revision}/revert/",
        f"{history}/{revision}/unschedule/",
        f"{history}/compare/earliest...latest/",
    ]


def other_urls(item_type: ContentType) -> list[str]:
    term = make_term(item_type)
    items = [f"/admin/content/items/{path}" for path in ("", "results/", "add/", f"add/?type={item_type.slug}")]
    types = [f"/admin/content/types/{path}" for path in ("", "new/", f"edit/{item_type.pk}/", f"delete/{item_type.pk}/")]
    terms = [f"/admin/content/vocabularies/{path}" for path in ("", "new/", f"edit/{term.pk}/", f"delete/{term.pk}/")]
    return [*items, *types, *terms, "/admin/content/items/preview/"]


@pytest.mark.parametrize("person", [people.bob, people.mallory_manager, people.alice])
def test_the_roles_may_work_with_content(sign_in: SignIn, person: Callable[[], Any]) -> None:
    """Editors, who may do the least, open every page; the others open one of each kind of record."""
    client = sign_in(person())
    item_type = make_type(field("category", "taxonomy"))
    item = make_item(item_type)
    assert f"/admin/content/items/?type={item_type.slug}" in client.get("/admin/").content.decode()
    urls = [*item_urls(item), *other_urls(item_type)]
    if person != people.bob:
        urls = [edit_url(item), *(url for url in urls if url.startswith(EDITED))]
    for url in urls:
        expected = 404 if url == "/admin/content/items/preview/" else 200
        assert client.get(url).status_code == expected, url
    assert client.post(edit_url(item), open_form(client, edit_url(item), **{"action-publish": "1"})).status_code == 302


@pytest.mark.both_databases
def test_a_stranger_sees_nothing(sign_in: SignIn) -> None:
    stranger = people.charlie()
    item_type = make_type(field("category", "taxonomy"))
    item = make_item(item_type)
    for url in (*item_urls(item), *other_urls(item_type)):
        assert sign_in(stranger).get(url).status_code in (302, 403), url
        assert Client().get(url).status_code == 302, url


def test_a_person_of_the_admin_without_permission_for_content(sign_in: SignIn) -> None:
    person = people.charlie()
    person.user_permissions.add(Permission.objects.get(codename="access_admin"))
    client = sign_in(person)
    item_type = make_type(field("category", "taxonomy"))
    item = make_item(item_type)
    assert "/admin/content/" not in client.get("/admin/").content.decode()
    for url in (*item_urls(item), *other_urls(item_type)):
        answer = client.get(url)
        assert answer.status_code == 403 or (answer.status_code == 302 and answer.url == "/admin/"), url
    client.post(edit_url(item), {"data__title": "Changed", "action-publish": "1"})
    client.post(f"/admin/content/items/delete/{item.pk}/")
    client.post(f"/admin/bulk/content/contentitem/delete/?id={item.pk}&next=/admin/")
    assert ContentItem.objects.get().title == item.title


def test_who_may_not_publish_gets_a_draft(sign_in: SignIn) -> None:
    person = people.charlie()
    names = ("access_admin", "change_contentitem")
    person.user_permissions.set(Permission.objects.filter(codename__in=names))
    client = sign_in(person)
    item = make_item(make_type())
    page = client.get(edit_url(item)).content.decode()
    assert "action-publish" not in page
    client.post(edit_url(item), open_form(client, edit_url(item), data__title="Changed", **{"action-publish": "1"}))
    item.refresh_from_db()
    assert (item.title, item.has_unpublished_changes) != ("Changed", True)
    assert item.has_unpublished_changes


def test_a_type_that_is_switched_off_is_not_there(sign_in: SignIn) -> None:
    client = sign_in(people.alice())
    switch_feature(name="events", on=True)
    values = {"name": "Gig", "fields": [field("title", "text"), field("category", "taxonomy")]}
    item_type = save_type(slug="gigs", values=values, feature="events")
    item = make_item(item_type, title="Concert")
    term = make_term(item_type)
    assert client.get(edit_url(item)).status_code == 200
    switch_feature(name="events", on=False)
    for url in (*item_urls(item), "/admin/content/items/add/?type=gigs", "/admin/content/items/preview/?type=gigs"):
        assert client.get(url).status_code == 404, url
    for url in (f"/admin/content/types/{view}/{item_type.pk}/" for view in ("edit", "delete", "history", "usage")):
        assert client.get(url).status_code == 404, url
    for url in (f"/admin/content/vocabularies/{view}/{term.pk}/" for view in ("edit", "delete", "history", "usage")):
        assert client.get(url).status_code == 404, url
    for url in ("", "content/items/", "content/items/add/", "content/types/", "content/vocabularies/"):
        page = client.get(f"/admin/{url}").content.decode()
        assert ">Gig" not in page, url
        assert "Concert" not in page, url
    assert "Concert" not in client.get("/admin/content/items/choose/").json()["html"]
    assert client.get(f"/admin/content/items/choose/chosen/{item.pk}/").status_code == 404
    client.post(f"/admin/bulk/content/contentitem/delete/?id={item.pk}&next=/admin/")
    assert ContentItem.objects.filter(pk=item.pk).exists()


def test_the_address_of_a_picture_is_for_those_who_write(sign_in: SignIn) -> None:
    assert sign_in(people.bob()).get("/admin/content/items/picture/1/").status_code == 404
    person = people.charlie()
    person.user_permissions.add(Permission.objects.get(codename="access_admin"))
    assert sign_in(person).get("/admin/content/items/picture/1/").status_code in (302, 403)
