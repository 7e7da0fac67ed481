"""Cells of uploaded tables, whose numbers are read as the site's country writes them, or as programs export them."""

from decimal import Decimal

from cms_api.flags.selectors import site_formats
from cms_api.text.currencies import exponent
from commerce.common.types.amounts import cell_numbers

from .values import Cell, Unreadable

#: The most decimals of a number, such as a coordinate.
_MAX_DECIMALS = 20


class LocalCell(Cell):
    __slots__ = ()

    def find_numbers(self, name: str, *, currency: str, has_thousandths: bool) -> list[Decimal]:
        decimals = exponent(currency) if currency else _MAX_DECIMALS
        own, found = cell_numbers(self, decimals=decimals, currency=currency)
        if not found:
            raise Unreadable(f"The {name} must be a number such as {site_formats().number(Decimal('1250.5'))}.")
        # Amounts of a currency with three decimals have them.
        return found if own is None or has_thousandths or decimals == 3 else [own]

    def two_ways(self) -> str:
        return " or ".join(site_formats().typed_number(Decimal(each)) for each in ("1250", "1.25"))

    def with_point(self) -> str:
        decimal = site_formats().separators["decimal"]
        return self if decimal == "." else self.replace(decimal, ".")
