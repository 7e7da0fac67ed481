"""The parameters of pages about times: a day or a week, a service and a member of staff."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import Http404
from django.utils import timezone

from cms_api.flags.selectors import site_timezone
from cms_api.text.moments import typed_moment
from commerce.common.types.hours import DAY, instant
from commerce.common.types.spans import Span

from ..models import Service, Staff

#: The days that can be shown; beyond them, neighbours may not exist.
FIRST, LAST = date(1970, 1, 5), date(2199, 12, 31)
WEEK = timedelta(days=7)


class ParameterForm(forms.Form):
    """The parameters of an address, none of which is needed."""

    service = forms.ModelChoiceField(queryset=Service.objects.all(), required=False, empty_label="Choose a service")
    staff = forms.ModelChoiceField(queryset=Staff.objects.all(), required=False, empty_label="Anyone")
    date = forms.DateField(
        required=False,
        input_formats=["%Y-%m-%d"],
        validators=[MinValueValidator(FIRST), MaxValueValidator(LAST)],
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
    )

    def read(self) -> dict[str, Any]:
        """Return the values, with today as the date by default. Raises Http404."""
        if not self.is_valid():
            raise Http404("These parameters are invalid.")
        return {**self.cleaned_data, "date": self.cleaned_data["date"] or today()}


def today() -> date:
    return timezone.localdate(timezone=site_timezone())


def monday_of(day: date) -> date:
    return day - day.weekday() * DAY


def bounds_of(day: date) -> Span:
    """Return when a day begins and ends on the site's clock."""
    zone = site_timezone()
    return instant(day, time(), zone), instant(day + DAY, time(), zone)


def as_typed(moment: datetime) -> str:
    """Return a moment as the forms of appointments read it."""
    return typed_moment(moment.astimezone(site_timezone()))


def drop_empty(**parameters: Any) -> Mapping[str, Any]:
    """Return parameters for an address, without empty ones."""
    return {name: value for name, value in parameters.items() if value}
