"""Invoices as records that clients pay for, online and otherwise."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import is_being_paid
from commerce.payments.types import PaymentStatus
from commerce.sales.services import SalePayable, read_part
from commerce.sales.types import Stage

from ..models import Invoice
from ..selectors.invoices import INVOICE_LINK, admin_url, invoices, payable_with
from ..types.invoices import PAYABLE, Status
from . import notices
from .balances import settle_balance
from .issuing import issue, lock_invoice


class Invoices(SalePayable[Invoice]):
    """Invoices can be paid in parts, so whether money is on its way is looked up, and the balance is calculated."""

    model, payable, log_prefix, customer_link = Invoice, PAYABLE, "invoicing", INVOICE_LINK
    stages = {
        Status.DRAFT: Stage.PENDING,
        Status.SENT: Stage.PENDING,
        Status.PAID: Stage.PAID,
        Status.VOID: Stage.CANCELLED,
        # Of estimates, which nobody pays.
        Status.ACCEPTED: Stage.PENDING,
        Status.DECLINED: Stage.PENDING,
    }
    # Its balance is due again once its money has gone back; and one that costs nothing can be voided.
    more_transitions = {Stage.PAID: {Stage.PENDING, Stage.CANCELLED}}

    def lock(self, pk: int) -> Invoice | None:
        return lock_invoice(pk)

    def check_due(self, record: Invoice) -> None:
        check_payable(record)
        if record.is_draft:
            raise Invalid({"status": "This invoice has not been issued yet."})

    def amount_to_pay(self, record: Invoice) -> Money:
        return record.balance

    def describe(self, record: Invoice) -> str:
        return f"Invoice {record.number}"

    def amount_due(self, record: Invoice) -> Money | None:
        check_payable(record)
        return record.balance

    def check_refundable(self, record: Invoice) -> None:
        if not record.amount_paid_cents:
            raise Invalid({"status": "Nothing has been paid for this invoice."})

    def read_amount(self, sale: Invoice, values: Mapping[str, Any]) -> int:
        """Return a part of the balance, by default the whole."""
        check_payable(sale)
        return read_part(sale, values)

    def prepare_recording(self, sale: Invoice, user: Any) -> None:
        """Issue a draft."""
        if sale.is_draft:
            issue(sale, user)

    def apply_payment(self, record: Invoice, payment: Any) -> bool:
        """Apply money, also a part of the balance."""
        check_payable(record)
        record.is_processing = is_being_paid(PAYABLE, record.pk)
        _apply(record, payment)
        return True

    def record_processing(self, record: Invoice, payment: Any) -> None:
        _note_processing(record)
        log(instance=record, action="invoicing.payment_processing")

    def record_failure(self, record: Invoice, payment: Any) -> None:
        if record.is_processing:
            _note_processing(record)
            if payment.status != PaymentStatus.SUCCEEDED:
                log(instance=record, action="invoicing.payment_failed")

    def record_refund(self, record: Invoice, refund: Any) -> None:
        settle_balance(record)
        self.log_refund(record, refund)

    def notify_of_refund(self, record: Invoice, amount: Money) -> None:
        notices.send_refunded(record, amount)

    def alternatives(self, payment: Any) -> list[tuple[int, str]]:
        """Return the client's other invoices whose balance is not below the payment, those due first."""
        found = payable_with(payment)
        return [(invoice.pk, f"{invoice} ({format_money(invoice.balance)} due)") for invoice in found]

    def url(self, pk: int) -> str:
        return admin_url(invoices().get(pk=pk))

    def name(self, pk: int) -> str:
        return str(invoices().get(pk=pk))


INVOICES = Invoices()


def check_payable(invoice: Invoice) -> None:
    """Raise Invalid (`status`) for what cannot be paid, or not any more."""
    if not invoice.is_invoice:
        raise Invalid({"status": "An estimate can't be paid."})
    if invoice.status == Status.VOID:
        raise Invalid({"status": "This invoice is void."})
    if invoice.status == Status.PAID or not invoice.balance_due_cents:
        raise Invalid({"status": "This invoice has no balance due."})


def _note_processing(invoice: Invoice) -> None:
    invoice.is_processing, invoice.updated_at = is_being_paid(PAYABLE, invoice.pk), timezone.now()
    invoice.save(update_fields=["is_processing", "updated_at"])


def _apply(invoice: Invoice, payment: Any) -> None:
    """Take note of money that has been stored for a locked invoice."""
    settle_balance(invoice, at=payment.paid_at)
    log(
        instance=invoice,
        action="invoicing.pay",
        user=payment.recorded_by,
        data={"cents": payment.amount_cents, "currency": payment.currency, "method": payment.get_method_display()},
    )
    notices.send_receipt(invoice, payment)
