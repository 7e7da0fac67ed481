"""How many records a search finds, a page of them, and results that a process remembers until something is written.

Public pages count up to a limit and then say "500+". Lists of the API have exact totals, which each process counts once for
every version of the records: a filter's first list after a change pays for it.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from math import isqrt
from typing import TYPE_CHECKING, Any, TypeVar

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils import timezone

from cms_api.core import versions
from cms_api.text.search import having_words, matching, matching_in_order

if TYPE_CHECKING:
    # It comes with the framework of the API, which selectors would import into every command.
    from cms_api.http.listing import Listing

T = TypeVar("T")

#: Public pages count so many records, and list no more.
MAX_LISTED_RECORDS = 500
#: Filters whose totals a process remembers for each collection.
MAX_REMEMBERED_FILTERS = 1_000


def max_sorted(among: int, stop: int) -> int:
    """Return how many records, at most, are found by their words or dates and sorted, for a list that is read up to `stop`.

    To sort them, a database reads all of them. If a list has `number` of `among` records, it reads `stop * among / number` in
    sort order until the page is full. Both are the same if `number` is the square root of `stop * among`.
    """
    return isqrt(stop * among)


@dataclass(frozen=True)
class Found:
    """The records of a search, and their number if it is at most MAX_LISTED_RECORDS, else that and one."""

    queryset: QuerySet[Any]
    number: int

    @property
    def is_exact(self) -> bool:
        return self.number <= MAX_LISTED_RECORDS


def find(queryset: QuerySet[Any], words: str = "", *, few: QuerySet[Any] | None = None) -> Found:
    """Return the rows of a queryset that have the words, if there are any, and count them up to MAX_LISTED_RECORDS.

    If no more rows meet the other conditions, each is checked for the words; otherwise the index of words finds those that have
    them. If more have them, rows are read in sort order until a page is full. `few` are the same rows, asked for in a way that
    suits counting and few rows. Takes a statement, and with words another.
    """
    few = queryset if few is None else few
    number = _count(few)
    if words.strip():
        few = having_words(few, words) if number <= MAX_LISTED_RECORDS else matching(few, words)
        queryset = matching_in_order(queryset, words)
        number = _count(few)
    return Found(few if number <= MAX_LISTED_RECORDS else queryset, number)


def _count(queryset: QuerySet[Any]) -> int:
    """Return the number of rows, at most MAX_LISTED_RECORDS + 1."""
    return queryset.order_by()[: MAX_LISTED_RECORDS + 1].count()


class SearchPaginator(Paginator):
    """Pages of the first MAX_LISTED_RECORDS records that `find` returns for the same arguments."""

    def __init__(self, queryset: QuerySet[Any], per_page: int, *, words: str = "", few: QuerySet[Any] | None = None) -> None:
        super().__init__(queryset, per_page)
        self.queryset, self.words, self.few = queryset, words, few

    @cached_property
    def found(self) -> Found:
        found = find(self.queryset, self.words, few=self.few)
        self.object_list = found.queryset
        return found

    @cached_property
    def count(self) -> int:
        return min(self.found.number, MAX_LISTED_RECORDS)

    @property
    def has_more(self) -> bool:
        """Return whether more than `count` records are found."""
        return not self.found.is_exact


def always() -> None:
    """Return that a result is right until something is written."""


def remember(
    name: str,
    key: Hashable,
    make: Callable[[], T],
    *,
    also: tuple[str, ...] = (),
    until: Callable[[], datetime | None] = always,
) -> T:
    """Return what `make` does, such as a total or a filter; called once in this process for a `key` until a version changes.

    The versions are `name` and those in `also`. `until` returns when the result changes without any write.
    """
    slot = ".".join([name, *also, "found"])
    known: dict[Hashable, tuple[T, datetime | None]] = versions.load_once(name, dict, slot=slot, also=also)
    found = known.get(key)
    if found is None or (found[1] is not None and found[1] <= timezone.now()):
        # Asked before it is made: what ends meanwhile is made again.
        end = until()
        if len(known) >= MAX_REMEMBERED_FILTERS:
            known.clear()
        known[key] = found = make(), end
    return found[0]


def remember_counts(
    listing: "Listing",
    name: str,
    key: Hashable,
    *,
    also: tuple[str, ...] = (),
    until: Callable[[], datetime | None] = always,
) -> "Listing":
    """Let a list of the API count once for its filter, as `remember` does; return it."""
    listing.remember = lambda what, count: remember(name, (key, what), count, also=also, until=until)
    return listing
