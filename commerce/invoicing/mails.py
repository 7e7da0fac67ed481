"""The emails of the invoicing module: subjects, placeholders and samples."""

from dataclasses import replace

from cms_api.core.module import Block, Mail, Placeholder

_TOTAL = Placeholder("The total", "$2,013.45")
_MESSAGE = Placeholder(
    "The message typed when it was sent", Block("Thank you for your order.", "<p>Thank you for your order.</p>")
)

_INVOICE = {
    "name": Placeholder("The first name of the person in charge, or the client's name", "Dana"),
    "number": Placeholder("The number", "INV-1058"),
    "total": _TOTAL,
    "balance": Placeholder("The balance due", "$1,013.45"),
    "due_date": Placeholder("The due date, or the last day of an estimate; empty if it has none", "March 4, 2026"),
    "due": Placeholder(
        "A sentence that says until when to pay or to accept, or that this is done",
        "It is due on March 4, 2026. You can pay online.",
    ),
    "invoice_url": Placeholder("The address of its page", "https://example.org/invoices/NTg/"),
}

MAILS = (
    Mail(
        "invoice_sent",
        "Sends an invoice to a client, as PDF and with a link to pay it.",
        subject="Invoice {{ number }} from {{ site }}",
        placeholders={**_INVOICE, "message": _MESSAGE},
    ),
    Mail(
        "estimate_sent",
        "Sends an estimate to a client, as PDF and with a link to accept or decline it.",
        subject="Estimate {{ number }} from {{ site }}",
        placeholders={
            **_INVOICE,
            "message": _MESSAGE,
            "number": replace(_INVOICE["number"], sample="EST-1012"),
            "due": replace(_INVOICE["due"], sample="You can accept it until March 4, 2026."),
        },
    ),
    Mail(
        "estimate_decided",
        "Notifies the business that a client has accepted or declined an estimate.",
        subject="Estimate {{ number }} {{ decision }} by {{ client }}",
        placeholders={
            "number": Placeholder("The number", "EST-1012"),
            "client": Placeholder("The client's name", "Reyes Ceramics"),
            "decision": Placeholder("Accepted or declined", "accepted"),
            "name": Placeholder("The name that was typed", "Dana Reyes"),
            "note": Placeholder("The note that was typed", Block("Please begin in May.", "<p>Please begin in May.</p>")),
            "total": _TOTAL,
            "admin_url": Placeholder(
                "The address of the estimate in the admin", "https://example.org/admin/estimates/inspect/12/"
            ),
        },
        to_staff=True,
    ),
    Mail(
        "invoice_receipt",
        "Confirms a payment to a client, with a receipt as PDF.",
        subject="Receipt for invoice {{ number }}",
        placeholders={**_INVOICE, "amount": Placeholder("The amount paid", "$1,000.00")},
    ),
    Mail(
        "invoice_reminder",
        "Reminds a client of an invoice before it is due.",
        subject="Reminder: invoice {{ number }} from {{ site }}",
        placeholders=_INVOICE,
    ),
    Mail(
        "invoice_overdue",
        "Reminds a client of an invoice after its due date.",
        subject="Overdue: invoice {{ number }} from {{ site }}",
        placeholders={**_INVOICE, "due": replace(_INVOICE["due"], sample="It was due on March 4, 2026. You can pay online.")},
    ),
    Mail(
        "invoice_refunded",
        "Tells a client that money was refunded.",
        subject="Refund for invoice {{ number }}",
        placeholders={**_INVOICE, "amount": Placeholder("The amount refunded", "$24.00")},
    ),
    Mail(
        "credit_note",
        "Sends a credit note to a client, as PDF.",
        subject="Credit note {{ credit_note }} for invoice {{ number }}",
        placeholders={
            **_INVOICE,
            "credit_note": Placeholder("The number of the credit note", "CN-1003"),
            "amount": Placeholder("Its amount", "$24.00"),
            "reason": Placeholder("The reason", "One hour less was needed."),
        },
    ),
)
