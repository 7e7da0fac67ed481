"""However often a provider says that an order was paid, it is paid once; and paying and checking out do not block each other."""

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.test import Client
from wagtail.models import ModelLogEntry

from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, outcomes, settle, start_payment
from commerce.payments.types import PaymentStatus
from commerce.sales.services import AlreadyPaid
from commerce.shop.models import Cart, Order, ProductVariant
from commerce.shop.services import paying
from commerce.shop.services.carts import add_to_cart
from commerce.shop.services.placing import place_order
from commerce.shop.types.orders import PAYABLE
from tests.client import together
from tests.commerce.payments.stripe_stub import SECRET_KEY, SIGNING_SECRET, StripeStub, sign
from tests.commerce.shop.builders import record_order_payment
from tests.figures import figure
from tests.unprotected import meet_before, without_transactions

from .builders import checkout_values, make_cart, make_order, make_variant
from .outcomes import kinds, outcome

pytestmark = pytest.mark.django_db(transaction=True)
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time.")


@pytest.fixture
def stub(settings: Any, shop: None) -> Iterator[StripeStub]:
    stub = StripeStub().start()
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = SECRET_KEY, stub.url
    settings.STRIPE_WEBHOOK_SECRETS = [SIGNING_SECRET]
    set_setting(key="payments.provider", value="stripe")
    yield stub
    stub.stop()


def send(event: dict[str, Any]) -> int:
    body = json.dumps(event).encode()
    headers = {"Stripe-Signature": sign(body)}
    answer: Any = Client().post("/payments/events/stripe", body, content_type="application/json", headers=headers)
    return int(answer.status_code)


def is_paid_once(order: Order) -> None:
    order.refresh_from_db()
    variant = ProductVariant.objects.get()
    assert (order.status, variant.stock, variant.reserved) == ("paid", 3, 0)
    assert OutgoingMail.objects.filter(template="order_confirmed").count() == 1
    assert kinds() == ["order.created", "order.paid", "order.status_changed"]
    assert ModelLogEntry.objects.filter(action="shop.pay_order").count() == 1


def send_often(stub: StripeStub, order: Order, times: int) -> Counter[int]:
    """Send so many messages from each of eight threads: the same one again, and others about the same payment."""
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    event = stub.pay(payment.reference)

    def repeat(thread: int) -> Counter[int]:
        numbers = range(thread, thread + times)
        return Counter(send(event if number % 2 else {**event, "id": f"evt_{thread}_{number}"}) for number in numbers)

    return sum(together(repeat, 8), Counter())


def test_it_works(stub: StripeStub) -> None:
    order = make_order((make_variant(stock=5), 2))
    times = figure(15, 125)
    assert send_often(stub, order, times) == {200: 8 * times}
    is_paid_once(order)


def test_control_without_the_locks_it_is_paid_often(stub: StripeStub, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same callers all find an open attempt and a pending order."""
    # Of others, so that the number of reserved pieces, which is never negative, stops nobody.
    order = make_order((make_variant(stock=100, reserved=50), 2))
    without_transactions(monkeypatch)
    meet_before(monkeypatch, outcomes, "_succeed", threads=8)
    assert send_often(stub, order, 1) == {200: 8}
    assert ProductVariant.objects.get().stock == 84
    assert OutgoingMail.objects.filter(template="order_confirmed").count() == 8
    assert kinds().count("order.paid") == kinds().count("order.status_changed") == 8


def test_the_return_page_and_the_sweep_at_once() -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    order = make_order((make_variant(stock=5), 2))
    payment = start_payment(payable=PAYABLE, record_id=order.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    together(lambda _: settle(payment_id=payment.pk), 10)
    is_paid_once(order)


def test_paying_checking_out_and_filling_the_cart_at_once() -> None:
    """All of them lock the cart first. Without that, a payment and a checkout wait for each other until one is aborted."""
    variant = make_variant(stock=100)
    for _ in range(5):
        cart = make_cart((variant, 1))
        order = place_order(cart=cart, values=checkout_values())

        def act(number: int, cart: Cart = cart, order: Order = order) -> str:
            own = Cart.objects.get(pk=cart.pk)
            if number % 3 == 0:
                return outcome(lambda: record_order_payment(order=Order.objects.get(pk=order.pk), values={"method": "cash"}))
            if number % 3 == 1:
                return outcome(lambda: add_to_cart(cart=own, variant=variant))
            try:
                return outcome(lambda: place_order(cart=own, values=checkout_values()))
            except AlreadyPaid:
                return "paid"

        assert set(together(act, 9)) <= {"done", "status", "paid", "items"}
        assert Payment.objects.filter(record_id=order.pk).count() == 1


def pay_and_check_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the payment of an order while its customer checks out again: each has one lock before either asks for another."""
    cart = make_cart((make_variant(), 1))
    order = place_order(cart=cart, values=checkout_values())
    met, locking = threading.Barrier(2), QuerySet.select_for_update
    locks: Counter[int] = Counter()

    def lock(rows: QuerySet[Any], **options: Any) -> QuerySet[Any]:
        if rows.model in {Cart, Order}:
            locks[threading.get_ident()] += 1
            if locks[threading.get_ident()] == 2:
                # Where both want the same lock first, only one comes here.
                with suppress(threading.BrokenBarrierError):
                    met.wait(0.5)
        return locking(rows, **options)

    def act(number: int) -> str:
        try:
            if number:
                return outcome(lambda: record_order_payment(order=Order.objects.get(pk=order.pk), values={"method": "cash"}))
            return outcome(lambda: place_order(cart=Cart.objects.get(pk=cart.pk), values=checkout_values()))
        except OperationalError:
            return "deadlock"

    monkeypatch.setattr(QuerySet, "select_for_update", lock)
    return together(act, 2)


@on_postgresql
def test_paying_and_checking_out_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(pay_and_check_out(monkeypatch)) <= {"done", "items"}


@on_postgresql
def test_control_locking_the_order_before_its_cart_ends_in_a_deadlock(monkeypatch: pytest.MonkeyPatch) -> None:
    def lock_order(pk: int) -> Order:
        order = Order.objects.select_for_update().get(pk=pk)
        Cart.objects.select_for_update().filter(pk=order.cart_id).first()
        return order

    monkeypatch.setattr(paying.ORDERS, "lock", lock_order)
    assert "deadlock" in pay_and_check_out(monkeypatch)
