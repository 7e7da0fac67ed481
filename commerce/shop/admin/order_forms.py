"""The forms of what is done with an order: shipping it, refunding it, and recording a payment."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from cms_api.adminkit.transitions import Review, ReviewedForm
from commerce.common.admin.amounts import refund_review
from commerce.common.selectors import format_money
from commerce.common.types.amounts import AmountField
from commerce.common.types.money import Money
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import check_refund

from ..models import Order, OrderItem, Shipment
from ..services.ending import amount_of, check_restock, pieces_of_refund
from ..types.orders import CARRIERS, MAX_CARRIER, MAX_TRACKING, MAX_TRACKING_URL, PAYABLE, tracking_url

MAX_REASON = 500


class PiecesForm(forms.Form):
    """How many pieces of each item of an order; `pieces` of the values maps the items' ids to numbers."""

    def __init__(self, *args: Any, record: Order, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.record = record
        self.items = {f"pieces-{item.pk}": item for item in record.items.all() if self.most(item)}
        numbers = {
            name: forms.IntegerField(
                label=f"{item.full_name} (of {self.most(item)})",
                min_value=0,
                max_value=self.most(item),
                initial=self.initial_pieces(item),
                required=False,
            )
            for name, item in self.items.items()
        }
        self.fields = {**numbers, **self.fields}

    def most(self, item: OrderItem) -> int:
        """Return the largest number that may be entered; items of which it is 0 are not asked for."""
        raise NotImplementedError

    def initial_pieces(self, item: OrderItem) -> int:
        return 0

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        return {**values, "pieces": {item.pk: values.get(name) or 0 for name, item in self.items.items()}}


class TrackingFields(forms.Form):
    """How a parcel can be followed."""

    carrier = forms.CharField(
        max_length=MAX_CARRIER,
        required=False,
        help_text=f"{', '.join(CARRIERS.values())}, or any other. Tracking links of these are made automatically.",
    )
    tracking_number = forms.CharField(max_length=MAX_TRACKING, required=False)
    tracking_url = forms.URLField(
        label="Tracking link", max_length=MAX_TRACKING_URL, required=False, assume_scheme="https", help_text="For other carriers."
    )
    send_email = forms.BooleanField(label="Email the customer", required=False)


class TrackingForm(TrackingFields):
    """Corrects how a shipment can be followed."""

    def __init__(self, *args: Any, record: Shipment, **kwargs: Any) -> None:
        initial = {name: getattr(record, name) for name in ("carrier", "tracking_number")}
        if record.tracking_url != tracking_url(record.carrier, record.tracking_number):
            initial["tracking_url"] = record.tracking_url
        super().__init__(*args, **{"initial": initial, **kwargs})


class ShipForm(PiecesForm, TrackingFields):
    """Asks for the contents of a parcel, by default all that is left, and how it can be followed."""

    send_email = forms.BooleanField(label="Email the customer", required=False, initial=True)

    def most(self, item: OrderItem) -> int:
        return item.unshipped

    initial_pieces = most


class ShipAllForm(forms.Form):
    """Asks whether the customers of several orders get an email."""

    send_email = forms.BooleanField(label="Email the customers", required=False, initial=True)


class RefundForm(PiecesForm, ReviewedForm):
    """Asks for an amount or for pieces. It sends along how much is left, so that a repeated form refunds nothing twice."""

    amount_cents = AmountField(
        required=False,
        label="Amount",
        help_text="Leave empty to refund the items chosen above, or everything that is left if none is chosen. The next step "
        "shows the amount.",
    )
    restock = forms.BooleanField(label="Put the items back into stock", required=False)
    reason = forms.CharField(max_length=MAX_REASON, required=False, help_text="Customers do not see it.")
    left_cents = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, record: Order, **kwargs: Any) -> None:
        super().__init__(*args, record=record, **kwargs)
        self.left = refundable_cents(PAYABLE, record.pk)
        self.fields["left_cents"].initial = self.left
        amount: Any = self.fields["amount_cents"]
        amount.currency = record.currency
        amount.label = f"Amount (at most {format_money(Money(self.left, record.currency))})"

    def most(self, item: OrderItem) -> int:
        return item.quantity - item.refunded

    def clean(self) -> dict[str, Any]:
        # Above the form, because the field is hidden.
        if self.cleaned_data.get("left_cents") != self.left:
            raise ValidationError("This order has been refunded in the meantime. Check what is left.")
        return super().clean()

    def review(self) -> Review:
        values, items = self.cleaned_data, {item.pk: item for item in self.record.items.all()}
        pieces = {pk: number for pk, number in values["pieces"].items() if number}
        cents = amount_of(items, pieces, values["amount_cents"], self.left, self.record.currency)
        pieces = dict(pieces_of_refund(items, pieces, is_whole=cents == self.left))
        if values["restock"]:
            check_restock(items, pieces)
        named = ", ".join(f"{number} x {items[pk].full_name}" for pk, number in pieces.items())
        back = "They go back into stock." if values["restock"] else "The stock stays as it is."
        more = f"It is for {named}. {back}" if named else ""
        by_hand = check_refund(payable=PAYABLE, record_id=self.record.pk, amount_cents=cents)
        return refund_review(Money(cents, self.record.currency), of=self.left, by_hand=by_hand, more=more)
