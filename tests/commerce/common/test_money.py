"""Money."""

from decimal import Decimal

import pytest

from commerce.common.types.money import Money


def test_it_works() -> None:
    price = Money(1250, "usd")
    assert price.wire("total") == {"total_cents": 1250, "currency": "usd"}
    assert (price * 3 - Money(50, "usd")).amount == Decimal("37.00")


def test_a_share_rounds_half_a_cent_away_from_zero() -> None:
    assert Money(50, "usd").share(Decimal("0.19")) == Money(10, "usd")
    assert Money(-50, "usd").share(Decimal("0.19")) == Money(-10, "usd")


def test_currencies_do_not_mix() -> None:
    with pytest.raises(ValueError, match="do not add up"):
        Money(1, "usd") + Money(1, "eur")


@pytest.mark.parametrize("currency", ["USD", "us", "usdd", "u1d"])
def test_a_currency_is_three_lower_case_letters(currency: str) -> None:
    with pytest.raises(ValueError, match="ISO currency"):
        Money(1, currency)
