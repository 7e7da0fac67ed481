"""Lists of the records that have all the words of a search."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Protocol

from django.db.models import Model, QuerySet

from cms_api.core.reading import Statement, compile_once
from cms_api.http.wire import Record
from cms_api.text.search import count_matching, having_words, matching, matching_in_order, placeholder_values, placeholder_words

from .found import MAX_LISTED_RECORDS, max_sorted
from .listing import Filter, Listing, Rows, lazy

#: Keeps the rows of a queryset that have the words of a text: one of `matching`, `matching_in_order`, and `having_words`.
Way = Callable[[QuerySet[Any], str], QuerySet[Any]]


class SearchFilter(Filter, Protocol):
    """The other conditions of a search, in a list whose SQL is compiled once."""

    @property
    def are_sorted(self) -> bool: ...

    def parts(self, field: str) -> tuple[Filter, ...]: ...

    def among(self) -> int:
        """Return how many records are read at most if each is checked for words."""

    def to_check(self) -> Filter:
        """Return a filter of the same records that suits checking all of them."""

    def left_out(self) -> Filter | None:
        """Return the filter of all other records; None if no index finds these."""


@dataclass
class SearchListing(Listing):
    """The records that meet the conditions of `queryset` and have all the words."""

    words: str = ""
    #: The other conditions; None if only the queryset has them. Then the SQL is compiled for each request.
    filter: SearchFilter | None = None
    #: The model of the records.
    model: type[Model] | None = None

    def count_rows(self) -> int:
        """Count the records. Whichever are the fewest are read: those with the words, those in question, or all others."""
        if self.filter is None:
            rows = self.queryset if self.few is None else self.few
            return matching(rows, self.words).count() if rows.query.where else self.with_words
        among = self.filter.among()
        if not among:
            return 0
        left_out = self.filter.left_out()
        if left_out and left_out.total() < self.with_words:
            return self.with_words - self._count(left_out, having_words)
        if among < self.with_words:
            return self._count(self.filter.to_check(), having_words)
        return self._count(self.filter, matching)

    def _count(self, rows: Filter, way: Way) -> int:
        words = placeholder_words(self.words)
        statement: Statement = compile_once(
            ("count", rows, way, words), lambda: way(rows.queryset(), words).order_by().values("pk")
        )
        return statement.count(placeholder_values(self._model, self.words))

    def rows(self, field: str, start: int, stop: int, *, descending: bool) -> list[Any]:
        way = self.remember(("way", stop), partial(self.choose_way, stop))
        words = self.words if self.conditions is None else placeholder_words(self.words)
        found = self.narrow_by(lambda rows: way(rows, words))
        found.are_sorted = self.are_sorted or way is matching
        if self.conditions is not None:
            found.conditions = self.conditions, way, words
            found.values = {**(self.values or {}), **placeholder_values(self._model, self.words)}
        return Listing.rows(found, field, start, stop, descending=descending)

    def choose_way(self, stop: int) -> Way:
        """Return how the records up to a position are found.

        Few records with the words are looked up and sorted. Otherwise records are read in sort order until the page is full: if
        most of them have the words, each is checked for these. If not, those with the words may lie far back, as the word "Zoo"
        does in the order of titles. Then each is compared with a list of all records that have the words, which takes less time.
        """
        if self.filter is None:
            return matching if self.count() <= MAX_LISTED_RECORDS else matching_in_order
        among = self.filter.among()
        if self.with_words > among // 2:
            return having_words
        return matching if self.with_words <= max_sorted(among, stop) else matching_in_order

    @cached_property
    def with_words(self) -> int:
        """The number of all records of the model that have the words."""
        return self.remember("with words", partial(count_matching, self._model, self.words))

    @property
    def _model(self) -> type[Model]:
        return self.model or self.queryset.model


def search_in(queryset: QuerySet[Any], serialize: Callable[[Rows], list[Record]], words: str | None) -> Listing:
    """Return the listing of the records that have the words, or of all records without words."""
    return SearchListing(queryset, serialize, words=words) if words else Listing(queryset, serialize)


def search_by_filter(
    wanted: SearchFilter, serialize: Callable[[Rows], list[Record]], words: str, *, model: type[Model], columns: tuple[str, ...]
) -> SearchListing:
    """Return the listing of the records of a model that have the words and meet the other conditions, those of a filter."""
    found = SearchListing(lazy(wanted.queryset), serialize, columns=columns, conditions=wanted, words=words, model=model)
    return replace(found, filter=wanted, parts=wanted.parts, are_sorted=wanted.are_sorted)
