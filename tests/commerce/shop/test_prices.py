"""The rules of shipping prices, without a database."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commerce.shop.types.shipping import Bracket, Parcel, ShippingKind, shipping_price

WEIGHTS = [Bracket(1000, 500), Bracket(5000, 900)]
PARCEL = Parcel(weight_grams=1000, value_cents=4000, country="US")

cents = st.integers(0, 2**63 - 1)
limits = st.lists(st.integers(1, 10**6), min_size=1, max_size=20, unique=True).map(sorted)


def priced(kind: ShippingKind = ShippingKind.FLAT, parcel: Parcel = PARCEL, **values: Any) -> int | None:
    return shipping_price(kind, parcel, **{"price_cents": 700, "brackets": WEIGHTS, **values})


@pytest.mark.both_databases
def test_it_works() -> None:
    assert priced() == 700
    assert priced(ShippingKind.WEIGHT) == 500


@pytest.mark.parametrize(("grams", "price"), [(0, 500), (1000, 500), (1001, 900), (5000, 900), (5001, None)])
def test_a_limit_is_inclusive_and_beyond_the_last_there_is_no_price(grams: int, price: int | None) -> None:
    assert priced(ShippingKind.WEIGHT, Parcel(grams, 0, "US")) == price


@pytest.mark.parametrize(("value", "price"), [(5000, 500), (5001, 0), (10**12, 0)])
def test_the_last_price_may_be_without_a_limit(value: int, price: int) -> None:
    brackets = [Bracket(None, 0), Bracket(5000, 500)]
    assert priced(ShippingKind.TOTAL, Parcel(10**9, value, "US"), brackets=brackets) == price


@pytest.mark.parametrize("kind", ShippingKind)
def test_it_is_free_from_an_order_value(kind: ShippingKind) -> None:
    assert priced(kind, free_from_cents=4000) == 0
    assert priced(kind, free_from_cents=4001) != 0
    # Where there is nothing to pay, it is free whatever it weighs.
    assert priced(kind, Parcel(10**9, 4000, "US"), free_from_cents=4000) == 0


def test_other_countries_get_no_price_but_anybody_picks_up() -> None:
    assert priced(countries=["GB"]) is None
    assert priced(countries=["GB", "US"]) == 700
    assert priced(countries=["GB"], free_from_cents=0) is None
    assert priced(ShippingKind.PICKUP, countries=["GB"]) == 700


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(ShippingKind), limits, cents, cents, st.none() | cents, st.booleans())
def test_a_price_is_one_of_those_set(
    kind: ShippingKind, rising: list[int], weight: int, value: int, free_from: int | None, is_open: bool
) -> None:
    brackets = [Bracket(up_to, place) for place, up_to in enumerate(rising)] + ([Bracket(None, 99)] if is_open else [])
    price = priced(kind, Parcel(weight, value, "US"), brackets=brackets, free_from_cents=free_from)
    if free_from is not None and value >= free_from:
        assert price == 0
    elif kind in {ShippingKind.FLAT, ShippingKind.PICKUP}:
        assert price == 700
    else:
        measure = weight if kind == ShippingKind.WEIGHT else value
        below = sum(limit < measure for limit in rising)
        assert price == (below if below < len(rising) else 99 if is_open else None)
