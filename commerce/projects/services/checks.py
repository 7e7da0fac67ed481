"""Checks of dates."""

from datetime import date, datetime
from typing import Any

from cms_api.core.errors import ErrorCollector, attribute

#: Dates at the ends of the calendar cannot be shown in every format.
FIRST, LAST = date(1900, 1, 1), date(2199, 12, 31)


def check_day(errors: ErrorCollector, path: str, value: Any) -> None:
    """Check a date, or None."""
    is_day = isinstance(value, date) and not isinstance(value, datetime)
    if value is not None and not (is_day and FIRST <= value <= LAST):
        errors.add(path, f"The {attribute(path).removesuffix(' at')} date must be between {FIRST.year} and {LAST.year}.")
