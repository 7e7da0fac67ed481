"""The page of a request: its site and root page are asked for once, and follow changes."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver
from wagtail.models import Page, PageViewRestriction, Site

from cms_api.http.secret_urls import routes_of
from home.models import HomePage
from home.services import create_home_page
from tests.builders import blog_post, make_item, make_page
from tests.features import switch_all_on

pytestmark = pytest.mark.django_db

#: Requests with a token are not answered from the cache of pages.
PAST_THE_CACHE = {"HTTP_AUTHORIZATION": "Bearer none"}


@pytest.fixture
def front() -> HomePage:
    blog_post()
    return create_home_page()


@pytest.fixture
def modules_on(db: None) -> None:
    switch_all_on()


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


def routes() -> list[str]:
    """Return the addresses of modules without a part that varies, except those below prefixes of Wagtail and accounts."""
    found = (route.removeprefix("/") for route in routes_of(get_resolver().url_patterns))
    others = ("admin/", "accounts/", "_util/", "api", "documents/", "media/", "^")
    return [route for route in found if route and "<" not in route and not route.startswith(others)]


def test_no_address_of_a_module_is_declared_with_a_slash() -> None:
    others = ("/admin/", "/accounts/", "/_util/", "/documents/", "/^")
    found = [route for route in routes_of(get_resolver().url_patterns) if not route.startswith(others)]
    # Links in emails have had one from the beginning.
    assert [route for route in found if route.endswith("/") and route != "/" and "<secret:" not in route] == []


@pytest.mark.usefixtures("modules_on")
@pytest.mark.parametrize("path", routes())
def test_a_slash_too_many_at_a_module(client: Client, path: str) -> None:
    moved = client.get(f"/{path}/?q=a%20b&page=2")
    assert (moved.status_code, moved["Location"]) == (301, f"/{path}?q=a%20b&page=2")


@pytest.mark.both_databases
def test_a_slash_too_many_below_a_type_or_module(client: Client, modules_on: None) -> None:
    slug = make_item(title="Spring opening").slug
    for path in ("blog-post", f"blog-post/{slug}", "feeds/blog-post.rss", "directory/nothing", "shop/products/nothing"):
        moved = client.get(f"/{path}/")
        assert (moved.status_code, moved["Location"]) == (301, f"/{path}")
    assert client.get("/no-such-type/").status_code == 404


def test_a_secret_address_with_a_slash_is_kept_secret(client: Client, modules_on: None) -> None:
    moved = client.get("/shop/orders/short/")
    assert (moved.status_code, moved["Location"]) == (301, "/shop/orders/short")
    assert moved["Referrer-Policy"] == "no-referrer"
    assert "no-store" in moved["Cache-Control"]


def test_what_is_posted_is_answered_with_a_slash_and_without(client: Client, modules_on: None) -> None:
    for path in ("/shop/cart/add", "/payments/events/nobody"):
        assert client.post(path).status_code == client.post(f"{path}/").status_code not in {301, 308}


def test_modules_that_are_off_have_no_address_with_a_slash(client: Client) -> None:
    assert client.get("/directory/").status_code == client.get("/directory").status_code == 404
