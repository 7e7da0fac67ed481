"""Hours in forms: those of a date as people type them, such as `11:00-14:00, 17:00-22:00`, and times of day in rows."""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.utils.functional import cached_property
from wagtail import blocks


def period_words(periods: Iterable[Sequence[str]]) -> str:
    """Return pairs of times as they are typed."""
    return ", ".join(f"{opens}-{closes}" for opens, closes in periods)


class PeriodsField(forms.CharField):
    """Hours of a day. Its value is a list of pairs of texts, which the service checks."""

    def __init__(self, *, required: bool = False, max_length: int = 200, **options: Any) -> None:
        super().__init__(required=required, max_length=max_length, **{"label": "Hours", **options})

    def prepare_value(self, value: Any) -> Any:
        return period_words(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        text: str = super().clean(value)
        return [[each.strip() for each in part.split("-")] for part in text.split(",") if part.strip()]


class ClockBlock(blocks.TimeBlock):
    """A time of day, in the browser's own input."""

    @cached_property
    def field(self) -> forms.Field:
        return forms.TimeField(widget=forms.TimeInput(format="%H:%M", attrs={"type": "time"}), **self.field_options)
