"""Placing an order: what is stored, reserved and emitted, and what is refused."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import override_settings

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting, switch_feature
from commerce.common.services.taxes import save_tax_rule
from commerce.crm.models import Activity, Contact
from commerce.payments.selectors import payments_of
from commerce.payments.services.providers.stripe import to_stripe
from commerce.shop.models import Cart, DiscountCode, Order, OrderItem, Product, ProductVariant
from commerce.shop.resources import sums
from commerce.shop.services.placing import place_order
from tests.client import together
from tests.commerce.shop.builders import record_order_payment

from .builders import ADDRESS, checkout_values, make_cart, make_code, make_method, make_order, make_product, make_variant
from .outcomes import emitted, kinds

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works() -> None:
    variant = make_variant(price=1250, stock=5, sku="MUG", product={"name": "Mug"})
    order = make_order((variant, 2))
    assert (order.number, order.status, order.email) == ("ORD-1001", "pending", "dana@example.com")
    assert (order.subtotal_cents, order.shipping_cents, order.tax_cents, order.total_cents) == (2500, 500, 0, 3000)
    item = OrderItem.objects.get(order=order)
    assert (item.name, item.sku, item.quantity, item.unit_price_cents, item.total_cents) == ("Mug", "MUG", 2, 1250, 2500)
    variant.refresh_from_db()
    assert (variant.stock, variant.reserved, variant.available) == (5, 2, 3)
    assert order.reserved_until is not None
    ((kind, payload),) = emitted()
    assert (kind, payload["number"], payload["items"][0]["sku"]) == ("order.created", "ORD-1001", "MUG")
    assert payload["shipping_address"] == {**ADDRESS, "street2": None}


def test_later_changes_of_a_product_change_nothing() -> None:
    variant = make_variant(price=1000)
    order = make_order((variant, 1))
    ProductVariant.objects.filter(pk=variant.pk).update(price_cents=9900)
    Product.objects.filter(pk=variant.product_id).update(name="Another name")
    Product.objects.filter(pk=variant.product_id).delete()
    order.refresh_from_db()
    item = order.items.get()
    assert (item.product_id, item.total_cents, order.total_cents) == (None, 1000, 1500)
    assert item.name != "Another name"


@pytest.mark.both_databases
def test_the_next_checkout_of_a_cart_changes_its_pending_order() -> None:
    variant = make_variant(stock=2)
    cart = make_cart((variant, 2))
    first = place_order(cart=cart, values=checkout_values())
    second = place_order(cart=cart, values=checkout_values(email="new@example.com"))
    assert (second.pk, second.number, second.email) == (first.pk, first.number, "new@example.com")
    variant.refresh_from_db()
    assert variant.reserved == 2
    assert (OrderItem.objects.count(), kinds()) == (1, ["order.created"])


def test_taxes_are_those_of_the_place_where_it_goes() -> None:
    save_tax_rule(values={"country": "US", "label": "Sales tax", "percent": Decimal(6)})
    save_tax_rule(values={"country": "US", "region": "VT", "label": "VT tax", "percent": Decimal(7)})
    order = make_order((make_variant(price=1000), 1))
    assert order.taxes == [{"label": "VT tax", "percent": "7", "net_cents": 1500, "tax_cents": 105}]
    assert (order.tax_cents, order.total_cents) == (105, 1605)
    elsewhere = make_order((make_variant(price=1000), 1), shipping_address={**ADDRESS, "state": "NH", "postal_code": "03301"})
    assert elsewhere.tax_cents == 90


@pytest.mark.parametrize("country", ["DE", "IE", "GB"])
def test_a_pick_up_is_taxed_where_the_business_is(country: str) -> None:
    set_setting(key="site.country", value="GB")
    for taxed, percent in (("GB", 20), ("IE", 23)):
        save_tax_rule(values={"country": taxed, "label": "VAT", "percent": Decimal(percent)})
    places = {
        "DE": {"street": "Torstrasse 1", "city": "Berlin", "state": "", "postal_code": "10115"},
        "IE": {"street": "1 Dame Street", "city": "Dublin", "state": "", "postal_code": "D02 X285"},
        "GB": {"street": "10 Downing Street", "city": "London", "state": "", "postal_code": "SW1A 2AA"},
    }
    address = {**ADDRESS, **places[country], "country": country}
    mug = make_variant(price=2400)
    pickup = make_method("Pick-up", kind="pickup", price_cents=0)
    assert make_order((mug, 1), shipping_address=address, shipping_method=pickup.pk).total_cents == 2880
    sent = make_method("Post", price_cents=0)
    total = {"DE": 2400, "IE": 2952, "GB": 2880}[country]
    assert make_order((mug, 1), shipping_address=address, shipping_method=sent.pk).total_cents == total
    # Digital products go to the customer, even beside goods that are picked up.
    song = make_variant(price=2400, product={"kind": "digital"})
    both = make_order((mug, 1), (song, 1), shipping_address=address, shipping_method=pickup.pk)
    assert both.total_cents == 2880 + total
    assert [item.tax_cents for item in both.items.order_by("position")] == [480, total - 2400]


@override_settings(SITE_CURRENCY="kwd")
@pytest.mark.both_databases
def test_a_total_is_rounded_to_what_can_be_paid() -> None:
    order = make_order((make_variant(price=1655), 1), shipping_method=make_method(price_cents=0).pk)
    assert (order.subtotal_cents, order.total_cents) == (1655, 1660)
    assert sums.of_order(order) == [
        ("Subtotal", "KWD1.655"),
        ("Shipping (Standard)", "Free"),
        ("Rounding", "KWD0.005"),
        ("Total", "KWD1.660"),
    ]
    assert to_stripe(order.total) == 1660
    paid = record_order_payment(order=order, values={"method": "cash"})
    assert sum(each.amount_cents for each in payments_of("order", paid.pk)) == 1660


@pytest.mark.both_databases
def test_a_discount_code_is_used_once_an_order() -> None:
    make_code("SAVE10", max_uses=1)
    order = make_order((make_variant(price=1000), 1), code="SAVE10")
    assert (order.discount_cents, order.total_cents, order.discount_code) == (100, 1400, "SAVE10")
    assert DiscountCode.objects.get().used == 1
    # Its own checkout may be repeated.
    cart = Cart.objects.get(pk=order.cart_id)
    assert place_order(cart=cart, values=checkout_values()).discount_cents == 100
    assert DiscountCode.objects.get().used == 1
    with pytest.raises(Invalid) as refusal:
        make_order((make_variant(), 1), code="SAVE10", email="other@example.com")
    assert refusal.value.errors == {"discount_code": ["This discount code has been used up."]}


def test_a_code_may_be_limited_to_one_use_by_each_customer() -> None:
    make_code("ONCE", max_uses_per_customer=1)
    make_order((make_variant(), 1), code="ONCE")
    make_order((make_variant(), 1), code="ONCE", email="other@example.com")
    with pytest.raises(Invalid) as refusal:
        make_order((make_variant(), 1), code="ONCE", email="DANA@example.com")
    assert refusal.value.errors == {"discount_code": ["You've already used this discount code."]}


@pytest.mark.both_databases
def test_a_code_can_make_the_shipping_free() -> None:
    make_code("FREESHIP", kind="free_shipping", percent=Decimal(0))
    order = make_order((make_variant(price=1000), 1), code="FREESHIP")
    assert (order.shipping_cents, order.discount_cents, order.total_cents) == (0, 0, 1000)


@pytest.mark.both_databases
def test_an_order_of_nothing_is_paid_at_once() -> None:
    make_code("GIFT", percent=Decimal(100))
    pickup = make_method("Pick-up", kind="pickup", price_cents=0)
    variant = make_variant(price=999, stock=3)
    order = make_order((variant, 1), code="GIFT", shipping_method=pickup.pk)
    assert (order.total_cents, order.status) == (0, "paid")
    variant.refresh_from_db()
    assert (variant.stock, variant.reserved) == (2, 0)
    assert kinds() == ["order.created", "order.paid", "order.status_changed"]


def test_digital_products_need_no_shipping() -> None:
    product = make_product(kind="digital", price=1500, stock=None)
    variant = ProductVariant.objects.select_related("product").get(product=product)
    order = make_order((variant, 1), shipping_address=None, shipping_method=None)
    assert (order.is_shipped, order.shipping_cents, order.total_cents, order.shipping_address) == (False, 0, 1500, None)


def test_a_customer_becomes_a_contact_while_the_crm_is_on() -> None:
    make_order()
    assert not Contact.objects.exists()
    switch_feature(name="crm", on=True)
    order = make_order(name="Dana van Dyck")
    contact = Contact.objects.get()
    assert (contact.email, contact.first_name, contact.last_name, contact.city) == (
        "dana@example.com",
        "Dana",
        "van Dyck",
        "Brattleboro",
    )
    assert Activity.objects.get().summary == f"Placed order {order.number} ($25.00)"


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"email": "nobody"}, "email"),
    ({"email": None}, "email"),
    ({"name": ""}, "name"),
    ({"name": "A\0B"}, "name"),
    ({"name": "x" * 300}, "name"),
    ({"phone": "1" * 100}, "phone"),
    ({"note": "x" * 2000}, "note"),
    ({"shipping_address": None}, "shipping_address"),
    ({"shipping_address": {**ADDRESS, "postal_code": "ABC"}}, "shipping_address.postal_code"),
    ({"shipping_address": {**ADDRESS, "country": "XX"}}, "shipping_address.country"),
    ({"shipping_method": None}, "shipping_method"),
    ({"shipping_method": 10**30}, "shipping_method"),
    ({"total_cents": 1}, "total_cents"),
    ({"total_cents": -(10**30)}, "total_cents"),
]


@pytest.mark.parametrize(("changes", "key"), REFUSED, ids=lambda value: str(value)[:60])
def test_bad_input_is_refused_and_writes_nothing(changes: dict[str, Any], key: str) -> None:
    variant = make_variant(stock=5)
    cart = make_cart((variant, 2))
    with pytest.raises(Invalid) as refusal:
        place_order(cart=cart, values=checkout_values(**changes))
    assert set(refusal.value.errors) == {key}
    variant.refresh_from_db()
    assert (variant.reserved, Order.objects.count(), emitted()) == (0, 0, [])


def test_more_than_there_is_cannot_be_ordered() -> None:
    variant = make_variant(stock=5, product={"name": "Mug"})
    cart = make_cart((variant, 2))
    ProductVariant.objects.filter(pk=variant.pk).update(stock=1)
    make_code("SAVE10")
    Cart.objects.filter(pk=cart.pk).update(discount_code="SAVE10")
    with pytest.raises(Invalid) as refusal:
        place_order(cart=cart, values=checkout_values())
    assert refusal.value.errors == {"items": ["Only 1 of Mug left."]}
    assert DiscountCode.objects.get().used == 0
    # The next number is not lost.
    assert make_order((make_variant(), 1)).number == "ORD-1001"


def test_an_empty_cart_cannot_be_ordered() -> None:
    cart = make_cart()
    Product.objects.update(status="archived")
    with pytest.raises(Invalid) as refusal:
        place_order(cart=cart, values=checkout_values())
    assert refusal.value.errors == {"items": ["Your cart is empty."]}


def test_prices_include_tax_where_the_setting_says_so() -> None:
    set_setting(key="taxes.prices_include_tax", value=True)
    save_tax_rule(values={"country": "US", "label": "VAT", "percent": Decimal(20)})
    order = make_order((make_variant(price=1200), 1), shipping_method=make_method(price_cents=0).pk)
    assert (order.subtotal_cents, order.tax_cents, order.total_cents) == (1200, 200, 1200)


@pytest.mark.django_db(transaction=True)
def test_a_cart_that_is_ordered_twice_at_once_is_one_order() -> None:
    cart, values = make_cart((make_variant(stock=2), 2)), checkout_values()

    def order(_: int) -> str:
        return place_order(cart=Cart.objects.get(pk=cart.pk), values=values).number

    assert set(together(order, 4)) == {"ORD-1001"}
    assert ProductVariant.objects.get().reserved == 2
