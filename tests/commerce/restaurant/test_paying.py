"""Payments of orders: late ones, those of another amount, and refunds."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, request_refund, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.restaurant.models import RestaurantOrder, Slot
from commerce.restaurant.selectors.orders import ORDER_LINK
from commerce.restaurant.services.housekeeping import lapse_orders
from commerce.restaurant.services.kitchen import cancel_order, complete_order, start_preparing
from commerce.restaurant.services.paying import ORDERS
from commerce.restaurant.types.orders import PAYABLE

from .builders import ADDRESS, last_slot, make_order, make_zone, open_always

pytestmark = pytest.mark.django_db(transaction=True)


def online(**changes: Any) -> RestaurantOrder:
    return make_order(payment_method="online", **changes)


def start(order: RestaurantOrder) -> Payment:
    return start_payment(payable=PAYABLE, record_id=order.pk)


def pay(order: RestaurantOrder, status: PaymentStatus = PaymentStatus.SUCCEEDED) -> Payment:
    payment = start(order)
    decide_test_payment(payment=payment, status=status)
    payment = settle(payment_id=payment.pk)
    order.refresh_from_db()
    return payment


def lapse(order: RestaurantOrder) -> RestaurantOrder:
    RestaurantOrder.objects.filter(pk=order.pk).update(reserved_until=timezone.now() - timedelta(minutes=1))
    lapse_orders()
    order.refresh_from_db()
    assert (order.status, order.has_slot) == ("cancelled", False)
    return order


def placed() -> int:
    return OutboxEvent.objects.filter(kind="restaurant_order.placed").count()


def mails(template: str) -> int:
    return OutgoingMail.objects.filter(template=template).count()


def arrive_late(payment: Payment) -> Payment:
    """The provider took the money although the page was to be closed: the site hears of it later."""
    Payment.objects.filter(pk=payment.pk).update(provider_state={"status": "succeeded"})
    return settle(payment_id=payment.pk)


@pytest.mark.parametrize("is_taken", [True, False])
def test_money_that_arrives_after_the_lapse_is_not_applied(is_taken: bool) -> None:
    open_always()
    set_setting(key="restaurant.orders_per_slot", value=1)
    slot = last_slot()
    late = online(slot=slot)
    payment = start(late)
    # The provider cannot be asked any more.
    Payment.objects.update(status=PaymentStatus.EXPIRED)
    lapse(late)
    if is_taken:
        make_order(slot=slot, email="first@example.com")
    settled = arrive_late(payment)
    late.refresh_from_db()
    assert (settled.status, bool(settled.unapplied)) == (PaymentStatus.SUCCEEDED, True)
    assert (late.status, late.paid_at, placed()) == ("cancelled", None, int(is_taken))
    assert not OutgoingMail.objects.filter(recipient=late.email, template="restaurant_order_placed").exists()
    assert Slot.objects.get().orders == int(is_taken)


def test_money_that_arrives_late_but_before_the_lapse_is_applied() -> None:
    order = online()
    payment = start(order)
    RestaurantOrder.objects.update(reserved_until=timezone.now() - timedelta(minutes=1))
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    lapse_orders()
    order.refresh_from_db()
    assert (order.status, order.paid_at is not None, Slot.objects.get().orders) == ("placed", True, 1)


def test_as_soon_as_possible_counts_from_the_payment() -> None:
    order = online()
    early = timezone.now() - timedelta(minutes=40)
    RestaurantOrder.objects.update(slot_at=early, wanted_at=early)
    Slot.objects.update(starts_at=early)
    pay(order)
    assert order.wanted_at > timezone.now() + timedelta(minutes=20)
    chosen = online(slot=last_slot())
    wanted = chosen.wanted_at
    pay(chosen)
    assert chosen.wanted_at == wanted


def test_as_soon_as_possible_counts_the_way_to_the_customer() -> None:
    set_setting(key="restaurant.lead_minutes", value=20)
    make_zone(extra_minutes=30)
    order = online(fulfillment="delivery", phone="802", delivery_address=ADDRESS)
    early = timezone.now() - timedelta(minutes=1)
    RestaurantOrder.objects.update(wanted_at=early)
    pay(order)
    assert timedelta(minutes=48) < order.wanted_at - timezone.now() <= timedelta(minutes=50)


@pytest.mark.parametrize("is_asap", [True, False], ids=["as soon as possible", "scheduled"])
def test_money_for_a_meal_whose_time_has_passed_is_not_applied(is_asap: bool) -> None:
    open_always()
    order = online() if is_asap else online(slot=last_slot())
    pay(order, PaymentStatus.PROCESSING)
    past = timezone.now() - timedelta(days=5)
    RestaurantOrder.objects.update(created_at=past, wanted_at=past)
    Payment.objects.update(provider_state={"status": "succeeded"})
    settled = settle(payment_id=Payment.objects.get().pk)
    order.refresh_from_db()
    assert settled.unapplied == "The time to pay for this order has ended."
    assert (order.status, order.is_processing, placed(), mails("restaurant_order_placed")) == ("pending", False, 0, 0)


def test_a_scheduled_meal_is_paid_for_before_its_time() -> None:
    open_always()
    order = online(slot=last_slot())
    payment = start(order)
    # The page was opened in time, and may be paid on as long as it lives.
    RestaurantOrder.objects.update(wanted_at=timezone.now() - timedelta(minutes=5))
    with pytest.raises(Invalid) as refusal:
        start(order)
    assert "status" in refusal.value.errors
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    assert settle(payment_id=payment.pk).unapplied == ""


def test_a_lapsed_order_cannot_be_paid() -> None:
    order = lapse(online())
    with pytest.raises(Invalid) as refusal:
        start(order)
    assert "status" in refusal.value.errors
    answer = Client().post(f"{ORDER_LINK.path(order)}pay", follow=True)
    assert "doesn&#x27;t wait for a payment" in answer.content.decode()
    assert not Payment.objects.exists()


def test_money_for_an_order_that_costs_more_by_now_is_not_applied() -> None:
    order = online()
    payment = start(order)
    RestaurantOrder.objects.update(total_cents=order.total_cents + 1)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settled = settle(payment_id=payment.pk)
    order.refresh_from_db()
    assert bool(settled.unapplied)
    assert (order.status, order.paid_at, placed()) == ("pending", None, 0)


def test_a_failed_payment_can_be_repeated() -> None:
    order = online()
    pay(order, PaymentStatus.PROCESSING)
    assert (order.status, order.is_processing, order.customer_status) == ("pending", True, "Payment on its way")
    with pytest.raises(Invalid):
        start(order)
    RestaurantOrder.objects.update(reserved_until=timezone.now() - timedelta(minutes=1))
    lapse_orders()
    Payment.objects.update(provider_state={"status": "failed"})
    settle(payment_id=Payment.objects.get().pk)
    order.refresh_from_db()
    assert (order.status, order.is_processing) == ("pending", False)
    pay(order)
    assert (order.status, placed()) == ("placed", 1)


def test_cancelling_refunds_what_has_not_been_given_back() -> None:
    order = online(tip_cents=200)
    payment = pay(order)
    request_refund(payable=PAYABLE, record_id=order.pk, amount_cents=700, reason="Cold soup")
    order.refresh_from_db()
    assert order.refunded_cents == 700
    assert cancel_order(order=order)
    order.refresh_from_db()
    payment.refresh_from_db()
    assert (order.status, order.refunded_cents, payment.refunded_cents) == ("cancelled", 2200, 2200)
    assert Slot.objects.get().orders == 0
    assert not cancel_order(order=order)
    payment.refresh_from_db()
    assert (payment.refunded_cents, mails("restaurant_order_cancelled")) == (2200, 1)
    assert "We're refunding $15.00." in OutgoingMail.objects.get(template="restaurant_order_cancelled").text
    assert "Refunded" in Client().get(ORDER_LINK.path(order)).content.decode()


def test_cancelling_what_was_to_be_paid_at_the_store_refunds_nothing() -> None:
    order = make_order()
    assert cancel_order(order=order)
    assert not Payment.objects.exists()
    assert "You haven't been charged." in OutgoingMail.objects.get(template="restaurant_order_cancelled").text


def test_a_pending_order_that_is_being_paid_cannot_be_cancelled() -> None:
    order = online()
    pay(order, PaymentStatus.PROCESSING)
    with pytest.raises(Invalid, match="its payment is on its way"):
        cancel_order(order=order)
    order.refresh_from_db()
    assert order.status == "pending"


def test_a_cancelled_order_takes_no_money_through_its_old_page() -> None:
    order = online()
    payment = start(order)
    assert cancel_order(order=order)
    assert not decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    payment.refresh_from_db()
    order.refresh_from_db()
    assert (payment.status, order.status) == (PaymentStatus.EXPIRED, "cancelled")


def test_completing_records_the_payment_at_the_store_once() -> None:
    order = make_order(tip_cents=100)
    start_preparing(order=order)
    assert [complete_order(order=order, method="cash") for _ in range(2)] == [True, False]
    assert (Payment.objects.get().amount_cents, Payment.objects.get().method) == (2100, "cash")
    paid = online()
    pay(paid)
    start_preparing(order=paid)
    complete_order(order=paid)
    assert Payment.objects.filter(record_id=paid.pk).count() == 1


def test_the_payable_names_its_record() -> None:
    order = make_order()
    assert ORDERS.name(order.pk) == order.number
    assert ORDERS.url(order.pk) == f"/admin/restaurant/orders/inspect/{order.pk}/"
