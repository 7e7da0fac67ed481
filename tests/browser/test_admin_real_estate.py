"""A file of listings is imported in the admin; axe finds nothing on the pages of real estate."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import switch_feature
from commerce.real_estate.demo import load
from commerce.real_estate.models import Feed, FeedRun, Inquiry, Property
from commerce.real_estate.services import run_feed
from tests.commerce.real_estate.builders import lines, make_feed, record

from .axe import LIGHT_AND_DARK, Audit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

#: How long the admin's scripts and transitions may take, in milliseconds.
SETTLE = 300


def test_it_works(admin_page: Page) -> None:
    switch_feature(name="real_estate", on=True)
    feed = make_feed(name="Valley MLS")
    admin_page.goto(f"/admin/real-estate/feeds/inspect/{feed.pk}/")
    admin_page.get_by_role("link", name="Import a file").click()
    file: Any = {"name": "listings.json", "mimeType": "application/json", "buffer": lines(record(1), record(2, ListPrice=None))}
    admin_page.get_by_label("JSON or CSV file").set_input_files(file)
    admin_page.get_by_role("button", name="Import a file").click()
    expect(admin_page.get_by_text("The file is queued.")).to_be_visible()
    run_feed(feed=feed)
    admin_page.reload()
    expect(admin_page.get_by_text("The ListPrice is missing.")).to_be_visible()
    admin_page.goto("/admin/real-estate/listings/")
    admin_page.get_by_role("link", name="101 Canal Street").click()
    expect(admin_page.get_by_text("A brick house by the canal.")).to_be_visible()


@pytest.mark.audit
def test_axe_finds_nothing(admin_page: Page) -> None:
    switch_feature(name="real_estate", on=True)
    load(1, lambda count: None)
    feed, run, inquiry = (model._default_manager.earliest("pk").pk for model in (Feed, FeedRun, Inquiry))
    listing = Property.objects.get(listing_key="DM-1001").pk
    audit = Audit(admin_page, LIGHT_AND_DARK)
    for path in (
        "listings/",
        f"listings/inspect/{listing}/",
        "feeds/",
        "feeds/new/",
        f"feeds/inspect/{feed}/",
        f"feeds/upload/{feed}/",
        "imports/",
        f"imports/inspect/{run}/",
        "inquiries/",
        f"inquiries/inspect/{inquiry}/",
        "searches/",
    ):
        audit.visit(f"/admin/real-estate/{path}", settle=SETTLE)
    assert audit.found == {}
