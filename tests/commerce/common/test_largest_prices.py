"""The largest price that may be entered, wherever something has one, and what many pieces at that price add up to."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting, switch_feature
from commerce.common.types.money import MAX_AMOUNT_CENTS
from commerce.restaurant.models import RestaurantOrder
from commerce.restaurant.types.orders import MAX_QUANTITY as MAX_DISHES
from commerce.shop.models import Order
from commerce.shop.types.orders import MAX_QUANTITY as MAX_PIECES
from tests.commerce.booking.builders import make_service
from tests.commerce.directory.builders import make_plan as make_listing_plan
from tests.commerce.members.conftest import make_plan
from tests.commerce.restaurant.builders import make_dish, open_always
from tests.commerce.restaurant.builders import values as menu_values
from tests.commerce.shop.builders import ADDRESS, make_method, make_variant
from tests.commerce.ticketing.builders import adult, make_sales

pytestmark = pytest.mark.django_db

#: How something is made at a price, and the path of its refusal.
PRICED: dict[str, tuple[Callable[[int], Any], str]] = {
    "dish": (lambda cents: make_dish(price=cents), "price_cents"),
    "listing plan": (lambda cents: make_listing_plan(price_cents=cents), "price_cents"),
    "member plan": (lambda cents: make_plan("Friends", price_cents=cents), "price_cents"),
    "product": (lambda cents: make_variant(price=cents), "variants.0.price_cents"),
    "service": (lambda cents: make_service(price_cents=cents), "price_cents"),
    "ticket": (lambda cents: make_sales(adult(price_cents=cents)), "types.0.price_cents"),
}


@pytest.fixture(autouse=True)
def selling(db: None) -> None:
    for name in ("shop", "restaurant", "booking", "members", "directory", "events"):
        switch_feature(name=name, on=True)
    set_setting(key="payments.allow_test_payments", value=True)


@pytest.mark.parametrize("kind", PRICED)
def test_it_works(kind: str) -> None:
    make, path = PRICED[kind]
    with pytest.raises(Invalid) as refusal:
        make(MAX_AMOUNT_CENTS + 1)
    assert list(refusal.value.errors) == [path]
    assert make(MAX_AMOUNT_CENTS)


def test_a_shop_order_of_as_many_pieces_as_there_may_be(client: Client) -> None:
    mug = make_variant(price=MAX_AMOUNT_CENTS, stock=None)
    assert client.post("/shop/cart/add", {"variant": mug.pk, "quantity": MAX_PIECES}).status_code == 302
    assert client.get("/shop/cart").status_code == 200
    address = {f"shipping-{name}": value for name, value in ADDRESS.items()}
    method = make_method(price_cents=0).pk
    sent = {"email": "dana@example.com", "same_address": "1", "shipping_method": method, "place": "1", **address}
    assert client.post("/shop/checkout", sent).status_code == 302
    assert Order.objects.get().total_cents == MAX_AMOUNT_CENTS * MAX_PIECES


def test_a_restaurant_order_of_as_many_dishes_as_there_may_be(client: Client) -> None:
    open_always()
    dish = make_dish(price=MAX_AMOUNT_CENTS)
    assert client.post("/menu/cart/add", {"item": dish.pk, "quantity": MAX_DISHES}).status_code == 302
    assert client.get("/menu/cart").status_code == 200
    assert client.post("/menu/checkout", menu_values(payment_method="online")).status_code == 302
    assert RestaurantOrder.objects.get().total_cents == MAX_AMOUNT_CENTS * MAX_DISHES
