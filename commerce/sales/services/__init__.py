"""Writes that all sales have in common."""

from .paying import SalePayable

__all__ = ["SalePayable"]
