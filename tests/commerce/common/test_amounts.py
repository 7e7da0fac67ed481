"""Amounts, numbers and percentages that people type are read by the conventions of the site's country."""

from decimal import Decimal
from typing import Any

import pytest
from django import forms
from hypothesis import given
from hypothesis import strategies as st

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from cms_api.text.formats import Formats, formats_for
from commerce.common.services.checks import is_amount
from commerce.common.types import amounts
from commerce.common.types.amounts import AmountField, NumberField, PercentField, parse_amount, parse_cell, typed_amount
from commerce.common.types.money import MAX_AMOUNT_CENTS, Money

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works() -> None:
    set_setting(key="site.country", value="DE")
    assert parse_amount("1.500", "eur") == Money(150_000, "eur")
    assert parse_amount("12,50", "eur") == Money(1250, "eur")
    assert typed_amount(150_050, "eur") == "1500,50"
    with pytest.raises(Invalid, match=r"^The amount must be an amount such as 1\.500,00\.$"):
        parse_amount("1.5", "eur")


@pytest.mark.parametrize(("currency", "text", "cents"), [("jpy", "1200", 1200), ("kwd", "1.234", 1234), ("eur", "0.01", 1)])
def test_every_currency_has_its_own_minor_unit(currency: str, text: str, cents: int) -> None:
    assert parse_amount(text, currency) == Money(cents, currency)
    assert typed_amount(cents, currency) == text


@pytest.mark.parametrize(
    "text", ["", "ten", "nan", "inf", "1.005", "1.500", "1e3", "1_000", "1e999999", "snan", "+5", "0x10", "1\0", "1,50"]
)
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match=r"must be an amount such as 1,500\.00\.$"):
        parse_amount(text, "usd")


def test_a_long_text_is_refused() -> None:
    for text in ("9" * 1_000_000, "1" + ",000" * 250_000, "-" * 1_000_000):
        with pytest.raises(Invalid):
            parse_amount(text, "usd")


@pytest.mark.parametrize(
    ("currency", "largest", "too_large"),
    [
        ("usd", "999,999,999.99", "1,000,000,000.00"),
        ("jpy", "99,999,999,999", "100,000,000,000"),
        ("kwd", "99,999,999.999", "1e9"),
    ],
)
def test_amounts_have_a_limit(currency: str, largest: str, too_large: str) -> None:
    assert parse_amount(largest, currency).cents == MAX_AMOUNT_CENTS
    with pytest.raises(Invalid):
        parse_amount(too_large, currency)
    assert is_amount(MAX_AMOUNT_CENTS)
    assert not is_amount(MAX_AMOUNT_CENTS + 1)
    assert not is_amount(9_200_000_000_000_000_000)


@pytest.mark.parametrize(("text", "cents"), [("19.99", 1999), ("1.500", 150_000), ("1.500,00", 150_000), ("1500.00", 150_000)])
def test_a_cell_may_be_as_programs_export_it(text: str, cents: int) -> None:
    """A point before two decimals is none between groups."""
    set_setting(key="site.country", value="DE")
    assert parse_cell(text, key="price").cents == cents
    with pytest.raises(Invalid, match="price must be an amount"):
        parse_cell("1.5", key="price")


@pytest.mark.parametrize(("country", "currency"), [("TN", "tnd"), ("LY", "lyd"), ("DE", "kwd")])
@pytest.mark.both_databases
def test_a_cell_that_can_be_read_in_two_ways_is_refused(country: str, currency: str, settings: Any) -> None:
    """A point before three decimals, or between groups of three digits."""
    set_setting(key="site.country", value=country)
    settings.SITE_CURRENCY = currency
    with pytest.raises(Invalid, match=r"^The price can be read in two ways\. Write 1\.500,000 or 1,500\.$"):
        parse_cell("1.500", key="price")
    for text, cents in (("1,500", 1500), ("1.500,000", 1_500_000), ("1500.000", 1_500_000), ("0.500", 500), ("1500", 1_500_000)):
        assert parse_cell(text, key="price").cents == cents


def test_a_point_is_certain_where_it_stands_before_decimals(settings: Any) -> None:
    set_setting(key="site.country", value="KW")
    settings.SITE_CURRENCY = "kwd"
    assert parse_cell("1.500", key="price").cents == 1500


FORMATS = [formats_for("en", country) for country in ("DE", "FR", "CH", "IN", "US", "SE", "ZA", "JP")]


@given(st.sampled_from(FORMATS), st.sampled_from(["eur", "jpy", "kwd"]), st.integers(0, MAX_AMOUNT_CENTS))
def test_a_form_that_is_sent_unchanged_changes_nothing(formats: Formats, currency: str, cents: int) -> None:
    field = AmountField()
    field.currency = currency
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(amounts, "site_formats", lambda: formats)
        assert field.clean(field.prepare_value(cents)) == cents
        number = NumberField(decimals=4, highest=10**12)
        assert number.clean(number.prepare_value(Decimal(cents).scaleb(-4))) == Decimal(cents).scaleb(-4)


def test_a_field_says_how_to_write_it() -> None:
    set_setting(key="site.country", value="CH")
    with pytest.raises(forms.ValidationError, match=r"Enter an amount such as 1’500\.00"):
        AmountField().clean("1,5")
    with pytest.raises(forms.ValidationError, match="negative"):
        AmountField().clean("\u22125")


@pytest.mark.parametrize(("text", "percent"), [("19,0 %", "19"), ("19", "19"), ("8,875", "8.875"), ("0", "0"), ("100%", "100")])
def test_a_percentage_is_read(text: str, percent: str) -> None:
    set_setting(key="site.country", value="DE")
    assert PercentField(decimals=4).clean(text) == Decimal(percent)


@pytest.mark.parametrize("text", ["19.0", "1e1", "100,1", "-1", "8,87512", "19,0 kg", "1_0", "nan"])
def test_a_percentage_is_refused(text: str) -> None:
    set_setting(key="site.country", value="DE")
    with pytest.raises(forms.ValidationError, match="Enter a number from 0 to 100"):
        PercentField(decimals=4).clean(text)
