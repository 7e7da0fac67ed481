"""An invoice: how the tests of all sales make, pay, refund and end it."""

from commerce.invoicing.selectors.invoices import INVOICE_LINK
from commerce.invoicing.services import void_invoice
from commerce.invoicing.services.paying import INVOICES
from tests.commerce.sales.declaring import (
    LAPSED,
    ON_ITS_WAY,
    PAID,
    PAID_LATE,
    PARTLY_REFUNDED,
    PENDING,
    PROCESSING,
    REFUNDED,
    UNAPPLIED,
    Kind,
    button,
    has_status,
    linked,
    set_values,
)

from . import builders

KINDS = (
    Kind(
        "invoice",
        make=builders.make_invoice,
        is_paid=has_status("paid"),
        set_amount=lambda record, cents: set_values(record, {"total_cents": cents, "balance_due_cents": cents}),
        set_ended=lambda record: set_values(record, {"status": "void"}),
        in_parts=True,
        page=linked(INVOICE_LINK),
        pays_at=button("invoicing_pay", INVOICE_LINK),
        admin="invoices",
        api="invoicing/invoices",
        shown={
            PENDING: ("sent", "Amount due"),
            PROCESSING: ("sent", ON_ITS_WAY),
            PAID: ("paid", "Paid on"),
            PARTLY_REFUNDED: ("sent", "Partly paid"),
            REFUNDED: ("sent", "Amount due"),
            UNAPPLIED: ("void", "There's nothing to pay."),
        },
        refund=lambda invoice, cents: INVOICES.refund(invoice, amount_cents=cents),
        end=lambda invoice: void_invoice(invoice=invoice),
        is_due_again=True,
        impossible={
            LAPSED: "An invoice becomes overdue, and stays due.",
            PAID_LATE: "An invoice can be paid at any time.",
        },
    ),
)
