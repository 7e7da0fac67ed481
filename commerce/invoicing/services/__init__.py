"""Writes of invoicing."""

from .clients import delete_client, save_client
from .crediting import credit_invoice
from .estimates import accept_estimate, convert_estimate, decline_estimate
from .issuing import issue_invoice, send_invoice, send_reminder, void_invoice
from .paying import INVOICES
from .recurring import save_recurring, switch_recurring
from .writing import duplicate_invoice, reopen_estimate, save_invoice

__all__ = [
    "INVOICES",
    "accept_estimate",
    "convert_estimate",
    "credit_invoice",
    "decline_estimate",
    "delete_client",
    "duplicate_invoice",
    "issue_invoice",
    "reopen_estimate",
    "save_client",
    "save_invoice",
    "save_recurring",
    "send_invoice",
    "send_reminder",
    "switch_recurring",
    "void_invoice",
]
