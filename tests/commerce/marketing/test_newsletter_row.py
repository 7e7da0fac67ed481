"""An invitation to subscribe among the rows of a page: it leads to the page for it, and its own page is kept."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import switch_feature
from cms_api.http import page_cache
from tests.builders import make_page, make_shared_row

from .conftest import make_list

pytestmark = pytest.mark.django_db


def row(**more: Any) -> dict[str, Any]:
    return {"type": "newsletter", "value": {"heading": "News by mail", "text": "", "lists": [], "button": "", **more}}


def shown(client: Client, page: Any) -> str:
    return client.get(f"/{page.slug}/").content.decode()


def test_it_works(client: Client) -> None:
    make_list("Workshops", description="Twice a year.")
    make_list("Concerts")
    make_list("Staff", is_public=False)
    every = shown(client, make_page(row(text="<p>Once a <b>month</b>.</p>")))
    assert "News by mail</h2>" in every
    assert "Once a <b>month</b>." in every
    assert '<a class="button" href="/subscribe">Subscribe</a>' in every
    assert "Workshops" in every
    assert "Twice a year." in every
    assert "Staff" not in every
    some = shown(client, make_page(row(lists=["concerts", "staff"], button="Tell me")))
    assert '<a class="button" href="/subscribe?list=concerts">Tell me</a>' in some
    assert "Workshops" not in some


def test_its_page_is_kept_until_a_list_or_the_feature_changes(client: Client) -> None:
    workshops = make_list("Workshops")
    shared = make_shared_row(row())
    page = make_page({"type": "shared", "value": {"row": shared.pk}})
    assert "Workshops" in shown(client, page)
    with CaptureQueriesContext(connection) as again:
        shown(client, page)
    assert len(again) == 1
    workshops.name = "Courses & more"
    workshops.save()
    assert "Courses &amp; more" in shown(client, page)
    make_list("Concerts")
    assert "Concerts" in shown(client, page)
    workshops.delete()
    assert "Courses" not in shown(client, page)
    switch_feature(name="marketing", on=False)
    for _ in range(2):
        off = shown(client, page)
        assert "News by mail" not in off
        assert "subscribe" not in off
    assert page_cache._pages
    switch_feature(name="marketing", on=True)
    assert "News by mail" in shown(client, page)
