"""Customers whose orders have items and codes in common: on PostgreSQL, none waits for another who waits for them."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from commerce.payments.models import Payment
from commerce.payments.services import settle, start_payment
from commerce.shop.models import Cart, Order
from commerce.shop.services import ending, paying, placing
from commerce.shop.services.carts import add_to_cart
from commerce.shop.services.ending import cancel_order
from commerce.shop.services.housekeeping import release_lapsed_orders
from commerce.shop.services.placing import place_order
from tests.client import together
from tests.commerce.sales.kinds import open_business
from tests.waiting import Meeting

from .builders import checkout_values, make_cart, make_code, make_method, make_order, make_variant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    open_business()


def test_two_customers_who_change_their_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """One has a mug and adds a plate, the other has a plate and adds a mug; each takes the other's code, too."""
    mug, plate = make_variant(stock=10), make_variant(stock=10)
    codes = [make_code("SPRING", max_uses=5), make_code("SUMMER", max_uses=5)]
    orders = [make_order((mug, 1), code="SPRING"), make_order((plate, 1), code="SUMMER")]
    for order, more, code in zip(orders, (plate, mug), reversed(codes), strict=True):
        assert order.cart
        add_to_cart(cart=order.cart, variant=more, quantity=1)
        Cart.objects.filter(pk=order.cart.pk).update(discount_code=code.code)
    Meeting().after(monkeypatch, placing, "give_back")
    values = checkout_values()
    again = together(lambda number: place_order(cart=Cart.objects.get(pk=orders[number].cart_id), values=values), 2)
    assert [order.discount_code for order in again] == ["SUMMER", "SPRING"]
    for each in (mug, plate):
        each.refresh_from_db()
        assert (each.stock, each.reserved) == (10, 2)


def test_late_money_for_an_order_with_a_code_that_somebody_uses_at_that_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    mug, code = make_variant(stock=10), make_code("SPRING", max_uses=5)
    order = make_order((mug, 1), code="SPRING")
    payment = start_payment(payable="order", record_id=order.pk)
    Payment.objects.filter(pk=payment.pk).update(status="expired")
    Order.objects.filter(pk=order.pk).update(reserved_until=timezone.now() - timedelta(minutes=1))
    release_lapsed_orders()
    Payment.objects.filter(pk=payment.pk).update(provider_state={"status": "succeeded"})
    cart = make_cart((mug, 1))
    Cart.objects.filter(pk=cart.pk).update(discount_code="SPRING")
    meeting = Meeting()
    meeting.after(monkeypatch, paying.stock, "consume")
    meeting.after(monkeypatch, placing, "redeem")
    values = checkout_values(email="second@example.com")
    works = (
        lambda: settle(payment_id=payment.pk),
        lambda: place_order(cart=Cart.objects.get(pk=cart.pk), values=values),
    )
    together(lambda number: works[number](), 2)
    code.refresh_from_db()
    mug.refresh_from_db()
    assert (Order.objects.get(pk=order.pk).status, code.used, mug.stock, mug.reserved) == ("paid", 2, 9, 1)


def test_a_free_order_is_cancelled_while_somebody_uses_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    mug, code = make_variant(stock=10), make_code("GIFT", percent=Decimal(100), max_uses=5)
    order = make_order((mug, 1), code="GIFT", shipping_method=make_method(price_cents=0).pk)
    assert order.is_free_sale
    cart = make_cart((mug, 1))
    Cart.objects.filter(pk=cart.pk).update(discount_code="GIFT")
    meeting = Meeting()
    meeting.after(monkeypatch, ending.stock, "restock")
    meeting.after(monkeypatch, placing, "redeem")
    values = checkout_values(email="second@example.com")
    works = (lambda: cancel_order(order=order), lambda: place_order(cart=Cart.objects.get(pk=cart.pk), values=values))
    together(lambda number: works[number](), 2)
    code.refresh_from_db()
    assert (Order.objects.get(pk=order.pk).status, code.used) == ("cancelled", 1)
