"""Filters of lists, as the drawer shows them."""

from datetime import UTC
from typing import Any

import django_filters
from django import forms
from django_filters.fields import DateRangeField
from wagtail.admin.filters import DateRangePickerWidget

from .forms import SiteDateField


class TypedRangeField(DateRangeField):
    """Two days, as people type them in the site's country or as pickers write them."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields = (SiteDateField(required=False), SiteDateField(required=False))


class DayRangeField(TypedRangeField):
    """Refuses days at the ends of the calendar, whose moments do not exist in every time zone."""

    def compress(self, data_list: Any) -> Any:
        try:
            found = super().compress(data_list)
            for moment in (found.start, found.stop) if found else ():
                if moment:
                    moment.astimezone(UTC)
        except OverflowError as refusal:
            raise forms.ValidationError("Enter a valid date.", code="invalid") from refusal
        return found


class DayRangeFilter(django_filters.DateFromToRangeFilter):
    field_class = DayRangeField


class PlainDayRangeField(TypedRangeField):
    """Days of a column without times, which no time zone moves."""

    def compress(self, data_list: Any) -> Any:
        return slice(*data_list) if data_list else None


class PlainDayRangeFilter(django_filters.DateFromToRangeFilter):
    field_class = PlainDayRangeField


def choice(choices: Any, **options: Any) -> django_filters.ChoiceFilter:
    """One of a few values, or all."""
    return django_filters.ChoiceFilter(choices=choices, **{"widget": forms.RadioSelect, "empty_label": "All", **options})


def record(queryset: Any, **options: Any) -> django_filters.ModelChoiceFilter:
    """One of a few records, or all. `queryset` may be a function of the request."""
    return django_filters.ModelChoiceFilter(queryset=queryset, **{"widget": forms.RadioSelect, "empty_label": "All", **options})


def date_range(label: str, **options: Any) -> DayRangeFilter:
    """From one day to another, both included."""
    return DayRangeFilter(label=label, widget=DateRangePickerWidget, **options)


def plain_date_range(label: str, **options: Any) -> PlainDayRangeFilter:
    """From one day to another, both included, of a column of dates."""
    return PlainDayRangeFilter(label=label, widget=DateRangePickerWidget, **options)


def text(label: str, **options: Any) -> django_filters.CharFilter:
    """A line of text, which a method looks for."""
    return django_filters.CharFilter(label=label, max_length=254, **options)
