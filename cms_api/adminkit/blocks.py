"""Dates, and dates with a time, in rows of forms: typed and shown as the fields of `forms` do."""

from typing import Any

from django import forms
from django.utils.functional import cached_property
from wagtail import blocks

from .forms import SiteDateField, SiteDateTimeField


class SiteDateBlock(blocks.DateBlock):
    """A date; see `SiteDateField`."""

    @cached_property
    def field(self) -> forms.Field:
        return SiteDateField(**self.field_options)


class SiteDateTimeBlock(blocks.FieldBlock):
    """A date and time on the site's clock; see `SiteDateTimeField`."""

    def __init__(self, required: bool = True, help_text: str = "", is_end: bool = False, **options: Any) -> None:
        self.field = SiteDateTimeField(required=required, help_text=help_text, is_end=is_end)
        super().__init__(**options)

    class Meta:
        icon = "date"
