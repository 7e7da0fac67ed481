"""Delivery zones: the postal codes that they cover, and the price of a delivery."""

import re

from cms_api.text.keyboards import fold_keyboard
from commerce.common.types import postal_codes

MAX_ZONE_NAME = 80
MAX_POSTAL_CODES = 5_000
#: Between the codes of a line; people in Japan and China type the last one.
_BETWEEN = re.compile("[,;\N{IDEOGRAPHIC COMMA}]")


def read_patterns(text: str) -> list[str]:
    """Return the codes and beginnings of a text, which has commas, semicolons or line breaks between them; each once."""
    parts = [part for line in text.splitlines() for part in _BETWEEN.split(fold_keyboard(line))]
    return list(dict.fromkeys(pattern for part in parts if (pattern := postal_codes.tidy_pattern(part))))


def covers(patterns: str, postal_code: str, country: str) -> bool:
    """Return whether a zone with these codes and beginnings delivers to a postal code; see `postal_codes.covers`."""
    return any(postal_codes.covers(pattern, postal_code, country) for pattern in read_patterns(patterns))


def delivery_fee(subtotal_cents: int, *, fee_cents: int, free_from_cents: int | None) -> int:
    """Return the fee for an order, in minor units."""
    return 0 if free_from_cents is not None and subtotal_cents >= free_from_cents else fee_cents
