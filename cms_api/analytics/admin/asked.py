"""Reads the parameters of the dashboard: a range and a filter. Invalid ones are reported and left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from urllib.parse import urlencode

from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import site_formats, site_timezone

from ..models import MAX_VALUE
from ..selectors.breakdowns import EVERYTHING, NARROWING
from ..selectors.ranges import DAY, Range, read_range
from ..selectors.reports import Filter
from ..types.counting import SEPARATOR, Dimension
from ..types.events import MAX_PATH

PERIODS = {
    "today": "Today",
    "yesterday": "Yesterday",
    "7": "7 days",
    "30": "30 days",
    "90": "90 days",
    "month": "This month",
    "last_month": "Last month",
    "12_months": "12 months",
}
DEFAULT, CUSTOM = "30", "custom"
#: The value of the parameter `bounces`.
EXCLUDED = "exclude"
#: Years of typed dates: the moments of their days can be calculated in every time zone.
EARLIEST_YEAR, LATEST_YEAR = 2000, 2099
#: Parts of a source: its name, medium and campaign.
SOURCE_PARTS = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """A range and a filter, and how links ask for them."""

    period: str
    range: Range
    narrowed: Filter = EVERYTHING
    problems: tuple[str, ...] = field(default=(), compare=False)

    def parameters(self, **more: str) -> dict[str, str]:
        found = {"period": self.period}
        if self.period == CUSTOM:
            found = {"from": self.range.first.isoformat(), "to": self.range.last.isoformat()}
        return {**found, **self.filters(), **more}

    def filters(self) -> dict[str, str]:
        found = {"page": self.narrowed.path} if self.narrowed.path else {}
        if self.narrowed.dimension:
            found |= {"by": self.narrowed.dimension, "value": self.narrowed.value}
        return found | {"bounces": EXCLUDED} if self.narrowed.without_bounces else found

    def query(self, **more: str) -> str:
        return "?" + urlencode(self.parameters(**more))

    def within(self, period: str) -> "Asked":
        return replace(self, period=period)

    def by_page(self, path: str) -> "Asked":
        """Return the same, narrowed to a page; to all pages with an empty path."""
        return replace(self, narrowed=replace(self.narrowed, path=path))

    def by_value(self, dimension: str, value: str) -> "Asked":
        """Return the same, narrowed to a value of a dimension instead of another; to none with an empty dimension."""
        return replace(self, narrowed=replace(self.narrowed, dimension=dimension, value=value))

    def without_bounces(self, excluded: bool = True) -> "Asked":
        return replace(self, narrowed=replace(self.narrowed, without_bounces=excluded))


def read(query: Mapping[str, str]) -> Asked:
    """Return the range and the filter of a page's parameters."""
    problems: list[str] = []
    period, found = _range(query, problems)
    return Asked(period, found, _filter(query, problems), tuple(problems))


def range_of_period(period: str) -> Range:
    """Return the range of one of PERIODS, which ends today unless it is over."""
    today = timezone.localdate(timezone=site_timezone())
    month = today.replace(day=1)
    if period == "yesterday":
        return Range(today - DAY, today - DAY)
    if period == "month":
        return Range(month, today)
    if period == "last_month":
        return Range((month - DAY).replace(day=1), month - DAY)
    if period == "12_months":
        return Range(date(month.year - (month.month < 12), month.month % 12 + 1, 1), today)
    days = 1 if period == "today" else int(period)
    return Range(today - timedelta(days=days - 1), today)


def _range(query: Mapping[str, str], problems: list[str]) -> tuple[str, Range]:
    typed = {name: query.get(name, "").strip() for name in ("from", "to")}
    period = query.get("period", "")
    if period in PERIODS:
        return period, range_of_period(period)
    if any(typed.values()):
        try:
            return CUSTOM, read_range(*(_day(name, text) for name, text in typed.items()))
        except Invalid as refusal:
            problems += [sentence for sentences in refusal.errors.values() for sentence in sentences]
    elif period:
        problems.append("There is no such period.")
    if problems:
        problems.append("The last 30 days are shown.")
    return DEFAULT, range_of_period(DEFAULT)


def _day(name: str, text: str) -> date | None:
    if not text:
        return None
    try:
        day = site_formats().read_day(text)
    except ValueError:
        raise Invalid({name: f"“{name.capitalize()}” is not a date."}) from None
    if not EARLIEST_YEAR <= day.year <= LATEST_YEAR:
        raise Invalid({name: f"“{name.capitalize()}” must be in the years {EARLIEST_YEAR} to {LATEST_YEAR}."})
    return day


def _filter(query: Mapping[str, str], problems: list[str]) -> Filter:
    found = EVERYTHING
    path, dimension, value, bounces = (query.get(name, "") for name in ("page", "by", "value", "bounces"))
    if bounces:
        found = replace(found, without_bounces=bounces == EXCLUDED)
        if bounces != EXCLUDED:
            problems.append("The filter of bounces can't be read, and was removed.")
    if path:
        if _is_text(path, MAX_PATH):
            found = replace(found, path=path.rstrip("/") or "/")
        else:
            problems.append("The filter by page can't be read, and was removed.")
    if dimension or value:
        is_whole = dimension != Dimension.SOURCE or len(value.split(SEPARATOR)) == SOURCE_PARTS
        if dimension in NARROWING and _is_text(value, MAX_VALUE) and is_whole:
            found = replace(found, dimension=dimension, value=value)
        else:
            problems.append("The filter can't be read, and was removed.")
    return found


def _is_text(value: str, longest: int) -> bool:
    """Return whether a database can look for it."""
    return len(value) <= longest and value.replace(SEPARATOR, "").isprintable()
