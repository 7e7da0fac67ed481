"""Currencies: how many decimals amounts have (ISO 4217). Amounts are stored in minor units, and codes in lower case."""

from decimal import Decimal

#: Number of decimals of currencies that do not have two.
_EXPONENTS = {
    **dict.fromkeys(
        ["bif", "clp", "djf", "gnf", "isk", "jpy", "kmf", "krw", "pyg", "rwf", "ugx", "uyi", "vnd", "vuv", "xaf", "xof", "xpf"], 0
    ),
    **dict.fromkeys(["bhd", "iqd", "jod", "kwd", "lyd", "omr", "tnd"], 3),
}


def exponent(currency: str) -> int:
    """Return the number of decimals of a currency."""
    return _EXPONENTS.get(currency, 2)


def major_units(cents: int, currency: str) -> Decimal:
    """Return an amount in whole units: 1250 cents are 12.50 dollars."""
    return Decimal(cents).scaleb(-exponent(currency))
