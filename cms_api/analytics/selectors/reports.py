"""Reports: sums of roll-ups, in a number of statements that depends neither on the range nor on how many visits there were.

A report can be narrowed to a page and to one value of another dimension: roll-ups are by day, page and one dimension.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Case, F, Q, QuerySet, Sum, Value, When
from django.db.models.expressions import CombinedExpression

from cms_api.flags.selectors import site_timezone

from ..models import BLANK, PageTitle, RollUp
from ..types.counting import COLUMNS, SEPARATOR, Dimension, monthly
from ..types.sources import DIRECT
from .ranges import DAY, Range, bucket, hour_of, hours

#: The columns to which bounces add, and the column that says how much. A bounce lasts no time, and reaches no goal.
OF_BOUNCES = {"pageviews": "bounces", "visitors": "bounced_visitors", "sessions": "bounces", "bounces": "bounces"}
#: Rows of a report by default.
DEFAULT_ROWS = 10


@dataclass(frozen=True, slots=True)
class Filter:
    """The filter of a report: visits and visitors that saw a page, that have a value of a dimension, or both.

    Without bounces, the time on pages is not known.
    """

    path: str = ""
    dimension: str = ""
    value: str = ""
    without_bounces: bool = False

    def totals(self) -> dict[str, Any]:
        """Return the conditions of the roll-ups with the totals."""
        if self.dimension:
            return {"dimension": self.dimension, "path": self.path or BLANK, "value": self.value}
        if self.path:
            return {"dimension": Dimension.PAGE, "path": BLANK, "value": self.path}
        return {"dimension": Dimension.TOTAL, "path": BLANK, "value": ""}

    def number(self, column: str) -> F | CombinedExpression:
        """Return a column, less what bounces have added to it if they are excluded."""
        if self.without_bounces and column in OF_BOUNCES:
            return F(column) - F(OF_BOUNCES[column])
        return F(column)


def with_months(found: Range) -> Range:
    """Return the range with the months that are summed up, in it and in the range before it (one statement)."""
    rows = RollUp.objects.filter(dimension=monthly(Dimension.TOTAL), path=BLANK, value="", day__gte=found.previous.first)
    return replace(found, months=frozenset(rows.values_list("day", flat=True)))


def roll_ups(*ranges: Range, dimension: str, **conditions: Any) -> QuerySet[RollUp, Any]:
    """Return the sums of ranges: those of whole months where there are any, and of days; each part has an index."""
    parts = []
    for months, days in (each.split() for each in ranges):
        parts += [Q(dimension=dimension, day__range=each, **conditions) for each in days]
        if months:
            parts.append(Q(dimension=monthly(dimension), day__in=months, **conditions))
    return RollUp.objects.filter(reduce(or_, parts))


def net_roll_ups(found: Range, *, dimension: str, **conditions: Any) -> QuerySet[RollUp, Any]:
    """Return the sums of a range in as few rows as possible: those whose `sign` is -1 are to be taken away from their month."""
    whole = found.widen()
    rest = [Range(whole.first, found.first - DAY), Range(found.last + DAY, whole.last)]
    rows = roll_ups(whole, *(each for each in rest if each.days), dimension=dimension, **conditions)
    if whole == found:
        return rows.annotate(sign=Value(1))
    # Of the days before and after the range, there are only those that are taken away.
    in_range, is_day = Q(day__range=(found.first, found.last)), Q(dimension=dimension)
    return rows.annotate(sign=Case(When(in_range, then=1), When(is_day, then=-1), default=1))


def totals(found: Range, narrowed: Filter = Filter()) -> dict[str, int]:
    """Return the sums of a range by column."""
    return sums_of(found, narrowed)[0]


def sums_of(found: Range, narrowed: Filter = Filter()) -> tuple[dict[str, int], dict[str, int]]:
    """Return the sums of a range and of as many days before it (one statement)."""
    earlier = found.previous
    rows = roll_ups(earlier, found, **narrowed.totals())
    now, before = (
        {
            f"{prefix}_{column}": Sum(Case(When(day__range=(each.first, each.last), then=narrowed.number(column))))
            for column in COLUMNS
        }
        for prefix, each in (("now", found), ("before", earlier))
    )
    found_sums = rows.aggregate(**now, **before)
    current, previous = ({column: found_sums[f"{prefix}_{column}"] or 0 for column in COLUMNS} for prefix in ("now", "before"))
    return current, previous


def summary(found: Range, narrowed: Filter = Filter()) -> dict[str, Any]:
    """Return the totals of a range, and of as many days before it."""
    current, previous = sums_of(found, narrowed)
    return {
        "from": found.first.isoformat(),
        "to": found.last.isoformat(),
        **figures(current),
        "previous": {
            "from": found.previous.first.isoformat(),
            "to": found.previous.last.isoformat(),
            **figures(previous),
        },
    }


def figures(sums: Mapping[str, int]) -> dict[str, Any]:
    """Return the figures of a summary. The bounce rate is a share between 0 and 1; both averages are 0 without sessions."""
    sessions = sums["sessions"]
    return {
        "visitors": sums["visitors"],
        "pageviews": sums["pageviews"],
        "sessions": sessions,
        "bounce_rate": round(sums["bounces"] / sessions, 4) if sessions else 0,
        "avg_duration_seconds": round(sums["seconds"] / sessions) if sessions else 0,
        "conversions": sums["conversions"],
    }


def timeseries(found: Range, interval: str = "day", narrowed: Filter = Filter()) -> list[dict[str, Any]]:
    """Return visitors, page views and sessions by interval, also of those without any."""
    columns = ("visitors", "pageviews", "sessions")
    known: dict[str, tuple[int, ...]] = {}
    if interval == "hour":
        conditions = {"dimension": Dimension.HOUR, "path": narrowed.path, "day__range": (found.first, found.last)}
        rows = RollUp.objects.filter(**conditions).values_list("value").annotate(**sums(columns, narrowed))
        zone = site_timezone()
        for stored, *numbers in rows:
            name = hour_of(stored, zone)
            known[name] = tuple(map(sum, zip(known.get(name, (0, 0, 0)), numbers, strict=True)))
        names = list(hours(found, zone))
    else:
        # The sum of a month is found at its first day.
        rows = roll_ups(found if interval == "month" else found.by_day(), **narrowed.totals())
        for day, *numbers in rows.values_list("day").annotate(**sums(columns, narrowed)):
            name = bucket(day, interval).isoformat()
            known[name] = tuple(map(sum, zip(known.get(name, (0, 0, 0)), numbers, strict=True)))
        names = list(dict.fromkeys(bucket(day, interval).isoformat() for day in found))
    return [{"date": name, **dict(zip(columns, known.get(name, (0, 0, 0)), strict=True))} for name in names]


def sums(columns: Iterable[str], narrowed: Filter) -> dict[str, Sum]:
    """Return the annotations `sum_<column>` of grouped roll-ups."""
    return {f"sum_{column}": Sum(narrowed.number(column)) for column in columns}


def net_sums(columns: Iterable[str], narrowed: Filter) -> dict[str, Sum]:
    """Return the annotations `sum_<column>` of grouped `net_roll_ups`."""
    return {f"sum_{column}": Sum(F("sign") * narrowed.number(column)) for column in columns}


def top(
    found: Range,
    dimension: str,
    *,
    start: int = 0,
    limit: int = DEFAULT_ROWS,
    narrowed: Filter = Filter(),
    by: str = "visitors",
    columns: Sequence[str] = COLUMNS,
    is_named: bool = False,
) -> list[dict[str, Any]]:
    """Return the values of a dimension with the greatest sums, each with the columns, of which `by` is one; ties by value.

    With `is_named`, the empty value is left out. The filter must be one that `breakdowns.can_narrow` allows.
    """
    rows, name = _values(found, dimension, narrowed)
    if is_named:
        rows = rows.exclude(**{name: ""})
    added = rows.values(name).annotate(**net_sums(columns, narrowed))
    ordered = added.filter(**{f"sum_{by}__gt": 0}).order_by(f"-sum_{by}", name)
    found_rows = ordered.values_list(name, *(f"sum_{column}" for column in columns))[start : start + limit]
    return [{"value": value, **dict(zip(columns, row, strict=True))} for value, *row in found_rows]


def _values(found: Range, dimension: str, narrowed: Filter) -> tuple[QuerySet[RollUp, Any], str]:
    """Return the sums of a dimension, and the column that has its values."""
    if dimension == Dimension.PAGE and narrowed.dimension:
        # The pages that visits with this value have seen.
        paths = {"path": narrowed.path} if narrowed.path else {"path__gt": BLANK}
        return net_roll_ups(found, dimension=narrowed.dimension, value=narrowed.value, **paths), "path"
    if (narrowed.path and dimension == Dimension.PAGE) or narrowed.dimension == dimension:
        return net_roll_ups(found, **narrowed.totals()), "value"
    return net_roll_ups(found, dimension=dimension, path=narrowed.path), "value"


def pages(found: Range, *, limit: int = DEFAULT_ROWS, narrowed: Filter = Filter()) -> list[dict[str, Any]]:
    """Return the pages with the most views (two statements)."""
    columns = ("pageviews", "visitors", "engaged")
    rows = top(found, Dimension.PAGE, limit=limit, narrowed=narrowed, by="pageviews", columns=columns)
    titles = titles_of([row["value"] for row in rows])
    return [
        {
            "path": row["value"],
            "title": titles.get(row["value"]),
            "pageviews": row["pageviews"],
            "visitors": row["visitors"],
            "avg_duration_seconds": round(row["engaged"] / row["pageviews"]) if row["pageviews"] else 0,
        }
        for row in rows
    ]


def titles_of(paths: Sequence[str]) -> dict[str, str]:
    return dict(PageTitle.objects.filter(path__in=paths).values_list("path", "title"))


def referrers(found: Range, *, limit: int = DEFAULT_ROWS, narrowed: Filter = Filter()) -> list[dict[str, Any]]:
    """Return the sites that visitors came from; those who came from none are not among them."""
    rows = top(found, Dimension.REFERRER, limit=limit, narrowed=narrowed, is_named=True)
    return [{"referrer": row["value"], "visitors": row["visitors"], "pageviews": row["pageviews"]} for row in rows]


def sources(found: Range, *, limit: int = DEFAULT_ROWS, narrowed: Filter = Filter()) -> list[dict[str, Any]]:
    """Return the sources, media and campaigns of visits; null where there is no medium or campaign."""
    found_rows = []
    for row in top(found, Dimension.SOURCE, limit=limit, narrowed=narrowed):
        source, medium, campaign = row["value"].split(SEPARATOR)
        parts = {"source": source or DIRECT, "medium": medium or None, "campaign": campaign or None}
        found_rows.append({**parts, "visitors": row["visitors"], "conversions": row["conversions"]})
    return found_rows


def conversions(found: Range, *, narrowed: Filter = Filter()) -> list[dict[str, Any]]:
    """Return the goals that were reached. The rate is the share of visitors who reached it, under the same filter.

    Of a filter, only the page narrows goals: they are not counted by the values of other dimensions.
    """
    narrowed = replace(narrowed, dimension="", value="")
    visitors = totals(found, narrowed)["visitors"]
    rows = []
    for row in top(found, Dimension.GOAL, limit=100, narrowed=narrowed, by="conversions"):
        goal, currency = row["value"].split(SEPARATOR)
        rows.append(
            {
                "goal": goal,
                "conversions": row["conversions"],
                "conversion_rate": round(row["visitors"] / visitors, 4) if visitors else 0,
                "value_cents": row["value_cents"],
                "currency": currency or None,
            }
        )
    return rows
