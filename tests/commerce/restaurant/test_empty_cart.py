"""An order takes its own dishes out of the cart; what has been added since stays."""

from typing import Any

import pytest

from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.restaurant.models import MenuCart, MenuCartItem, RestaurantOrder
from commerce.restaurant.selectors.carts import pending_order
from commerce.restaurant.services.carts import add_to_cart
from commerce.restaurant.services.placing import place_order

from .builders import GROUPS, make_cart, make_dish, open_always, option, values

pytestmark = pytest.mark.django_db(transaction=True)


def order_of(cart: MenuCart) -> RestaurantOrder:
    open_always()
    return place_order(cart=cart, values=values(payment_method="online"))


def pay(order: RestaurantOrder, status: PaymentStatus) -> None:
    payment = start_payment(payable="restaurant_order", record_id=order.pk)
    decide_test_payment(payment=payment, status=status)
    settle(payment_id=payment.pk)


def left_in(cart: MenuCart) -> list[tuple[Any, ...]]:
    return list(MenuCartItem.objects.filter(cart=cart).values_list("item__name", "options", "notes", "quantity"))


@pytest.mark.parametrize("status", [PaymentStatus.SUCCEEDED, PaymentStatus.PROCESSING])
def test_what_was_added_after_the_checkout_stays(status: PaymentStatus) -> None:
    pizza, soup = make_dish("Pizza", groups=GROUPS), make_dish("Soup")
    large, regular = option(pizza, "Large"), option(pizza, "Regular")
    cart = make_cart((soup, 2))
    add_to_cart(cart=cart, item=pizza, options=[large])
    order = order_of(cart)
    # One more of what was ordered, the same dish chosen and wished for differently, and another one.
    add_to_cart(cart=cart, item=soup)
    add_to_cart(cart=cart, item=soup, notes="No salt")
    add_to_cart(cart=cart, item=pizza, options=[regular])
    add_to_cart(cart=cart, item=make_dish("Tart"))
    pay(order, status)
    assert left_in(cart) == [("Soup", [], "", 1), ("Soup", [], "No salt", 1), ("Pizza", [regular], "", 1), ("Tart", [], "", 1)]


def test_what_was_taken_out_in_the_meantime_leaves_nothing_behind() -> None:
    cart = make_cart((make_dish("Soup"), 3))
    order = order_of(cart)
    MenuCartItem.objects.update(quantity=1)
    pay(order, PaymentStatus.SUCCEEDED)
    assert left_in(cart) == []


def test_another_meal_can_be_ordered_while_a_payment_is_on_its_way() -> None:
    soup = make_dish("Soup")
    cart = make_cart((soup, 1))
    first = order_of(cart)
    pay(first, PaymentStatus.PROCESSING)
    assert pending_order(cart) is None
    add_to_cart(cart=cart, item=soup)
    second = order_of(cart)
    first.refresh_from_db()
    assert (first.status, first.is_processing, second.status) == ("pending", True, "pending")
