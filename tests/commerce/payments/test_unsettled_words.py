"""Emails about sales whose money has arrived and could not be applied: they neither ask to pay again nor deny the charge."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.mail.models import OutgoingMail
from commerce.common.types.money import Money
from commerce.invoicing.services.reminding import remind_clients
from commerce.payments.models import Payment
from commerce.payments.selectors import unsettled_payments
from commerce.payments.services import refund_unapplied, start_payment
from commerce.payments.services.outcomes import apply_outcome
from commerce.payments.types import Outcome, PaymentStatus
from commerce.restaurant.services.kitchen import cancel_order as cancel_meal
from commerce.shop.services.ending import cancel_order
from commerce.shop.services.housekeeping import remind_customers
from tests.commerce.sales.kinds import KINDS, open_business

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def business(db: None) -> None:
    open_business()


def with_unapplied_money(payable: str) -> Any:
    """A sale of which less arrived than its payment page asked for."""
    record = KINDS[payable].make()
    payment = start_payment(payable=payable, record_id=record.pk)
    apply_outcome(payment.pk, Outcome(PaymentStatus.SUCCEEDED, Money(payment.amount_cents - 1, payment.currency), charge="pi_1"))
    assert unsettled_payments(payable, record.pk).get() == Payment.objects.get()
    return type(record)._default_manager.get(pk=record.pk)


def texts(template: str) -> list[str]:
    return list(OutgoingMail.objects.filter(template=template).values_list("text", flat=True))


CANCELS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "order": (lambda order: cancel_order(order=order), "order_cancelled"),
    "restaurant_order": (lambda order: cancel_meal(order=order), "restaurant_order_cancelled"),
}


@pytest.mark.parametrize("payable", CANCELS)
def test_a_cancelled_order_says_that_money_has_arrived(payable: str) -> None:
    cancel, template = CANCELS[payable]
    cancel(with_unapplied_money(payable))
    (text,) = texts(template)
    assert "charged" not in text
    assert "We've received $" in text
    assert "contact you about a refund" in text


@pytest.mark.parametrize("payable", CANCELS)
def test_nothing_has_arrived(payable: str) -> None:
    cancel, template = CANCELS[payable]
    cancel(KINDS[payable].make())
    (text,) = texts(template)
    assert "been charged." in text


@pytest.mark.parametrize("payable", CANCELS)
def test_nobody_knows_whether_money_has_arrived(payable: str) -> None:
    cancel, template = CANCELS[payable]
    record = KINDS[payable].make()
    payment = start_payment(payable=payable, record_id=record.pk)
    apply_outcome(payment.pk, Outcome(PaymentStatus.EXPIRED), is_confirmed=False)
    cancel(record)
    (text,) = texts(template)
    assert ("charged" in text, "If you've paid for it, we'll contact you" in text) == (False, True)


@pytest.mark.parametrize("is_refunded", [False, True])
def test_nobody_is_reminded_of_an_order_whose_money_has_arrived(is_refunded: bool) -> None:
    order = with_unapplied_money("order")
    if is_refunded:
        refund_unapplied(payment=Payment.objects.get())
    type(order)._default_manager.update(created_at=timezone.now() - timedelta(hours=2))
    remind_customers()
    assert len(texts("order_reminder")) == int(is_refunded)


@pytest.mark.parametrize("is_refunded", [False, True])
def test_nobody_is_reminded_of_an_invoice_whose_money_has_arrived(is_refunded: bool) -> None:
    invoice = with_unapplied_money("invoice")
    if is_refunded:
        refund_unapplied(payment=Payment.objects.get())
    today = timezone.localdate()
    type(invoice)._default_manager.update(due_date=today - timedelta(days=3), sent_at=timezone.now() - timedelta(days=9))
    remind_clients()
    assert len(texts("invoice_overdue")) == int(is_refunded)
