"""Somebody buys something with a browser that runs no scripts; the shop ships it, and refunds it."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.shop.models import Order
from commerce.shop.selectors.orders import ORDER_LINK
from commerce.shop.services import save_product
from commerce.shop.services.fulfilling import fulfill_order
from tests.commerce.payments.stripe_stub import StripeStub
from tests.commerce.shop.builders import make_method, make_product, resent

from .axe import Audit

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def shop_on(transactional_db: None) -> None:
    switch_feature(name="shop", on=True)
    set_setting(key="payments.allow_test_payments", value=True)
    make_method()
    make_product("Linen shirt", price=4500, sizes="S M L", summary="Made here.")


def fill(visitor: Page) -> None:
    """Fill in the checkout."""
    visitor.get_by_label("Email", exact=True).fill("dana@example.com")
    visitor.get_by_label("Country").first.select_option("US")
    visitor.get_by_role("button", name="Update the total").click()
    for name, value in (("name", "Dana Reyes"), ("street", "14 Canal Street"), ("city", "Brattleboro"), ("state", "VT")):
        visitor.locator(f"#id_shipping-{name}").fill(value)
    visitor.locator("#id_shipping-postal_code").fill("05301")


def test_it_works(shop_on: None, plain_page: Page, admin_page: Page) -> None:
    visitor = plain_page
    visitor.goto("/shop")
    visitor.get_by_role("link", name="Linen shirt").click()
    visitor.get_by_role("radio", name="M").check()
    visitor.get_by_role("button", name="Add to cart").click()
    expect(visitor.get_by_role("status").first).to_contain_text("Linen shirt")
    visitor.get_by_role("button", name="Checkout").click()
    visitor.get_by_role("button", name="Continue to payment").click()
    expect(visitor.get_by_role("alert")).to_contain_text("Enter your email address.")
    fill(visitor)
    visitor.get_by_role("button", name="Continue to payment").click()
    visitor.locator("button[value=pay]").click()
    expect(visitor.get_by_text("Thank you! We've received your payment")).to_be_visible()
    order = Order.objects.get()

    admin = admin_page
    admin.goto(f"/admin/orders/inspect/{order.pk}/")
    admin.get_by_role("link", name="Ship items").click()
    admin.get_by_label("Carrier").fill("UPS")
    admin.get_by_label("Tracking number").fill("1Z999")
    admin.get_by_role("button", name="Ship items").click()
    expect(admin.get_by_text("marked as shipped")).to_be_visible()
    assert "https://www.ups.com/track?tracknum=1Z999" in OutgoingMail.objects.get(template="order_shipped").text
    admin.get_by_role("link", name="Refund", exact=True).click()
    admin.get_by_role("button", name="Continue").click()
    admin.get_by_role("button", name=re.compile(r"^Refund \$[0-9.]+$")).click()
    expect(admin.get_by_text(f"Refund of {order.number} started.")).to_be_visible()
    order.refresh_from_db()
    assert order.status == "refunded"


def test_paying_at_stripe(shop_on: None, stripe: StripeStub, plain_page: Page) -> None:
    visitor = plain_page
    visitor.goto("/shop/products/linen-shirt")
    visitor.get_by_role("radio", name="M").check()
    visitor.get_by_role("button", name="Add to cart").click()
    visitor.get_by_role("button", name="Checkout").click()
    fill(visitor)
    visitor.get_by_role("button", name="Continue to payment").click()
    visitor.get_by_role("button", name="Pay by card").click()
    expect(visitor.get_by_text("Thank you! We've received your payment")).to_be_visible()
    assert Order.objects.get().status == "paid"


@pytest.mark.parametrize("sizes", ["S M L", "1 2 3 4 5 6 7"], ids=["radios", "list"])
def test_the_price_is_that_of_the_chosen_variant(shop_on: None, page: Page, plain_page: Page, sizes: str) -> None:
    product = make_product("Scarf", sizes=sizes)
    first, *others = resent(product)
    dearer = {**others[0], "price_cents": 1250, "compare_at_price_cents": 2000}
    save_product(product=product, values={"variants": [first, dearer, *others[1:]]})
    for visitor, shown in ((page, ["$10.00", "$12.50 Before: $20.00"]), (plain_page, ["From $10.00", "From $10.00"])):
        visitor.goto("/shop/products/scarf")
        price = visitor.locator(".price--large")
        expect(price).to_have_text(shown[0])
        if sizes == "S M L":
            visitor.get_by_role("radio", name="M").check()
        else:
            visitor.get_by_label("Size").select_option(str(dearer["id"]))
        expect(price).to_have_text(shown[1])


def picture(page: Page, name: str) -> None:
    """Keep a picture of a page in the folder of SCREENSHOTS, if that is set."""
    if folder := os.environ.get("SCREENSHOTS"):
        for width, scheme in ((390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            chosen: Any = scheme
            page.emulate_media(color_scheme=chosen)
            page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png", full_page=True)


def test_axe_finds_nothing(shop_on: None, plain_page: Page, admin_page: Page) -> None:
    visitor = admin_page.context.new_page()
    audit = Audit(visitor)

    def check(name: str) -> None:
        audit.check(name)
        visitor.set_viewport_size({"width": 320, "height": 900})
        assert visitor.evaluate("document.documentElement.scrollWidth") <= 320, name
        visitor.set_viewport_size({"width": 1280, "height": 900})
        picture(visitor, name)

    make_product("Vase", stock=0)
    visitor.goto("/shop")
    check("catalogue")
    visitor.goto("/shop?q=nothing-at-all")
    check("catalogue-nothing")
    visitor.goto("/shop/products/vase")
    check("product-sold-out")
    visitor.goto("/shop/cart")
    check("empty-cart")
    visitor.goto("/shop/products/linen-shirt")
    check("product")
    visitor.get_by_role("button", name="Add to cart").click()
    check("cart")
    visitor.get_by_role("button", name="Checkout").click()
    check("checkout")
    visitor.get_by_role("button", name="Continue to payment").click()
    check("checkout-errors")
    fill(visitor)
    visitor.get_by_role("button", name="Continue to payment").click()
    visitor.get_by_role("button", name="Decline").click()
    expect(visitor.get_by_role("alert")).to_contain_text("Your payment didn't go through.")
    check("order-declined")
    visitor.get_by_role("button", name="Pay $").click()
    visitor.locator("button[value=pay]").click()
    check("order-paid")
    visitor.goto("/accounts/orders/")
    check("account-orders")
    order = Order.objects.get()
    for action in ("inspect", "ship", "refund"):
        visitor.goto(f"/admin/orders/{action}/{order.pk}/")
        check(f"admin-{action}")
    visitor.goto("/admin/orders/")
    check("admin-orders")
    fulfill_order(order=order, tracking={"carrier": "ups", "tracking_number": "1Z999AA10123456784" * 2})
    visitor.goto(ORDER_LINK.path(order))
    check("order-shipped")
    assert audit.found == {}
