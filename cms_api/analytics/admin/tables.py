"""The tables of the dashboard: which values they list, and what their columns show."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..selectors.breakdowns import NARROWING, can_narrow
from ..selectors.labels import amount, duration, label_of, number, percent
from ..selectors.reports import DEFAULT_ROWS, titles_of, top
from ..types.counting import SEPARATOR, Dimension
from .asked import Asked

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of a row; `read` gets the row and the visitors of the whole range under the same filter."""

    title: str
    #: Of the row, that the figure is made of.
    sums: tuple[str, ...]
    read: Callable[[Row, int], Any]
    show: Callable[[Any], str] = number


@dataclass(frozen=True, slots=True)
class Table:
    """A table by its name in addresses; its rows are in the order of the first column."""

    name: str
    title: str
    dimension: Dimension
    #: The heading of the values.
    heading: str
    #: The column that decides the order.
    by: str
    columns: tuple[Column, ...]
    #: Shown where there are no rows.
    empty: str
    #: Whether rows without a value are left out.
    is_named: bool = False

    @property
    def sums(self) -> tuple[str, ...]:
        """Return the sums that its columns and its order need."""
        return tuple(dict.fromkeys((self.by, *(name for column in self.columns for name in column.sums))))

    @property
    def has_pages(self) -> bool:
        return self.dimension in {Dimension.PAGE, Dimension.ENTRY, Dimension.EXIT}


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row as the page shows it."""

    label: str
    #: The title of a page.
    title: str
    #: The address of the dashboard narrowed to this row; empty if it cannot be.
    url: str
    #: The first figure, in percent of the greatest, as a width.
    width: str
    cells: Sequence[str]


def _sum(title: str, name: str) -> Column:
    return Column(title, (name,), lambda row, visitors: row[name])


def _bounce_rate(row: Row, visitors: int) -> float:
    return row["bounces"] / row["sessions"] if row["sessions"] else 0


def _rate(row: Row, visitors: int) -> float:
    return row["visitors"] / visitors if visitors else 0


def _time(row: Row, visitors: int) -> int:
    return round(row["engaged"] / row["pageviews"]) if row["pageviews"] else 0


VISITORS, VIEWS = _sum("Visitors", "visitors"), _sum("Page views", "pageviews")
SESSIONS, CONVERSIONS = _sum("Sessions", "sessions"), _sum("Conversions", "conversions")
TIME = Column("Time on page", ("engaged", "pageviews"), _time, duration)
BOUNCES = Column("Bounce rate", ("bounces", "sessions"), _bounce_rate, percent)
NOBODY = "No visits in this range."

TABLES = {
    each.name: each
    for each in (
        Table("pages", "Top pages", Dimension.PAGE, "Page", "pageviews", (VIEWS, VISITORS, TIME), NOBODY),
        Table("entries", "Entry pages", Dimension.ENTRY, "Page", "sessions", (SESSIONS, BOUNCES), NOBODY),
        Table("exits", "Exit pages", Dimension.EXIT, "Page", "sessions", (_sum("Exits", "sessions"),), NOBODY),
        Table("sources", "Sources", Dimension.SOURCE, "Source", "visitors", (VISITORS, CONVERSIONS), NOBODY),
        Table(
            "referrers",
            "Referrers",
            Dimension.REFERRER,
            "Site",
            "visitors",
            (VISITORS, VIEWS),
            "No visits from other sites.",
            True,
        ),
        Table("devices", "Devices", Dimension.DEVICE, "Device", "visitors", (VISITORS, VIEWS, BOUNCES), NOBODY),
        Table("countries", "Countries", Dimension.COUNTRY, "Country", "visitors", (VISITORS, CONVERSIONS), NOBODY),
        Table(
            "goals",
            "Goals",
            Dimension.GOAL,
            "Goal",
            "conversions",
            (
                _sum("Reached", "conversions"),
                Column("Rate", ("visitors",), _rate, percent),
                Column("Value", ("value_cents",), lambda row, visitors: row, amount),
            ),
            "No goals were reached in this range.",
        ),
        Table(
            "missing",
            "Pages not found",
            Dimension.MISSING,
            "Address",
            "pageviews",
            (_sum("Requests", "pageviews"),),
            "Every page that was asked for exists.",
        ),
        Table(
            "searches",
            "Searches",
            Dimension.SEARCH,
            "Words",
            "pageviews",
            (_sum("Searches", "pageviews"),),
            "Nobody searched the site in this range.",
        ),
    )
}


def columns_of(table: Table, asked: Asked) -> tuple[Column, ...]:
    """Return the columns of a table: the time on a page is not known by source, device and so on, nor without bounces."""
    unknown = {id(TIME)} if asked.narrowed.dimension else set()
    if asked.narrowed.without_bounces:
        unknown = {id(TIME), id(BOUNCES)}
    return tuple(column for column in table.columns if id(column) not in unknown)


def rows_of(table: Table, asked: Asked, *, start: int = 0, limit: int = DEFAULT_ROWS) -> list[dict[str, Any]]:
    """Return the rows of a table (one statement)."""
    return top(
        asked.range,
        table.dimension,
        by=table.by,
        columns=table.sums,
        narrowed=asked.narrowed,
        start=start,
        limit=limit,
        is_named=table.is_named,
    )


def is_shown(table: Table, asked: Asked) -> bool:
    return can_narrow(table.dimension, asked.narrowed)


def titles(tables: Mapping[str, Sequence[Row]]) -> dict[str, str]:
    """Return the titles of the pages in some tables, by path (one statement)."""
    return titles_of(sorted({row["value"] for name, rows in tables.items() if TABLES[name].has_pages for row in rows}))


def shown_rows(
    table: Table, rows: Sequence[Row], asked: Asked, *, index: str, visitors: int, titles: Mapping[str, str], most: int = 0
) -> list[ShownRow]:
    """Return rows as the page shows them. `most` is the greatest figure, that of the first row if it is not given."""
    most = most or max((row[table.by] for row in rows), default=0)
    columns = columns_of(table, asked)
    return [
        ShownRow(
            label=label_of(table.dimension, row["value"]),
            title=titles.get(row["value"], "") if table.has_pages else "",
            url=_url(table, row["value"], asked, index),
            width=f"{row[table.by] / most * 100:.1f}",
            cells=[column.show(column.read(row, visitors)) for column in columns],
        )
        for row in rows
    ]


def _url(table: Table, value: str, asked: Asked, index: str) -> str:
    if table.has_pages:
        narrowed = asked.by_page(value)
    elif table.dimension in NARROWING:
        narrowed = asked.by_value(table.dimension, value)
    else:
        return ""
    return index + narrowed.query() if narrowed != asked else ""


def csv_headings(table: Table, asked: Asked) -> list[str]:
    first = {Dimension.PAGE: ["Page", "Title"], Dimension.ENTRY: ["Page", "Title"], Dimension.EXIT: ["Page", "Title"]}.get(
        table.dimension, ["Source", "Medium", "Campaign"] if table.dimension == Dimension.SOURCE else [table.heading]
    )
    figures = [column.title for column in columns_of(table, asked)]
    return [*first, *figures, "Currency"] if table.dimension == Dimension.GOAL else [*first, *figures]


def csv_cells(table: Table, row: Row, asked: Asked, *, visitors: int, titles: Mapping[str, str]) -> list[Any]:
    """Return a line of the file: figures as numbers, amounts in minor units, rates as shares."""
    value = row["value"]
    first = [label_of(table.dimension, value)]
    if table.has_pages:
        first = [value, titles.get(value, "")]
    elif table.dimension == Dimension.SOURCE:
        first = value.split(SEPARATOR)
    if table.dimension == Dimension.GOAL:
        currency = value.partition(SEPARATOR)[2]
        return [*first, row["conversions"], round(_rate(row, visitors), 4), row["value_cents"], currency]
    figures = (column.read(row, visitors) for column in columns_of(table, asked))
    return [*first, *(round(each, 4) if isinstance(each, float) else each for each in figures)]
