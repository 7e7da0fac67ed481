"""The rules of discount codes, without a database."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commerce.common.types.discounts import CodeState, Discount, DiscountKind, code_key, code_state

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

cents = st.integers(0, 2**63 - 1)
kinds = st.sampled_from(DiscountKind)
percents = st.decimals(0, 100, places=2)


def test_it_works() -> None:
    assert Discount(DiscountKind.PERCENTAGE, Decimal("12.5")).of_items(1000) == 125
    assert Discount(DiscountKind.AMOUNT, amount_cents=300).of_items(1000) == 300
    assert Discount(DiscountKind.FREE_SHIPPING).of_items(1000) == 0


@given(kinds, percents, cents, cents)
def test_a_discount_is_never_negative_and_never_more_than_the_price(
    kind: DiscountKind, percent: Decimal, amount: int, price: int
) -> None:
    assert 0 <= Discount(kind, percent, amount).of_items(price) <= price


@given(cents)
def test_a_hundred_percent_leaves_nothing(price: int) -> None:
    assert Discount(DiscountKind.PERCENTAGE, Decimal(100)).of_items(price) == price


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, CodeState.ACTIVE),
        ({"starts_at": NOW, "ends_at": NOW + HOUR, "max_uses": 2, "used": 1}, CodeState.ACTIVE),
        ({"starts_at": NOW + HOUR}, CodeState.SCHEDULED),
        ({"ends_at": NOW}, CodeState.EXPIRED),
        ({"max_uses": 2, "used": 2}, CodeState.USED_UP),
        ({"ends_at": NOW - HOUR, "max_uses": 2, "used": 2}, CodeState.EXPIRED),
        ({"enabled": False, "ends_at": NOW - HOUR}, CodeState.DISABLED),
    ],
)
def test_the_state_of_a_code(changes: dict[str, Any], state: CodeState) -> None:
    whole = {"enabled": True, "starts_at": None, "ends_at": None, "max_uses": None, "used": 0}
    assert code_state(NOW, **{**whole, **changes}) == state


def test_codes_are_compared_in_capitals_and_without_spaces() -> None:
    assert code_key(" save\t10\n") == "SAVE10"
