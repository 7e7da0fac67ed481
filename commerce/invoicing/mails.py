"""The emails of the invoicing module: subjects, placeholders and samples."""

from cms_api.core.module import Block, Mail

_INVOICE = {
    "name": "The first name of the person in charge, or the client's name",
    "number": "The number",
    "total": "The total",
    "balance": "The balance due",
    "due_date": "The due date, or the last day of an estimate; empty if it has none",
    "due": "A sentence that says until when to pay or to accept, or that this is done",
    "invoice_url": "The address of its page",
}

_SAMPLE = {
    "name": "Dana",
    "number": "INV-1058",
    "total": "$2,013.45",
    "balance": "$1,013.45",
    "due_date": "March 4, 2026",
    "due": "It is due on March 4, 2026. You can pay online.",
    "invoice_url": "https://example.org/invoices/NTg/",
}

_MESSAGE = Block("Thank you for your order.", "<p>Thank you for your order.</p>")

MAILS = (
    Mail(
        "invoice_sent",
        "Sends an invoice to a client, as PDF and with a link to pay it.",
        subject="Invoice {{ number }} from {{ site }}",
        placeholders={**_INVOICE, "message": "The message typed when it was sent"},
        sample={**_SAMPLE, "message": _MESSAGE},
    ),
    Mail(
        "estimate_sent",
        "Sends an estimate to a client, as PDF and with a link to accept or decline it.",
        subject="Estimate {{ number }} from {{ site }}",
        placeholders={**_INVOICE, "message": "The message typed when it was sent"},
        sample={**_SAMPLE, "number": "EST-1012", "due": "You can accept it until March 4, 2026.", "message": _MESSAGE},
    ),
    Mail(
        "estimate_decided",
        "Notifies the business that a client has accepted or declined an estimate.",
        subject="Estimate {{ number }} {{ decision }} by {{ client }}",
        placeholders={
            "number": "The number",
            "client": "The client's name",
            "decision": "Accepted or declined",
            "name": "The name that was typed",
            "note": "The note that was typed",
            "total": "The total",
            "admin_url": "The address of the estimate in the admin",
        },
        sample={
            "number": "EST-1012",
            "client": "Reyes Ceramics",
            "decision": "accepted",
            "name": "Dana Reyes",
            "note": Block("Please begin in May.", "<p>Please begin in May.</p>"),
            "total": "$2,013.45",
            "admin_url": "https://example.org/admin/estimates/inspect/12/",
        },
        to_staff=True,
    ),
    Mail(
        "invoice_receipt",
        "Confirms a payment to a client, with a receipt as PDF.",
        subject="Receipt for invoice {{ number }}",
        placeholders={**_INVOICE, "amount": "The amount paid"},
        sample={**_SAMPLE, "amount": "$1,000.00"},
    ),
    Mail(
        "invoice_reminder",
        "Reminds a client of an invoice before it is due.",
        subject="Reminder: invoice {{ number }} from {{ site }}",
        placeholders=_INVOICE,
        sample=_SAMPLE,
    ),
    Mail(
        "invoice_overdue",
        "Reminds a client of an invoice after its due date.",
        subject="Overdue: invoice {{ number }} from {{ site }}",
        placeholders=_INVOICE,
        sample={**_SAMPLE, "due": "It was due on March 4, 2026. You can pay online."},
    ),
    Mail(
        "invoice_refunded",
        "Tells a client that money was refunded.",
        subject="Refund for invoice {{ number }}",
        placeholders={**_INVOICE, "amount": "The amount refunded"},
        sample={**_SAMPLE, "amount": "$24.00"},
    ),
    Mail(
        "credit_note",
        "Sends a credit note to a client, as PDF.",
        subject="Credit note {{ credit_note }} for invoice {{ number }}",
        placeholders={
            **_INVOICE,
            "credit_note": "The number of the credit note",
            "amount": "Its amount",
            "reason": "The reason",
        },
        sample={**_SAMPLE, "credit_note": "CN-1003", "amount": "$24.00", "reason": "One hour less was needed."},
    ),
)
