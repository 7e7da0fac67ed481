"""Money."""

from decimal import Decimal

import pytest

from cms_api.core.errors import Invalid
from commerce.common.types.money import Money, parse_amount


def test_it_works() -> None:
    price = parse_amount("12.50", "usd")
    assert price == Money(1250, "usd")
    assert price.wire("total") == {"total_cents": 1250, "currency": "usd"}
    assert (price * 3 - Money(50, "usd")).amount == Decimal("37.00")


@pytest.mark.parametrize(("currency", "text", "cents"), [("jpy", "1200", 1200), ("kwd", "1.234", 1234), ("eur", "0.01", 1)])
def test_every_currency_has_its_own_minor_unit(currency: str, text: str, cents: int) -> None:
    assert parse_amount(text, currency) == Money(cents, currency)
    assert str(Money(cents, currency).amount) == text


@pytest.mark.parametrize(
    "text", ["", "ten", "nan", "inf", "1.005", "1e40", "1e900000", "1e999999", "snan", "9" * 5000, "1\0", "1,50"]
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="must be an amount"):
        parse_amount(text, "usd")


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
