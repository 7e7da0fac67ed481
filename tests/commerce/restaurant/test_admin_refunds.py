"""Refunds of meals in the admin: a part of a completed one, and what did not go back with a cancelled one."""

from typing import Any

import pytest
from django.test import Client

from commerce.payments.models import Payment, Refund
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.restaurant.models import RestaurantOrder
from commerce.restaurant.services.kitchen import cancel_order, complete_order, start_preparing
from commerce.restaurant.types.orders import PAYABLE
from tests.confirming import button_of

from .builders import make_order

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def order(restaurant: None) -> RestaurantOrder:
    """An order of 20.00, paid online."""
    order = make_order(payment_method="online")
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settle(payment_id=payment.pk)
    order.refresh_from_db()
    return order


def page(client: Client, order: RestaurantOrder) -> str:
    return client.get(f"/admin/restaurant/orders/inspect/{order.pk}/").content.decode()


def refund(client: Client, order: RestaurantOrder, amount: str, most: int, **more: str) -> Any:
    sent = {"amount_cents": amount, "most_cents": str(most), "reason": "Cold soup", **more}
    return client.post(f"/admin/restaurant/orders/refund/{order.pk}/", sent, follow=True)


def test_it_works(admin_client: Client, order: RestaurantOrder) -> None:
    start_preparing(order=order)
    complete_order(order=order)
    assert f"/admin/restaurant/orders/refund/{order.pk}/" in page(admin_client, order)
    assert "Refund $7.00" in refund(admin_client, order, "7.00", 2000).content.decode()
    refund(admin_client, order, "7.00", 2000, confirmed="Refund $7.00")
    order.refresh_from_db()
    assert (order.status, order.refunded_cents) == ("completed", 700)
    assert "Cold soup" in page(admin_client, order)
    assert refund(admin_client, order, "13.01", 1300, confirmed="Refund $13.01").status_code == 422


def test_the_kitchen_sees_what_was_refunded(admin_client: Client, order: RestaurantOrder) -> None:
    """As at the provider, where nobody cancels the order."""
    kitchen = "/admin/restaurant/orders/kitchen/"
    assert "refund" not in admin_client.get(kitchen).content.decode().partition('class="kitchen"')[2]
    refund(admin_client, order, "20.00", 2000, confirmed="Refund $20.00")
    page = admin_client.get(kitchen).content.decode()
    assert "<strong>$20.00 refunded</strong>" in page
    assert "$20.00 refunded" in admin_client.get("/admin/restaurant/orders/").content.decode()


def test_the_page_names_the_order_and_its_customer(admin_client: Client, order: RestaurantOrder) -> None:
    """Only the button that moves money is red."""
    path = f"/admin/restaurant/orders/refund/{order.pk}/"
    asked, reviewed = admin_client.get(path), refund(admin_client, order, "7.00", 2000)
    for answer in (asked, reviewed):
        assert f'<h2 class="confirm__subject">{order.number}, Dana Reyes</h2>' in answer.content.decode()
    assert 'class="button">Continue' in asked.content.decode()
    assert 'class="button serious">Refund $7.00' in reviewed.content.decode()


def test_what_cannot_be_refunded_is_refused_before_it_is_reviewed(admin_client: Client, order: RestaurantOrder) -> None:
    RestaurantOrder.objects.update(currency="kwd")
    Payment.objects.update(currency="kwd")
    answer = refund(admin_client, order, "1.005", 2000)
    assert (answer.status_code, button_of(answer)) == (422, "")
    assert "Amounts are paid online in steps of KWD0.010." in answer.content.decode()
    assert button_of(refund(admin_client, order, "1.010", 2000)) == "Refund KWD1.010"


def test_a_cancelled_one_whose_refund_failed(admin_client: Client, order: RestaurantOrder) -> None:
    cancel_order(order=order)
    assert "/refund/" not in page(admin_client, order)
    Refund.objects.update(status="failed")
    Payment.objects.update(refunded_cents=0)
    assert f"/admin/restaurant/orders/refund/{order.pk}/" in page(admin_client, order)
    refund(admin_client, order, "20.00", 2000, confirmed="Refund $20.00")
    order.refresh_from_db()
    assert (order.status, order.refunded_cents) == ("cancelled", 2000)
    assert Payment.objects.get().refundable_cents == 0
