"""The dashboard of visits: it is read without scripts, refreshes the visitors of this moment, and axe finds nothing on it."""

import time

import pytest
from playwright.sync_api import Page, expect

from cms_api.analytics.demo import load
from cms_api.analytics.services.storing import store
from cms_api.flags.services import switch_feature
from tests import people
from tests.analytics.builders import view

from .axe import Audit
from .conftest import SignIn

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

INDEX = "/admin/analytics/"
#: In milliseconds, a little more than the script waits.
REFRESH = 31_000


@pytest.fixture
def analytics(transactional_db: None) -> None:
    switch_feature(name="analytics", on=True)


@pytest.fixture
def visits(analytics: None) -> None:
    load(1, lambda count: None)


def test_without_scripts(visits: None, plain_page: Page, sign_in_page: SignIn) -> None:
    page = plain_page
    sign_in_page(page.context, people.alice())
    page.goto(INDEX)
    page.get_by_role("link", name="7 days").click()
    page.get_by_role("region", name="Sources").get_by_role("link", name="Google / search").click()
    expect(page.get_by_role("list", name="Filters")).to_contain_text("Source: Google / search")
    expect(page.get_by_role("link", name="7 days")).to_have_attribute("aria-current", "true")
    page.get_by_role("region", name="Top pages").get_by_role("link", name="Shop").click()
    expect(page.get_by_role("list", name="Filters")).to_contain_text("Page: /shop")
    page.get_by_label("From").fill("2026-01-01")
    page.get_by_label("To", exact=True).fill("2026-01-31")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("Jan 1, 2026 – Jan 31, 2026")).to_be_visible()
    page.get_by_role("link", name="Remove the filter Page: /shop").click()
    expect(page.get_by_role("list", name="Filters")).not_to_contain_text("/shop")
    expect(page.get_by_role("list", name="Filters")).to_contain_text("Google / search")


def test_visitors_now_are_refreshed(analytics: None, admin_page: Page) -> None:
    page = admin_page
    page.clock.install()
    page.goto(INDEX)
    now = page.get_by_role("region", name="Visitors now")
    expect(now).to_contain_text("0 visitors in the last 5 minutes")
    store([view("/", time.time() - 30, 1), view("/", time.time() - 30, 2)])
    page.clock.fast_forward(REFRESH)
    expect(now).to_contain_text("2 visitors in the last 5 minutes")


@pytest.mark.audit
def test_axe_finds_nothing(visits: None, admin_page: Page) -> None:
    store([view(f"/page-{number}", time.time() - 60 * number, number + 1) for number in range(20)])
    audit = Audit(admin_page)
    filters = ("?page=/shop&by=source&value=Google%09search%09", "?bounces=exclude")
    for path in ("", "?period=yesterday", *filters, "?period=never", "tables/pages/"):
        audit.visit(f"{INDEX}{path}", settle=300)
        width, room = admin_page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width <= room, path
    admin_page.goto(INDEX)
    for summary in ("Show as table", "How visits are counted"):
        admin_page.get_by_text(summary).click()
    audit.check("open")
    assert audit.found == {}
