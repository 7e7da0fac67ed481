"""Inputs of single values: text, numbers, booleans, dates, URLs, colours."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from django import forms
from wagtail.admin.widgets import AdminAutoHeightTextInput, AdminDateInput, AdminTimeInput

from cms_api.adminkit.forms import iso_day
from cms_api.fields import Field

from ...models import ContentType
from .base import ContentWidget, Input, LineBreaksField, describe, register


class LineInput(Input):
    """One line of text, with the widget for its type."""

    widget: ClassVar[Callable[..., forms.Widget]] = forms.TextInput

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        return forms.CharField(**describe(field, widget=self.widget(), empty_value=None))


@register("text")
class TextInput(LineInput):
    icon = "title"


@register("textarea")
class TextareaInput(LineInput):
    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        return LineBreaksField(**describe(field, widget=AdminAutoHeightTextInput(attrs={"rows": 3})))


@register("url")
class UrlInput(LineInput):
    icon = "link-external"
    # Not type=url: internationalized URLs are accepted too.
    widget = partial(forms.TextInput, attrs={"inputmode": "url", "placeholder": "https://"})


@register("email")
class EmailInput(LineInput):
    icon = "mail"
    widget = forms.EmailInput


@register("phone")
class PhoneInput(LineInput):
    icon = "mobile-alt"
    widget = partial(forms.TextInput, attrs={"type": "tel"})


class DayField(forms.CharField):
    """A date as text, which the service checks."""

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return iso_day(text) if text else text


@register("date")
class DateInput(LineInput):
    icon = "date"
    widget = partial(AdminDateInput, format="%Y-%m-%d", attrs={"placeholder": "2026-03-01"})

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        return DayField(**describe(field, widget=self.widget(), empty_value=None))


@register("time")
class TimeInput(LineInput):
    icon = "time"
    widget = partial(AdminTimeInput, format="%H:%M", attrs={"placeholder": "18:30"})


class ColorWidget(ContentWidget):
    template_name = "content_admin/widgets/color.html"


@register("color")
class ColorInput(LineInput):
    icon = "view"
    widget = ColorWidget


class NumberField(forms.Field):
    """A number as in JSON. Other input is passed on to the service, which refuses it."""

    def to_python(self, value: Any) -> Any:
        text = "" if value is None else str(value).strip()
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                continue
        return text or None

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool(initial != self.to_python(data))
        except forms.ValidationError:
            return True


class WholeField(NumberField):
    """A whole number without a point, which stands between groups of digits in many countries: "1.000" is not 1."""

    def to_python(self, value: Any) -> Any:
        number = super().to_python(value)
        if isinstance(number, float):
            raise forms.ValidationError(forms.IntegerField.default_error_messages["invalid"], code="invalid")
        return number


@register("number")
class NumberInput(Input):
    icon = "decimal"
    step = "any"
    field_class: ClassVar[type[NumberField]] = NumberField

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        return self.field_class(**describe(field, widget=forms.NumberInput(attrs={"step": self.step})))


@register("integer")
class IntegerInput(NumberInput):
    icon = "order"
    step = "1"
    field_class = WholeField


@register("boolean")
class BooleanInput(Input):
    icon = "tick-inverse"

    def formfield(self, field: Field, item_type: ContentType) -> forms.Field:
        # Required means true or false, and a checkbox always sends one of them.
        return forms.BooleanField(**describe(field, required=False))

    def text(self, field: Field, stored: Any) -> str:
        return "" if stored is None else "Yes" if stored else "No"
