"""Amounts of money, numbers and percentages as people type them in the site's country: form fields, and blocks of them.

They show values by the same conventions, so that a form that is sent unchanged changes nothing. API bodies and inputs of
`type="number"` have their own plain formats.
"""

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from wagtail import blocks

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_formats
from cms_api.text.currencies import exponent, major_units
from cms_api.text.reading import MAX_TYPED_CHARACTERS

from .money import MAX_AMOUNT_CENTS, Money

#: A number as programs export it, and one whose point may also be between groups of digits.
_EXPORTED = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,20})?", re.ASCII)
_PERHAPS_GROUPED = re.compile(r"-?[1-9][0-9]{0,2}\.[0-9]{3}", re.ASCII)

#: Shown as the example where an amount cannot be read, in whole units: enough to show how groups are written.
_EXAMPLE_AMOUNT = 1500


def example_amount(currency: str = "") -> str:
    """Return an amount as people type it on this site: "1.500,00"."""
    return site_formats().number(Decimal(_EXAMPLE_AMOUNT), decimals=exponent(currency or settings.SITE_CURRENCY))


def typed_amount(cents: int, currency: str = "") -> str:
    """Return an amount as the value of an input: "1500,00". The currency is the site's if not given."""
    used = currency or settings.SITE_CURRENCY
    return site_formats().typed_number(major_units(cents, used), decimals=exponent(used))


def parse_amount(text: str, currency: str = "", *, key: str = "amount") -> Money:
    """Read an amount that a person typed. The currency is the site's if not given.

    Raises Invalid by `key` if it is no amount as the site's country writes them, has more decimals than the currency, or is
    larger than may be entered.
    """
    used, words = currency or settings.SITE_CURRENCY, key.replace("_", " ")
    decimals = exponent(used)
    try:
        cents = int(site_formats().read_amount(text, used, decimals=decimals).scaleb(decimals))
    except ValueError:
        raise Invalid({key: f"The {words} must be an amount such as {example_amount(used)}."}) from None
    if abs(cents) > MAX_AMOUNT_CENTS:
        raise Invalid({key: f"The {words} may not be greater than {largest_amount(used)}."})
    return Money(cents, used)


def parse_cell(text: str, *, key: str) -> Money:
    """Read an amount in a cell of a file: as people write it, or with a point before all decimals, as programs export it.

    With three decimals, such a point can be one between groups as well. Raises Invalid.
    """
    decimals = exponent(settings.SITE_CURRENCY)
    if decimals and re.fullmatch(rf"[0-9]{{1,12}}\.[0-9]{{{decimals}}}", text.strip(), re.ASCII):
        _, found = cell_numbers(text, decimals=decimals)
        if len(found) > 1:
            ways = " or ".join(site_formats().number(each, decimals=decimals) for each in found)
            raise Invalid({key: f"The {key.replace('_', ' ')} can be read in two ways. Write {ways}."})
        text = site_formats().typed_number(found[0], decimals=decimals)
    return parse_amount(text, key=key)


def cell_numbers(text: str, *, decimals: int, currency: str = "") -> tuple[Decimal | None, list[Decimal]]:
    """Return what a cell of a file is as the site's country writes numbers, and all that it can mean: none, one or two numbers.

    The country's has at most so many decimals, and perhaps a currency. Programs export numbers with a point before the decimals.
    Where the country writes no such number, the point may still be between groups.
    """
    formats, plain = site_formats(), text.strip()
    try:
        own = formats.read_amount(text, currency, decimals=decimals) if currency else formats.read_number(text, decimals=decimals)
    except ValueError:
        own = None
    found = [] if own is None else [own]
    if _EXPORTED.fullmatch(plain):
        found.append(Decimal(plain))
        if own is None and _PERHAPS_GROUPED.fullmatch(plain):
            found.append(Decimal(plain.replace(".", "")))
    return own, list(dict.fromkeys(found))


