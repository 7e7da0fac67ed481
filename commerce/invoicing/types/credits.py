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
    return [_take(part, share) for part, share in zip(parts, shares, strict=True)]


@dataclass(frozen=True, slots=True)
class CreditedItem:
    """So much of an item that a credit note takes back, in minor units: `gross_cents` with tax."""

    item: int
    description: str
    #: A decimal.
    quantity: str
    gross_cents: int
    tax_cents: int


def share(cents: int, *, quantity: Decimal, before: Decimal, of: Decimal) -> int:
    """Return what a quantity of an item costs after those before, so that all of them together cost what was billed for it."""
    return int(cents * (before + quantity) // of) - int(cents * before // of)


def credit_items(
    parts: Sequence[Part], items: Sequence[tuple[int, CreditedItem]], *, added: Sequence[int] = (), is_last: bool = False
) -> list[Part]:
    """Return what items take from the parts of an invoice; each comes with the place of its part.

    `parts` are what is left. `added` is what the rounding of the total has added to each, less than nothing if it was taken off:
    so much less is taken from a part whose rest is smaller than its items, and so much more with the last items of the invoice
    (`is_last`). A credit of the rest of a part takes the rest of its tax. Raises ValueError if more is credited than is left.
    """
    taken = []
    for place, (part, rounding) in enumerate(zip(parts, added or [0] * len(parts), strict=True)):
        own = [item for its_part, item in items if its_part == place]
        gross, tax = sum(item.gross_cents for item in own), sum(item.tax_cents for item in own)
        if is_last and rounding > 0:
            gross = min(gross + rounding, max(gross, part.gross_cents))
        if gross > part.gross_cents + max(0, -rounding):
            raise ValueError("More would be credited than is left at this rate.")
        gross = min(gross, part.gross_cents)
        tax = part.tax_cents if gross == part.gross_cents else min(tax, part.tax_cents)
        taken.append(Part(part.label, part.percent, gross, tax))
    return taken


def rounding_of(parts: Sequence[Part], items: Sequence[CreditedItem]) -> int:
    """Return what a credit of items takes back beyond what they cost, in minor units: the rounding of the total."""
    return sum(part.gross_cents for part in parts) - sum(item.gross_cents for item in items) if items else 0


def _take(part: Part, share: int) -> Part:
    tax = Decimal(part.tax_cents * share) / part.gross_cents if part.gross_cents else Decimal(0)
    return Part(part.label, part.percent, share, int(tax.quantize(Decimal(1), ROUND_HALF_UP)))


def subtract_taken(parts: Sequence[Part], taken: Sequence[Sequence[Part]]) -> list[Part]:
    """Return what is left of the parts of an invoice after its credit notes, each of which names all parts in order."""
    found = list(parts)
    for note in taken:
        found = [
            Part(part.label, part.percent, part.gross_cents - gone.gross_cents, part.tax_cents - gone.tax_cents)
            for part, gone in zip(found, note, strict=True)
        ]
    return found
