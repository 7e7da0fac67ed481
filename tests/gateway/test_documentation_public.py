"""The API documentation on the site, while a setting says so."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import set_setting, switch_feature
from cms_api.gateway.openapi import document
from home.services import create_home_page

pytestmark = pytest.mark.django_db

PAGE = "/api-documentation"
LINK = f'href="{PAGE}"'


@pytest.fixture
def public(api_on: None) -> None:
    create_home_page()
    set_setting(key="api.public_documentation", value=True)


def shown(client: Client) -> str:
    return unescape(client.get(PAGE).content.decode())


def test_it_works(client: Client, public: None) -> None:
    page = shown(client)
    for operation in (each for methods in json.loads(document())["paths"].values() for each in methods.values()):
        assert f'id="{operation["operationId"]}"' in page
    assert "<title>API documentation – My site</title>" in page
    assert LINK in client.get("/").content.decode().partition("<footer")[2]


def test_it_is_off_by_default(client: Client, api_on: None) -> None:
    create_home_page()
    unknown = client.get("/no-such-page/")
    found = client.get(PAGE)
    assert (found.status_code, found.content) == (404, unknown.content)
    assert LINK not in client.get("/").content.decode()


def test_it_leaves_no_trace_while_the_api_is_off(client: Client, public: None) -> None:
    assert client.get(PAGE).status_code == 200
    switch_feature(name="api", on=False)
    assert client.get(PAGE).status_code == 404
    assert LINK not in client.get("/").content.decode()
    set_setting(key="api.public_documentation", value=False)
    switch_feature(name="api", on=True)
    assert client.get(PAGE).status_code == 404


def test_the_sitemap_never_has_it(client: Client, public: None) -> None:
    assert "api-documentation" not in client.get("/sitemap.xml").content.decode()


def test_it_is_cached_until_a_feature_changes(client: Client, public: None) -> None:
    first = client.get(PAGE)
    again = client.get(PAGE, headers={"if-none-match": first.headers["ETag"]})
    assert (first.headers["Cache-Control"], again.status_code) == ("public, max-age=0, must-revalidate", 304)
    assert "crm:read" not in first.content.decode()
    switch_feature(name="crm", on=True)
    changed = client.get(PAGE, headers={"if-none-match": first.headers["ETag"]})
    assert changed.status_code == 200
    assert "crm:read" in changed.content.decode()


def test_a_cached_page_has_the_address_of_its_own_host(client: Client, public: None) -> None:
    for host in ("localhost", "127.0.0.1", "localhost"):
        assert f"http://{host}/api/v1" in client.get(PAGE, headers={"host": host}).content.decode()


def test_it_says_no_more_than_the_document(client: Client, admin_client: Client, public: None) -> None:
    for reader in (client, admin_client):
        page = shown(reader)
        assert "/admin/" not in page
        codes = set(re.findall(r"<code>([a-z_]+:[a-z]+)</code>", page))
        assert codes <= set(re.findall(r"[a-z_]+:[a-z]+", document().decode()))


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_it_can_only_be_read(client: Client, public: None, method: str) -> None:
    assert getattr(client, method)(PAGE).status_code == 405


def test_admins_make_it_public_in_the_settings(admin_client: Client, api_on: None) -> None:
    page = admin_client.get("/admin/features/").content.decode()
    assert "Public API documentation" in page


def test_head_is_answered_without_a_body(client: Client, public: None) -> None:
    found: Any = client.head(PAGE)
    assert (found.status_code, found.content) == (200, b"")
