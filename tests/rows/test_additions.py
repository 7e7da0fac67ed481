"""Additions of modules to the pages of other modules' records: a planted module adds a badge, a form and offers."""

from typing import Any

import pytest
from django.test import Client
from django.utils.html import format_html

from cms_api.content.resources import linked_data
from cms_api.core import registry, versions
from cms_api.core.module import Addition, Module, Pages
from cms_api.flags.services import switch_feature
from cms_api.http import page_cache
from cms_api.rows.additions import Added, additions_to
from tests.builders import make_item
from tests.commerce.shop.builders import make_product
from tests.events.event_pages import at, graph, make_event, page
from tests.modules import install

pytestmark = pytest.mark.django_db

#: The text of the planted module, as a test may change it.
SAID = {"text": "Seats left"}


def present(record: Any, request: Any) -> Added | None:
    page_cache.shows(f"planted:{record.pk}")
    if not SAID["text"]:
        return None
    blocks = {place: format_html("<p>{}: {}</p>", place, SAID["text"]) for place in ("head", "action", "below")}
    return Added(blocks, {"offers": [{"@type": "Offer", "price": "10.00"}]})


MODULE = Module(
    name="planted",
    title="Planted",
    description="Of the tests.",
    feature="real_estate",
    pages=Pages(additions=(Addition("content.item", f"{__name__}.present"), Addition("shop.product", f"{__name__}.present"))),
)


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SAID, "text", "Seats left")
    install(monkeypatch, *registry.modules(), MODULE)
    switch_feature(name="real_estate", on=True)


def test_it_works(client: Client) -> None:
    event = make_event("Concert", at(48))
    html = page(client, f"/events/{event.slug}")
    assert html.index("head: Seats left") < html.index("action: Seats left") < html.index("below: Seats left")
    assert 'id="rsvp"' not in html
    assert graph(html)["offers"] == [{"@type": "Offer", "price": "10.00"}]
    assert graph(html)["name"] == "Concert"


def test_nothing_is_added_while_the_module_is_off(client: Client) -> None:
    event = make_event("Concert", at(48))
    assert "Seats left" in page(client, f"/events/{event.slug}")
    switch_feature(name="real_estate", on=False)
    html = page(client, f"/events/{event.slug}")
    assert "Seats left" not in html
    assert 'id="rsvp"' in html
    assert "offers" not in graph(html)


def test_the_page_is_made_again_when_the_addition_changes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    post = make_item(title="Opening")
    path = f"/blog-post/{post.slug}"
    monkeypatch.setitem(SAID, "text", "")
    assert "Seats" not in page(client, path)
    monkeypatch.setitem(SAID, "text", "Seats again")
    assert "Seats" not in page(client, path)
    versions.bump("planted", tags=[f"planted:{post.pk}"])
    assert "action: Seats again" in page(client, path)


def test_the_offers_of_a_product_are_joined(client: Client) -> None:
    switch_feature(name="shop", on=True)
    make_product("Mug", price=2400)
    html = page(client, "/shop/products/mug")
    assert [offer["price"] for offer in graph(html)["offers"]] == ["24.00", "10.00"]
    assert "below: Seats left" in html


def test_previews_of_unsaved_records_show_nothing() -> None:
    item = make_item(title="Opening")
    assert additions_to("content.item", item, None).head
    item.pk = None
    assert not additions_to("content.item", item, None).head
    meta = {"linked_data": [linked_data.for_site()]}
    assert additions_to("content.item", item, None).complete(meta) is meta
