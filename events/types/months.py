"""Calendar months: weeks from Monday on, and the days that a span covers."""

import calendar
import datetime as dt
import re
from dataclasses import dataclass

#: Years that calendars can be browsed in.
EARLIEST_YEAR, LATEST_YEAR = 1900, 2199

_MONTH = re.compile("([0-9]{4})-([0-9]{2})")


@dataclass(frozen=True, order=True)
class Month:
    year: int
    number: int

    def __str__(self) -> str:
        return f"{self.year:04d}-{self.number:02d}"

    @property
    def first(self) -> dt.date:
        return dt.date(self.year, self.number, 1)

    @property
    def last(self) -> dt.date:
        return dt.date(self.year, self.number, calendar.monthrange(self.year, self.number)[1])

    @property
    def previous(self) -> "Month | None":
        return self._after(-1)

    @property
    def next(self) -> "Month | None":
        return self._after(1)

    def weeks(self) -> list[list[dt.date | None]]:
        """Weeks of seven days, with None for days of other months."""
        weeks = calendar.Calendar().monthdatescalendar(self.year, self.number)
        return [[day if day.month == self.number else None for day in week] for week in weeks]

    def _after(self, months: int) -> "Month | None":
        year, index = divmod(self.year * 12 + self.number - 1 + months, 12)
        return Month(year, index + 1) if EARLIEST_YEAR <= year <= LATEST_YEAR else None


def month_of(day: dt.date) -> Month:
    return Month(day.year, day.month)


def read_month(text: str) -> Month | None:
    """Parse a month as written in URLs: `2026-03`. None if it is invalid or outside of the browsable years."""
    found = _MONTH.fullmatch(text, 0, 7) if text.isascii() and len(text) == 7 else None
    if found is None or not EARLIEST_YEAR <= int(found[1]) <= LATEST_YEAR or not 1 <= int(found[2]) <= 12:
        return None
    return Month(int(found[1]), int(found[2]))


def last_day(start: dt.datetime, end: dt.datetime) -> dt.date:
    """Return the last day of a span; one that ends at midnight ends on the day before."""
    return (end - dt.timedelta(microseconds=1)).date() if end > start else start.date()
