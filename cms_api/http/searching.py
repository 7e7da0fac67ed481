"""Lists of the records that have all the words of a search, whose SQL is compiled once for all words."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Protocol, TypeVar

from django.db.models import Model, QuerySet

from cms_api.core.counting import count_by
from cms_api.core.reading import ANY_ID, ANY_TIME, Statement, Values, compiled
from cms_api.http.wire import Record
from cms_api.text.search import LISTED, Listed, count_matching, entries_matching, having_words, list_matching, matching

from .listing import ANY_VALUES, Filter, Listing, Rows, lazy

T = TypeVar("T")

#: The sort value and the id of a row.
Position = tuple[Any, int]

#: Records scanned per record requested, and the most that are scanned.
EACH, NEAR = 40, 5_000
#: Search results are dense if every so many records, on average, are among them: then the first are found soon in sort order.
DENSE = 30
#: The word index is faster for result sets of up to this size; if more records have the words, for up to RARE.
FEW, RARE = 2_000, 200
#: To check whether a record has the words takes as long as to look up so many that have them.
CHECKED = 8
#: Stand for the position of the last record scanned, by the type of the sort value; ANY_VALUES and ANY_ID are those of a cursor.
ANY_LAST: dict[type, Position] = {
    datetime: (ANY_TIME - timedelta(microseconds=1), ANY_ID - 1),
    str: (f"{ANY_VALUES[str]} last", ANY_ID - 1),
}


@dataclass(frozen=True)
class _Page:
    """A page of a list, and the order of this."""

    field: str
    descending: bool
    start: int
    stop: int


class SearchFilter(Filter, Protocol):
    """A filter of the records of a search."""

    def parts(self, field: str) -> tuple[Filter, ...]: ...

    def among(self) -> int: ...

    def any_of(self, ids: Any) -> QuerySet[Any]: ...

    def others(self) -> Filter | None: ...


class Remember(Protocol):
    """Returns what a function returns for a key, which may have been remembered."""

    def __call__(self, key: Hashable, find: Callable[[], T], /) -> T: ...


def _ask(key: Hashable, find: Callable[[], T], /) -> T:
    return find()


@dataclass
class SearchListing(Listing):
    """Records that contain all the search words; every other condition is in `queryset`.

    The way to read them depends on how many records have the words, which takes a statement if it is not known. If these are
    more than LISTED, the first ones in sort order are scanned, which takes another. All of it is saved, and the rows are read by
    their ids, if the listing remembers the page.
    """

    words: str = ""
    #: The model of the records; that of the queryset, if it is None.
    model: type[Model] | None = None
    #: Remembers frequencies of words, and the ids of pages.
    remember: Remember = _ask
    #: The records with the words, once they are listed.
    listed: Listed | None = None
    #: Returns among how many records those in question are found if they are read in sort order.
    among: Callable[[], int] | None = None
    #: Returns those of the rows with some ids, in a way that suits few of these.
    any_of: Callable[[Any], QuerySet[Any]] | None = None
    #: Returns all other records, if an index finds these. If they are few, they are checked instead of those that have the words.
    #: Then what is remembered must depend on them, too.
    others: Callable[[], Filter | None] | None = None

    @property
    def searched(self) -> type[Model]:
        return self.model or self.queryset.model

    def frequency(self, *, exactly: bool = False) -> int:
        """Return how many records have the words, whatever the other conditions; LISTED + 1 may stand for more."""

        def find() -> int:
            self.listed = list_matching(self.searched, self.words, exactly=exactly)
            return self.listed.number

        number = self.listed.number if self.listed else self.remember(("words", self.words), find)
        if exactly and number == LISTED + 1:
            number = self.remember(("all words", self.words), lambda: count_matching(self.searched, self.words))
        return number

    def count_rows(self) -> int:
        if self.conditions is None:
            return self._count_at_once()
        others = self.others() if self.others else None
        frequency = self.frequency(exactly=others is not None)
        if others and others.total() * CHECKED < frequency:
            return frequency - (self._count(others, partial(self._checked, others)) if others.total() else 0)
        if self.among and not self.among():
            return 0
        if self._are_few(frequency):
            return self._count((self.conditions, "checked"), lambda listed: having_words(self.queryset, listed.words))
        is_listed = frequency > FEW and self._are_fewer(frequency)
        most = LISTED if is_listed and frequency <= LISTED else None
        find = partial(self._matching, self.queryset, in_order=is_listed, most=most)
        return self._count((self.conditions, is_listed, most), find)

    def _checked(self, others: Filter, listed: Listed) -> QuerySet[Any]:
        return having_words(others.queryset(), listed.words)

    def _count(self, key: Hashable, build: Callable[[Listed], QuerySet[Any]]) -> int:
        any_listed = self._known().stand_in()
        statement: Statement = compiled(("count", key, any_listed), lambda: build(any_listed).order_by().values("pk"))
        return statement.count(self._values())

    def _count_at_once(self) -> int:
        """Count the rows, and if need be the records with the words, in one statement, which has to be compiled."""
        found = self.queryset if self.few is None else self.few
        if not found.query.where:
            return count_matching(found.model, self.words)
        return count_by(
            f"CASE WHEN {{entries}} BETWEEN {FEW + 1} AND {LISTED} THEN {{listed}} ELSE {{rows}} END",
            entries=entries_matching(found.model, self.words, most=LISTED + 1),
            listed=matching(self.queryset, self.words, in_order=True, most=LISTED),
            rows=matching(found, self.words),
        )

    def _known(self) -> Listed:
        return self.listed or Listed(self.words)

    def _values(self) -> Values:
        return {**(self.values or {}), **self._known().values(self.searched)}

    def _matching(self, rows: QuerySet[Any], listed: Listed, *, in_order: bool, most: int | None) -> QuerySet[Any]:
        return matching(rows, listed.words, in_order=in_order, most=most, ids=listed.ids)

    def rows(self, field: str, start: int, stop: int, *, descending: bool) -> list[Any]:
        page = _Page(field, descending, start, stop)
        if self.conditions is None or self.columns is None or self.values:
            return self._search(page)
        rows: list[Any] = []

        def find() -> list[int]:
            rows.extend(self._search(page))
            return [row[0] for row in rows]

        ids = self.remember((self.conditions, self.words, page), find)
        return rows or self._read_ids(page, ids)

    def _search(self, page: _Page) -> list[Any]:
        """Find the rows of a page and read them."""
        end = page.stop if self.counted is None else min(page.stop, self.counted)
        frequency = 0 if self._are_at_most(RARE) else self.frequency()
        if frequency > LISTED and end <= NEAR // EACH:
            is_whole = self._are_few(frequency, least=EACH * end)
            last = None if is_whole else self._position(EACH * end, page.field, descending=page.descending)
            rows = self._read(page, "near", self._near, last)
            if len(rows) == end - page.start or not last:
                return rows
        is_in_order = not self.ordered_parts(page.field)
        is_listed = is_in_order and frequency <= LISTED and (frequency > FEW or self._is_dense(frequency))
        return self._read(page, is_listed, partial(self._indexed, is_listed=is_listed))

    def _read_ids(self, page: _Page, ids: list[int]) -> list[Any]:
        """Return the rows with these ids, in their order (one statement). To sort rows takes the database longer."""
        if not ids:
            return []
        any_ids = range(ANY_ID, ANY_ID - len(ids), -1)

        def build() -> QuerySet[Any]:
            return self._among(page, any_ids).order_by()

        key = self.conditions, self.columns, self.has_sort_values, "ids", page.field, len(ids)
        statement: Statement = compiled(key, build)
        found = {row[0]: row for row in statement.all(dict(zip(any_ids, ids, strict=True)))}
        return [found[each] for each in ids if each in found]

    def _among(self, page: _Page, ids: Any) -> QuerySet[Any]:
        """Return the rows with these ids in the order of a page."""
        found = self.any_of(ids) if self.any_of else self.queryset.filter(pk__in=ids)
        rows = replace(self, queryset=found)
        return rows.ordered(page.field, descending=page.descending)

    def _near(self, page: _Page, listed: Listed, last: Position | None) -> QuerySet[Any]:
        """Return those of the rows up to a position that have the words, by checking each."""
        side = "gte" if page.descending else "lte"
        near = self.narrowed(lambda rows: rows.filter(self.side(page.field, *last, side))) if last else self
        found = near.narrowed(lambda rows: having_words(rows, listed.words))
        parts = self.ordered_parts(page.field)
        return found.ordered(page.field, descending=page.descending, parts=parts)[page.start : page.stop]

    def _indexed(self, page: _Page, listed: Listed, _: None, *, is_listed: bool) -> QuerySet[Any]:
        """Return the rows that the index of words finds."""
        found = self._matching(self.queryset, listed, in_order=is_listed, most=LISTED if is_listed else None)
        ids = Listing(found, self.serialize).ordered(page.field, descending=page.descending).values("pk")
        return self._among(page, ids[page.start : page.stop])

    def _read(self, page: _Page, way: Hashable, build: Callable[..., QuerySet[Any]], last: Position | None = None) -> list[Any]:
        """Return the rows of `build` for a page, the words and a position; its SQL is compiled once for first pages."""
        any_last = ANY_LAST.get(type(last[0])) if last else None
        is_any = not page.start and (any_last or not last)
        if self.conditions is None or self.columns is None or not is_any:
            return list(build(page, self._known(), last))
        any_listed = self._known().stand_in()
        shape = self.conditions, self.columns, self.has_sort_values
        key = *shape, page.field, page.descending, page.stop, way, any_listed, any_last, self.ordered_parts(page.field)
        statement: Statement = compiled(key, lambda: build(page, any_listed, any_last))
        position = dict(zip(any_last, last, strict=True)) if any_last and last else {}
        return statement.all({**self._values(), **position})

    def _are_at_most(self, number: int) -> bool:
        """Return whether the rows are known to be so few."""
        return self.counted is not None and self.counted <= number

    def _are_few(self, frequency: int, *, least: int = 0) -> bool:
        """Return whether all records that meet the other conditions can be checked as fast as those with the words looked up.

        They are also few if they are known to be at most `least`.
        """
        if self.conditions is None or self.among is None:
            return False
        return self.among() <= least or self.among() * CHECKED < frequency

    def _are_fewer(self, frequency: int) -> bool:
        """Return whether fewer records meet the other conditions than have the words; they are if that is not known."""
        return self.among is None or self.among() < frequency

    def _is_dense(self, frequency: int) -> bool:
        """Return whether so many records have the words that the first of them are found soon in sort order."""
        return self.among is not None and frequency > RARE and self.among() <= DENSE * frequency

    def _position(self, number: int, field: str, *, descending: bool) -> Position | None:
        """Return the sort value and id of the record at position `number`, matching or not; None if there are fewer.

        As a condition on the sort order it bounds the scan, and lets the database stop as soon as it has found enough.
        """
        keys = replace(self, columns=(), has_sort_values=True)
        return next((keys.key(row, field) for row in Listing.rows(keys, field, number - 1, number, descending=descending)), None)


def searched(queryset: QuerySet[Any], serialize: Callable[[Rows], list[Record]], words: str | None) -> Listing:
    """Return a listing of the records that match the words, or of all records without words."""
    return SearchListing(queryset, serialize, words=words) if words else Listing(queryset, serialize)


def filtered_search(
    wanted: SearchFilter, serialize: Callable[[Rows], list[Record]], words: str, *, model: type[Model], columns: tuple[str, ...]
) -> SearchListing:
    """Return the listing of those records of a model that have the words; a filter says all about the other conditions."""
    found = SearchListing(lazy(wanted.queryset), serialize, columns=columns, conditions=wanted, words=words, model=model)
    return replace(found, parts=wanted.parts, among=wanted.among, any_of=wanted.any_of, others=wanted.others)
