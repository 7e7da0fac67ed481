"""How attempts end: once, whatever arrives in whatever order."""

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from cms_api.core.errors import Invalid
from commerce.members.models import Plan
from commerce.payments import selectors
from commerce.payments.models import Payment, ProviderEvent
from commerce.payments.services import (
    apply_unapplied,
    close_payments,
    move_payment,
    record_payment,
    refund_unapplied,
    settle,
)
from commerce.payments.services.sweeping import sweep_payments
from tests.client import together
from tests.figures import figure

from .bills import BILLS, calls, make_bill
from .conftest import send, start, statuses
from .stripe_stub import StripeStub

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    stub.pay(payment.reference, by="bank")
    assert settle(payment_id=payment.pk).status == "processing"
    assert settle(payment_id=payment.pk).status == "processing"
    stub.arrive(payment.reference)
    settled = settle(payment_id=payment.pk)
    assert (settled.status, settled.unapplied) == ("succeeded", "")
    assert settled.paid_at
    assert calls(bill) == ["processing", "paid"]


def test_money_that_does_not_arrive_after_all(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    stub.pay(payment.reference, by="bank")
    settle(payment_id=payment.pk)
    stub.arrive(payment.reference, fails=True)
    failed = settle(payment_id=payment.pk)
    assert (failed.status, failed.error) == ("failed", "The account was closed.")
    assert calls(bill) == ["processing", "failed"]
    assert start(bill) != payment


@pytest.mark.both_databases
def test_many_messages_in_any_order_pay_once(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    messages = [stub.pay(payment.reference, by="bank"), stub.arrive(payment.reference)]
    messages += [{**messages[0], "id": "evt_again"}, {**messages[1], "id": "evt_once_more"}]
    order = random.Random(7)
    for _ in range(figure(60, 1000)):
        assert send(order.choice(messages)).status_code == 200
    assert calls(bill) == ["paid"]
    assert statuses(bill) == ["succeeded"]
    assert ProviderEvent.objects.filter(handled_at__isnull=False, payment=payment).count() == 4


@pytest.mark.django_db(transaction=True)
def test_messages_the_return_page_and_the_sweep_at_once_pay_once(stub: StripeStub, bill: Plan, wait: Callable[..., None]) -> None:
    payment = start(bill)
    message = stub.pay(payment.reference)
    wait(minutes=10)
    ways = (lambda: send(message), lambda: Client().get(selectors.LINK.path(payment)), sweep_payments)
    together(lambda number: ways[number % 3](), 20)
    assert calls(bill) == ["paid"]
    assert Payment.objects.get().unapplied == ""


@pytest.mark.django_db(transaction=True)
def test_control_looking_before_paying_pays_often(stub: StripeStub, bill: Plan) -> None:
    """The same callers without the locks: all see an open attempt, and all apply it."""
    payment = start(bill)
    stub.pay(payment.reference)
    looked = threading.Barrier(10)

    def look_and_pay(number: int) -> int:
        row = Payment.objects.get(pk=payment.pk)
        looked.wait(20)
        if row.status == "succeeded":
            return 0
        with transaction.atomic():
            Payment.objects.filter(pk=row.pk).update(status="succeeded")
        return 1

    assert sum(together(look_and_pay, 10)) == 10


def test_what_has_succeeded_never_goes_back(stub: StripeStub, bill: Plan, paid: Payment) -> None:
    stub.session(paid.reference).update(status="expired", payment_status="unpaid")
    assert send(stub.event("checkout.session.expired", stub.session(paid.reference))).status_code == 200
    assert statuses(bill) == ["succeeded"]


@pytest.mark.both_databases
def test_an_attempt_that_had_expired_may_still_succeed(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    Payment.objects.update(status="expired")
    stub.pay(payment.reference)
    assert settle(payment_id=payment.pk).status == "succeeded"
    assert calls(bill) == ["paid"]


def test_money_for_a_cancelled_record_is_unapplied(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    Plan.objects.update(enabled=False)
    stub.pay(payment.reference)
    late = settle(payment_id=payment.pk)
    assert (late.status, "cancelled, changed or paid" in late.unapplied) == ("succeeded", True)
    assert list(selectors.payments_to_settle()) == [late]
    assert calls(bill) == []
    with pytest.raises(Invalid, match="cancelled, changed or paid"):
        apply_unapplied(payment=late)
    Plan.objects.update(enabled=True)
    assert apply_unapplied(payment=late)
    assert not apply_unapplied(payment=late)
    assert calls(bill) == ["paid"]
    assert not selectors.payments_to_settle().exists()


def test_money_on_its_way_that_cannot_be_used_is_no_longer_awaited(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    stub.pay(payment.reference, by="bank")
    settle(payment_id=payment.pk)
    Plan.objects.update(enabled=False)
    stub.arrive(payment.reference)
    assert settle(payment_id=payment.pk).unapplied
    assert calls(bill) == ["processing", "failed"]


def test_unapplied_money_moves_to_another_record(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    other, cancelled = make_bill(name="1043"), make_bill(name="1044")
    Plan.objects.filter(pk__in=[bill.pk, cancelled.pk]).update(enabled=False)
    stub.pay(payment.reference)
    late = settle(payment_id=payment.pk)
    with pytest.raises(Invalid) as refusal:
        move_payment(payment=late, record_id=cancelled.pk)
    assert list(refusal.value.errors) == ["record_id"]
    assert move_payment(payment=late, record_id=other.pk)
    late.refresh_from_db()
    assert (late.record_id, late.description, late.unapplied) == (other.pk, "Bill 1043", "")
    assert (calls(bill), calls(other)) == ([], ["paid"])


def test_money_for_a_record_that_is_gone_is_unapplied(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    bill.delete()
    stub.pay(payment.reference)
    assert settle(payment_id=payment.pk).unapplied == "The record no longer exists."


@pytest.mark.parametrize(("amount", "currency"), [(1249, "usd"), (1251, "usd"), (1250, "eur")])
def test_another_amount_or_currency_is_unapplied(
    amount: int, currency: str, stub: StripeStub, bill: Plan, payment: Payment
) -> None:
    stub.pay(payment.reference, amount=amount, currency=currency)
    settled = settle(payment_id=payment.pk)
    assert "was asked for" in settled.unapplied
    assert (settled.amount_cents, settled.currency) == (amount, currency)
    assert calls(bill) == []


def test_a_second_success_is_unapplied_and_can_be_refunded(stub: StripeStub, bill: Plan, payment: Payment, commits: Any) -> None:
    stub.pay(payment.reference)
    Payment.objects.update(status="expired")
    second = start(bill)
    stub.pay(second.reference)
    assert settle(payment_id=second.pk).unapplied == ""
    late = settle(payment_id=payment.pk)
    assert late.unapplied
    with commits():
        refund = refund_unapplied(payment=late)
    assert refund is not None
    refund.refresh_from_db()
    assert refund.status == "succeeded"
    assert refund_unapplied(payment=late) is None
    assert not selectors.payments_to_settle().exists()
    assert calls(bill) == ["paid"]


def test_a_late_success_closes_the_page_that_replaced_it(stub: StripeStub, bill: Plan, payment: Payment, commits: Any) -> None:
    Payment.objects.update(status="expired")
    second = start(bill)
    stub.pay(payment.reference)
    with commits():
        settle(payment_id=payment.pk)
    assert stub.session(second.reference)["status"] == "expired"
    assert statuses(bill) == ["succeeded", "expired"]


@pytest.mark.both_databases
def test_a_crash_while_applying_leaves_nothing_half_done(
    stub: StripeStub, bill: Plan, payment: Payment, wait: Callable[..., None]
) -> None:
    BILLS.crashes = {"paid"}
    message = stub.pay(payment.reference)
    assert send(message).status_code == 200
    assert (statuses(bill), calls(bill)) == (["open"], [])
    assert ProviderEvent.objects.get().handled_at is None
    BILLS.crashes = set()
    wait(minutes=3)
    sweep_payments()
    assert (statuses(bill), calls(bill)) == (["succeeded"], ["paid"])
    assert ProviderEvent.objects.get().handled_at


def test_a_record_may_say_why_it_refuses(stub: StripeStub, bill: Plan, payment: Payment, monkeypatch: pytest.MonkeyPatch) -> None:
    def paid(record: Any, payment: Any) -> bool:
        Plan.objects.update(position=9)
        raise Invalid({"status": "Sold out."})

    monkeypatch.setattr(BILLS, "apply_payment", paid)
    stub.pay(payment.reference)
    assert settle(payment_id=payment.pk).unapplied == "Sold out."
    bill.refresh_from_db()
    assert bill.position == 0


def test_money_that_a_person_records(stub: StripeStub, bill: Plan, payment: Payment, commits: Any) -> None:
    with commits(), transaction.atomic():
        recorded = record_payment(
            payable="bill", record_id=bill.pk, amount_cents=500, method="check", reference=" 4711 ", note="In person."
        )
    assert (recorded.status, recorded.method, recorded.typed_reference) == ("succeeded", "check", "4711")
    assert recorded.amount == type(recorded.amount)(500, "usd")
    assert stub.session(payment.reference)["status"] == "expired"
    assert settle(payment_id=recorded.pk) == recorded


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"amount_cents": 0}, "amount_cents"),
        ({"amount_cents": 2**70}, "amount_cents"),
        ({"method": "online"}, "method"),
        ({"paid_at": timezone.now() + timezone.timedelta(days=1)}, "paid_at"),  # type: ignore[attr-defined]
        ({"reference": "\0"}, "reference"),
        ({"note": "x" * 501}, "note"),
    ],
)
def test_what_cannot_be_recorded_is_refused(wrong: dict[str, Any], key: str, bill: Plan) -> None:
    values: dict[str, Any] = {"payable": "bill", "record_id": bill.pk, "amount_cents": 1, "method": "cash"}
    with pytest.raises(Invalid) as refused:
        record_payment(**values | wrong)
    assert set(refused.value.errors) == {key}


def test_closing_after_all_is_settled_is_nothing(paid: Payment, bill: Plan) -> None:
    assert close_payments(payable="bill", record_id=bill.pk)
