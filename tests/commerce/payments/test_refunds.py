"""Refunds: never more than was paid, sent once, and given back if they fail."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from cms_api.core.errors import Invalid
from commerce.members.models import Plan
from commerce.payments import selectors
from commerce.payments.models import Payment, ProviderEvent, Refund
from commerce.payments.services import (
    check_refund,
    record_payment,
    record_refund,
    refund_unapplied,
    request_refund,
    send_refund,
    settle,
)
from commerce.payments.services.events import drop_old_events
from commerce.payments.services.refunds import UNKNOWN_REFUND, sync_refunds
from commerce.payments.services.sweeping import sweep_payments
from commerce.payments.types import REFUND_STUCK_AFTER
from tests.client import together

from .bills import BILLS, calls
from .conftest import send, start
from .stripe_stub import StripeStub

pytestmark = pytest.mark.django_db


def refund(bill: Plan, cents: int) -> list[Refund]:
    return request_refund(payable="bill", record_id=bill.pk, amount_cents=cents, reason="Broken.")


def left(payment: Payment) -> int:
    payment.refresh_from_db()
    return payment.refundable_cents


@pytest.mark.both_databases
def test_it_works(stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]) -> None:
    with commits():
        (requested,) = refund(bill, 500)
        assert (requested.status, left(paid)) == ("pending", 750)
    requested.refresh_from_db()
    assert (requested.status, stub.refunds[requested.reference or ""]["amount"]) == ("succeeded", 500)
    assert calls(bill) == ["paid", "refunded:500"]
    assert send_refund(refund_id=requested.pk).status == "succeeded"
    assert len(stub.refunds) == 1


@pytest.mark.parametrize("cents", [0, -1, 1251, 2**70])
def test_more_than_was_paid_is_refused(cents: int, bill: Plan, paid: Payment) -> None:
    with pytest.raises(Invalid) as refused:
        refund(bill, cents)
    assert set(refused.value.errors) == {"amount_cents"}
    assert (left(paid), Refund.objects.count()) == (1250, 0)


def test_money_of_several_payments_goes_back_newest_first(
    stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]
) -> None:
    Plan.objects.update(position=0)
    with commits():
        cash = record_payment(payable="bill", record_id=bill.pk, amount_cents=300, method="cash")
    assert [check_refund(payable="bill", record_id=bill.pk, amount_cents=cents) for cents in (200, 1000)] == [200, 300]
    with commits():
        first, second = refund(bill, 1000)
    assert (first.payment, first.amount_cents, second.payment, second.amount_cents) == (cash, 300, paid, 700)
    first.refresh_from_db()
    assert first.status == "succeeded"
    assert calls(bill) == ["paid", "refunded:300", "refunded:700"]
    with pytest.raises(Invalid, match=r"At most \$5.50"):
        refund(bill, 551)


def test_nothing_is_sent_if_the_transaction_fails(
    stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]
) -> None:
    def fail() -> None:
        with transaction.atomic():
            refund(bill, 500)
            raise ValueError("no")

    with commits(), pytest.raises(ValueError, match="no"):
        fail()
    assert (left(paid), len(stub.refunds), Refund.objects.count()) == (1250, 0, 0)


@pytest.mark.parametrize("outcome", ["succeeded", "failed"])
def test_a_refund_may_be_pending_for_days(
    outcome: str, stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]
) -> None:
    stub.refunds_pend = True
    with commits():
        (requested,) = refund(bill, 1250)
    requested.refresh_from_db()
    assert (requested.status, requested.reference is None) == ("pending", False)
    message = stub.decide_refund(requested.reference, outcome)
    for _ in range(3):
        assert send(message).status_code == 200
    requested.refresh_from_db()
    assert requested.status == outcome
    assert left(paid) == (0 if outcome == "succeeded" else 1250)
    assert calls(bill) == ["paid", "refunded:1250" if outcome == "succeeded" else "returned:1250"]
    assert selectors.failed_refunds().exists() == (outcome == "failed")


def test_a_refund_that_comes_back_is_given_back(stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]) -> None:
    with commits():
        (requested,) = refund(bill, 1250)
    requested.refresh_from_db()
    send(stub.decide_refund(requested.reference, "failed"))
    requested.refresh_from_db()
    assert (requested.status, left(paid)) == ("failed", 1250)
    assert requested.error == "expired or canceled card"
    assert calls(bill) == ["paid", "refunded:1250", "returned:1250"]


def test_refunds_of_the_dashboard_are_recorded(stub: StripeStub, bill: Plan, paid: Payment) -> None:
    message = stub.refund(paid.charge, 400)
    for _ in range(3):
        send(message)
    send(stub.refund(paid.charge, 100))
    assert left(paid) == 750
    assert calls(bill) == ["paid", "refunded:400", "refunded:100"]
    assert {each.requested_by for each in Refund.objects.all()} == {None}


def test_a_refund_that_is_told_of_before_its_payment(stub: StripeStub, bill: Plan, payment: Payment, commits: Any) -> None:
    paid_message = stub.pay(payment.reference)
    charge = stub.session(payment.reference)["payment_intent"]
    stub.refund(charge, 1250)
    # About a refund alone: it does not say which attempt it belongs to.
    with commits():
        send(stub.decide_refund(next(iter(stub.refunds)), "succeeded"))
    waiting = ProviderEvent.objects.get()
    assert (waiting.handled_at, waiting.charge, calls(bill)) == (None, charge, [])
    sweep_payments()
    with commits():
        send(paid_message)
    assert calls(bill) == ["paid", "refunded:1250"]
    assert left(payment) == 0
    waiting.refresh_from_db()
    assert (bool(waiting.handled_at), waiting.charge, waiting.payment) == (True, "", payment)


def test_a_charge_that_is_told_of_before_its_payment_settles_it(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    paid_message = stub.pay(payment.reference)
    send(stub.refund(stub.session(payment.reference)["payment_intent"], 1250))
    assert calls(bill) == ["paid", "refunded:1250"]
    send(paid_message)
    assert (calls(bill), left(payment)) == (["paid", "refunded:1250"], 0)


@pytest.mark.both_databases
def test_a_message_that_waits_is_taken_up_by_the_sweep(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    stub.pay(payment.reference)
    stub.refund(stub.session(payment.reference)["payment_intent"], 1250)
    send(stub.decide_refund(next(iter(stub.refunds)), "succeeded"))
    # Without what follows the commit, as after a crash.
    settle(payment_id=payment.pk)
    assert calls(bill) == ["paid"]
    sweep_payments()
    assert calls(bill) == ["paid", "refunded:1250"]


def test_messages_about_payments_of_others_are_dropped_after_a_while(
    stub: StripeStub, bill: Plan, payment: Payment, wait: Callable[..., None]
) -> None:
    send(stub.disputed("pi_other"))
    assert ProviderEvent.objects.get().charge == "pi_other"
    wait(days=91)
    drop_old_events()
    assert not ProviderEvent.objects.exists()


def test_a_refund_of_a_split_payment_takes_from_what_was_too_much_first(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    stub.pay(payment.reference)
    Plan.objects.filter(pk=bill.pk).update(price_cents=1000)
    settled = settle(payment_id=payment.pk)
    rest = selectors.payments_to_settle().get()
    assert (settled.amount_cents, rest.amount_cents, rest.charge) == (1000, 250, settled.charge)
    for _ in range(2):
        send(stub.refund(settled.charge, 100))
    assert (left(settled), left(rest)) == (1000, 50)
    send(stub.refund(settled.charge, 1050))
    assert (left(settled), left(rest)) == (0, 0)
    assert calls(bill) == ["paid", "refunded:1000"]


def test_a_message_about_our_own_refund_is_no_second_one(
    stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any], wait: Callable[..., None]
) -> None:
    stub.loses_answers = 2
    with commits():
        (requested,) = refund(bill, 400)
    (reference,) = stub.refunds
    send(stub.event("refund.created", stub.refunds[reference]))
    requested.refresh_from_db()
    assert (requested.status, requested.reference, Refund.objects.count()) == ("succeeded", reference, 1)
    wait(hours=2)
    sweep_payments()
    assert (left(paid), len(stub.refunds)) == (850, 1)


@pytest.mark.parametrize("later", [{"minutes": 5}, {"days": 3}])
@pytest.mark.both_databases
def test_a_refund_whose_answer_was_lost_is_not_sent_twice(
    later: dict[str, int], stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any], wait: Callable[..., None]
) -> None:
    stub.loses_answers = 2
    with commits():
        (requested,) = refund(bill, 400)
    requested.refresh_from_db()
    assert (requested.status, requested.reference, len(stub.refunds)) == ("pending", None, 1)
    wait(**later)
    if "days" in later:
        stub._keys.clear()
    sweep_payments()
    requested.refresh_from_db()
    assert (requested.status, len(stub.refunds), left(paid)) == ("succeeded", 1, 850)


def test_while_the_provider_is_down_a_refund_waits(
    stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any], wait: Callable[..., None]
) -> None:
    stub.is_down = True
    with commits():
        (requested,) = refund(bill, 400)
    stub.is_down = False
    sweep_payments()
    assert not stub.refunds
    wait(minutes=3)
    sweep_payments()
    requested.refresh_from_db()
    assert (requested.status, left(paid)) == ("succeeded", 850)


def test_a_refund_of_more_than_is_left_at_the_provider_has_failed(
    stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any], wait: Callable[..., None]
) -> None:
    with commits():
        (requested,) = refund(bill, 1250)
        message = stub.refund(paid.charge, 1000)
        # More than we know to be left: our refund has not been sent yet.
        assert send(message).status_code == 200
        assert left(paid) == 0
    requested.refresh_from_db()
    assert (requested.status, requested.error) == ("failed", UNKNOWN_REFUND)
    # It was looked up again after the refund had failed.
    assert left(paid) == 250
    assert sorted(calls(bill)) == ["paid", "refunded:1000", "returned:1250"]
    with commits():
        (requested,) = refund(bill, 250)
    requested.refresh_from_db()
    assert (requested.status, left(paid)) == ("succeeded", 0)


@pytest.mark.both_databases
def test_money_that_has_gone_back_unknown_to_the_site_goes_back_no_second_time(
    stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]
) -> None:
    stub.refund(paid.charge, 400)
    with commits():
        (requested,) = refund(bill, 400)
    requested.refresh_from_db()
    assert (requested.status, requested.error) == ("failed", UNKNOWN_REFUND)
    assert (len(stub.refunds), left(paid)) == (1, 850)
    with commits():
        (requested,) = refund(bill, 400)
    requested.refresh_from_db()
    assert (requested.status, len(stub.refunds), left(paid)) == ("succeeded", 2, 450)


@pytest.mark.both_databases
def test_a_refund_that_the_provider_refuses_has_failed(
    stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]
) -> None:
    stub.sessions[paid.reference]["amount_total"] = 100
    with commits():
        (requested,) = refund(bill, 400)
    requested.refresh_from_db()
    assert (requested.status, "greater than unrefunded" in requested.error) == ("failed", True)
    assert left(paid) == 1250


class TestInAnotherWay:
    """A person gives back the money that the provider could not."""

    @pytest.fixture
    def failed(self, stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]) -> Refund:
        with commits():
            (requested,) = refund(bill, 500)
        requested.refresh_from_db()
        send(stub.decide_refund(requested.reference, "failed"))
        requested.refresh_from_db()
        assert (requested.status, left(paid)) == ("failed", 1250)
        return requested

    def test_it_works(self, stub: StripeStub, bill: Plan, paid: Payment, failed: Refund) -> None:
        assert record_refund(payment=paid, note="Transfer 17")
        failed.refresh_from_db()
        assert (failed.status, failed.is_by_hand, failed.reason, left(paid)) == ("succeeded", True, "Transfer 17", 750)
        assert calls(bill)[-1] == "refunded:500"
        assert not selectors.failed_refunds()
        assert not record_refund(payment=paid)
        assert left(paid) == 750

    def test_the_provider_has_no_more_say(self, stub: StripeStub, paid: Payment, failed: Refund) -> None:
        record_refund(payment=paid)
        sync_refunds(paid)
        failed.refresh_from_db()
        assert (failed.status, left(paid)) == ("succeeded", 750)

    @pytest.mark.both_databases
    def test_one_that_cannot_be_sent_is_listed_after_days(
        self, stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any]
    ) -> None:
        stub.is_down = True
        with commits():
            (requested,) = refund(bill, 1250)
        paid.refresh_from_db()
        assert paid.pending_refund_cents == 1250
        assert (list(selectors.failed_refunds()), record_refund(payment=paid)) == ([], False)
        Refund.objects.update(created_at=timezone.now() - REFUND_STUCK_AFTER)
        sweep_payments()
        assert list(selectors.failed_refunds()) == [requested]
        assert record_refund(payment=paid)
        requested.refresh_from_db()
        assert (requested.status, left(paid), calls(bill)[-1]) == ("succeeded", 0, "refunded:1250")
        stub.is_down = False
        sweep_payments()
        assert stub.refunds == {}


def test_a_failed_refund_of_unapplied_money_is_to_be_settled_again(
    stub: StripeStub, bill: Plan, payment: Payment, commits: Callable[[], Any]
) -> None:
    Plan.objects.update(enabled=False)
    stub.pay(payment.reference)
    late = settle(payment_id=payment.pk)
    stub.refunds_pend = True
    with commits():
        refund_unapplied(payment=late)
    assert not selectors.payments_to_settle().exists()
    send(stub.decide_refund(next(iter(stub.refunds)), "failed"))
    assert list(selectors.payments_to_settle()) == [late]
    assert calls(bill) == []


def test_unapplied_money_is_not_refunded_with_the_record(stub: StripeStub, bill: Plan, payment: Payment) -> None:
    Plan.objects.update(enabled=False)
    stub.pay(payment.reference)
    settle(payment_id=payment.pk)
    with pytest.raises(Invalid, match="no payment left"):
        refund(bill, 1)


@pytest.mark.both_databases
def test_a_crash_while_noting_a_refund_is_taken_up(
    stub: StripeStub, bill: Plan, paid: Payment, commits: Callable[[], Any], wait: Callable[..., None]
) -> None:
    BILLS.crashes = {"refunded:400"}
    with commits():
        (requested,) = refund(bill, 400)
    requested.refresh_from_db()
    assert (requested.status, calls(bill)) == ("pending", ["paid"])
    BILLS.crashes = set()
    wait(minutes=3)
    sweep_payments()
    assert (calls(bill), len(stub.refunds)) == (["paid", "refunded:400"], 1)


@pytest.mark.django_db(transaction=True)
def test_twenty_refunds_at_once_are_no_more_than_was_paid(stub: StripeStub, bill: Plan) -> None:
    paid = pay(stub, bill)

    def attempt(number: int) -> int:
        try:
            return len(refund(bill, 125))
        except Invalid:
            return 0

    assert sum(together(attempt, 20)) == 10
    assert left(paid) == 0
    assert sum(each["amount"] for each in stub.refunds.values()) == 1250


@pytest.mark.django_db(transaction=True)
def test_control_looking_before_taking_takes_too_much(stub: StripeStub, bill: Plan) -> None:
    """The same callers without the condition: all see enough, and only the table's own check stops them."""
    paid = pay(stub, bill)
    looked = threading.Barrier(15)

    def look_and_take(number: int) -> bool:
        enough = Payment.objects.get(pk=paid.pk).refundable_cents >= 125
        looked.wait(20)
        return enough

    assert sum(together(look_and_take, 15)) == 15
    taken = Payment.objects.filter(pk=paid.pk, refunded_cents__lte=F("amount_cents") - 1251)
    assert not taken.update(refunded_cents=F("refunded_cents") + 1251)


def pay(stub: StripeStub, bill: Plan) -> Payment:
    payment = start(bill)
    stub.pay(payment.reference)
    return settle(payment_id=payment.pk)
