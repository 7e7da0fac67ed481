"""Amounts of money as people type them: a form field, and a block of one."""

from typing import Any

from django import forms
from django.conf import settings
from wagtail import blocks

from cms_api.core.errors import Invalid

from .money import Money, parse_amount


class AmountField(forms.CharField):
    """An amount of money as people type it, `12.50`. Its value is in minor units of `currency`, or None."""

    #: That of the site if empty.
    currency = ""

    def __init__(self, *, max_length: int = 30, **options: Any) -> None:
        super().__init__(max_length=max_length, **options)
        self.widget.attrs |= {"inputmode": "decimal", "autocomplete": "off"}

    def prepare_value(self, value: Any) -> Any:
        return str(Money(value, self.currency or settings.SITE_CURRENCY).amount) if isinstance(value, int) else value

    def clean(self, value: Any) -> int | None:
        text = super().clean(value)
        if not text:
            return None
        try:
            cents = parse_amount(text, self.currency or settings.SITE_CURRENCY).cents
        except Invalid as refusal:
            raise forms.ValidationError(refusal.message) from None
        if cents < 0:
            raise forms.ValidationError("The amount must not be negative.")
        return cents


class AmountBlock(blocks.FieldBlock):
    """An amount of money in a row of a form; see `AmountField`."""

    def __init__(self, required: bool = True, help_text: str = "", **options: Any) -> None:
        self.field = AmountField(required=required, help_text=help_text)
        super().__init__(**options)
