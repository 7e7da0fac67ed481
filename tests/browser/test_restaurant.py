"""A meal is ordered with a browser that runs no scripts, paid online, and cooked in the kitchen."""

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import set_setting, switch_feature
from commerce.restaurant.models import RestaurantOrder
from tests.commerce.restaurant.builders import GROUPS, make_dish, open_always

from .axe import Audit
from .test_shop import picture

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def restaurant_on(transactional_db: None) -> None:
    switch_feature(name="restaurant", on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    open_always()
    make_dish("Margherita", price=1300, groups=GROUPS, allergens=["gluten", "milk"], diets=["vegetarian"])


def test_a_meal(restaurant_on: None, plain_page: Page, admin_page: Page) -> None:
    visitor = plain_page
    visitor.goto("/menu")
    visitor.get_by_role("link", name="Margherita").click()
    visitor.get_by_role("radio", name="Large").check()
    visitor.get_by_label("Note for the kitchen").fill("Well done, please")
    visitor.get_by_role("button", name="Add to order").click()
    visitor.get_by_role("button", name="Checkout").click()
    visitor.get_by_label("Name").fill("Dana Reyes")
    visitor.get_by_label("Email").fill("dana@example.com")
    visitor.get_by_role("radio", name="Online").check()
    visitor.get_by_role("button", name="Place order").click()
    visitor.locator("button[value=pay]").click()
    expect(visitor.get_by_text("We've received your order")).to_be_visible()

    order = RestaurantOrder.objects.get()
    kitchen = admin_page
    kitchen.goto("/admin/restaurant/orders/kitchen/")
    expect(kitchen.get_by_text("Well done, please")).to_be_visible()
    for button in ("Start preparing", "Ready", "Complete"):
        kitchen.get_by_role("button", name=button).click()
    expect(kitchen.get_by_text("No open orders.")).to_be_visible()
    order.refresh_from_db()
    assert order.status == "completed"


def test_axe_finds_nothing(restaurant_on: None, admin_page: Page) -> None:
    page = admin_page
    audit = Audit(page)

    def check(name: str) -> None:
        audit.check(name)
        picture(page, name)

    page.goto("/menu")
    check("menu")
    page.get_by_role("link", name="Margherita").click()
    check("dish")
    page.get_by_role("radio", name="Large").check()
    page.get_by_role("button", name="Add to order").click()
    check("menu-cart")
    page.get_by_role("button", name="Checkout").click()
    check("menu-checkout")
    page.get_by_role("button", name="Place order").click()
    check("menu-checkout-errors")
    page.get_by_label("Name").fill("Dana Reyes")
    page.get_by_label("Email").fill("dana@example.com")
    page.get_by_role("radio", name="At the store").check()
    page.get_by_role("button", name="Place order").click()
    check("menu-order")
    page.goto("/admin/restaurant/orders/kitchen/")
    check("kitchen")
    page.goto("/admin/restaurant/orders/")
    check("restaurant-orders")
    assert audit.found == {}
