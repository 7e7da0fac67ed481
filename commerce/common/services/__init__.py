"""Writes that several modules share."""

from .bulk import BATCH, bulk_get_or_create, fill_blanks, in_lock_order, log_all
from .numbering import next_number
from .taxes import save_tax_rule

__all__ = [
    "BATCH",
    "bulk_get_or_create",
    "fill_blanks",
    "in_lock_order",
    "log_all",
    "next_number",
    "save_tax_rule",
]
