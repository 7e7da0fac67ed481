"""The items of an invoice, their input, and its totals."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.fields.base import FieldPath, read_line
from commerce.common.types.money import MAX_AMOUNT_CENTS
from commerce.common.types.tax import MAX_RATE_DECIMALS, MAX_TAX_LABEL, NO_TAX, TaxRate
from commerce.common.types.totals import LineItem, Totals, totals_of

from .invoices import MAX_DESCRIPTION

MAX_ITEMS = 200
MAX_QUANTITY = 1_000_000
QUANTITY_DECIMALS = 4
#: In minor units. Sums of the largest items still fit a column.
MAX_TOTAL_CENTS = 10**15
#: The label of a tax that has none of its own.
TAX = "Tax"

_NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]{0,12})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Item:
    """Something that is billed. `discount_percent` is a discount of this item alone."""

    description: str
    quantity: Decimal
    unit_price_cents: int
    discount_percent: Decimal = Decimal(0)
    rate: TaxRate = NO_TAX

    @property
    def total_cents(self) -> int:
        """Return quantity times price, after its own discount, half a cent rounded up."""
        price = round_cents(self.quantity * self.unit_price_cents)
        return price - round_cents(price * self.discount_percent / 100)


def round_cents(cents: Decimal) -> int:
    return int(cents.quantize(Decimal(1), ROUND_HALF_UP))


def invoice_totals(items: Sequence[Item], *, discount_cents: int, discount_percent: Decimal, inclusive: bool) -> Totals:
    """Return the totals of items: `subtotal_cents` is the sum of theirs, after their own discounts.

    The discount of the whole is an amount, or a part of the subtotal.
    """
    subtotal = sum(item.total_cents for item in items)
    discount = round_cents(subtotal * discount_percent / 100) if discount_percent else discount_cents
    sold = [LineItem(item.total_cents, rate=item.rate) for item in items]
    return totals_of(sold, discount_cents=min(discount, subtotal), inclusive=inclusive)


def read_items(values: Any, path: str = "items") -> list[Item]:
    """Return items from `[{"description", "quantity", "unit_price_cents", "discount_percent", "tax_percent", "tax_label"}]`.

    Quantities and percentages are decimals, or text or numbers that say one. Raises Invalid by place: `items.0.quantity`.
    """
    if not isinstance(values, Sequence) or isinstance(values, str) or not values:
        raise Invalid({path: "At least one item is required."})
    if len(values) > MAX_ITEMS:
        raise Invalid({path: f"The {path} may not have more than {MAX_ITEMS} items."})
    errors = ErrorCollector()
    found = []
    for place, value in enumerate(values):
        with errors.under(f"{path}.{place}"):
            found.append(_read_item(value))
    errors.raise_if_any()
    if sum(item.total_cents for item in found) > MAX_TOTAL_CENTS:
        raise Invalid({path: "The total is too large."})
    return found


def _read_item(value: Mapping[str, Any]) -> Item:
    errors = ErrorCollector()
    found: dict[str, Any] = {
        "description": "",
        "quantity": Decimal(1),
        "discount": Decimal(0),
        "percent": Decimal(0),
        "label": "",
    }
    with errors.under():
        found["description"] = read_line(value.get("description"), FieldPath("description", "description"), MAX_DESCRIPTION)
        if not found["description"]:
            errors.add("description", required_message("description"))
    with errors.under():
        given = value.get("quantity")
        found["quantity"] = read_decimal(1 if given is None else given, "quantity", most=MAX_QUANTITY, places=QUANTITY_DECIMALS)
    with errors.under():
        found["price"] = read_cents(value.get("unit_price_cents"), "unit_price_cents")
    with errors.under():
        found["discount"] = read_percent(value.get("discount_percent"), "discount_percent")
    with errors.under():
        found["percent"] = read_percent(value.get("tax_percent"), "tax_percent")
    with errors.under():
        found["label"] = read_line(value.get("tax_label"), FieldPath("tax_label", "tax label"), MAX_TAX_LABEL) or TAX
    errors.raise_if_any()
    rate = TaxRate(found["label"], found["percent"]) if found["percent"] else NO_TAX
    return Item(found["description"], found["quantity"], found["price"], found["discount"], rate)


def read_decimal(value: Any, name: str, *, most: int, places: int) -> Decimal:
    """Return a number from 0 to `most` with so many decimals. Raises Invalid."""
    text = str(value).strip() if isinstance(value, str | int | Decimal) and not isinstance(value, bool) else ""
    try:
        number = Decimal(text) if _NUMBER.fullmatch(text) else None
    except InvalidOperation:
        number = None
    if number is None or number > most or number != round(number, places):
        attribute = name.replace("_", " ")
        raise Invalid({name: f"The {attribute} must be a number from 0 to {most:,} with at most {places} decimals."})
    return number


def read_percent(value: Any, name: str) -> Decimal:
    """Return a percentage; 0 for nothing. Raises Invalid."""
    return Decimal(0) if value is None or value == "" else read_decimal(value, name, most=100, places=MAX_RATE_DECIMALS)


def read_cents(value: Any, name: str) -> int:
    """Return an amount in minor units. Raises Invalid."""
    attribute = name.removesuffix("_cents").replace("_", " ")
    if value is None:
        raise Invalid({name: f"The {attribute} field is required."})
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_AMOUNT_CENTS:
        raise Invalid({name: f"The {attribute} must be an amount from 0 to {MAX_AMOUNT_CENTS:,} in minor units."})
    return value
