"""The wire shapes of invoices, estimates and payments."""

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from cms_api.http.serializers import (
    CentsField,
    CentsInput,
    CurrencyField,
    InputSerializer,
    InstantInput,
    RecordResource,
    Resource,
)
from cms_api.http.wire import instant, record
from commerce.common.resources import LineInput, NamedResource
from commerce.payments.selectors import applied_payments
from commerce.payments.types import MAX_REASON, MAX_REFERENCE, RECORDED, Method

from ..models import Invoice, InvoiceItem
from ..selectors.invoices import today
from ..types.invoices import OVERDUE, PARTIAL, PAYABLE, Kind, Status


class InvoiceClientResource(NamedResource):
    """The client of an invoice."""

    email = serializers.EmailField(allow_null=True)


class InvoiceLineResource(Resource):
    """A line of an invoice."""

    description = serializers.CharField()
    quantity = serializers.FloatField(min_value=0)
    unit_price_cents = CentsField()
    tax_rate = serializers.FloatField(min_value=0, help_text="In percent, such as `8.25`.")
    total_cents = CentsField(help_text="Quantity times unit price, before tax.")


class InvoicePaymentResource(Resource):
    """A payment on an invoice."""

    id = serializers.IntegerField()
    invoice_id = serializers.IntegerField()
    amount_cents = CentsField()
    currency = CurrencyField()
    method = serializers.ChoiceField(tuple(Method.values), help_text="`online` is recorded by the payment provider.")
    reference = serializers.CharField(allow_null=True)
    note = serializers.CharField(allow_null=True)
    paid_at = serializers.DateTimeField()
    created_at = serializers.DateTimeField()

    example = {
        "id": 31,
        "invoice_id": 58,
        "amount_cents": 101345,
        "currency": "usd",
        "method": "check",
        "reference": "2207",
        "note": None,
        "paid_at": "2026-03-01T18:30:00+00:00",
        "created_at": "2026-03-01T18:30:00+00:00",
    }


