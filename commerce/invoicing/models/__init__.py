"""Tables of invoicing. Written by `services` only."""

from .clients import Client
from .credits import CreditNote
from .invoices import Invoice, InvoiceItem, InvoicePdf, Notice
from .recurring import RecurringInvoice

__all__ = ["Client", "CreditNote", "Invoice", "InvoiceItem", "InvoicePdf", "Notice", "RecurringInvoice"]
