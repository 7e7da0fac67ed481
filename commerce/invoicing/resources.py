"""The wire shapes of invoices, estimates and payments."""

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, RecordResource, Resource
from commerce.common.resources import NamedResource

STATUSES = ("draft", "sent", "paid", "void", "accepted", "declined")


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
    method = serializers.ChoiceField(("cash", "check", "bank_transfer", "other"))
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

    number = serializers.CharField(help_text="`INV-nnnn` or `EST-nnnn`.")
    type = serializers.ChoiceField(("invoice", "estimate"))
    status = serializers.ChoiceField(STATUSES, help_text="`paid` and `void` apply to invoices, the last two to estimates.")
    display_status = serializers.ChoiceField(
        (*STATUSES, "partial", "overdue"), help_text="The current status; `partial` and `overdue` are derived."
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
    due_date = serializers.DateField(allow_null=True)
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
