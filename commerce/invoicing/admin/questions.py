"""The forms of what is done with invoices and estimates: sending, paying, refunding, crediting, voiding and deciding."""

from decimal import Decimal
from typing import Any

from django import forms
from wagtail.admin.widgets import AdminAutoHeightTextInput

from cms_api.adminkit.transitions import Review, ReviewedForm
from cms_api.flags.selectors import site_formats
from commerce.common.admin.amounts import AmountForm, RecordActionForm, by_hand_words
from commerce.common.selectors import format_cents, format_money
from commerce.common.types import MAX_NAME
from commerce.common.types.amounts import NumberField
from commerce.common.types.money import Money, balance_cents
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import check_refund

from ..models import Invoice
from ..resources.sums import tax_label
from ..services.crediting import calculate_credit, credited_quantity
from ..types.invoices import MAX_REASON, MAX_TEXT, PAYABLE
from ..types.items import QUANTITY_DECIMALS


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


class CreditForm(AmountForm, ReviewedForm):
    """Asks how many of which items are credited, or for an amount; `quantities` of the values maps the items' ids to decimals."""

    reason = forms.CharField(max_length=MAX_REASON, help_text="Printed on the credit note.")
    refund = forms.BooleanField(
        required=False, initial=True, label="Refund payments", help_text="Gives back the money that exceeds the new total."
    )
    send_email = forms.BooleanField(required=False, initial=True, label="Email the credit note to the client")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        notes = list(self.record.credit_notes.all())
        numbers: dict[str, forms.Field] = {}
        self.items: dict[str, int] = {}
        for item in self.record.items.all():
            rest = item.quantity - credited_quantity(notes, item.pk)
            if rest > 0 and item.total_cents:
                name = f"quantity-{item.pk}"
                self.items[name] = item.pk
                numbers[name] = NumberField(
                    label=f"{item.description} (of {site_formats().typed_number(rest)})",
                    highest=rest,
                    decimals=QUANTITY_DECIMALS,
                    required=False,
                )
        self.fields = {**numbers, **self.fields}
        amount: Any = self.fields["amount_cents"]
        amount.required, amount.initial = False, None
        amount.help_text = "Instead of items, such as for goodwill. Includes tax, spread over the tax rates in proportion."

    def most_of(self, record: Invoice) -> int:
        return record.total_cents - record.credited_cents

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        quantities = {pk: values[name] for name, pk in self.items.items() if values.get(name)}
        if not quantities and values.get("amount_cents") is None and not self.errors:
            self.add_error("amount_cents", "Enter how many of which items, or an amount.")
        return {**values, "quantities": quantities}

    def review(self) -> Review:
        values = self.cleaned_data
        found = calculate_credit(self.record, quantities=values["quantities"], amount_cents=values["amount_cents"])
        named = "".join(f"{site_formats().number(Decimal(item.quantity))} x {item.description}\n" for item in found.items)
        if found.rounding_cents:
            named += f"Rounding: {self._money(found.rounding_cents)}"
        rates = "\n".join(
            f"{tax_label(part.label, part.percent) if part.label else 'No tax'}: {self._money(part.net_cents)} and "
            f"{self._money(part.tax_cents)} tax"
            for part in found.parts
            if part.gross_cents
        )
        outcome = self._outcome(found.total_cents, refund=values["refund"], send_email=values["send_email"])
        return Review(f"Credit {self._money(found.total_cents)}", "\n\n".join(filter(None, (named.strip(), rates, outcome))))

    def _outcome(self, credited: int, *, refund: bool, send_email: bool) -> str:
        """Return what becomes of the balance and of the client's money, and whether the client is emailed."""
        invoice = self.record
        left = invoice.total_cents - invoice.credited_cents - credited - invoice.amount_paid_cents
        sentences = [f"The balance is {self._money(balance_cents(left, invoice.currency))} then."]
        owed = Money(min(max(0, -left), refundable_cents(PAYABLE, invoice.pk)), invoice.currency)
        if owed.cents and refund:
            by_hand = check_refund(payable=PAYABLE, record_id=invoice.pk, amount_cents=owed.cents)
            sentences += [f"{format_money(owed)} goes back to the client.", by_hand_words(by_hand, owed)]
        elif owed.cents:
            sentences.append(f"The client has paid {format_money(owed)} beyond that, which is not refunded.")
        sentences.append(f"{invoice.email} gets the credit note by email." if send_email else "The client is not emailed.")
        return " ".join(filter(None, sentences))

    def _money(self, cents: int) -> str:
        return format_cents(cents, self.record.currency)


class VoidForm(RecordActionForm):
    reason = forms.CharField(max_length=MAX_REASON, required=False, help_text="Only you see it.")


class DecisionForm(RecordActionForm):
    name = forms.CharField(max_length=2 * MAX_NAME, required=False, help_text="Of the person who has decided.")
    note = forms.CharField(max_length=MAX_REASON, required=False)
