"""How many records a search finds, and a page of them, at a cost that does not grow with the records.

Public pages count up to a limit and then say "500+". Lists of the API have exact totals, which each process counts once for
every version of the records: a filter's first list after a change pays for it.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.counting import count_by
from cms_api.text.search import LISTED, Listed, having_words, in_list, list_matching, matching

if TYPE_CHECKING:
    # It comes with the framework of the API, which selectors would import into every command.
    from cms_api.http.listing import Listing

T = TypeVar("T")

#: Public pages count so many records, and list no more.
MOST = 500
#: Words of up to so many records are looked up in the index of words; more frequent ones are read in sort order.
FEW = 2_000
#: Filters whose totals a process remembers for each collection.
REMEMBERED = 1_000


@dataclass(frozen=True)
class Found:
    """The records of a search, and their number if it is at most MOST, else MOST + 1."""

    queryset: QuerySet[Any]
    number: int
    #: The records that have the words, whatever else they must meet; for another search for the same words.
    listed: Listed | None = None

    @property
    def is_exact(self) -> bool:
        return self.number <= MOST


def find(
    queryset: QuerySet[Any],
    words: str = "",
    *,
    few: QuerySet[Any] | None = None,
    listed: Listed | None = None,
    is_narrow: bool = False,
) -> Found:
    """Return the rows of a queryset that have the words, if there are any, and count them up to MOST.

    `few` are the same rows, asked for in a way that suits counting and few rows; `listed` is known from another search for the
    words. With `is_narrow`, the other conditions leave few rows as a rule: these are checked before the words are looked up.
    Takes one statement, with words that are not listed two, and one more where `is_narrow` was wrong.
    """
    few = queryset if few is None else few
    if not words.strip():
        number = _count(few)
        return Found(few if number <= MOST else queryset, number)
    if is_narrow and not listed and (found := _find_among_few(few, words)):
        return found
    listed = listed or list_matching(queryset.model, words)
    if listed.number > LISTED:
        return replace(_find_frequent(queryset, words, few), listed=listed)
    rows = matching(few, words) if listed.number <= FEW else in_list(queryset, listed)
    return Found(rows, _count(rows), listed)


def first_found(queryset: QuerySet[Any], words: str) -> QuerySet[Any]:
    """Return the rows of a queryset that have the words, for reading the first of them in its order (one statement)."""
    listed = list_matching(queryset.model, words)
    if listed.number <= FEW:
        return matching(queryset, words)
    return in_list(queryset, listed) if listed.number <= LISTED else having_words(queryset, words)


def _find_among_few(few: QuerySet[Any], words: str) -> Found | None:
    """Return those of some rows that have the words, unless the rows are more than MOST (one statement)."""
    checked = having_words(few, words)
    number = count_by(
        f"CASE WHEN {{few}} <= {MOST} THEN {{checked}} ELSE -1 END",
        few=few.order_by()[: MOST + 1],
        checked=checked.order_by()[: MOST + 1],
    )
    return Found(checked, number) if number >= 0 else None


def _find_frequent(queryset: QuerySet[Any], words: str, few: QuerySet[Any]) -> Found:
    """Return what `find` does for words of more than LISTED records (one statement)."""
    checked, bound = having_words(few, words), slice(MOST + 1)
    # Every fourth of these, or more: then the first rows in sort order with the words are near its beginning. The number of
    # those that are neither few nor so many is negative, and one less.
    number = count_by(
        f"CASE WHEN {{few}} <= {MOST} THEN {{checked}} WHEN {{some}} > {MOST} THEN {MOST + 2} ELSE -1 - {{matches}} END",
        few=few.order_by()[bound],
        checked=checked.order_by()[bound],
        some=matching(queryset, words, most=4 * MOST).order_by()[bound],
        matches=matching(few, words).order_by()[bound],
    )
    if number < 0:
        return Found(matching(queryset, words, in_order=True), -1 - number)
    return Found(having_words(queryset, words), MOST + 1) if number > MOST + 1 else Found(checked, number)


def _count(queryset: QuerySet[Any]) -> int:
    """Return the number of rows, at most MOST + 1."""
    return queryset.order_by()[: MOST + 1].count()


class SearchPaginator(Paginator):
    """Pages of a search; `words` are not among the conditions of the queryset. Lists the first MOST records. See `find`."""

    def __init__(
        self,
        queryset: QuerySet[Any],
        per_page: int,
        *,
        words: str = "",
        few: QuerySet[Any] | None = None,
        is_narrow: bool = False,
    ) -> None:
        super().__init__(queryset, per_page)
        self.queryset, self.words, self.few, self.is_narrow = queryset, words, few, is_narrow

    @cached_property
    def found(self) -> Found:
        found = find(self.queryset, self.words, few=self.few, is_narrow=self.is_narrow)
        self.object_list = found.queryset
        return found

    @cached_property
    def count(self) -> int:
        return min(self.found.number, MOST)

    @property
    def has_more(self) -> bool:
        """Return whether more than `count` records are found."""
        return not self.found.is_exact


def always() -> None:
    """Return that a result is right until something is written."""


def remembered(
    name: str,
    key: Hashable,
    count: Callable[[], T],
    *,
    also: tuple[str, ...] = (),
    until: Callable[[], datetime | None] = always,
) -> T:
    """Return what `count` does for a filter, the `key`; called once in this process until a version changes.

    The versions are `name` and those in `also`. `until` returns when the result changes without any write.
    """
    slot = ".".join([name, *also, "found"])
    known: dict[Hashable, tuple[T, datetime | None]] = versions.cached(name, dict, slot=slot, also=also)
    found = known.get(key)
    if found is None or (found[1] is not None and found[1] <= timezone.now()):
        # Asked before it is counted: what ends meanwhile is counted again.
        end = until()
        if len(known) >= REMEMBERED:
            known.clear()
        known[key] = found = count(), end
    return found[0]


def remember_total(
    listing: "Listing",
    name: str,
    key: Hashable,
    *,
    also: tuple[str, ...] = (),
    until: Callable[[], datetime | None] = always,
) -> "Listing":
    """Let a list of the API count once for its filter, as `remembered` does; return it.

    A search also remembers how many records have its words, and which ones are on a page.
    """
    from cms_api.http.searching import SearchListing

    count = listing.total or listing.count_rows
    listing.total = lambda: remembered(name, key, count, also=also, until=until)
    if isinstance(listing, SearchListing):
        listing.remember = partial(remembered, name, also=also)
    return listing
