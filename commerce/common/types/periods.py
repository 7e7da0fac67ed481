"""Dates that recur: each is counted from the first one, so that late runs and short months move nothing."""

from collections.abc import Iterator
from datetime import date

from dateutil.relativedelta import relativedelta
from django.db.models import TextChoices


class Interval(TextChoices):
    WEEK = "week", "Week"
    MONTH = "month", "Month"
    YEAR = "year", "Year"


_STEPS = {Interval.WEEK: "weeks", Interval.MONTH: "months", Interval.YEAR: "years"}


def period(start: date, interval: str, every: int, number: int) -> date:
    """Return the date with a number, counted from 0. 31 January is followed by 28 February and 31 March."""
    found: date = start + relativedelta(**{_STEPS[Interval(interval)]: every * number})
    return found


def periods(start: date, interval: str, every: int, *, first: int, until: date) -> Iterator[tuple[int, date]]:
    """Yield number and date from number `first` up to and including a date."""
    number = first
    while (day := period(start, interval, every, number)) <= until:
        yield number, day
        number += 1
