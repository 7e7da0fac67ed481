"""Money, stored and sent as an integer in minor units with a lower-case ISO 4217 currency; never a float or a string."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from cms_api.text.currencies import exponent, major_units

#: The largest number that a column takes.
MAX_CENTS = 2**63 - 1
#: The largest amount that may be entered, in minor units of any currency: 999,999,999.99 dollars. Sums of many such fit a column.
MAX_AMOUNT_CENTS = 99_999_999_999


#: Minor units of which what a customer pays is a multiple, where that is not 1: card networks take no single fils, and no
#: parts of an ariary (https://docs.stripe.com/currencies).
_PAYABLE_STEPS = {**dict.fromkeys(("bhd", "jod", "kwd", "omr", "tnd"), 10), "mga": 100}
#: The same for what is paid in cash, by the smallest coin.
_CASH_STEPS = {"chf": 5}


def payable_step(currency: str, *, is_cash: bool = False) -> int:
    """Return the minor units of which a payment in a currency is a multiple."""
    step = _PAYABLE_STEPS.get(currency, 1)
    return _CASH_STEPS.get(currency, step) if is_cash else step


def is_payable(cents: int, currency: str) -> bool:
    """Return whether an amount can be paid online in a currency: 1.655 dinars cannot."""
    return cents % payable_step(currency) == 0


def payable_cents(cents: int, currency: str, *, is_cash: bool = False) -> int:
    """Return the nearest amount that can be paid; half a step is rounded up, and what costs something is never free."""
    step = payable_step(currency, is_cash=is_cash)
    nearest = (cents + step // 2) // step * step
    return max(nearest, step) if cents > 0 else nearest


def balance_cents(left: int, currency: str) -> int:
    """Return what is due of what is left to pay: the nearest amount that can be paid online. Less than half a step is waived."""
    step = payable_step(currency)
    return max(0, (left + step // 2) // step * step)


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
        if abs(self.cents) > MAX_CENTS:
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
