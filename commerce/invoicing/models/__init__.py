"""Tables of invoicing. Written by `services` only."""

from .clients import Client
from .credits import CreditNote
from .invoices import Estimate, Invoice, InvoiceItem, InvoicePdf, Notice
from .recurring import RecurringInvoice

__all__ = ["Client", "CreditNote", "Estimate", "Invoice", "InvoiceItem", "InvoicePdf", "Notice", "RecurringInvoice"]
