"""After a backup is restored, numbers are given again: what Stripe says of a lost payment never changes another one."""

from collections.abc import Callable
from typing import Any

import pytest

from commerce.members.models import Plan
from commerce.payments import selectors
from commerce.payments.models import Payment, ProviderEvent, Refund
from commerce.payments.services import request_refund, send_refund
from commerce.payments.services.events import handle
from commerce.payments.services.refunds import sync_refunds

from .bills import calls, make_bill
from .conftest import send, start, statuses
from .stripe_stub import StripeStub

pytestmark = pytest.mark.django_db


def lose(row: Payment | Refund) -> None:
    """Take a row out of the database as a restore does. Stripe still knows it."""
    type(row).objects.filter(pk=row.pk).delete()


def renumber(row: Payment | Refund, pk: int) -> None:
    type(row).objects.filter(pk=row.pk).update(id=pk)


def test_a_message_about_a_lost_payment_is_not_applied_to_the_next_one(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    message = stub.pay(payment.reference)
    lose(payment)
    other = make_bill(name="Other")
    mine = start(other)
    # Its own answer from Stripe was lost as well.
    renumber(mine, payment.pk)
    mine = Payment.objects.get()
    Payment.objects.update(status="started", reference=None, url="")
    assert send(message).status_code == 200
    assert (statuses(other), calls(other)) == (["started"], [])
    mine.refresh_from_db()
    assert mine.reference is None
    # It is money that nobody knows of, which a person settles.
    (unknown,) = selectors.payments_to_settle()
    assert ProviderEvent.objects.get().payment == unknown != mine


def test_a_refund_of_a_lost_payment_is_not_applied_to_the_next_one(stub: StripeStub, bill: Plan, paid: Payment) -> None:
    message = stub.refund(paid.charge, 1250)
    lose(paid)
    other = make_bill(name="Other")
    mine = start(other)
    renumber(mine, paid.pk)
    stub.requests.clear()
    send(message)
    assert not stub.requests
    assert (statuses(other), Refund.objects.count()) == (["open"], 0)


def test_the_next_payment_with_a_lost_number_gets_a_page_of_its_own(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    lose(payment)
    mine = start(bill)
    renumber(mine, payment.pk)
    Payment.objects.update(status="started", reference=None, url="", created_at=payment.created_at)
    again = start(bill)
    assert again.reference not in {None, payment.reference}


def test_a_lost_refund_does_not_stand_for_the_next_one(
    stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any], wait: Callable[..., None]
) -> None:
    with commits():
        (lost,) = request_refund(payable="bill", record_id=bill.pk, amount_cents=100, reason="")
    lose(lost)
    Payment.objects.update(refunded_cents=0)
    (mine,) = request_refund(payable="bill", record_id=bill.pk, amount_cents=300, reason="")
    renumber(mine, lost.pk)
    mine = Refund.objects.get()
    sync_refunds(Payment.objects.get())
    mine.refresh_from_db()
    assert (mine.status, mine.reference) == ("pending", None)
    wait(hours=21)
    sent = send_refund(refund_id=mine.pk)
    assert stub.refunds[sent.reference or ""]["amount"] == 300
    assert sorted(Refund.objects.values_list("amount_cents", "status")) == [(100, "succeeded"), (300, "succeeded")]
    assert Payment.objects.get().refunded_cents == 400


def test_payments_that_are_open_during_the_update_are_still_matched(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    Payment.objects.update(status="started", reference=None, url="", external_key=None)
    message = stub.pay(payment.reference)
    message["data"]["object"]["metadata"]["payment"] = str(payment.pk)
    send(message)
    assert (statuses(bill), calls(bill)) == (["succeeded"], ["paid"])


def test_messages_that_wait_since_an_earlier_release_are_read(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    """They have a number in place of the key."""
    Payment.objects.update(external_key=None)
    charge = stub.pay(payment.reference)["data"]["object"]["payment_intent"]
    message = stub.refund(charge, 200)
    stub.is_down = True
    send(message)
    stub.is_down = False
    stored = ProviderEvent.objects.get()
    stored.payload["payment_id"] = payment.pk
    handle(stored)
    assert (statuses(bill), Refund.objects.get().amount_cents) == (["succeeded"], 200)


@pytest.mark.parametrize("old", [True, False])
@pytest.mark.both_databases
def test_a_crash_is_resumed_with_the_key_that_was_sent(
    old: bool, stub: StripeStub, bill: Plan, wait: Callable[..., None]
) -> None:
    payment = start(bill)
    stub.sessions.clear()
    stub._keys.clear()
    keys = {"external_key": None} if old else {}
    Payment.objects.update(status="started", reference=None, url="", **keys)
    first = start(bill)
    session = stub.session(first.reference)
    name = str(payment.pk) if old else payment.external_id
    assert (session["metadata"]["payment"], session["client_reference_id"]) == (name, name)
    Payment.objects.update(status="started", reference=None, url="")
    assert start(bill).reference == first.reference
