"""Online money that an invoice does not need, or not all of: it is applied, moved to another invoice, or refunded."""

from typing import Any

import pytest
from django.test import Client as Browser

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.invoicing.models import Invoice
from commerce.invoicing.services import INVOICES, credit_invoice, send_reminder
from commerce.payments.models import Payment, Refund
from commerce.payments.selectors import alternatives, payments_to_settle
from commerce.payments.services import (
    apply_unapplied,
    decide_test_payment,
    move_payment,
    refund_unapplied,
    settle,
    start_payment,
)
from commerce.payments.types import PaymentStatus

from .builders import item, make_client, make_draft, make_invoice, pay, reloaded

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def ready(invoicing: None) -> None:
    set_setting(key="payments.allow_test_payments", value=True)


def start(invoice: Invoice) -> Payment:
    """An attempt that the provider says is paid, of which the site does not know yet."""
    payment = start_payment(payable="invoice", record_id=invoice.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    return payment


def late(invoice: Invoice, cents: int = 10_000) -> Payment:
    """Money of an attempt at the whole balance, of which all or a part was recorded by staff before it arrived."""
    payment = start(invoice)
    # The page closes when staff record a payment; the money was on its way by then.
    Payment.objects.filter(pk=payment.pk).update(status=PaymentStatus.EXPIRED)
    pay(invoice, cents)
    return settle(payment_id=payment.pk)


def test_it_works() -> None:
    invoice = make_invoice()
    payment = late(invoice, 4_000)
    assert (payment.status, payment.amount_cents, payment.unapplied) == ("succeeded", 6_000, "")
    after = reloaded(invoice)
    assert (after.status, after.amount_paid_cents, after.balance_due_cents) == ("paid", 10_000, 0)
    rest = payments_to_settle().get()
    assert (rest.amount_cents, rest.record_id) == (4_000, invoice.pk)
    assert rest.unapplied == "$100.00 arrived, and only $60.00 was due."
    with pytest.raises(Invalid, match="no balance due"):
        apply_unapplied(payment=rest)
    refund_unapplied(payment=rest)
    assert not payments_to_settle().exists()
    # The client has got back what was too much; the invoice is paid as before.
    assert [(each.amount_cents, each.status) for each in Refund.objects.all()] == [(4_000, "succeeded")]
    after = reloaded(invoice)
    assert (after.status, after.amount_paid_cents, after.balance_due_cents) == ("paid", 10_000, 0)


def test_money_is_applied_as_far_as_it_is_due_by_hand_too() -> None:
    invoice = make_invoice()
    payment = late(invoice)
    INVOICES.refund(invoice, amount_cents=3_000)
    assert apply_unapplied(payment=payment)
    assert not apply_unapplied(payment=payment)
    after = reloaded(invoice)
    assert (after.status, after.amount_paid_cents, after.balance_due_cents) == ("paid", 10_000, 0)
    assert [each.amount_cents for each in payments_to_settle()] == [7_000]


def test_money_for_a_paid_invoice() -> None:
    invoice = make_invoice()
    assert late(invoice, 10_000).unapplied == "This invoice has no balance due."
    assert reloaded(invoice).amount_paid_cents == 10_000


def test_money_that_was_on_its_way_is_no_longer_awaited() -> None:
    """A bank debit that arrives when less is left: the invoice can be paid and reminded of again."""
    invoice = make_invoice()
    payment = start_payment(payable="invoice", record_id=invoice.pk)
    decide_test_payment(payment=payment, status=PaymentStatus.PROCESSING)
    settle(payment_id=payment.pk)
    assert reloaded(invoice).is_processing
    assert not send_reminder(invoice=invoice, kind="by_hand")
    pay(invoice)
    Payment.objects.filter(pk=payment.pk).update(provider_state={"status": "succeeded"})
    assert settle(payment_id=payment.pk).unapplied == "This invoice has no balance due."
    assert not reloaded(invoice).is_processing
    INVOICES.refund(invoice, amount_cents=10_000)
    assert send_reminder(invoice=invoice, kind="by_hand")


def test_other_money_does_not_end_the_wait() -> None:
    client = make_client()
    first, second = make_invoice(client=client), make_invoice(client=client)
    payment = late(first)
    coming = start_payment(payable="invoice", record_id=second.pk)
    decide_test_payment(payment=coming, status=PaymentStatus.PROCESSING)
    settle(payment_id=coming.pk)
    # Staff may prefer the money that has arrived.
    assert move_payment(payment=payment, record_id=second.pk)
    assert reloaded(second).is_processing
    Payment.objects.filter(pk=coming.pk).update(provider_state={"status": "failed"})
    settle(payment_id=coming.pk)
    assert not reloaded(second).is_processing


def test_it_moves_to_another_invoice_of_the_client() -> None:
    client = make_client()
    first, second = make_invoice(client=client), make_invoice(item(25_000), client=client)
    payment = late(first)
    assert alternatives(payment) == [(second.pk, "INV-1002 ($250.00 due)")]
    assert move_payment(payment=payment, record_id=second.pk)
    payment.refresh_from_db()
    assert (payment.record_id, payment.description, payment.unapplied) == (second.pk, "Invoice INV-1002", "")
    assert (reloaded(first).balance_due_cents, reloaded(second).balance_due_cents) == (0, 15_000)
    # It is a payment of the second invoice in every respect.
    INVOICES.refund(second, amount_cents=10_000)
    assert (reloaded(first).balance_due_cents, reloaded(second).balance_due_cents) == (0, 25_000)


def test_it_moves_nowhere_else() -> None:
    client = make_client()
    first, small, paid, draft = (
        make_invoice(client=client),
        make_invoice(item(9_999), client=client),
        make_invoice(client=client),
        make_draft(client=client),
    )
    pay(paid)
    other = make_invoice()
    payment = late(first)
    assert alternatives(payment) == []
    for invoice in (first, small, paid, draft, other):
        with pytest.raises(Invalid) as refusal:
            move_payment(payment=payment, record_id=invoice.pk)
        assert list(refusal.value.errors) == ["record_id"]
    payment.refresh_from_db()
    assert (payment.record_id, bool(payment.unapplied)) == (first.pk, True)


def test_money_that_is_going_back_stays() -> None:
    client = make_client()
    first, second = make_invoice(client=client), make_invoice(client=client)
    payment = late(first)
    refund_unapplied(payment=payment)
    payment.refresh_from_db()
    assert alternatives(payment) == []
    with pytest.raises(Invalid) as refusal:
        move_payment(payment=payment, record_id=second.pk)
    assert list(refusal.value.errors) == ["status"]
    assert reloaded(second).balance_due_cents == 10_000


def test_crediting_closes_the_payment_page() -> None:
    invoice = make_invoice()
    payment = start_payment(payable="invoice", record_id=invoice.pk)
    credit_invoice(invoice=invoice, amount_cents=3_000, reason="Less work.")
    payment.refresh_from_db()
    assert payment.status == "expired"
    assert start_payment(payable="invoice", record_id=invoice.pk).amount_cents == 7_000


def test_money_that_arrives_although_the_invoice_was_credited() -> None:
    invoice = make_invoice()
    payment = start(invoice)
    # The page was paid before it could be closed, and closing it settles that.
    credit_invoice(invoice=invoice, amount_cents=3_000, reason="Less work.")
    payment.refresh_from_db()
    assert (payment.status, payment.amount_cents, payment.unapplied) == ("succeeded", 7_000, "")
    after = reloaded(invoice)
    assert (after.status, after.amount_paid_cents, after.balance_due_cents) == ("paid", 7_000, 0)
    assert [each.amount_cents for each in payments_to_settle()] == [3_000]


def test_in_the_admin(admin_client: Browser) -> None:
    client = make_client()
    first, second = make_invoice(client=client), make_invoice(client=client)
    payment = late(first)
    path = f"/admin/payments/move/{payment.pk}/"
    page: Any = admin_client.get(path)
    assert "INV-1002 ($100.00 due)" in page.content.decode()
    wrong: Any = admin_client.post(path, {"record_id": first.pk})
    assert wrong.status_code == 422
    page = admin_client.post(path, {"record_id": second.pk}, follow=True)
    assert "The payment has been moved." in page.content.decode()
    assert "Moved from Invoice INV-1001 to Invoice INV-1002" in page.content.decode()
    assert reloaded(second).status == "paid"
    assert "Use for something else" not in page.content.decode()
