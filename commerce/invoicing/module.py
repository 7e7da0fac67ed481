"""The invoicing module: estimates, invoices and their payments."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="invoicing",
    title="Client invoicing",
    description="Client invoices, estimates and payments.",
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
