"""The forms of orders and tickets: refunds, voided tickets, payments, transfers and names."""

from collections import defaultdict
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from cms_api.adminkit.transitions import Review, ReviewedForm
from commerce.common.admin.amounts import RecordActionForm, refund_review
from commerce.common.selectors import format_money
from commerce.common.types import MAX_EMAIL, MAX_NAME
from commerce.common.types.amounts import AmountField
from commerce.common.types.money import Money
from commerce.payments.selectors import refundable_cents
from commerce.payments.services import check_refund
from commerce.payments.types import MAX_REASON

from ..models import AttendeeTicket, TicketOrder
from ..resources.documents import space_out
from ..services.ending import refund_amount, share_of
from ..types.orders import ADMITS, PAYABLE


def tickets_with_prices(order: TicketOrder) -> list[tuple[AttendeeTicket, int]]:
    """Return the tickets of an order with what each cost, without the fee (two statements)."""
    items = {item.pk: item for item in order.items.all()}
    numbers: dict[int, int] = defaultdict(int)
    found = []
    for ticket in order.tickets.select_related("checked_in_by").order_by("pk"):
        item = items[ticket.item_id]
        ticket.order, item.order = order, order
        found.append((ticket, share_of(item, numbers[item.pk])))
        numbers[item.pk] += 1
    return found


NO_TICKET = "No ticket becomes void: all of them still admit. Choose the tickets that should not."


class TicketsForm(RecordActionForm):
    """Asks for some of the tickets of an order that admit. Its value is a list of ids."""

    tickets = forms.TypedMultipleChoiceField(coerce=int, required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [
            (each.pk, self.label_of(each, cents)) for each, cents in tickets_with_prices(self.record) if each.status in ADMITS
        ]
        tickets: Any = self.fields["tickets"]
        tickets.choices = choices
        if len(choices) == 1:
            tickets.initial = [choices[0][0]]

    def label_of(self, ticket: AttendeeTicket, cents: int) -> str:
        arrived = "" if not ticket.checked_in_at else " (checked in)"
        price = format_money(Money(cents, self.record.currency)) if cents else "Free"
        return f"{ticket.attendee}, {ticket.type_name}, {space_out(ticket.code)}, {price}{arrived}"


class VoidForm(TicketsForm):
    def clean_tickets(self) -> list[int]:
        found: list[int] = self.cleaned_data["tickets"]
        if not found:
            raise ValidationError("Choose at least one ticket.")
        return found


class RefundOrderForm(TicketsForm, ReviewedForm):
    """Asks for tickets, an amount or both. It sends along how much is left, so that a repeated form refunds nothing twice."""

    amount_cents = AmountField(
        required=False, label="Amount", help_text="Leave empty for the price of the tickets, or all that is left if none remains."
    )
    reason = forms.CharField(max_length=MAX_REASON, required=False, help_text="Only you see it.")
    left_cents = forms.IntegerField(widget=forms.HiddenInput, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.left = refundable_cents(PAYABLE, self.record.pk)
        fields: Any = self.fields
        fields["left_cents"].initial = self.left
        fields["amount_cents"].currency = self.record.currency
        fields["amount_cents"].label = f"Amount (at most {format_money(Money(self.left, self.record.currency))})"
        fields["tickets"].help_text = "They become void, and their seats can be sold again."
        if not fields["tickets"].choices:
            del fields["tickets"]

    def clean(self) -> dict[str, Any]:
        # Above the form, because the field is hidden.
        if self.cleaned_data.get("left_cents") != self.left:
            raise ValidationError("This order has been refunded in the meantime. Check what is left.")
        if not self.cleaned_data.get("tickets") and self.cleaned_data.get("amount_cents") is None and not self.errors:
            raise ValidationError("Choose tickets, or enter an amount.")
        return super().clean() or {}

    def review(self) -> Review:
        chosen = self.record.tickets.filter(pk__in=self.cleaned_data.get("tickets") or ()).select_related("item", "item__order")
        cents = self.cleaned_data["amount_cents"]
        if cents is None:
            cents = refund_amount(self.record, list(chosen), self.left)
        number = len(chosen)
        voided = f"{number} {'ticket becomes' if number == 1 else 'tickets become'} void." if number else NO_TICKET
        by_hand = check_refund(payable=PAYABLE, record_id=self.record.pk, amount_cents=cents)
        return refund_review(Money(cents, self.record.currency), of=self.left, by_hand=by_hand, more=voided)


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=MAX_REASON, required=False, help_text="Only you see it.")


class TransferForm(RecordActionForm):
    name = forms.CharField(max_length=2 * MAX_NAME, label="Name of the new holder")
    email = forms.EmailField(max_length=MAX_EMAIL)


class NameForm(RecordActionForm):
    name = forms.CharField(max_length=2 * MAX_NAME)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].initial = self.record.attendee_name
