"""Stock that one network reserves without paying is limited."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.accounts.services import create_member
from commerce.shop.models import Order, ProductVariant
from commerce.shop.services.housekeeping import forget_networks_of_orders
from commerce.shop.services.placing import place_order
from tests import people
from tests.commerce.shop.builders import record_order_payment

from .builders import checkout_values, make_cart, make_method, make_variant
from .outcomes import outcome


def place(variant: ProductVariant, quantity: int, network: str = "a") -> Order:
    return place_order(cart=make_cart((variant, quantity)), values=checkout_values(), network=network)


def reserved(variant: ProductVariant) -> int:
    return ProductVariant.objects.get(pk=variant.pk).reserved


@pytest.fixture(autouse=True)
def shipping() -> None:
    make_method()


@pytest.mark.both_databases
def test_it_works() -> None:
    variant = make_variant(stock=60)
    place(variant, 10)
    assert outcome(lambda: place(variant, 10)) == "items"
    place(variant, 5)
    assert reserved(variant) == 15
    place(variant, 10, network="b")
    place(variant, 10, network="")


def test_one_order_has_half_or_what_a_large_one_has() -> None:
    many, some, few, unique = (make_variant(stock=stock) for stock in (400, 41, 24, 3))
    assert outcome(lambda: place(many, 201)) == outcome(lambda: place(some, 21)) == outcome(lambda: place(few, 21)) == "items"
    assert reserved(many) == reserved(some) == reserved(few) == 0
    place(many, 200, network="b")
    place(some, 20, network="c")
    place(few, 20, network="d")
    place(few, 4, network="")
    for _ in range(3):
        place(unique, 1)


def test_each_variant_of_an_order_is_limited() -> None:
    ordinary, much = make_variant(stock=40), make_variant(stock=40)
    cart = make_cart((ordinary, 1), (much, 40))
    assert outcome(lambda: place_order(cart=cart, values=checkout_values(), network="a")) == "items"


def test_free_orders_count_for_a_day() -> None:
    variant = make_variant(stock=40, price=0, product={"kind": "digital"})
    free = checkout_values(shipping_address=None, shipping_method=None)

    def order(network: str = "a", user: Any = None) -> Order:
        return place_order(cart=make_cart((variant, 5)), values=free, network=network, user=user)

    assert [order().status for _ in range(2)] == ["fulfilled"] * 2
    assert outcome(order) == "items"
    member = create_member(email="dana@example.com", password=people.PASSWORD)
    assert order(user=member).network == ""
    Order.objects.update(created_at=timezone.now() - timedelta(days=1))
    order()
    forget_networks_of_orders()
    assert Order.objects.exclude(network="").count() == 1


def test_what_is_paid_is_held_no_longer() -> None:
    variant = make_variant(stock=20)
    order = record_order_payment(order=place(variant, 10), values={"method": "cash"})
    assert order.network == ""
    assert place(variant, 10)


def test_stock_without_a_limit_is_not_counted() -> None:
    variant = make_variant(stock=None)
    for _ in range(3):
        place(variant, 50)
