"""The parts of an invoice that a credit note takes back, so that all credit notes of an invoice add up to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from commerce.common.types.money import allocate


@dataclass(frozen=True, slots=True)
class Part:
    """The amount billed at one tax rate, in minor units: `gross_cents` with tax, of which `tax_cents` is tax."""

    label: str
    percent: str
    gross_cents: int
    tax_cents: int

    @property
    def net_cents(self) -> int:
        return self.gross_cents - self.tax_cents


def credit(parts: Sequence[Part], cents: int) -> list[Part]:
    """Return what a credit of an amount with tax takes from each part: in proportion to what is left of it.

    `parts` are what is left of the invoice. The last credit takes exactly the rest of each. Raises ValueError if more is credited
    than is left.
    """
    if cents > sum(part.gross_cents for part in parts):
        raise ValueError("More would be credited than was billed.")
    shares = allocate(cents, [part.gross_cents for part in parts])
    return [_taken(part, share) for part, share in zip(parts, shares, strict=True)]


def _taken(part: Part, share: int) -> Part:
    tax = Decimal(part.tax_cents * share) / part.gross_cents if part.gross_cents else Decimal(0)
    return Part(part.label, part.percent, share, int(tax.quantize(Decimal(1), ROUND_HALF_UP)))


def left(parts: Sequence[Part], taken: Sequence[Sequence[Part]]) -> list[Part]:
    """Return what is left of the parts of an invoice after its credit notes, each of which names all parts in order."""
    found = list(parts)
    for note in taken:
        found = [
            Part(part.label, part.percent, part.gross_cents - gone.gross_cents, part.tax_cents - gone.tax_cents)
            for part, gone in zip(found, note, strict=True)
        ]
    return found
