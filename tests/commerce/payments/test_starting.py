"""Starting a payment, using it again, and closing it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.members.models import Plan
from commerce.payments import selectors
from commerce.payments.models import Payment
from commerce.payments.services import close_payments, settle, start_payment
from tests.client import together

from .bills import BILLS, calls, make_bill
from .conftest import start, statuses
from .stripe_stub import StripeStub

pytestmark = pytest.mark.django_db


def close(bill: Plan) -> bool:
    return close_payments(payable="bill", record_id=bill.pk)


@pytest.mark.both_databases
def test_it_works(stub: StripeStub, bill: Plan) -> None:
    payment = start(bill)
    assert (payment.status, payment.amount, payment.provider) == ("open", bill.price, "stripe")
    assert payment.url == f"{stub.url}/pay/{payment.reference}"
    session = stub.session(payment.reference)
    assert (session["amount_total"], session["currency"], session["customer_email"]) == (1250, "usd", "mia@example.com")
    assert session["metadata"] == {"payment": payment.external_id, "site": "http://testserver"}
    assert session["success_url"] == selectors.LINK.url(payment)
    assert session["cancel_url"] == "http://testserver/bills/1/cancel"
    stub.pay(payment.reference)
    settled = settle(payment_id=payment.pk)
    assert (settled.status, settled.unapplied, settled.refundable_cents) == ("succeeded", "", 1250)
    assert settled.charge.startswith("pi_")
    assert calls(bill) == ["paid"]


def test_an_open_page_is_used_again(stub: StripeStub, bill: Plan) -> None:
    assert start(bill) == start(bill)
    assert stub.requests == ["POST /v1/checkout/sessions"]


def test_another_amount_closes_the_page_first(stub: StripeStub, bill: Plan) -> None:
    first = start(bill)
    Plan.objects.update(price_cents=2000)
    second = start(bill)
    assert second.amount_cents == 2000
    assert stub.session(first.reference)["status"] == "expired"
    assert statuses(bill) == ["expired", "open"]
    assert calls(bill) == ["failed"]


def test_a_page_that_was_paid_meanwhile_is_settled_instead(stub: StripeStub, bill: Plan) -> None:
    first = start(bill)
    stub.pay(first.reference)
    Plan.objects.update(price_cents=2000)
    with pytest.raises(Invalid, match="already been paid"):
        start(bill)
    assert statuses(bill) == ["succeeded"]
    assert calls(bill) == ["paid"]


def test_a_page_that_expires_soon_is_not_offered_again(stub: StripeStub, bill: Plan) -> None:
    first = start(bill)
    Payment.objects.update(expires_at=timezone.now() + timedelta(seconds=90))
    assert start(bill) != first
    assert statuses(bill) == ["expired", "open"]


def test_a_payment_on_its_way_is_not_started_again(stub: StripeStub, bill: Plan) -> None:
    first = start(bill)
    stub.pay(first.reference, by="bank")
    settle(payment_id=first.pk)
    with pytest.raises(Invalid, match="on its way"):
        start(bill)
    assert not close(bill)
    assert statuses(bill) == ["processing"]


@pytest.mark.parametrize(("wanted", "lives"), [(None, 23), (timedelta(minutes=5), 0.5), (timedelta(days=9), 23)])
def test_a_page_lives_as_long_as_stripe_allows(stub: StripeStub, bill: Plan, wanted: timedelta | None, lives: float) -> None:
    BILLS.expires_at = timezone.now() + wanted if wanted else None
    payment = start(bill)
    assert payment.expires_at is not None
    assert payment.expires_at - timezone.now() > timedelta(hours=lives)


def test_what_is_not_due_is_not_started(stub: StripeStub, bill: Plan) -> None:
    Plan.objects.update(enabled=False)
    with pytest.raises(Invalid, match="cancelled"):
        start(bill)
    Plan.objects.all().delete()
    with pytest.raises(Invalid, match="no longer exists"):
        start(bill)
    assert not Payment.objects.exists()


def test_a_provider_that_cannot_be_reached_is_said_so(stub: StripeStub, bill: Plan) -> None:
    stub.is_down = True
    with pytest.raises(Invalid, match="couldn't reach the payment provider") as refused:
        start(bill)
    assert set(refused.value.errors) == {"payment"}
    failed = Payment.objects.get()
    assert (failed.status, calls(bill)) == ("failed", ["failed"])
    assert failed.error
    stub.is_down = False
    assert start(bill).status == "open"


def test_a_payment_that_the_provider_refuses_has_failed(stub: StripeStub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its least amount depends on the account too."""
    monkeypatch.setattr("commerce.payments.selectors.STRIPE_TAKES_FROM", {})
    bill = make_bill(20)
    with pytest.raises(Invalid, match="can't be made online"):
        start(bill)
    assert "at least 50 cents" in Payment.objects.get().error


def test_a_wrong_key_is_said_so(stub: StripeStub, bill: Plan, settings: Any) -> None:
    settings.STRIPE_SECRET_KEY = "sk_test_other"
    with pytest.raises(Invalid, match="couldn't reach"):
        start(bill)


def test_while_nothing_is_set_up_nobody_can_pay(bill: Plan) -> None:
    assert not selectors.is_ready()
    with pytest.raises(Invalid, match="aren't available"):
        start(bill)
    set_setting(key="payments.provider", value="stripe")
    assert not selectors.is_ready()
    assert not Payment.objects.exists()


def test_closing_says_whether_money_may_still_arrive(stub: StripeStub, bill: Plan) -> None:
    assert close(bill)
    payment = start(bill)
    stub.is_down = True
    assert not close(bill)
    stub.is_down = False
    assert close(bill)
    assert stub.session(payment.reference)["status"] == "expired"
    paid = start(bill)
    stub.pay(paid.reference)
    assert not close(bill)
    assert calls(bill) == ["failed", "paid"]
    assert close(bill)


def test_an_attempt_that_was_never_shown_is_closed_without_the_provider(stub: StripeStub, bill: Plan) -> None:
    start(bill)
    Payment.objects.update(status="started", reference=None, url="")
    stub.requests.clear()
    assert close(bill)
    assert not stub.requests


def test_requests_are_never_sent_in_a_transaction(stub: StripeStub, bill: Plan) -> None:
    payment = start(bill)
    with pytest.raises(RuntimeError), transaction.atomic():
        start(bill)
    with pytest.raises(RuntimeError), transaction.atomic():
        settle(payment_id=payment.pk)
    with pytest.raises(RuntimeError), transaction.atomic():
        close(bill)


@pytest.mark.django_db(transaction=True)
def test_twenty_who_start_at_once_get_one_page(stub: StripeStub, bill: Plan) -> None:
    started = together(lambda number: start(bill).url, 20)
    assert len(set(started)) == 1
    assert Payment.objects.count() == len(stub.sessions) == 1


@pytest.mark.django_db(transaction=True)
def test_the_page_of_a_request_that_was_closed_meanwhile_is_closed_too(
    stub: StripeStub, bill: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    create: Callable[..., Any] = stub._create

    def created(sent: dict[str, Any]) -> dict[str, Any]:
        if not stub.sessions:
            assert together(lambda number: close(bill), 1) == [True]
        return create(sent)

    monkeypatch.setattr(stub, "_create", created)
    payment = start_payment(payable="bill", record_id=bill.pk)
    assert statuses(bill) == ["expired", "open"]
    assert [session["status"] for session in stub.sessions.values()] == ["expired", "open"]
    assert stub.session(payment.reference)["status"] == "open"
