"""Invoicing in the admin."""

from .invoices import EstimateViewSet, InvoiceViewSet

INVOICES = InvoiceViewSet()
ESTIMATES = EstimateViewSet()
