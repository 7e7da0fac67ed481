"""Texts that people read: names of values, figures, and changes in words."""

from collections.abc import Mapping
from typing import Any

from cms_api.flags.selectors import site_formats
from cms_api.text.addresses import country_name
from cms_api.text.currencies import major_units

from ..types.counting import SEPARATOR, Dimension
from ..types.events import Device
from ..types.goals import LABELS
from .ranges import Range

UNKNOWN, DIRECT = "Unknown", "Direct"


def label_of(dimension: str, value: str) -> str:
    """Return the name of a dimension's value: `Google / search`, `Canada`, `Phone`."""
    if dimension == Dimension.SOURCE:
        source, *more = value.split(SEPARATOR)
        return " / ".join(filter(None, (source or DIRECT, *more)))
    if dimension == Dimension.GOAL:
        goal = value.partition(SEPARATOR)[0]
        return LABELS.get(goal, goal)
    if dimension == Dimension.DEVICE:
        return str(dict(Device.choices).get(value, UNKNOWN))
    if dimension == Dimension.COUNTRY:
        return country_name(value) if value else UNKNOWN
    if dimension == Dimension.REFERRER:
        return value or DIRECT
    return value


def number(value: int) -> str:
    return site_formats().number(value)


def format_count(count: int, noun: str) -> str:
    """ "1,204 visitors"."""
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def percent(share: float) -> str:
    """ "12.5%"."""
    return f"{site_formats().number(round(share * 100, 1), decimals=1)}%"


def duration(seconds: int) -> str:
    """ "2 min 5 s"."""
    minutes, rest = divmod(seconds, 60)
    return f"{number(minutes)} min {rest} s" if minutes else f"{rest} s"


def amount(row: Mapping[str, Any]) -> str:
    """Return the value of a goal's row; empty for goals without an amount."""
    currency = row["value"].partition(SEPARATOR)[2]
    return site_formats().money(major_units(row["value_cents"], currency), currency) if currency else ""


def range_of(found: Range) -> str:
    first, last = (site_formats().short_date(day) for day in (found.first, found.last))
    return first if found.days == 1 else f"{first} \u2013 {last}"


def change(now: int, before: int) -> tuple[str, int]:
    """Return the change of a figure in words, and its direction: -1, 0 or 1."""
    if now == before:
        return "no change", 0
    if not before:
        return "none before", 1
    share = (now - before) / before
    rounded = f"{number(abs(round(share * 100)))}%" if abs(share) >= 0.01 else "less than 1%"
    return (f"up {rounded}", 1) if share > 0 else (f"down {rounded}", -1)


def change_in_points(now: float, before: float) -> tuple[str, int]:
    """Return the change of a share in percentage points, in words, and its direction."""
    points = round((now - before) * 100, 1)
    if not points:
        return "no change", 0
    words = f"{site_formats().number(abs(points), decimals=1)} points"
    return (f"up {words}", 1) if points > 0 else (f"down {words}", -1)
