"""Delivery zones: the postal codes that they cover, and the price of a delivery."""

MAX_ZONE_NAME = 80
MAX_POSTAL_CODES = 5_000
#: Ends a prefix: `051*`.
ANY = "*"


def postal_key(text: str) -> str:
    """Return the spelling in which postal codes are compared: upper case, without spaces and hyphens."""
    return "".join(text.split()).replace("-", "").upper()


def read_codes(text: str) -> list[str]:
    """Return the codes and prefixes of a text, which has commas, semicolons or line breaks between them; each once."""
    parts = text.replace(",", "\n").replace(";", "\n").splitlines()
    return list(dict.fromkeys(key for part in parts if (key := postal_key(part))))


def covers(codes: str, postal_code: str) -> bool:
    """Return whether a zone with these codes and prefixes delivers to a postal code."""
    key = postal_key(postal_code)
    if not key:
        return False
    return any(key.startswith(code[:-1]) if code.endswith(ANY) else key == code for code in read_codes(codes))


def delivery_fee(subtotal_cents: int, *, fee_cents: int, free_from_cents: int | None) -> int:
    """Return the fee for an order, in minor units."""
    return 0 if free_from_cents is not None and subtotal_cents >= free_from_cents else fee_cents
