"""Writes that all sales have in common."""

from .lapsing import lapse_unpaid, reserved_until_now
from .paying import AlreadyPaid, SalePayable

__all__ = ["AlreadyPaid", "SalePayable", "lapse_unpaid", "reserved_until_now"]
