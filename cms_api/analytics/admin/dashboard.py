"""The dashboard: figures, a line of visitors, tables, and visitors of the last half hour."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.generic import TemplateView

from cms_api.adminkit.charts import LineChart, Trend
from cms_api.adminkit.pages import RecordsPage
from cms_api.flags.selectors import site_formats, site_timezone
from cms_api.http.downloads import CSV_TYPE, document
from cms_api.text.spreadsheets import safe_cell

from ..selectors.labels import label_of, range_of
from ..selectors.live import LIVE_MINUTES, PRESENT_MINUTES, visitors_by_minute
from ..selectors.reports import DEFAULT_ROWS, sums_of, with_months
from ..selectors.summaries import compare
from ..selectors.timelines import timeline
from ..types.counting import Dimension
from .asked import CUSTOM, PERIODS, Asked, read
from .hints import hints_of
from .tables import TABLES, columns_of, csv_cells, csv_headings, is_shown, rows_of, shown_rows, titles

#: Rows of a page of a whole table, and of its file.
PER_PAGE, MAX_FILE_ROWS = 100, 10_000
HEADINGS = {"hour": "Hour", "day": "Day", "week": "Week from", "month": "Month"}


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter that can be removed."""

    title: str
    label: str
    without: str


class AnalyticsPage(RecordsPage, TemplateView):
    permission_required = "view"
    page_title = "Analytics"
    header_icon = "view"

    @property
    def index(self) -> str:
        return reverse(self.viewset.get_url_name("index"))

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        asked = read(request.GET)
        self.asked = replace(asked, range=with_months(asked.range))

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return what every page shows: the range, the filters and what is wrong with the parameters."""
        asked, here = self.asked, self.request.path
        periods = [(label, here + asked.within(name).query(), name == asked.period) for name, label in PERIODS.items()]
        return super().get_context_data(**kwargs) | {
            "asked": asked,
            "here": here,
            "is_custom": asked.period == CUSTOM,
            "periods": periods,
            "chips": list(chips(asked, here)),
            "range": range_of(asked.range),
            "previous": range_of(asked.range.previous),
        }


class DashboardView(AnalyticsPage):
    template_name = "analytics_admin/dashboard.html"

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*self.breadcrumbs_items, {"url": "", "label": self.page_title}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        asked = self.asked
        now, before = sums_of(asked.range, asked.narrowed)
        found = {name: rows_of(table, asked, limit=DEFAULT_ROWS + 1) for name, table in TABLES.items() if is_shown(table, asked)}
        return super().get_context_data(**kwargs) | {
            "tiles": compare(now, before, without_bounces=asked.narrowed.without_bounces),
            "chart": chart_of(asked),
            "hints": [] if asked.filters() else hints_of(now, before),
            "tables": self._tables(found, now["visitors"]),
            "hidden": [table.title for table in TABLES.values() if not is_shown(table, asked)],
            "excluded": self._value_label(),
            "without_bounces_url": "" if asked.narrowed.without_bounces else self.request.path + asked.without_bounces().query(),
            "live": live(),
            "live_url": reverse(self.viewset.get_url_name("live")),
            "at": timezone.localtime(timezone=site_timezone()),
        }

    def _tables(self, found: Mapping[str, list[dict[str, Any]]], visitors: int) -> list[dict[str, Any]]:
        names = titles(found)
        return [
            {
                "table": TABLES[name],
                "columns": columns_of(TABLES[name], self.asked),
                "rows": shown_rows(
                    TABLES[name], rows[:DEFAULT_ROWS], self.asked, index=self.index, visitors=visitors, titles=names
                ),
                "url": reverse(self.viewset.get_url_name("table"), args=[name]) + self.asked.query()
                if len(rows) > DEFAULT_ROWS
                else "",
                "csv_url": reverse(self.viewset.get_url_name("table"), args=[name]) + self.asked.query(export="csv"),
            }
            for name, rows in found.items()
        ]

    def _value_label(self) -> str:
        """Return what the reports are narrowed to, for the sentence about those that cannot be."""
        dimension = self.asked.narrowed.dimension
        return str(Dimension(dimension).label).lower() if dimension else "page"


class TableView(AnalyticsPage):
    """A whole table, page by page, or as a file."""

    template_name = "analytics_admin/table.html"
    kwargs: dict[str, Any]

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        if kwargs["table"] not in TABLES:
            raise Http404
        self.table = TABLES[kwargs["table"]]

    def get_page_subtitle(self) -> str:
        return self.table.title

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        listing = {"url": self.index + self.asked.query(), "label": self.page_title}
        return [*self.breadcrumbs_items, listing, {"url": "", "label": self.table.title}]

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.GET.get("export") == "csv":
            return self.as_file()
        return super().get(request, *args, **kwargs)

    def rows(self) -> list[dict[str, Any]]:
        return rows_of(self.table, self.asked, limit=MAX_FILE_ROWS) if is_shown(self.table, self.asked) else []

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        rows, here = self.rows(), self.request.path
        page = Paginator(rows, PER_PAGE).get_page(self.request.GET.get("p"))
        shown = list(page.object_list)
        visitors = sums_of(self.asked.range, self.asked.narrowed)[0]["visitors"]
        first = rows[0][self.table.by] if rows else 0
        query = self.asked.query
        return super().get_context_data(**kwargs) | {
            "table": self.table,
            "columns": columns_of(self.table, self.asked),
            "rows": shown_rows(
                self.table,
                shown,
                self.asked,
                index=self.index,
                visitors=visitors,
                titles=titles({self.table.name: shown}),
                most=first,
            ),
            "is_shown": is_shown(self.table, self.asked),
            "back_url": self.index + query(),
            "csv_url": here + query(export="csv"),
            "page": page,
            "earlier": here + query(p=str(page.previous_page_number())) if page.has_previous() else "",
            "later": here + query(p=str(page.next_page_number())) if page.has_next() else "",
        }

    def as_file(self) -> HttpResponse:
        rows, table, asked = self.rows(), self.table, self.asked
        visitors = sums_of(asked.range, asked.narrowed)[0]["visitors"]
        names = titles({table.name: rows})
        text = StringIO()
        writer = csv.writer(text)
        writer.writerow(map(safe_cell, csv_headings(table, asked)))
        writer.writerows(
            [safe_cell(cell) for cell in csv_cells(table, row, asked, visitors=visitors, titles=names)] for row in rows
        )
        name = f"analytics-{table.name}-{asked.range.first.isoformat()}-{asked.range.last.isoformat()}.csv"
        return document(text.getvalue().encode(), name=name, content_type=CSV_TYPE, is_attachment=True)


class LiveView(RecordsPage, TemplateView):
    """The part of the dashboard that its script refreshes."""

    permission_required = "view"
    template_name = "analytics_admin/live.html"
    page_title = "Visitors now"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {"live": live()}


def live() -> dict[str, Any]:
    """Return the visitors who are present, and the bars of the last half hour."""
    present, minutes = visitors_by_minute()
    most = max(*minutes, 1)
    bars = [
        (place * 10 + 1, f"{100 - count / most * 100:.1f}", f"{count / most * 100:.1f}") for place, count in enumerate(minutes)
    ]
    return {
        "present": present,
        "minutes": PRESENT_MINUTES,
        "all_minutes": LIVE_MINUTES,
        "bars": [bar for bar, count in zip(bars, minutes, strict=True) if count],
        "text": ", ".join(map(str, minutes)),
        "any": any(minutes),
    }


def chart_of(asked: Asked) -> LineChart:
    """Return the visitors of the range against those of the range before."""
    found = timeline(asked.range, asked.narrowed)
    formats = site_formats()
    written: Mapping[str, Any] = {
        "hour": (lambda moment: f"{formats.short_day(moment)}, {formats.time(moment)}") if asked.range.days > 1 else formats.time,
        "day": formats.short_date,
        "week": formats.short_date,
        "month": formats.month,
    }
    return LineChart(
        "visitors",
        f"Visitors by {found.interval}",
        HEADINGS[found.interval],
        [written[found.interval](point.start) for point in found.points],
        [
            Trend("visitors", [point.visitors for point in found.points]),
            Trend("before", [point.previous for point in found.points]),
        ],
        has_totals=found.interval != "hour",
    )


def chips(asked: Asked, here: str) -> Iterator[Chip]:
    narrowed = asked.narrowed
    if narrowed.path:
        yield Chip("Page", narrowed.path, here + asked.by_page("").query())
    if narrowed.dimension:
        title, label = str(Dimension(narrowed.dimension).label), label_of(narrowed.dimension, narrowed.value)
        yield Chip(title, label, here + asked.by_value("", "").query())
    if narrowed.without_bounces:
        yield Chip("Bounces", "excluded", here + asked.without_bounces(False).query())
