"""Messages of Stripe: verified on their bytes, stored once, and what the sweep takes up when they are lost."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from cms_api.core.batches import RowsFailed
from cms_api.flags.services import switch_feature
from commerce.members.models import Plan
from commerce.payments import selectors
from commerce.payments.models import Payment, ProviderEvent
from commerce.payments.services import record_refund, request_refund
from commerce.payments.services.events import drop_old_events
from commerce.payments.services.sweeping import MAX_FAILURES, sweep_payments

from .bills import BILLS, calls, make_bill
from .conftest import EVENTS, send, start, statuses
from .stripe_stub import StripeStub, sign

pytestmark = pytest.mark.django_db

Wait = Callable[..., None]


@pytest.mark.both_databases
def test_it_works(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    message = stub.pay(payment.reference)
    answer = send(message)
    assert (answer.status_code, answer.content) == (200, b"Received.")
    assert (statuses(bill), calls(bill)) == (["succeeded"], ["paid"])
    (stored,) = ProviderEvent.objects.all()
    assert (stored.event_id, stored.kind, stored.payment) == (message["id"], "checkout.session.completed", payment)
    assert "mia@example.com" not in json.dumps(stored.payload)
    stub.requests.clear()
    assert send(message).status_code == 200
    assert not stub.requests
    assert ProviderEvent.objects.count() == 1


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "t=1,v1=",
        "nonsense",
        "t=x,v1=abc",
        "v1=abc",
        "t=99999999999999999999,v1=é",
        sign(b"another body"),
        "t=" + "9" * 5000 + ",v1=abc",
    ],
    ids=range(8),
)
def test_forged_messages_are_refused(signature: str, stub: StripeStub, bill: Plan, payment: Payment) -> None:
    assert send(stub.pay(payment.reference), signature=signature).status_code == 400
    assert not ProviderEvent.objects.exists()
    assert calls(bill) == []


def test_a_message_signed_long_ago_is_refused(stub: StripeStub, payment: Payment) -> None:
    message = stub.pay(payment.reference)
    body = json.dumps(message).encode()
    assert send(message, signature=sign(body, at=time.time() - 301)).status_code == 400
    assert send(message, signature=sign(body, at=time.time() - 290)).status_code == 200


def test_two_secrets_are_valid_while_one_is_replaced(stub: StripeStub, payment: Payment, settings: Any) -> None:
    settings.STRIPE_WEBHOOK_SECRETS = ["whsec_new", "whsec_stub"]
    message = stub.pay(payment.reference)
    body = json.dumps(message).encode()
    assert send(message, signature=sign(body, "whsec_new")).status_code == 200
    assert send({**message, "id": "evt_2"}).status_code == 200
    assert send(message, signature=sign(body, "whsec_gone")).status_code == 400
    settings.STRIPE_WEBHOOK_SECRETS = []
    assert send(message, signature=sign(body, "")).status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"{}",
        b'{"id": 1, "type": "x", "data": {"object": {}}}',
        b'{"id": "evt_1", "type": "x", "data": []}',
        b"[" * 100_000,
        rb'{"id": "\ud800", "type": "x", "data": {"object": {}}}',
        rb'{"id": "evt_1", "type": "\udfff", "data": {"object": {}}}',
        b'{"id": "evt_1", "type": "x", "data": {"object": {"object": "checkout.session", "metadata": 7}}}',
    ],
)
def test_signed_nonsense_is_refused(body: bytes, stub: StripeStub) -> None:
    answer = Client().post(EVENTS, body, content_type="application/json", headers={"Stripe-Signature": sign(body)})
    assert answer.status_code == 400


def test_other_kinds_are_stored_and_left_alone(stub: StripeStub) -> None:
    odd = {"id": "evt_\0" + "x" * 400, "type": "invoice.paid", "data": {"object": {"object": "invoice"}}}
    foreign = {"id": "cs_other", "object": "checkout.session", "metadata": {"payment": "1", "site": "https://other.example"}}
    for event in (odd, {"id": "evt_2", "type": "checkout.session.completed", "data": {"object": foreign}}):
        assert send(event).status_code == 200
    assert ProviderEvent.objects.filter(handled_at__isnull=False, payment=None).count() == 2


@pytest.mark.both_databases
def test_only_posts_of_a_sensible_size_are_taken(stub: StripeStub) -> None:
    assert Client().get(EVENTS).status_code == 405
    assert Client().post("/payments/events/paypal").status_code == 404
    assert Client().post("/payments/events/offline", b"{}", content_type="application/json").status_code == 400
    assert Client().post(EVENTS, b"x" * (1024 * 1024 + 1), content_type="application/json").status_code == 400
    answer = Client(enforce_csrf_checks=True).post(EVENTS, b"{}", content_type="application/json")
    assert (answer.status_code, answer.cookies, answer.headers["Cache-Control"]) == (400, {}, "no-store")
    switch_feature(name="real_estate", on=False)
    assert Client().post(f"{EVENTS}/", b"{}", content_type="application/json").status_code == 404


def test_a_message_about_an_attempt_whose_answer_was_lost(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    Payment.objects.update(status="started", reference=None, url="")
    send(stub.pay(payment.reference))
    assert (statuses(bill), calls(bill)) == (["succeeded"], ["paid"])


def test_while_the_provider_is_down_messages_wait(stub: StripeStub, bill: Plan, payment: Payment, wait: Wait) -> None:
    message = stub.pay(payment.reference)
    stub.is_down = True
    assert send(message).status_code == 200
    wait(minutes=3)
    sweep_payments()
    assert calls(bill) == []
    stub.is_down = False
    sweep_payments()
    assert calls(bill) == ["paid"]


def test_disputes_are_shown_and_change_nothing_else(stub: StripeStub, bill: Plan, paid: Payment) -> None:
    for status, shown in (("needs_response", "open"), ("under_review", "open"), ("won", "won"), ("lost", "lost")):
        assert send(stub.disputed(paid.charge, status)).status_code == 200
        paid.refresh_from_db()
        assert (paid.dispute, paid.status) == (shown, "succeeded")
        assert selectors.disputed_payments().exists() == (shown == "open")
    assert calls(bill) == ["paid"]


def test_the_sweep_settles_what_nobody_told_of(stub: StripeStub, bill: Plan, payment: Payment, wait: Wait) -> None:
    stub.pay(payment.reference)
    sweep_payments()
    assert statuses(bill) == ["open"]
    wait(minutes=6)
    sweep_payments()
    assert (statuses(bill), calls(bill)) == (["succeeded"], ["paid"])
    stub.requests.clear()
    wait(hours=1)
    sweep_payments()
    assert not stub.requests


@pytest.mark.both_databases
def test_the_sweep_goes_on_after_a_crash_with_the_same_key(stub: StripeStub, bill: Plan, payment: Payment, wait: Wait) -> None:
    Payment.objects.update(status="started", reference=None, url="")
    wait(minutes=3)
    sweep_payments()
    again = Payment.objects.get()
    assert (again.status, again.reference, len(stub.sessions)) == ("open", payment.reference, 1)


@pytest.mark.both_databases
def test_the_sweep_ends_what_expired_before_it_began(stub: StripeStub, bill: Plan, payment: Payment, wait: Wait) -> None:
    Payment.objects.update(status="started", reference=None, url="")
    wait(days=2)
    sweep_payments()
    assert (statuses(bill), calls(bill)) == (["expired"], ["failed"])


def test_one_failing_attempt_does_not_stop_the_others(stub: StripeStub, wait: Wait) -> None:
    bills = [make_bill(name=str(number)) for number in range(4)]
    for each in bills:
        stub.pay(start(each).reference)
    first = Payment.objects.earliest("pk")
    del stub.sessions[first.reference or ""]
    Plan.objects.filter(pk=bills[1].pk).update(description="x" * 499)
    wait(minutes=6)
    sweep_payments()
    assert [statuses(each) for each in bills] == [["open"], ["succeeded"], ["succeeded"], ["succeeded"]]


def test_a_record_that_crashes_does_not_stop_the_others(stub: StripeStub, wait: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    bills = [make_bill(name=str(number)) for number in range(3)]
    for each in bills:
        stub.pay(start(each).reference)
    paid = BILLS.apply_payment

    def crash(record: Plan, payment: Any) -> bool:
        if record == bills[0]:
            raise ZeroDivisionError
        return paid(record, payment)

    monkeypatch.setattr(BILLS, "apply_payment", crash)
    wait(minutes=6)
    with pytest.raises(RowsFailed, match=r"1 could not be taken up. The first: payments.Payment .*ZeroDivisionError"):
        sweep_payments()
    assert [statuses(each) for each in bills] == [["open"], ["succeeded"], ["succeeded"]]


def test_a_provider_that_is_down_is_left_alone(stub: StripeStub, wait: Wait) -> None:
    for number in range(MAX_FAILURES + 5):
        start(make_bill(name=str(number)))
    stub.is_down = True
    stub.requests.clear()
    wait(minutes=6)
    sweep_payments()
    # Each is tried twice, by the library.
    assert len(stub.requests) == MAX_FAILURES * 2
    assert Payment.objects.filter(checked_at=None).count() == 5


def test_what_another_account_took_does_not_stop_the_sweep(stub: StripeStub, wait: Wait) -> None:
    """The provider answers: it does not know them, since the keys of another account are in use."""
    former, bill = [start(make_bill(name=str(number))) for number in range(MAX_FAILURES)], make_bill(name="new")
    stub.pay(start(bill).reference)
    for each in former:
        del stub.sessions[str(each.reference)]
    wait(minutes=6)
    sweep_payments()
    assert statuses(bill) == ["succeeded"]


@pytest.mark.django_db(transaction=True)
def test_money_that_went_back_twice_does_not_stop_the_sweep(stub: StripeStub, bill: Plan, paid: Payment, wait: Wait) -> None:
    stub.refunds_pend = True
    (refund,) = request_refund(payable="bill", record_id=bill.pk, amount_cents=1250)
    refund.refresh_from_db()
    send(stub.decide_refund(refund.reference, "failed"))
    # By bank transfer, and then in the dashboard too, of which several messages come.
    record_refund(payment=paid)
    message = stub.refund(paid.charge, 1250)
    for number in range(MAX_FAILURES):
        assert send({**message, "id": f"evt_{number}"}).status_code == 200
    new = make_bill(name="new")
    stub.pay(start(new).reference)
    wait(minutes=6)
    sweep_payments()
    assert (statuses(new), ProviderEvent.objects.filter(handled_at=None).count()) == (["succeeded"], MAX_FAILURES)


def test_handled_messages_are_dropped_after_a_while(stub: StripeStub, payment: Payment, wait: Wait) -> None:
    send(stub.pay(payment.reference))
    wait(days=89)
    drop_old_events()
    assert ProviderEvent.objects.exists()
    wait(days=2)
    drop_old_events()
    assert not ProviderEvent.objects.exists()
