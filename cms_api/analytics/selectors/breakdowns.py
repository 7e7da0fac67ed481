"""The values of a dimension in a range, as the dashboard's tables show them; each table is one statement."""

from typing import Any

from django.db.models import QuerySet

from ..models import RollUp
from ..types.counting import COLUMNS, Dimension
from .ranges import Range
from .reports import LIMIT, Filter, sums

#: No filter at all.
EVERYTHING = Filter()
#: The dimensions that a report can be narrowed by, besides a page.
NARROWING = (Dimension.SOURCE, Dimension.REFERRER, Dimension.DEVICE, Dimension.COUNTRY)
#: Those that are also summed up by page.
BY_PAGE = {Dimension.PAGE, Dimension.GOAL, Dimension.HOUR, *NARROWING}


def can_narrow(dimension: str, narrowed: Filter) -> bool:
    """Return whether the roll-ups have the values of a dimension under a filter: each is about a page and one dimension."""
    if narrowed.dimension:
        return dimension in {Dimension.PAGE, narrowed.dimension}
    return not narrowed.path or dimension in BY_PAGE


def breakdown(
    found: Range,
    dimension: str,
    *,
    by: str,
    narrowed: Filter = EVERYTHING,
    start: int = 0,
    limit: int = LIMIT,
    is_named: bool = False,
) -> list[dict[str, Any]]:
    """Return the values with the greatest sums of a column, each with all columns; ties by value.

    With `is_named`, the empty value is left out. The filter must be one that `can_narrow` allows.
    """
    rows, name = _rows(found, dimension, narrowed)
    if is_named:
        rows = rows.exclude(**{name: ""})
    added = rows.values(name).annotate(**sums(COLUMNS, narrowed))
    ordered = added.filter(**{f"sum_{by}__gt": 0}).order_by(f"-sum_{by}", name)
    columns = [f"sum_{column}" for column in COLUMNS]
    found_rows = ordered.values_list(name, *columns)[start : start + limit]
    return [{"value": value, **dict(zip(COLUMNS, row, strict=True))} for value, *row in found_rows]


def _rows(found: Range, dimension: str, narrowed: Filter) -> tuple[QuerySet[RollUp, Any], str]:
    """Return the roll-ups of a dimension, and the column that has its values."""
    rows = RollUp.objects.filter(day__range=(found.first, found.last))
    if dimension == Dimension.PAGE and narrowed.dimension:
        rows = rows.filter(dimension=narrowed.dimension, value=narrowed.value)
        return rows.filter(path=narrowed.path) if narrowed.path else rows.exclude(path=""), "path"
    if dimension == Dimension.PAGE and narrowed.path:
        return rows.filter(**narrowed.totals()), "value"
    rows = rows.filter(dimension=dimension, path=narrowed.path)
    return rows.filter(value=narrowed.value) if narrowed.dimension else rows, "value"
