"""Amounts in the units in which Stripe counts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cms_api.text.currencies import exponent
from commerce.common.types.money import Money
from commerce.payments.services.providers.stripe import from_stripe, to_stripe
from commerce.payments.types import ProviderDisagrees, ProviderError, ProviderRefused


@pytest.mark.parametrize(
    ("cents", "currency", "sent"),
    [
        (1250, "usd", 1250),
        (500, "jpy", 500),
        (5, "isk", 500),
        (5, "ugx", 500),
        (500, "mga", 5),
        (5120, "kwd", 5120),
        (5, "xof", 5),
    ],
)
def test_it_works(cents: int, currency: str, sent: int) -> None:
    assert to_stripe(Money(cents, currency)) == sent
    assert from_stripe(sent, currency) == Money(cents, currency)


@pytest.mark.parametrize(("cents", "currency"), [(5125, "kwd"), (5121, "tnd"), (501, "mga")])
def test_what_cannot_be_expressed_is_refused(cents: int, currency: str) -> None:
    with pytest.raises(ProviderRefused, match="too many decimals"):
        to_stripe(Money(cents, currency))


@pytest.mark.both_databases
def test_an_amount_of_stripes_that_is_none_of_ours() -> None:
    with pytest.raises(ProviderError, match="too many decimals"):
        from_stripe(550, "isk")


@pytest.mark.parametrize(
    ("amount", "currency"),
    [
        (None, "usd"),
        (-500, "usd"),
        (0, "usd"),
        (10**25, "mga"),
        (12.5, "usd"),
        (500, None),
        (500, ""),
        (500, "USD"),
        (500, "z" * 5000),
    ],
)
def test_what_is_no_amount_of_stripes(amount: Any, currency: Any) -> None:
    with pytest.raises(ProviderDisagrees, match="none that can be paid"):
        from_stripe(amount, currency)


@given(st.integers(1, 10**8), st.sampled_from(["usd", "jpy", "isk", "ugx", "mga", "kwd", "iqd", "uyi", "clp"]))
def test_what_can_be_expressed_comes_back_as_it_was(cents: int, currency: str) -> None:
    money = Money(cents * 10 ** exponent(currency), currency)
    assert from_stripe(to_stripe(money), currency) == money
