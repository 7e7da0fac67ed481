"""The invoicing module: clients, estimates, invoices and their payments."""

from cms_api.core.module import AccountPage, Admin, Api, Event, Job, Module, Pages, Records, Route, SettingKey, Signal

from .mails import MAILS

MODULE = Module(
    name="invoicing",
    title="Client invoicing",
    description="Client invoices, estimates and payments.",
    feature="invoicing",
    uses=("accounts", "payments", "taxes"),
    api=Api(
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
        events=(
            Event(
                "invoice.paid",
                "An invoice is paid in full, online or offline.",
                document="commerce.invoicing.resources.invoices.InvoiceDetailResource",
                resource="commerce.invoicing.resources.invoices.invoice_detail",
            ),
        ),
    ),
    pages=Pages(
        urls="commerce.invoicing.urls.urlpatterns",
        account_pages=(AccountPage("Invoices", "View your invoices and estimates", "/accounts/invoices/"),),
    ),
    admin=Admin(
        viewsets=("commerce.invoicing.admin.INVOICING", "commerce.invoicing.admin.CLIENT_CHOOSER"),
        menu_group="sales",
        menu_order=30,
        cards={
            "commerce.invoicing.admin.cards.create": "invoicing.add_invoice",
            "commerce.invoicing.admin.cards.invoices": "invoicing.view_invoice",
            "commerce.invoicing.admin.cards.sum_paid": "invoicing.view_invoice",
            "commerce.invoicing.admin.cards.estimates": "invoicing.change_estimate",
            "commerce.invoicing.admin.cards.recurring": "invoicing.change_recurringinvoice",
        },
        roles=("manager",),
    ),
    records=Records(
        payables={"invoice": "commerce.invoicing.services.paying.INVOICES"},
        numbers={"INV": 1001, "EST": 1001, "CN": 1001},
        demo="commerce.invoicing.demo.load",
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
    mails=MAILS,
    signals=(
        Signal(
            "invoicing.client_address_ended",
            "A client gets another email address, or is about to be deleted: emails to the client went to somebody else.",
            "client: Client",
        ),
    ),
    jobs=(
        Job(
            "create_recurring_invoices",
            "commerce.invoicing.services.recurring.create_due_invoices",
            every=900,
            reaches_people=True,
        ),
        Job("remind_invoice_clients", "commerce.invoicing.services.reminding.remind_clients", every=3600, reaches_people=True),
    ),
)
