"""The page of a request: its site and root page are asked for once, and follow changes."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from wagtail.models import Page, PageViewRestriction, Site

from home.models import HomePage
from home.services import create_home_page
from tests.builders import blog_post, make_item, make_page

pytestmark = pytest.mark.django_db

#: Requests with a token are not answered from the cache of pages.
PAST_THE_CACHE = {"HTTP_AUTHORIZATION": "Bearer none"}


@pytest.fixture
def front() -> HomePage:
    blog_post()
    return create_home_page()


def other_front() -> HomePage:
    root = Page.objects.get(depth=1)
    found: HomePage = root.add_child(instance=HomePage(title="Other", slug="other", introduction="<p>Elsewhere.</p>"))
    return found


def seen(client: Client, host: str) -> bool:
    return "Elsewhere." in client.get("/", HTTP_HOST=host, **PAST_THE_CACHE).content.decode()


@pytest.mark.usefixtures("front")
@pytest.mark.both_databases
def test_restrictions_are_not_asked_for_again(client: Client) -> None:
    make_item(title="Spring opening")
    client.get("/", **PAST_THE_CACHE)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert b"Spring opening" in client.get("/", **PAST_THE_CACHE).content
    tables = ("wagtailcore_pageviewrestriction", "content_contenttype")
    assert not [query["sql"] for query in asked if any(f'"{table}"' in query["sql"] for table in tables)]


def test_each_host_gets_its_own_site(client: Client, front: HomePage, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["testserver", "other.example"]
    assert not seen(client, "other.example")
    site = Site.objects.create(hostname="other.example", port=80, root_page=other_front())
    assert seen(client, "other.example")
    assert not seen(client, "testserver")
    site.root_page = front
    site.save()
    assert not seen(client, "other.example")


def test_a_changed_root_page_is_served_as_it_is_now(client: Client, front: HomePage) -> None:
    assert b"Welcome." in client.get("/", **PAST_THE_CACHE).content
    front.introduction = "<p>Closed today.</p>"
    front.save()
    assert b"Closed today." in client.get("/", **PAST_THE_CACHE).content


def test_the_first_restriction_takes_effect(client: Client, front: HomePage) -> None:
    assert client.get("/", **PAST_THE_CACHE).status_code == 200
    restriction = PageViewRestriction.objects.create(page=front, restriction_type="login")
    assert client.get("/", **PAST_THE_CACHE).status_code == 302
    restriction.delete()
    assert client.get("/", **PAST_THE_CACHE).status_code == 200


def test_a_slash_that_is_left_out(client: Client) -> None:
    """Only where there is a page: any other address is unknown at once, like those of a feature that is off."""
    page = make_page(title="About us", slug="about")
    moved = client.get("/about?from=mail")
    assert (moved.status_code, moved["Location"]) == (301, "/about/?from=mail")
    assert client.get("/admin/pages")["Location"] == "/admin/pages/"
    assert client.get("/nothing").status_code == client.get("/about/nothing").status_code == 404
    page.unpublish()
    assert client.get("/about").status_code == 404
