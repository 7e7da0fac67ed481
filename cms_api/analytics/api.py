"""The six reports."""

from collections.abc import Mapping
from typing import Any

from cms_api.core.errors import Invalid
from cms_api.http.endpoint import ApiRequest, Endpoint, operation
from cms_api.http.listing import answer_one, answer_rows
from cms_api.http.query import Choice, Day, Param, Query, Text, Whole
from cms_api.http.wire import Answer

from .resources import (
    ConversionResource,
    PageReportResource,
    PointResource,
    ReferrerResource,
    SourceResource,
    SummaryResource,
)
from .selectors import reports
from .selectors.ranges import INTERVALS, MAX_DAYS, MAX_DAYS_BY_HOUR, Range, read_range
from .selectors.reports import DEFAULT_ROWS, Filter
from .types.events import MAX_PATH

MAX_ROWS = 100

_COMMON: tuple[Param, ...] = (
    Day("from", "First day, in the site's time zone; by default 30 days that end on `to`."),
    Day("to", f"Last day, which is included; today by default. A range has at most {MAX_DAYS} days."),
    Text("page", "Path of a page: only visits and visitors that saw it.", max_length=MAX_PATH),
)
_LIMIT = Whole("limit", f"Rows; more than {MAX_ROWS} are read as {MAX_ROWS}.", default=DEFAULT_ROWS)
_DAYS = {"from": "2026-02-01", "to": "2026-03-02"}
_META = {name: {"type": "string", "format": "date", "examples": [day]} for name, day in _DAYS.items()}

TOTALS = Query(filters=_COMMON)
RANKING = Query(filters=(*_COMMON, _LIMIT))
TIMESERIES = Query(
    filters=(
        *_COMMON,
        Choice("interval", f"`hour` for at most {MAX_DAYS_BY_HOUR} days.", default="day", choices=INTERVALS),
    )
)


class Summary(Endpoint):
    @operation("Summarise visits", query=TOTALS, answer=SummaryResource, meta=_META)
    def get(self, request: ApiRequest) -> Answer:
        found, narrowed = _read_query(request.query)
        return answer_one(request, reports.summary(found, narrowed), meta=_meta(found))


class Timeseries(Endpoint):
    @operation("Read visits over time", query=TIMESERIES, answer=PointResource, kind="rows", meta=_META)
    def get(self, request: ApiRequest) -> Answer:
        query = request.query
        found, narrowed = _read_query(query)
        if query["interval"] == "hour" and found.days > MAX_DAYS_BY_HOUR:
            raise Invalid({"interval": f"Hours can be read for at most {MAX_DAYS_BY_HOUR} days."})
        return answer_rows(request, list(reports.timeseries(found, query["interval"], narrowed)), _meta(found))


class Pages(Endpoint):
    @operation("Read the most viewed pages", query=RANKING, answer=PageReportResource, kind="rows", meta=_META)
    def get(self, request: ApiRequest) -> Answer:
        return _ranking(request, reports.pages)


class Referrers(Endpoint):
    @operation("Read the sites that visitors came from", query=RANKING, answer=ReferrerResource, kind="rows", meta=_META)
    def get(self, request: ApiRequest) -> Answer:
        return _ranking(request, reports.referrers)


class Sources(Endpoint):
    @operation("Read the sources and campaigns of visits", query=RANKING, answer=SourceResource, kind="rows", meta=_META)
    def get(self, request: ApiRequest) -> Answer:
        return _ranking(request, reports.sources)


class Conversions(Endpoint):
    @operation("Read the goals that visitors reached", query=TOTALS, answer=ConversionResource, kind="rows", meta=_META)
    def get(self, request: ApiRequest) -> Answer:
        found, narrowed = _read_query(request.query)
        return answer_rows(request, list(reports.conversions(found, narrowed=narrowed)), _meta(found))


def _ranking(request: ApiRequest, report: Any) -> Answer:
    query = request.query
    found, narrowed = _read_query(query)
    return answer_rows(request, report(found, limit=min(query["limit"], MAX_ROWS), narrowed=narrowed), _meta(found))


def _read_query(query: Mapping[str, Any]) -> tuple[Range, Filter]:
    """Return the range and the filter that a query asks for. Raises Invalid."""
    path = query["page"] or ""
    return reports.with_months(read_range(query["from"], query["to"])), Filter(path=path.rstrip("/") or "/" if path else "")


def _meta(found: Range) -> dict[str, str]:
    return {"from": found.first.isoformat(), "to": found.last.isoformat()}
