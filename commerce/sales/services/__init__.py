"""Writes that all sales have in common."""

from .lapsing import lapse_unpaid, reserved_until_now
from .paying import SalePayable

__all__ = ["SalePayable", "lapse_unpaid", "reserved_until_now"]
