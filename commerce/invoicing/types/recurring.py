"""When an invoice recurs: dates are counted from the first one, so that late runs and short months move nothing."""

from collections.abc import Iterator
from datetime import date

from dateutil.relativedelta import relativedelta
from django.db.models import TextChoices

MAX_EVERY = 60


class Interval(TextChoices):
    WEEK = "week", "Week"
    MONTH = "month", "Month"
    YEAR = "year", "Year"


class Delivery(TextChoices):
    """How far a recurring invoice goes by itself."""

    DRAFT = "draft", "Save as draft"
    SEND = "send", "Email to the client"


_STEPS = {Interval.WEEK: "weeks", Interval.MONTH: "months", Interval.YEAR: "years"}


def period(start: date, interval: str, every: int, number: int) -> date:
    """Return the date of the invoice with a number, counted from 0. 31 January is followed by 28 February and 31 March."""
    found: date = start + relativedelta(**{_STEPS[Interval(interval)]: every * number})
    return found


def periods(start: date, interval: str, every: int, *, first: int, until: date) -> Iterator[tuple[int, date]]:
    """Yield number and date of each invoice from number `first` up to and including a date."""
    number = first
    while (day := period(start, interval, every, number)) <= until:
        yield number, day
        number += 1
