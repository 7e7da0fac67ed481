"""The invoicing module: estimates, invoices, and what has been paid of them."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="invoicing",
    title="Client invoicing",
    description="Invoices and estimates for clients, and their payments.",
    feature="invoicing",
    group="Commerce",
    events=(
        Event(
            "invoice.paid",
            "An invoice is paid in full, online or offline.",
            document="commerce.invoicing.resources.InvoiceDetailResource",
        ),
    ),
)
