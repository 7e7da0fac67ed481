"""Orders that lost their reservation: for how long, and with which discount codes, they can still be paid."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.core.records import delete_record
from cms_api.flags.services import set_setting
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.shop.models import DiscountCode, Order
from commerce.shop.selectors.orders import ORDER_LINK
from commerce.shop.services.housekeeping import release_lapsed_orders
from commerce.shop.services.paying import TOO_OLD
from commerce.shop.services.placing import place_order
from commerce.shop.types.orders import PAYABLE_FOR
from tests.commerce.shop.builders import record_order_payment

from .builders import checkout_values, make_cart, make_code, make_method, make_order, make_product, variants

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def pays() -> None:
    set_setting(key="payments.allow_test_payments", value=True)


def lapsed(code: str = "SAVE10", **age: int) -> Order:
    """A pending order at 90.00 whose reservation has ended."""
    make_method()
    order = make_order((variants(make_product(price=10000))[0], 1), code=code)
    now = timezone.now()
    Order.objects.update(reserved_until=now - timedelta(minutes=1), created_at=now - timedelta(**age))
    release_lapsed_orders()
    order.refresh_from_db()
    assert (order.status, order.reserved_until, order.has_redeemed) == ("pending", None, False)
    return order


def refusal(order: Order) -> dict[str, Any]:
    with pytest.raises(Invalid) as refused:
        start_payment(payable="order", record_id=order.pk)
    return dict(refused.value.errors)


def test_a_code_that_is_valid_is_used_again() -> None:
    make_code()
    order = lapsed(days=29)
    payment = start_payment(payable="order", record_id=order.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    assert settle(payment_id=payment.pk).unapplied == ""
    assert DiscountCode.objects.get().used == 1


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (lambda: DiscountCode.objects.update(enabled=False), "This discount code isn't valid."),
        (lambda: DiscountCode.objects.update(ends_at=timezone.now()), "This discount code has expired."),
        (lambda: DiscountCode.objects.update(max_uses=0), "This discount code has been used up."),
        (lambda: delete_record(record=DiscountCode.objects.get()), "This discount code isn't valid."),
    ],
    ids=["disabled", "expired", "used up", "deleted"],
)
def test_a_code_that_has_ended(end: Callable[[], Any], why: str) -> None:
    make_code()
    order = lapsed(hours=2)
    end()
    assert refusal(order) == {"discount_code": [f"{why} Please order again."]}
    assert not Order.objects.get().has_redeemed


def test_a_code_that_ends_while_the_items_are_reserved_counts() -> None:
    make_code()
    make_method()
    order = make_order((variants(make_product(price=10000))[0], 1), code="SAVE10")
    DiscountCode.objects.update(enabled=False)
    assert start_payment(payable="order", record_id=order.pk).status == "open"


def test_an_old_order_is_placed_again() -> None:
    assert refusal(lapsed(code="", days=PAYABLE_FOR.days + 1)) == {"status": [TOO_OLD]}


@pytest.mark.parametrize(("days", "is_offered"), [(29, True), (31, False)])
def test_its_page_offers_to_pay_only_while_that_is_possible(days: int, is_offered: bool, client: Client) -> None:
    page = client.get(ORDER_LINK.path(lapsed(code="", days=days))).content.decode()
    assert ("Pay $" in page, TOO_OLD in page) == (is_offered, not is_offered)


def test_staff_record_money_for_an_old_order_all_the_same() -> None:
    """They have the money, and decide whether they take it."""
    make_code()
    order = lapsed(days=100)
    DiscountCode.objects.update(enabled=False)
    paid = record_order_payment(order=order, values={"method": "bank_transfer"})
    assert (paid.status, paid.reserved_until, paid.has_redeemed) == ("paid", None, True)
    variant = paid.items.get().variant
    assert variant is not None
    assert variant.reserved == 0


def test_staff_take_the_agreed_total_although_the_code_is_used_up() -> None:
    code = make_code(max_uses=1)
    order = lapsed(days=2)
    DiscountCode.objects.filter(pk=code.pk).update(used=1)
    assert record_order_payment(order=order, values={"method": "bank_transfer"}).status == "paid"
    assert (DiscountCode.objects.get().used, Order.objects.get().has_redeemed) == (1, False)


def test_staff_record_money_however_much_its_network_has_reserved() -> None:
    make_method()
    variant = variants(make_product(price=1000, stock=100))[0]
    order = place_order(cart=make_cart((variant, 30)), values=checkout_values(), network="office")
    Order.objects.update(reserved_until=timezone.now() - timedelta(minutes=1))
    release_lapsed_orders()
    type(variant).objects.update(stock=30)
    assert record_order_payment(order=Order.objects.get(pk=order.pk), values={"method": "bank_transfer"}).status == "paid"
