"""Shipping methods and their prices."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import TextChoices

MAX_METHOD_NAME = 80
MAX_DESCRIPTION = 300
MAX_POSITION = 10_000
#: Of one method.
MAX_BRACKETS = 20


class ShippingKind(TextChoices):
    """How the price of shipping is found."""

    FLAT = "flat", "Flat rate"
    WEIGHT = "weight", "By weight"
    TOTAL = "total", "By order value"
    PICKUP = "pickup", "Pick-up"


#: The kinds whose prices are in brackets.
BY_BRACKETS = frozenset({ShippingKind.WEIGHT, ShippingKind.TOTAL})


@dataclass(frozen=True, slots=True)
class Bracket:
    """The price up to a weight in grams, or up to an order value in minor units, inclusive; without a limit if it is None."""

    up_to: int | None
    price_cents: int


@dataclass(frozen=True, slots=True)
class Parcel:
    """Something to be shipped: its weight, its value after discounts, and its country (an ISO 3166 code)."""

    weight_grams: int
    value_cents: int
    country: str


def shipping_price(
    kind: ShippingKind,
    parcel: Parcel,
    *,
    price_cents: int = 0,
    brackets: Sequence[Bracket] = (),
    free_from_cents: int | None = None,
    countries: Sequence[str] = (),
) -> int | None:
    """Return the price in minor units; None if the method does not apply. Without countries, a method ships everywhere."""
    if kind != ShippingKind.PICKUP and countries and parcel.country not in countries:
        return None
    if free_from_cents is not None and parcel.value_cents >= free_from_cents:
        return 0
    if kind not in BY_BRACKETS:
        return price_cents
    measure = parcel.weight_grams if kind == ShippingKind.WEIGHT else parcel.value_cents
    in_order = sorted(brackets, key=lambda bracket: (bracket.up_to is None, bracket.up_to or 0))
    return next((each.price_cents for each in in_order if each.up_to is None or measure <= each.up_to), None)
