"""The fee of the payment provider that donors can cover. Amounts are in minor units."""

from dataclasses import dataclass

#: A rate of one, in hundredths of a percent.
WHOLE_BASIS_POINTS = 10_000


@dataclass(frozen=True, slots=True)
class Fee:
    """A share of each payment in hundredths of a percent, such as 290 for 2.9%, and a fixed amount."""

    basis_points: int
    fixed_cents: int

    @property
    def is_none(self) -> bool:
        return not (self.basis_points or self.fixed_cents)


def cover(amount_cents: int, fee: Fee, *, step: int = 1) -> int:
    """Return how much more has to be paid so that the amount is left after the fee: it is due on the cover too.

    The sum of both is a multiple of `step`; see `commerce.common.types.money.payable_step`.
    """
    if fee.is_none:
        return 0
    left = WHOLE_BASIS_POINTS - fee.basis_points
    # Rounded up: (amount + fixed) / (1 - rate).
    total = -(-(amount_cents + fee.fixed_cents) * WHOLE_BASIS_POINTS // left)
    return -(-total // step) * step - amount_cents
