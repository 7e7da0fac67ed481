"""The invoicing module: clients, estimates, invoices and their payments."""

from cms_api.core.module import AccountPage, Block, Event, Job, Mail, Module, Route, SettingKey, Signal

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

MODULE = Module(
    name="invoicing",
    title="Client invoicing",
    description="Client invoices, estimates and payments.",
    feature="invoicing",
    uses=("accounts", "payments", "taxes"),
    group="Commerce",
    abilities={
        "invoicing:read": "Read invoices and estimates",
        "invoicing:write": "Record payments of invoices",
    },
    routes=(
        Route("invoicing/invoices", "commerce.invoicing.api.Invoices", {"GET": "invoicing:read"}),
        Route("invoicing/invoices/<ref:reference>", "commerce.invoicing.api.OneInvoice", {"GET": "invoicing:read"}),
        Route("invoicing/invoices/<ref:reference>/payments", "commerce.invoicing.api.Payments", {"POST": "invoicing:write"}),
    ),
    pages="commerce.invoicing.urls.urlpatterns",
    account_pages=(AccountPage("Invoices", "View your invoices and estimates", "/accounts/invoices/"),),
    payables={"invoice": "commerce.invoicing.services.paying.INVOICES"},
    events=(
        Event(
            "invoice.paid",
            "An invoice is paid in full, online or offline.",
            document="commerce.invoicing.resources.invoices.InvoiceDetailResource",
            resource="commerce.invoicing.resources.invoices.invoice_detail",
        ),
    ),
    mails=(
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
    ),
    settings=(
        SettingKey(
            "invoicing.receipts", bool, True, "Clients get a receipt by email for each payment of an invoice.", title="Receipts"
        ),
        SettingKey(
            "invoicing.due_days",
            int,
            30,
            "Invoices are due so many days after they are issued.",
            title="Days until invoices are due",
        ),
        SettingKey(
            "invoicing.estimate_days",
            int,
            30,
            "Clients can accept an estimate for so many days.",
            title="Days until estimates expire",
        ),
        SettingKey(
            "invoicing.number_on_issue",
            bool,
            False,
            "Invoices and estimates get their number when they are issued. Otherwise drafts have one too.",
            title="Number on issuing",
        ),
        SettingKey(
            "invoicing.remind_before_days",
            int,
            3,
            "Clients are reminded so many days before an invoice is due. 0 for no such reminder.",
            title="Reminder before the due date",
        ),
        SettingKey(
            "invoicing.remind_after_days",
            str,
            "3, 10, 21",
            "Clients are reminded so many days after the due date, with commas between several numbers.",
            title="Reminders after the due date",
        ),
        SettingKey(
            "invoicing.terms",
            str,
            "",
            "Printed below new invoices, for example how to pay by bank transfer.",
            title="Terms of payment",
        ),
    ),
    signals=(
        Signal(
            "invoicing.client_address_ended",
            "A client gets another email address, or is about to be deleted: emails to the client went to somebody else.",
            "client: Client",
        ),
    ),
    numbers={"INV": 1001, "EST": 1001, "CN": 1001},
    jobs=(
        Job(
            "create_recurring_invoices",
            "commerce.invoicing.services.recurring.create_due_invoices",
            every=900,
            reaches_people=True,
        ),
        Job("remind_invoice_clients", "commerce.invoicing.services.reminding.remind_clients", every=3600, reaches_people=True),
    ),
    viewsets=("commerce.invoicing.admin.INVOICING", "commerce.invoicing.admin.CLIENT_CHOOSER"),
    cards=(
        "commerce.invoicing.admin.cards.create",
        "commerce.invoicing.admin.cards.invoices",
        "commerce.invoicing.admin.cards.sum_paid",
        "commerce.invoicing.admin.cards.estimates",
        "commerce.invoicing.admin.cards.recurring",
    ),
    menu_group="sales",
    menu_order=30,
    roles=("manager",),
    demo="commerce.invoicing.demo.load",
)
