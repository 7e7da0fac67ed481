"""Writes that all sales have in common."""

from .lapsing import lapse_unpaid, reserved_until_now
from .paying import AlreadyPaid, SalePayable, read_part
from .redeeming import give_up_use, redeem
from .refunding import RefundablePayable
from .reserving import ReservedPayable, reservation_end

__all__ = [
    "AlreadyPaid",
    "RefundablePayable",
    "ReservedPayable",
    "SalePayable",
    "give_up_use",
    "lapse_unpaid",
    "read_part",
    "redeem",
    "reservation_end",
    "reserved_until_now",
]
