"""Totals add up to the cent, whatever is sold, discounted and taxed."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commerce.common.types.money import allocate
from commerce.common.types.tax import NO_TAX, TaxRate, taxes_of
from commerce.common.types.totals import LineItem, Totals, totals_of

VAT = TaxRate("VAT", Decimal(20))
REDUCED = TaxRate("VAT", Decimal(5))

rates = st.sampled_from([NO_TAX, VAT, REDUCED, TaxRate("Sales tax", Decimal("8.875")), TaxRate("MwSt.", Decimal(19))])
cents = st.integers(0, 10**9)
lines = st.builds(LineItem, unit_price_cents=cents, quantity=st.integers(0, 1000), discount_cents=cents, rate=rates)
shipping = st.builds(LineItem, unit_price_cents=cents, quantity=st.just(1), discount_cents=cents, rate=rates)


def test_it_works() -> None:
    sold = [LineItem(1000, 2, rate=VAT), LineItem(500, 1, discount_cents=100, rate=REDUCED)]
    totals = totals_of(sold, discount_cents=240, shipping=LineItem(500, rate=VAT), inclusive=False)
    assert (totals.subtotal_cents, totals.discount_cents, totals.shipping_cents) == (2500, 340, 500)
    # 2400 are left after the line's discount: 200 of the 240 belong to the first line.
    assert [line.discount_cents for line in totals.lines] == [200, 140]
    assert [(total.net_cents, total.tax_cents) for total in totals.taxes] == [(2300, 460), (360, 18)]
    assert (totals.tax_cents, totals.total_cents) == (478, 3138)


def test_prices_with_tax_are_what_the_customer_pays() -> None:
    totals = totals_of([LineItem(999, rate=VAT)], inclusive=True)
    assert (totals.total_cents, totals.tax_cents, totals.taxes[0].net_cents) == (999, 167, 832)


@pytest.mark.parametrize("inclusive", [True, False])
def test_one_by_one_costs_as_much_as_together(inclusive: bool) -> None:
    together = totals_of([LineItem(99, 10, rate=VAT)], inclusive=inclusive)
    apart = totals_of([LineItem(99, rate=VAT)] * 10, inclusive=inclusive)
    assert (together.total_cents, together.tax_cents) == (apart.total_cents, apart.tax_cents)


def test_a_discount_of_everything_leaves_nothing() -> None:
    totals = totals_of([LineItem(333, 3, rate=VAT), LineItem(1, rate=REDUCED)], discount_cents=10**12, inclusive=False)
    assert (totals.discount_cents, totals.tax_cents, totals.total_cents) == (1000, 0, 0)


def test_rates_of_the_same_percentage_keep_their_names() -> None:
    _, totals = taxes_of([(100, VAT), (100, TaxRate("GST", Decimal(20)))], inclusive=False)
    assert [total.rate.label for total in totals] == ["GST", "VAT"]


@pytest.mark.parametrize("planted", [{"unit_price_cents": -1}, {"unit_price_cents": 1, "quantity": -1}])
def test_nothing_is_negative(planted: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="never negative"):
        LineItem(**planted)
    with pytest.raises(ValueError, match="never negative"):
        totals_of([], discount_cents=-1, inclusive=True)


@given(cents, st.lists(cents, min_size=1, max_size=20))
def test_parts_add_up_and_are_fair(amount: int, weights: list[int]) -> None:
    parts = allocate(amount, weights)
    assert sum(parts) == amount
    whole = sum(weights)
    if whole:
        assert all(abs(part - Decimal(amount) * weight / whole) < 1 for part, weight in zip(parts, weights, strict=True))


def test_something_is_never_split_among_nobody() -> None:
    assert (allocate(0, []), allocate(5, [0, 0]), allocate(2, [1, 1, 1])) == ([], [5, 0], [1, 1, 0])
    for amount, weights in ((1, []), (-1, [1]), (1, [2, -1])):
        with pytest.raises(ValueError, match=r"no part|never negative"):
            allocate(amount, weights)


@given(st.lists(lines, max_size=12), cents, shipping, st.booleans())
def test_totals_add_up(sold: list[LineItem], discount: int, carried: LineItem, inclusive: bool) -> None:
    totals = totals_of(sold, discount_cents=discount, shipping=carried, inclusive=inclusive)
    assert_adds_up(totals, inclusive=inclusive)


def assert_adds_up(totals: Totals, *, inclusive: bool) -> None:
    everything = [*totals.lines, totals.shipping]
    assert min([*(value for line in everything for value in (line.discount_cents, line.tax_cents, line.total_cents)), 0]) == 0
    assert totals.total_cents == sum(line.total_cents for line in everything)
    assert totals.tax_cents == sum(line.tax_cents for line in everything) == sum(total.tax_cents for total in totals.taxes)
    added = 0 if inclusive else totals.tax_cents
    assert totals.total_cents == totals.subtotal_cents - totals.discount_cents + totals.shipping_cents + added
    for total in totals.taxes:
        exact = total.net_cents * total.rate.percent / 100
        assert abs(total.tax_cents - exact) <= 1
