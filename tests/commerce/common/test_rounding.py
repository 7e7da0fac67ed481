"""Totals are rounded to what can be paid in their currency, and the rounding is shown."""

from decimal import Decimal

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from cms_api.core.errors import Invalid
from commerce.booking.services.offers import save_service
from commerce.common.resources import rounding_rows
from commerce.common.types.money import is_payable, payable_cents, payable_step
from commerce.common.types.tax import TaxRate
from commerce.common.types.totals import LineItem, totals_of
from commerce.directory.services.categories import save_plan as save_listing_plan
from commerce.donations.types.fees import Fee, cover
from commerce.members.services.plans import save_plan


@pytest.mark.parametrize(
    ("cents", "currency", "payable"),
    [
        (1655, "kwd", 1660),
        (1654, "kwd", 1650),
        (3, "kwd", 10),
        (0, "kwd", 0),
        (1655, "eur", 1655),
        (150, "mga", 200),
        (7, "jpy", 7),
    ],
)
def test_it_works(cents: int, currency: str, payable: int) -> None:
    assert payable_cents(cents, currency) == payable


def test_coins() -> None:
    assert [payable_cents(cents, "chf", is_cash=True) for cents in (1002, 1003, 1007, 1008)] == [1000, 1005, 1005, 1010]
    assert payable_cents(1003, "chf") == 1003


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=9), st.integers(0, 10**6), st.booleans())
def test_totals_can_be_paid(prices: list[int], tip: int, inclusive: bool) -> None:
    totals = totals_of([LineItem(price, rate=TaxRate("VAT", Decimal(5))) for price in prices], inclusive=inclusive)
    rounded = totals.round_total("kwd", beside_cents=tip)
    assert is_payable(rounded.total_cents + tip, "kwd")
    assert rounded.total_cents == totals.total_cents + rounded.rounding_cents
    assert abs(rounded.rounding_cents) < 10
    assert rounded.tax_cents == totals.tax_cents


@given(st.integers(1, 10**9).map(lambda tens: tens * 10), st.integers(0, 5000), st.integers(0, 999))
def test_covered_fees_can_be_paid(cents: int, basis_points: int, fixed: int) -> None:
    fee = Fee(basis_points, fixed)
    assert 0 <= cover(cents, fee, step=10) - cover(cents, fee) < 10
    assert (cents + cover(cents, fee, step=payable_step("kwd"))) % 10 == 0


@pytest.mark.django_db
@pytest.mark.both_databases
def test_the_rounding_has_a_row() -> None:
    assert rounding_rows(1660, 1655, "kwd") == [("Rounding", "KWD0.005")]
    assert rounding_rows(1655, 1655, "kwd") == []


@pytest.mark.django_db
@override_settings(SITE_CURRENCY="kwd")
def test_prices_that_are_paid_as_they_are_are_refused() -> None:
    with pytest.raises(Invalid, match=r"in steps of KWD0\.010"):
        save_service(values={"name": "Massage", "price_cents": 1655})
    with pytest.raises(Invalid, match=r"in steps of KWD0\.010"):
        save_plan(values={"name": "Friend", "price_cents": 1655, "currency": "kwd"})
    with pytest.raises(Invalid, match=r"in steps of KWD0\.010"):
        save_listing_plan(values={"name": "Year", "kind": "term", "months": 12, "price_cents": 1655})