class InvoiceResource(RecordResource):
    """An invoice or an estimate."""

    number = serializers.CharField(
        allow_null=True, help_text="`INV-nnnn` or `EST-nnnn`; null in drafts if `invoicing.number_on_issue` is on."
    )
    type = serializers.ChoiceField(tuple(Kind.values))
    status = serializers.ChoiceField(
        tuple(Status.values), help_text="`paid` and `void` apply to invoices, the last two to estimates."
    )
    display_status = serializers.ChoiceField(
        (*Status.values, PARTIAL, OVERDUE), help_text="The current status; `partial` and `overdue` are derived."
    )
    client_id = serializers.IntegerField(allow_null=True)
    client = InvoiceClientResource(allow_null=True)
    email = serializers.EmailField(help_text="The address it is sent to.")
    currency = CurrencyField()
    subtotal_cents = CentsField()
    discount_cents = CentsField()
    tax_cents = CentsField()
    total_cents = CentsField()
    amount_paid_cents = CentsField()
    balance_due_cents = CentsField()
    issue_date = serializers.DateField()
    due_date = serializers.DateField(allow_null=True, help_text="Of an estimate, the last day on which it can be accepted.")
    sent_at = serializers.DateTimeField(allow_null=True)
    paid_at = serializers.DateTimeField(allow_null=True)
    notes = serializers.CharField(allow_null=True)

    example = {
        "id": 58,
        "number": "INV-1058",
        "type": "invoice",
        "status": "paid",
        "display_status": "paid",
        "client_id": 9,
        "client": {"id": 9, "name": "Reyes Ceramics", "email": "accounts@example.com"},
        "email": "accounts@example.com",
        "currency": "usd",
        "subtotal_cents": 186000,
        "discount_cents": 0,
        "tax_cents": 15345,
        "total_cents": 201345,
        "amount_paid_cents": 201345,
        "balance_due_cents": 0,
        "issue_date": "2026-02-02",
        "due_date": "2026-03-04",
        "sent_at": "2026-02-02T09:00:00+00:00",
        "paid_at": "2026-03-01T18:30:00+00:00",
        "notes": None,
        "created_at": "2026-02-02T08:40:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


class InvoiceDetailResource(InvoiceResource):
    """An invoice or an estimate with its lines and payments."""

    lines = InvoiceLineResource(many=True)
    payments = InvoicePaymentResource(many=True)

    example = {
        **InvoiceResource.example,
        "lines": [
            {
                "description": "Hire of the great hall, two days",
                "quantity": 2.0,
                "unit_price_cents": 75000,
                "tax_rate": 8.25,
                "total_cents": 150000,
            },
            {
                "description": "Sound engineer, hours",
                "quantity": 4.5,
                "unit_price_cents": 8000,
                "tax_rate": 8.25,
                "total_cents": 36000,
            },
        ],
        "payments": [
            {
                "id": 27,
                "invoice_id": 58,
                "amount_cents": 100000,
                "currency": "usd",
                "method": "bank_transfer",
                "reference": "FT-88120",
                "note": "Deposit",
                "paid_at": "2026-02-05T10:00:00+00:00",
                "created_at": "2026-02-05T14:20:00+00:00",
            },
            InvoicePaymentResource.example,
        ],
    }


class PaymentInput(InputSerializer):
    """Money that has arrived outside the site."""

    method = serializers.ChoiceField([(value, value) for value in RECORDED])
    amount_cents = CentsInput(
        required=False, allow_null=True, help_text="In minor units; by default the balance, which it must not exceed."
    )
    paid_at = InstantInput(
        required=False, allow_null=True, help_text="By default now; not in the future. A date is its first moment on the site."
    )
    reference = LineInput(max_length=MAX_REFERENCE, help_text="The number of a check or a transfer.")
    note = LineInput(max_length=MAX_REASON)

    example = {"method": "bank_transfer", "amount_cents": 100000, "paid_at": "2026-03-01", "reference": "FT-88120"}


def invoice(row: Invoice) -> dict[str, Any]:
    return {
        **record(row),
        "number": row.number,
        "type": row.kind,
        "status": row.status,
        "display_status": row.display_status(today()),
        "client_id": row.client_id,
        "client": {"id": row.client_id, "name": row.client_name, "email": row.email},
        "email": row.email,
        "currency": row.currency,
        "subtotal_cents": row.subtotal_cents,
        "discount_cents": row.taken_off_cents,
        "tax_cents": row.tax_cents,
        "total_cents": row.total_cents,
        "amount_paid_cents": row.amount_paid_cents,
        "balance_due_cents": row.balance_due_cents,
        "issue_date": row.issue_date.isoformat(),
        "due_date": row.due_date.isoformat() if row.due_date else None,
        "sent_at": instant(row.sent_at),
        "paid_at": instant(row.paid_at),
        "notes": row.notes or None,
    }


def invoice_detail(row: Invoice) -> dict[str, Any]:
    payments = applied_payments(PAYABLE, row.pk).order_by("paid_at", "pk") if row.is_invoice else []
    return {**invoice(row), "lines": [_line(item) for item in row.items.all()], "payments": [payment(each) for each in payments]}


def _line(item: InvoiceItem) -> dict[str, Any]:
    return {
        "description": item.description,
        "quantity": _number(item.quantity),
        "unit_price_cents": item.unit_price_cents,
        "tax_rate": _number(item.tax_percent),
        "total_cents": item.total_cents,
    }


def _number(quantity: Decimal) -> int | float:
    """Return a decimal, which is no amount of money, as a number of JSON."""
    return int(quantity) if quantity == quantity.to_integral_value() else float(quantity)


def payment(row: Any) -> dict[str, Any]:
    """Return a payment of an invoice, which is one of `commerce.payments`."""
    return {
        "id": row.pk,
        "invoice_id": row.record_id,
        "amount_cents": row.amount_cents,
        "currency": row.currency,
        "method": row.method,
        "reference": row.typed_reference or None,
        "note": row.note or None,
        "paid_at": instant(row.paid_at),
        "created_at": instant(row.created_at),
    }
