"""Writes that all sales have in common."""

from .lapsing import lapse_unpaid, reserved_until_now
from .paying import AlreadyPaid, SalePayable
from .redeeming import give_up_use, redeem

__all__ = ["AlreadyPaid", "SalePayable", "give_up_use", "lapse_unpaid", "redeem", "reserved_until_now"]
