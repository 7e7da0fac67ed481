"""Payments of an invoice never exceed its balance, and its status follows from them."""

from datetime import UTC, datetime

import pytest

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.invoicing.services import INVOICES, issue_invoice
from commerce.invoicing.services.pdfs import pdf_of
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from tests.commerce.shop.outcomes import kinds

from .builders import item, make_draft, make_estimate, make_invoice, make_void, pay, reloaded


@pytest.mark.both_databases
def test_it_works() -> None:
    invoice = make_invoice(item(12_500, 2, tax=20))
    assert (invoice.number, invoice.status, invoice.total_cents, invoice.balance_due_cents) == (
        "INV-1001",
        "sent",
        30_000,
        30_000,
    )
    pay(invoice, 10_000)
    part = reloaded(invoice)
    assert (part.status, part.amount_paid_cents, part.balance_due_cents) == ("sent", 10_000, 20_000)
    pay(invoice)
    whole = reloaded(invoice)
    assert (whole.status, whole.amount_paid_cents, whole.balance_due_cents) == ("paid", 30_000, 0)
    assert whole.paid_at is not None
    assert kinds("invoice.") == ["invoice.paid"]
    assert OutgoingMail.objects.filter(template="invoice_receipt").count() == 2


def test_a_draft_is_issued_by_its_first_payment() -> None:
    draft = make_draft()
    pay(draft, 1)
    issued = reloaded(draft)
    assert (issued.status, issued.balance_due_cents) == ("sent", 9_999)
    assert pdf_of(issued)


@pytest.mark.parametrize("make", [make_estimate, make_void])
def test_what_cannot_be_paid(make: object) -> None:
    with pytest.raises(Invalid) as refusal:
        pay(make())  # type: ignore[operator]
    assert list(refusal.value.errors) == ["status"]


@pytest.mark.parametrize("cents", [0, -1, 10_001, 2**63])
def test_more_than_the_balance_is_refused(cents: int) -> None:
    invoice = make_invoice()
    with pytest.raises(Invalid) as refusal:
        pay(invoice, cents)
    assert list(refusal.value.errors) == ["amount_cents"]
    assert reloaded(invoice).amount_paid_cents == 0


@pytest.mark.django_db(transaction=True)
def test_an_online_payment() -> None:
    set_setting(key="payments.allow_test_payments", value=True)
    invoice = make_invoice()
    pay(invoice, 4_000)
    payment = start_payment(payable="invoice", record_id=invoice.pk)
    assert payment.amount_cents == 6_000
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    settle(payment_id=payment.pk)
    assert (reloaded(invoice).status, reloaded(invoice).amount_paid_cents) == ("paid", 10_000)


@pytest.mark.django_db(transaction=True)
def test_money_that_has_gone_back_is_due_again() -> None:
    invoice = make_invoice()
    pay(invoice)
    INVOICES.refund(invoice, amount_cents=2_500)
    after = reloaded(invoice)
    assert (after.status, after.balance_due_cents, after.paid_at) == ("sent", 2_500, None)


def test_an_invoice_over_nothing_is_paid_when_it_is_issued() -> None:
    draft = make_draft(item(0))
    issue_invoice(invoice=draft)
    assert reloaded(draft).status == "paid"


def test_a_payment_of_an_earlier_day_pays_the_invoice_on_that_day() -> None:
    arrived = datetime(2026, 3, 1, 12, tzinfo=UTC)
    invoice = make_invoice()
    pay(invoice, paid_at=arrived)
    assert reloaded(invoice).paid_at == arrived
