"""The forms of what is done with invoices and estimates: sending, paying, refunding, crediting, voiding and deciding."""

from typing import Any

from django import forms
from wagtail.admin.widgets import AdminAutoHeightTextInput

from commerce.common.admin.amounts import AmountForm, RecordActionForm, RecordedPaymentForm, RefundForm
from commerce.common.types import MAX_NAME
from commerce.payments.selectors import refundable_cents
from commerce.payments.types import RECORDED

from ..models import Invoice
from ..types.invoices import MAX_REASON, MAX_TEXT, PAYABLE


class SendForm(RecordActionForm):
    email = forms.EmailField(help_text="Another address is used this time only.")
    message = forms.CharField(
        required=False,
        max_length=MAX_TEXT,
        widget=AdminAutoHeightTextInput(attrs={"rows": 3}),
        help_text="Added to the email, which has the document attached.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].initial = self.record.email


class PaymentForm(RecordedPaymentForm):
    methods = RECORDED

    def most_of(self, record: Invoice) -> int:
        return record.balance_due_cents


class InvoiceRefundForm(RefundForm):
    def most_of(self, record: Invoice) -> int:
        return refundable_cents(PAYABLE, record.pk)


class CreditForm(AmountForm):
    reason = forms.CharField(max_length=MAX_REASON, help_text="Printed on the credit note.")
    refund = forms.BooleanField(
        required=False, initial=True, label="Refund payments", help_text="Gives back the money that exceeds the new total."
    )
    send_email = forms.BooleanField(required=False, initial=True, label="Email the credit note to the client")

    def most_of(self, record: Invoice) -> int:
        return record.total_cents - record.credited_cents


class VoidForm(RecordActionForm):
    reason = forms.CharField(max_length=MAX_REASON, required=False, help_text="Only you see it.")


class DecisionForm(RecordActionForm):
    name = forms.CharField(max_length=2 * MAX_NAME, required=False, help_text="Of the person who has decided.")
    note = forms.CharField(max_length=MAX_REASON, required=False)
