"""Answers list requests from a queryset: numbered pages with a total, or cursors. One statement, plus one for the total."""

import base64
import binascii
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol, Self, cast

import orjson
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import F, Q, QuerySet
from django.utils.functional import SimpleLazyObject

from cms_api.core.errors import Invalid
from cms_api.core.identifiers import MAX_ID
from cms_api.core.reading import ANY_ID, ANY_TIME, MAX_UNION_PARTS, Statement, Values, compile_once
from cms_api.http import wire
from cms_api.http.endpoint import ApiRequest
from cms_api.http.query import Paging
from cms_api.http.wire import Answer, Record
from cms_api.text.search import Unindexed

Rows = Sequence[Any]
#: Stand for the sort value of a cursor, by its type. The text is no character, so that no filter asks for it.
ANY_VALUES = {datetime: ANY_TIME, str: "\U0010fffe"}


def pass_through(rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows


def find_each_time(key: Hashable, find: Callable[[], Any]) -> Any:
    return find()


@dataclass
class Listing:
    """The queryset behind a list, and how its rows are serialized.

    Without `columns` rows are model instances; with them, tuples of the id and the columns, and at their end the sort value, if
    it is needed. Sortable fields must not be null.
    """

    queryset: QuerySet[Any]
    serialize: Callable[[Rows], list[Record]]
    #: Returns the number of rows, if there is a better way than counting the queryset.
    total: Callable[[], int] | None = None
    columns: tuple[str, ...] | None = None
    #: Returns what a function returns, which may be known from an earlier list under the same key; see `remember_counts`.
    remember: Callable[[Hashable, Callable[[], Any]], Any] = find_each_time
    #: Whether the rows need their sort values, for cursors.
    has_sort_values: bool = False
    #: Returns filters of parts of the rows, each of which an index has in the order of a field; none if that is not needed.
    parts: Callable[[str], tuple["Filter", ...]] | None = None
    #: Keeps some rows of the queryset, or of each part: those after a cursor.
    narrow: Callable[[QuerySet[Any]], QuerySet[Any]] = pass_through
    #: Maps a field to its path in the queryset, if the rows only point to the records.
    path: Callable[[str], str] = str
    #: The same rows, asked for in a way that suits counting.
    few: QuerySet[Any] | None = None
    #: Whether the rows are few enough to be found by their conditions and sorted; see `max_sorted`.
    are_sorted: bool = False
    #: The number of rows, once counted.
    counted: int | None = None
    #: The conditions of the queryset with their values, if they say all about it; then its SQL is compiled once.
    conditions: Hashable = None
    #: The values that take the place of those that the SQL is compiled with.
    values: Values | None = None
    #: Whether the records have nothing but the keys that `fields` asks for.
    is_sparse: bool = False

    def records(self, rows: Rows, names: frozenset[str] | None) -> list[Record]:
        """Return the records of rows, with only the named top-level keys."""
        return select(self.serialize(rows), None if self.is_sparse else names)

    def count(self) -> int:
        """Count the rows, unless their number is known."""
        if self.counted is None:
            self.counted = self.remember("total", self.total or self.count_rows)
        return self.counted

    def count_rows(self) -> int:
        return (self.queryset if self.few is None else self.few).count()

    def order_by_field(self, field: str, *, descending: bool, parts: tuple["Filter", ...] = ()) -> QuerySet[Any]:
        """Return the rows in order. Databases merge those of parts, and read no more of each than they need."""
        sign = "-" if descending else ""
        order = sign + self.path(field), sign + self.path("id")
        if not parts:
            return self._select_columns(self.queryset.order_by(*order), field if self.has_sort_values else None)
        first, *others = [self._select_columns(self.narrow(part.queryset()).order_by(), field) for part in parts]
        return (first.union(*others, all=True) if others else first).order_by(*order)

    def _select_columns(self, rows: QuerySet[Any], field: str | None) -> QuerySet[Any]:
        """Return rows as tuples, if they are asked for."""
        if self.columns is None:
            return rows
        return rows.values_list(*map(self.path, ("id", *self.columns, *([field] if field else []))))

    def rows(self, field: str, start: int, stop: int, *, descending: bool) -> list[Any]:
        """Return the rows from `start` up to `stop` in sort order."""
        if self.are_sorted:
            page = partial(self.sorted_page, field, start, stop, descending=descending)
            return (
                list(page()) if self.columns is None else self._statement(page, field, start, stop, descending).all(self.values)
            )
        parts = self.ordered_parts(field)
        build = partial(self.order_by_field, field, descending=descending, parts=parts)
        if self.columns is None or (self.conditions is None and not self.values):
            return list(build()[start:stop])
        return self._statement(build, field, descending, parts).rows(start, stop, self.values)

    def sorted_page(self, field: str, start: int, stop: int, *, descending: bool) -> QuerySet[Any]:
        """Return the rows from `start` up to `stop` of all that the conditions find."""
        keys = [Unindexed(F(self.path(name))) for name in (field, "id")]
        found = self.queryset.order_by(*(key.desc() if descending else key.asc() for key in keys))
        if self.columns is None:
            return found[start:stop]
        # The database sorts ids, not whole rows.
        page = self.queryset.model._default_manager.filter(pk__in=found.values("pk")[start:stop])
        return replace(self, queryset=page).order_by_field(field, descending=descending)

    def _statement(self, build: Callable[[], QuerySet[Any]], *order: Hashable) -> Statement:
        """Return the statement of a queryset in some order, which is compiled once if the conditions say all about the rows."""
        if self.conditions is None:
            return Statement(build())
        return compile_once((self.conditions, self.columns, self.has_sort_values, self.are_sorted, *order), build)

    def ordered_parts(self, field: str) -> tuple["Filter", ...]:
        """Return parts of the rows, each of which an index has in the order of a field, if there are any."""
        parts = self.parts(field) if self.parts and self.columns is not None else ()
        return parts if len(parts) <= MAX_UNION_PARTS else ()

    def beyond(self, field: str, value: Any, record_id: int, *, below: bool) -> "Listing":
        """Return the listing of the rows after (value, id) in sort order."""
        side, values = "lt" if below else "gt", self.values
        any_value = None if self.conditions is None else ANY_VALUES.get(type(value))
        if any_value is not None:
            # The SQL of all positions is the same.
            value, record_id, values = any_value, ANY_ID, {**(values or {}), any_value: value, ANY_ID: record_id}
        found = self.narrow_by(lambda rows: rows.filter(self.side(field, value, record_id, side)))
        return replace(found, conditions=None if any_value is None else (self.conditions, side), values=values)

    def narrow_by(self, narrow: Callable[[QuerySet[Any]], QuerySet[Any]]) -> Self:
        """Return the listing of those of the rows that a function keeps."""
        known = self.narrow
        return replace(self, counted=None, queryset=lazy(lambda: narrow(self.queryset)), narrow=lambda rows: narrow(known(rows)))

    def side(self, field: str, value: Any, record_id: int, comparison: str) -> Q:
        """Return the rows on one side (`lt`, `lte`, `gt`, `gte`) of (value, id); an index on the field bounds the scan."""
        path = self.path(field)
        bounds = Q(**{f"{path}__{comparison[:2]}e": value})
        return bounds & (Q(**{f"{path}__{comparison[:2]}": value}) | Q(**{f"{self.path('id')}__{comparison}": record_id}))

    def column(self, field: str) -> Any:
        """Return the model field that is sorted by."""
        kind = type(self.conditions), self.path(field)
        if self.conditions is None:
            return self._column(field)
        if kind not in _sorted_by:
            _sorted_by[kind] = self._column(field)
        return _sorted_by[kind]

    def _column(self, field: str) -> Any:
        model = self.queryset.model
        *steps, name = self.path(field).split("__")
        for step in steps:
            model = model._meta.get_field(step).related_model
        return model._meta.get_field(name)

    def key(self, row: Any, field: str) -> tuple[Any, int]:
        """Return the sort value and the id of a row."""
        return (getattr(row, field), row.pk) if self.columns is None else (row[-1], row[0])


#: The model fields that lists are sorted by, by the type of their filter and the path of the field.
_sorted_by: dict[tuple[type, str], Any] = {}


class Filter(Hashable, Protocol):
    """Conditions of a list with their values, comparable, which say all about the queryset and the total."""

    def queryset(self) -> QuerySet[Any]: ...

    def total(self) -> int: ...


def list_by_filter(
    wanted: Filter, serialize: Callable[[Rows], list[Record]], *, columns: tuple[str, ...], path: Callable[[str], str] = str
) -> Listing:
    """Return the listing of a filter. Its queryset is built only if SQL has to be compiled for it."""
    rows = lazy(wanted.queryset)
    return Listing(rows, serialize, total=wanted.total, columns=columns, path=path, conditions=wanted)


def lazy(build: Callable[[], QuerySet[Any]]) -> QuerySet[Any]:
    """Return a queryset that is built when it is first used."""
    return cast("QuerySet[Any]", SimpleLazyObject(build))


def answer_list(request: ApiRequest, listing: Listing) -> Answer:
    """Return the requested part of the list in the contract's envelope."""
    sort = request.operation.query.sort
    assert sort is not None
    paging, names = request.asked.paging, request.asked.fields
    field = sort.keys[paging.sort.removeprefix("-")]
    if paging.cursor is None:
        return _page(request, listing, paging, field, names)
    return _cursor_page(request, listing, paging, field, names)


def answer_whole(request: ApiRequest, records: list[Record]) -> Answer:
    """Return a short, unpaginated list as one page of the envelope."""
    names = request.asked.fields
    query = request.parameters.urlencode()
    url = settings.BASE_URL + request.http.path + (f"?{query}" if query else "")
    links = {"first": url, "last": url, "prev": None, "next": None}
    meta = {
        "current_page": 1,
        "from": 1 if records else None,
        "last_page": 1,
        "path": url.partition("?")[0],
        "per_page": max(len(records), 1),
        "to": len(records) or None,
        "total": len(records),
    }
    return wire.many(select(records, names), links, meta)


def answer_rows(request: ApiRequest, rows: list[Record], meta: Mapping[str, Any]) -> Answer:
    """Return all rows of a report, or only the keys of them that `fields` asks for."""
    return wire.rows(select(rows, request.asked.fields), meta)


def answer_one(request: ApiRequest, record: Record, *, status: int = 200, meta: Mapping[str, Any] | None = None) -> Answer:
    """Return a single record, or only the keys that `fields` asks for."""
    return wire.one(select([record], request.asked.fields)[0], status=status, meta=meta)


def select(records: list[Record], names: frozenset[str] | None) -> list[Record]:
    """Return the records with only the named top-level keys."""
    if names is None:
        return records
    whole = [orjson.loads(record) if isinstance(record, bytes) else record for record in records]
    # In the order of the first record.
    order = [key for key in whole[0] if key in names] if whole else []
    order += sorted(names.difference(order))
    return [{key: record[key] for key in order if key in record} for record in whole]


def _page(request: ApiRequest, listing: Listing, paging: Paging, field: str, names: frozenset[str] | None) -> Answer:
    total = listing.count()
    start = (paging.page - 1) * paging.per_page
    rows: Rows = []
    if start < total:
        rows = listing.rows(field, start, start + paging.per_page, descending=paging.sort.startswith("-"))
    last = max(1, -(-total // paging.per_page))
    page_url = _addresses(request, "page")
    links = {
        "first": page_url(1),
        "last": page_url(last),
        "prev": page_url(min(paging.page - 1, last)) if paging.page > 1 else None,
        "next": page_url(paging.page + 1) if paging.page < last else None,
    }
    meta = {
        "current_page": paging.page,
        "from": start + 1 if rows else None,
        "last_page": last,
        "path": settings.BASE_URL + request.http.path,
        "per_page": paging.per_page,
        "to": start + len(rows) if rows else None,
        "total": total,
    }
    return wire.many(listing.records(rows, names), links, meta)


def _cursor_page(request: ApiRequest, listing: Listing, paging: Paging, field: str, names: frozenset[str] | None) -> Answer:
    descending = paging.sort.startswith("-")
    backwards = False
    part = listing = replace(listing, has_sort_values=True)
    if paging.cursor:
        backwards, value, record_id = _read_cursor(paging, listing, field)
        part = listing.beyond(field, value, record_id, below=descending != backwards)
    rows = part.rows(field, 0, paging.per_page + 1, descending=descending != backwards)
    more = len(rows) > paging.per_page
    rows = rows[: paging.per_page]
    if backwards:
        rows.reverse()
    has_next = more if not backwards else True
    has_prev = bool(paging.cursor) if not backwards else more
    next_cursor = _write_cursor(paging, listing.key(rows[-1], field), backwards=False) if rows and has_next else None
    prev_cursor = _write_cursor(paging, listing.key(rows[0], field), backwards=True) if rows and has_prev else None
    cursor_url = _addresses(request, "cursor")
    links = {
        "first": cursor_url(""),
        "last": None,
        "prev": cursor_url(prev_cursor) if prev_cursor else None,
        "next": cursor_url(next_cursor) if next_cursor else None,
    }
    meta = {"per_page": paging.per_page, "next_cursor": next_cursor, "prev_cursor": prev_cursor}
    return wire.many(listing.records(rows, names), links, meta)


def _write_cursor(paging: Paging, key: tuple[Any, int], *, backwards: bool) -> str:
    packed = orjson.dumps([paging.sort, backwards, key[0], key[1]])
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _read_cursor(paging: Paging, listing: Listing, field: str) -> tuple[bool, Any, int]:
    text = paging.cursor or ""
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        sort, backwards, value, record_id = orjson.loads(packed)
        if sort != paging.sort or not isinstance(backwards, bool) or type(record_id) is not int or value is None:
            raise ValueError(text)
        if not 0 < record_id <= MAX_ID or (isinstance(value, str) and "\0" in value):
            raise ValueError(text)
        value = listing.column(field).to_python(value)
        if isinstance(value, datetime):
            if value.tzinfo is None:
                raise ValueError(text)
            value = value.astimezone(UTC)
        return backwards, value, record_id
    except (ValueError, TypeError, binascii.Error, ValidationError, OverflowError):
        raise Invalid({"cursor": "The cursor is not valid."}) from None


def _addresses(request: ApiRequest, name: str) -> Callable[[Any], str]:
    """Return a function from a value of the parameter `name` to the absolute URL of the request with that value."""
    others = request.asked.without(name)
    base = settings.BASE_URL + request.http.path + "?" + (others + "&" if others else "") + name + "="
    return lambda value: f"{base}{value}"