def largest_amount(currency: str) -> str:
    return site_formats().number(major_units(MAX_AMOUNT_CENTS, currency), decimals=exponent(currency))


class AmountField(forms.CharField):
    """An amount of money. Its value is in minor units of `currency`, or None."""

    #: That of the site if empty.
    currency = ""

    def __init__(self, *, max_length: int = MAX_TYPED_CHARACTERS, **options: Any) -> None:
        super().__init__(max_length=max_length, **options)
        self.widget.attrs |= {"inputmode": "decimal", "autocomplete": "off"}

    def prepare_value(self, value: Any) -> Any:
        return typed_amount(value, self.currency) if isinstance(value, int) else value

    def clean(self, value: Any) -> int | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            cents = parse_amount(text, self.currency).cents
        except Invalid as refusal:
            raise forms.ValidationError(as_instruction(refusal)) from None
        if cents < 0:
            raise forms.ValidationError("The amount must not be negative.")
        return cents


def as_instruction(refusal: Invalid) -> str:
    """Return the refusal of an amount as what to do at its field: "Enter an amount such as 1.500,00."."""
    text = re.sub(r"^The .+? must be an amount such as", "Enter an amount such as", refusal.message)
    return re.sub(r"^The .+? may not be greater than", "Enter an amount of at most", text)


class NumberField(forms.CharField):
    """A number with at most `decimals`, from `lowest` to `highest`. Its value is a Decimal, or None."""

    #: Units that may stand beside it.
    units: tuple[str, ...] = ()

    def __init__(self, *, decimals: int, lowest: Decimal | int = 0, highest: Decimal | int, **options: Any) -> None:
        super().__init__(**{"max_length": MAX_TYPED_CHARACTERS, **options})
        self.decimals, self.lowest, self.highest = decimals, lowest, highest
        self.widget.attrs |= {"inputmode": "decimal", "autocomplete": "off"}

    def prepare_value(self, value: Any) -> Any:
        is_number = isinstance(value, Decimal | int) and not isinstance(value, bool)
        return site_formats().typed_number(Decimal(value)) if is_number else value

    def clean(self, value: Any) -> Decimal | None:
        text = super().clean(value)
        if not text:
            return None
        formats = site_formats()
        try:
            number = formats.read_number(text, decimals=self.decimals, units=self.units)
        except ValueError:
            number = None
        if number is None or not self.lowest <= number <= self.highest:
            low, high = (formats.number(Decimal(each)) for each in (self.lowest, self.highest))
            example = formats.number(Decimal("1.5") if self.decimals else Decimal(1))
            limits = f"Enter a number from {low} to {high}" + (f" with at most {self.decimals} decimals" if self.decimals else "")
            raise forms.ValidationError(f"{limits}, such as {example}.")
        return number


class PercentField(NumberField):
    """A percentage from 0 to 100. A percent sign may be typed."""

    units = ("%",)

    def __init__(self, *, decimals: int, **options: Any) -> None:
        super().__init__(decimals=decimals, highest=100, **options)


class AmountBlock(blocks.FieldBlock):
    """An amount of money in a row of a form, in the site's currency if `currency` is empty; see `AmountField`."""

    def __init__(self, required: bool = True, help_text: str = "", currency: str = "", **options: Any) -> None:
        self.field = AmountField(required=required, help_text=help_text)
        self.field.currency = currency
        super().__init__(**options)


class NumberBlock(blocks.FieldBlock):
    """A number in a row of a form; see `NumberField`. `attrs` are more attributes of the input."""

    field_class: type[NumberField] = NumberField

    def __init__(self, *, attrs: dict[str, str] | None = None, field: dict[str, Any], **options: Any) -> None:
        self.field = self.field_class(**field)
        self.field.widget.attrs |= attrs or {}
        super().__init__(**options)


class PercentBlock(NumberBlock):
    field_class = PercentField
