"""Money, stored and sent as an integer in minor units with a lower-case ISO 4217 currency; never a float or a string."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from cms_api.core.errors import Invalid
from cms_api.text.currencies import exponent, major_units

LARGEST = 2**63 - 1
#: Of a typed amount.
MAX_DIGITS = 20


def minor_units(amount: int, currency: str) -> int:
    """Return an amount of whole units in minor units: 12 dollars are 1200 cents."""
    cents: int = amount * 10 ** exponent(currency)
    return cents


@dataclass(frozen=True, slots=True)
class Money:
    """An amount in a currency. Adding amounts of different currencies raises ValueError."""

    cents: int
    currency: str

    def __post_init__(self) -> None:
        if not (len(self.currency) == 3 and self.currency.isascii() and self.currency.isalpha() and self.currency.islower()):
            raise ValueError(f"{self.currency!r} is not a lower-case ISO currency.")
        if abs(self.cents) > LARGEST:
            raise ValueError("The amount fits no column.")

    def __add__(self, other: "Money") -> "Money":
        return Money(self.cents + self._same(other), self.currency)

    def __sub__(self, other: "Money") -> "Money":
        return Money(self.cents - self._same(other), self.currency)

    def __mul__(self, times: int) -> "Money":
        return Money(self.cents * times, self.currency)

    def _same(self, other: "Money") -> int:
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} do not add up.")
        return other.cents

    def share(self, rate: Decimal) -> "Money":
        """Return a fraction of the amount, such as a tax of Decimal("0.19"), rounding half away from zero."""
        return Money(int((self.cents * rate).quantize(Decimal(1), ROUND_HALF_UP)), self.currency)

    @property
    def amount(self) -> Decimal:
        """Return the amount in major units: 1250 usd is Decimal("12.50")."""
        return major_units(self.cents, self.currency)

    def wire(self, key: str) -> dict[str, int | str]:
        """`{"<key>_cents": 1250, "currency": "usd"}`."""
        return {f"{key}_cents": self.cents, "currency": self.currency}


def allocate(cents: int, weights: Sequence[int]) -> list[int]:
    """Split an amount in proportion to weights, without losing a cent: the largest remainders get those that are left.

    Neither the amount nor a weight is negative. Equal remainders are served in order. Without any weight, the first part gets
    all. Raises ValueError if there is something to split but no part.
    """
    if cents < 0 or any(weight < 0 for weight in weights):
        raise ValueError("Amounts and weights are never negative.")
    whole = sum(weights)
    if not whole:
        if not weights and cents:
            raise ValueError("There is no part that could get the amount.")
        return [cents, *[0] * (len(weights) - 1)] if weights else []
    parts = [cents * weight // whole for weight in weights]
    remainders = [cents * weight % whole for weight in weights]
    for place in sorted(range(len(weights)), key=lambda place: -remainders[place])[: cents - sum(parts)]:
        parts[place] += 1
    return parts


def parse_amount(text: str, currency: str, *, key: str = "amount") -> Money:
    """Parse a typed amount (`12.50`). Raises Invalid if it is not a number or has more decimals than the currency."""
    try:
        typed = Decimal(text.strip())
        # A number such as 1e999999 would take minutes to write out.
        if not typed.is_finite() or typed.adjusted() > MAX_DIGITS:
            raise InvalidOperation
        amount = typed.scaleb(exponent(currency))
        if amount != amount.to_integral_value():
            raise InvalidOperation
        return Money(int(amount), currency)
    except (ArithmeticError, ValueError):
        raise Invalid({key: f"The {key} must be an amount such as {Money(1250, currency).amount}."}) from None
