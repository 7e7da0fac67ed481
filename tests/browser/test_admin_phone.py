"""Pages of records in the admin are no wider than a phone; tables scroll inside them."""

import pytest
from playwright.sync_api import Page

from cms_api.flags.services import switch_feature
from tests.commerce.shop.builders import make_order, make_product, variants

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def width_of(page: Page, path: str) -> int:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(path)
    found: int = page.locator("#main").evaluate("element => element.scrollWidth")
    return found


def test_a_form_with_long_options(admin_page: Page) -> None:
    switch_feature(name="donations", on=True)
    assert width_of(admin_page, "/admin/donations/new/") == 390


def test_an_order_and_the_background_jobs(admin_page: Page) -> None:
    switch_feature(name="shop", on=True)
    order = make_order((variants(make_product(name="A very long name of a product in a narrow table"))[0], 1))
    assert width_of(admin_page, f"/admin/orders/inspect/{order.pk}/") == 390
    assert width_of(admin_page, "/admin/reports/background-jobs/") == 390
