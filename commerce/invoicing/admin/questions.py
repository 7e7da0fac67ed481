"""The forms of what is done with invoices and estimates: sending, paying, refunding, crediting, voiding and deciding."""

from datetime import date, datetime, time
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from wagtail.admin.widgets import AdminAutoHeightTextInput, AdminDateInput

from cms_api.flags.selectors import site_timezone
from commerce.common.selectors import format_money
from commerce.common.types import MAX_NAME
from commerce.common.types.money import Money
from commerce.common.views import AmountField
from commerce.payments.types import MAX_REFERENCE, RECORDED

from ..models import Invoice
from ..selectors.invoices import refundable_cents, today
from ..types.invoices import MAX_REASON, MAX_TEXT

#: The first day on which a payment can have been made.
EPOCH = date(1970, 1, 1)


class OfInvoice(forms.Form):
    """A form about an invoice or estimate, the `record`."""

    def __init__(self, *args: Any, record: Invoice, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.record = record


class SendForm(OfInvoice):
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


class AmountForm(OfInvoice):
    """Asks for an amount. It sends along the most that it may be, so that a repeated form does nothing twice."""

    amount_cents = AmountField(label="Amount")
    most_cents = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.most = self.most_of(self.record)
        amount: Any = self.fields["amount_cents"]
        amount.currency = self.record.currency
        amount.initial = self.fields["most_cents"].initial = self.most
        amount.label = f"Amount (at most {format_money(Money(self.most, self.record.currency))})"

    def most_of(self, invoice: Invoice) -> int:
        raise NotImplementedError

    def clean(self) -> dict[str, Any]:
        # Above the form, because the field is hidden.
        if self.cleaned_data.get("most_cents") != self.most:
            raise ValidationError("This invoice has changed in the meantime. Check the amount.")
        return super().clean() or {}


class PaymentForm(AmountForm):
    method = forms.ChoiceField(choices=[(method.value, method.label) for method in RECORDED])
    paid_at = forms.DateField(
        label="Paid on",
        widget=AdminDateInput,
        required=False,
        validators=[MinValueValidator(EPOCH)],
        help_text="Leave empty for today.",
    )
    reference = forms.CharField(
        max_length=MAX_REFERENCE, required=False, help_text="For example the number of a check or a bank transfer."
    )
    note = forms.CharField(max_length=MAX_REASON, required=False, help_text="Only you see it.")

    def most_of(self, invoice: Invoice) -> int:
        return invoice.balance_due_cents

    def clean_paid_at(self) -> datetime | None:
        """Return the moment at noon of the day; None for now."""
        day: date | None = self.cleaned_data["paid_at"]
        return None if day is None or day == today() else datetime.combine(day, time(12), tzinfo=site_timezone())


class RefundForm(AmountForm):
    reason = forms.CharField(max_length=MAX_REASON, required=False, help_text="Only you see it.")

    def most_of(self, invoice: Invoice) -> int:
        return refundable_cents(invoice)


class CreditForm(AmountForm):
    reason = forms.CharField(max_length=MAX_REASON, help_text="Printed on the credit note.")
    refund = forms.BooleanField(
        required=False, initial=True, label="Refund payments", help_text="Gives back the money that exceeds the new total."
    )
    send_email = forms.BooleanField(required=False, initial=True, label="Email the credit note to the client")

    def most_of(self, invoice: Invoice) -> int:
        return invoice.total_cents - invoice.credited_cents


class VoidForm(OfInvoice):
    reason = forms.CharField(max_length=MAX_REASON, required=False, help_text="Only you see it.")


class DecisionForm(OfInvoice):
    name = forms.CharField(max_length=2 * MAX_NAME, required=False, help_text="Of the person who has decided.")
    note = forms.CharField(max_length=MAX_REASON, required=False)
