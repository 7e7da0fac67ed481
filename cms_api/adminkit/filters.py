"""Filters of lists, as the drawer shows them."""

from typing import Any

import django_filters
from django import forms
from wagtail.admin.filters import DateRangePickerWidget


def choice(choices: Any, **options: Any) -> django_filters.ChoiceFilter:
    """One of a few values, or all."""
    return django_filters.ChoiceFilter(choices=choices, **{"widget": forms.RadioSelect, "empty_label": "All", **options})


def record(queryset: Any, **options: Any) -> django_filters.ModelChoiceFilter:
    """One of a few records, or all. `queryset` may be a function of the request."""
    return django_filters.ModelChoiceFilter(queryset=queryset, **{"widget": forms.RadioSelect, "empty_label": "All", **options})


def date_range(label: str, **options: Any) -> django_filters.DateFromToRangeFilter:
    """From one day to another, both included."""
    return django_filters.DateFromToRangeFilter(label=label, widget=DateRangePickerWidget, **options)
