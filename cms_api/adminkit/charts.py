"""Charts of numbers over time, which the server draws as SVG, with the same numbers as a table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from cms_api.flags.selectors import site_formats, site_timezone

#: More bars would be thinner than a pixel or two on a phone.
MAX_DAYS = 90
#: The drawing is as many units high, and as wide for each day; it is stretched to the width of the page.
HEIGHT_UNITS = 100
DAY_UNITS = 10
#: The width of the bars of one day, and the least height of one that is not 0.
BARS_UNITS = 8
MIN_BAR_UNITS = 1.5
#: The looks of lines in adminkit.css.
MAX_LINES = 2


@dataclass(frozen=True, slots=True)
class Series:
    """Numbers of one kind, one for each day. The label follows a number: "12 new"."""

    label: str
    values: Sequence[int]

    @property
    def total(self) -> int:
        return sum(self.values)


@dataclass(frozen=True, slots=True)
class Bar:
    #: The number of the series, from 1, which decides the look of the bar.
    series: int
    x: str
    y: str
    width: str
    height: str
    #: Read when the pointer is on the bar.
    text: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars of each day side by side. The look of two series differs by more than colour; a third needs one in adminkit.css."""

    #: Unique on the page.
    name: str
    title: str
    days: Sequence[date]
    series: Sequence[Series]
    #: Whether the legend names the total of each series; medians, for example, have none.
    has_totals: bool = True
    #: Whether its numbers follow as a table, which the page may have itself.
    has_table: bool = True

    def __post_init__(self) -> None:
        if len(self.days) > MAX_DAYS or any(len(each.values) != len(self.days) for each in self.series):
            raise ValueError(f"A chart has a value for each day, and at most {MAX_DAYS} days.")

    def __bool__(self) -> bool:
        """Whether there is anything to see."""
        return any(each.total for each in self.series)

    @property
    def top(self) -> int:
        """The number at the upper edge."""
        return _top(value for each in self.series for value in each.values)

    @property
    def width(self) -> int:
        return len(self.days) * DAY_UNITS

    def bars(self) -> list[Bar]:
        width = BARS_UNITS / len(self.series)
        found = []
        for number, series in enumerate(self.series):
            for place, value in enumerate(series.values):
                if value:
                    x, height = (
                        place * DAY_UNITS + (DAY_UNITS - BARS_UNITS) / 2 + number * width,
                        max(value / self.top * HEIGHT_UNITS, MIN_BAR_UNITS),
                    )
                    text = f"{_format_day(self.days[place])}: {site_formats().number(value)} {series.label}"
                    # As text: a template would write numbers with the separators of the language.
                    at = [f"{each:.2f}" for each in (x, HEIGHT_UNITS - height, width, height)]
                    found.append(Bar(number + 1, at[0], at[1], at[2], at[3], text))
        return found

    def ends(self) -> tuple[str, str, str]:
        """Return the names of the first, the middle and the last day."""
        first, middle, last = (_format_day(self.days[place]) for place in (0, len(self.days) // 2, -1))
        return first, middle, last

    def rows(self) -> list[tuple[str, list[int]]]:
        """Return the table: each day with its numbers, the latest first."""
        return [(_format_day(day), [each.values[place] for each in self.series]) for place, day in enumerate(self.days)][::-1]


@dataclass(frozen=True, slots=True)
class Trend:
    """Numbers of one kind, one for each label; None where there is none yet, at the end. The name follows a number."""

    name: str
    values: Sequence[int | None]

    @property
    def total(self) -> int:
        return sum(value for value in self.values if value is not None)

    def path(self, top: int) -> str:
        """Return it as a path of SVG; a single number is a dot."""
        points = [
            f"{place * DAY_UNITS} {HEIGHT_UNITS - value / top * HEIGHT_UNITS:.2f}"
            for place, value in enumerate(self.values)
            if value is not None
        ]
        return "M" + "L".join(points if len(points) > 1 else points * 2) if points else ""


@dataclass(frozen=True, slots=True)
class Target:
    """A part of a line chart over which the pointer reads the numbers of a label."""

    x: str
    width: str
    text: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """One or two lines, of which the second is dashed. `adminkit/line_chart.html` shows it."""

    #: Unique on the page.
    name: str
    title: str
    #: The heading of the labels in the table.
    heading: str
    labels: Sequence[str]
    series: Sequence[Trend]
    #: Whether the legend names the total of each; visitors of hours, for example, do not add up.
    has_totals: bool = True

    def __post_init__(self) -> None:
        if not 1 <= len(self.series) <= MAX_LINES or any(len(each.values) != len(self.labels) for each in self.series):
            raise ValueError(f"A line chart has a value for each label, and at most {MAX_LINES} lines.")

    def __bool__(self) -> bool:
        """Whether there is anything to see."""
        return len(self.labels) > 1 and any(each.total for each in self.series)

    @property
    def top(self) -> int:
        """The number at the upper edge."""
        return _top(value or 0 for each in self.series for value in each.values)

    @property
    def width(self) -> int:
        return (len(self.labels) - 1) * DAY_UNITS

    def paths(self) -> list[str]:
        return [each.path(self.top) for each in self.series]

    def targets(self) -> list[Target]:
        """Return a strip for each label, as wide as the distance between two."""
        found = []
        for place, label in enumerate(self.labels):
            numbers = [(each.name, each.values[place]) for each in self.series]
            text = ", ".join(f"{site_formats().number(value)} {name}" for name, value in numbers if value is not None)
            start, end = max(place - 0.5, 0), min(place + 0.5, len(self.labels) - 1)
            found.append(Target(f"{start * DAY_UNITS:.2f}", f"{(end - start) * DAY_UNITS:.2f}", f"{label}: {text}"))
        return found

    def ends(self) -> list[str]:
        """Return the first, the middle and the last label."""
        return [self.labels[place] for place in (0, len(self.labels) // 2, -1)]

    def rows(self) -> list[tuple[str, list[int | None]]]:
        """Return the table: each label with its numbers, the latest first."""
        return [(label, [each.values[place] for each in self.series]) for place, label in enumerate(self.labels)][::-1]


def last_days(count: int) -> list[date]:
    """Return the last days in the site's time zone, with today."""
    today = timezone.localdate(timezone=site_timezone())
    return [today - timedelta(days=back) for back in reversed(range(count))]


def daily(records: QuerySet[Any], column: str, days: Sequence[date]) -> list[int]:
    """Return how many records have a moment on each of the days in the site's time zone (one statement).

    The column needs an index, from which the rows of these days are read.
    """
    zone = site_timezone()
    since, until = (datetime.combine(day, time(), tzinfo=zone) for day in (days[0], days[-1] + timedelta(days=1)))
    found = records.filter(**{f"{column}__gte": since, f"{column}__lt": until}).order_by()
    by_day = dict(found.annotate(day=TruncDate(column, tzinfo=zone)).values_list("day").annotate(number=Count("*")))
    return [by_day.get(day, 0) for day in days]


def _top(values: Iterable[int]) -> int:
    """Return the lowest of 1, 2, 5, 10, 20, 50 and so on that no value exceeds."""
    highest, top, factors = max(values, default=0), 1, (2, 2.5, 2)
    step = 0
    while top < highest:
        top, step = int(top * factors[step % 3]), step + 1
    return top


def _format_day(day: date) -> str:
    return site_formats().short_date(day)
