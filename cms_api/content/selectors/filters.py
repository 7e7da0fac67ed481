"""The filters of lists of items."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property, partial
from math import isqrt
from typing import Any, cast

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.reading import ANY_TIME, Values, compiled
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http.found import remembered
from cms_api.text.search import matching

from ..models import ContentItem, ItemTerm, Tally
from ..types import LONG, Status
from .types import TYPES, all_items_versions, items_version, tallies

#: Stand for the instants of a filter in SQL that is compiled once for all of them; no client can ask for these.
ANY_TIMES = {name: ANY_TIME - timedelta(microseconds=number) for number, name in enumerate(("at", "starting", "ending"), 2)}
#: No item ends then.
NEVER = datetime(9999, 12, 31, tzinfo=UTC)
#: The square of the number of a few items is at most EACH times the number of all.
EACH = 4
#: To count items, those in a range of dates are looked up if they are at most one in PART of all.
PART = 10
#: No range of dates is looked up for more types and statuses.
MAX_RANGES = 50
_FIRST = datetime.min.replace(tzinfo=UTC)
_WHEN = {"upcoming": "lasts_until__gte", "past": "lasts_until__lt"}


@dataclass(frozen=True)
class ItemFilter:
    """The filters of a list of items. `types` are the ids of the types that may be visible at all."""

    types: tuple[int, ...]
    status: str | None = Status.PUBLISHED
    include_owned: bool = False
    #: Whether only owned ones are wanted.
    is_owned: bool = False
    owner_id: int | None = None
    slug: str | None = None
    search: str | None = None
    #: For each taxonomy in the filter, the term ids of which an item needs at least one.
    terms: tuple[tuple[int, ...], ...] = ()
    #: "upcoming" or "past".
    when: str | None = None
    #: The instant that `when` refers to, without which there is no queryset; see `current`.
    at: datetime | None = None
    starting: datetime | None = None
    ending: datetime | None = None
    #: Whether rows may come from a term's index, which lists its items newest first, instead of from the items table.
    by_term: bool = False
    #: A few items that all rows are among, by which these are found instead of by the order of the list; and their number.
    few: "Few | None" = None
    few_number: int = field(default=0, compare=False)
    #: Whether the terms of each row are checked, since its words or its id find it, instead of all items with these terms listed.
    checks_terms: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether only type, status and owner are filtered, so that the tallies provide the total."""
        return not (self.owner_id or self.slug or self.search or self.terms or self.has_dates)

    @property
    def has_dates(self) -> bool:
        return bool(self.when or self.starting or self.ending)

    @property
    def every(self) -> "ItemFilter":
        """The filter of all items of the types and the status."""
        return ItemFilter(types=self.types, status=self.status, include_owned=self.include_owned)

    @property
    def leading_term(self) -> int | None:
        """The term whose index the list follows, so that items without it are not read."""
        return self.terms[0][0] if self.by_term and self.terms and len(self.terms[0]) == 1 else None

    def path(self, name: str) -> str:
        """Return the path of an item field in the queryset, whose rows are those of the leading term if there is one."""
        if not self.leading_term or name == "listed_at":
            return name
        return "item_id" if name == "id" else f"item__{name}"

    def without_words(self) -> "ItemFilter":
        """Return the same filter for whatever words, of rows of the items table."""
        return replace(self, search=None, by_term=False, checks_terms=True)

    def current(self) -> "ItemFilter":
        """Return the filter as of now. Its items stay the same until the next one ends, unless something is written."""
        if not (self.has_dates or (self.search and self.terms)):
            return self
        find = cache(self._as_of_now)
        return remembered(TYPES, ("current", self), find, also=self.other_versions, until=lambda: find().at)

    def _as_of_now(self) -> "ItemFilter":
        found = replace(self, at=self._next_end()) if self.when else self
        few, number = (None, 0) if self.owner_id or self.slug else found._few()
        return replace(found, few=few, few_number=number, by_term=self.by_term and not few)

    @cached_property
    def shape(self) -> tuple["ItemFilter", Values]:
        """The filter with stand-ins for its instants, whose SQL is the same for all, and the values in their place."""
        if not self.has_dates:
            return self, {}
        stand_ins: dict[str, Any] = {name: any_time for name, any_time in ANY_TIMES.items() if getattr(self, name)}
        values = {any_time: getattr(self, name) for name, any_time in stand_ins.items()}
        if self.starting:
            values[_earliest(ANY_TIMES["starting"])] = _earliest(self.starting)
        return replace(self, **stand_ins), values

    def queryset(self) -> QuerySet[Any]:
        found: QuerySet[Any] = ContentItem.objects.all()
        if self.few:
            found = found.filter(pk__in=self.few.ids(self))
        if self.leading_term:
            found = ItemTerm.objects.filter(term_id=self.leading_term)
            if self.status:
                found = found.filter(status=self.status)
        found = found.filter(**{self.path(name): value for name, value in self._conditions().items()})
        for term_ids in self.terms[1:] if self.leading_term else self.terms:
            tagged = ItemTerm.objects.filter(term_id__in=term_ids)
            if self.checks_terms:
                found = found.filter(Exists(tagged.filter(item_id=OuterRef("pk"))))
            else:
                found = found.filter(**{self.path("id") + "__in": tagged.values("item_id")})
        return matching(found, self.search, model=ContentItem, key=self.path("id")) if self.search else found

    def _conditions(self) -> dict[str, Any]:
        conditions: dict[str, Any] = {"type_id__in": self.types} if len(self.types) != 1 else {"type_id": self.types[0]}
        wanted = {
            "status": self.status,
            "owner_id": self.owner_id,
            "slug": self.slug,
            "ends_at__gte": self.starting,
            "starts_at__lte": self.ending,
        }
        conditions |= {name: value for name, value in wanted.items() if value}
        if self.is_owned or not self.include_owned:
            conditions["owner_id__isnull"] = not self.is_owned
        if self.when:
            conditions[_WHEN[self.when]] = self.at
        return conditions

    def _next_end(self) -> datetime:
        """Return when the next item ends, which makes it past; NEVER if there is none."""
        find = cache(self.every._find_next_end)
        return remembered(TYPES, ("next end", self.every), find, also=self.other_versions, until=find)

    def _find_next_end(self) -> datetime:
        now = timezone.now()
        ends: list[tuple[datetime | None]] = compiled(("next end", self.types, self.status), self._next_ends).all({ANY_TIME: now})
        if self.include_owned:
            ends += compiled("next end of owned", _next_owned_ends).rows(0, 1, {ANY_TIME: now})
        return min((end for (end,) in ends if end), default=NEVER)

    def _next_ends(self) -> QuerySet[Tally, Any]:
        """Return when the next item of each type and status ends."""
        items = ContentItem.objects.filter(owner=None, type=OuterRef("type"), status=OuterRef("status"))
        first = items.filter(lasts_until__gte=ANY_TIME).order_by("lasts_until").values("lasts_until")[:1]
        groups = Tally.objects.filter(type__in=self.types, owned=False, **({"status": self.status} if self.status else {}))
        return groups.values_list(Subquery(first))

    def _few(self) -> "tuple[Few | None, int]":
        """Return a few items that all rows are among, if it takes less time to sort them, and their number.

        In the order of the list, the database would read as many items for each requested one as there are for each of the few.
        """
        terms = self.terms if self.search else ()
        wanted = replace(self.every, when=self.when, at=self.at, starting=self.starting, ending=self.ending, terms=terms)
        find = partial(wanted._find_few, isqrt(EACH * self.every.total()))
        return remembered(TYPES, ("few", wanted), find, also=self.other_versions)

    def _find_few(self, most: int) -> "tuple[Few | None, int]":
        """Return items that all rows are among, at most so many, and their number; None if there are no such items."""
        known: list[Few] = [self._lasting(), Beginning(tuple(sorted({type_id for type_id, _, _ in self._groups()})))]
        for few in [*known, *map(Tagged, self.terms)]:
            if few.suit(self) and (number := self._number(few, most)) <= most:
                return few, number
        return None, 0

    def _number(self, few: "Few", most: int) -> int:
        """Return the number of the items that all rows are among; no more than one above the most are counted."""
        shape, values = self.shape
        return cast(int, compiled(("few", shape, few, most), lambda: few.ids(shape)[: most + 1]).count(values))

    def _lasting(self) -> "Lasting":
        return Lasting(tuple(sorted({(type_id, status) for type_id, status, owned in self._groups() if not owned})))

    def fingerprint(self) -> str:
        """Return a key that changes on any write that could change the list, or its settings, which bare dates depend on."""
        return versions.fingerprint([TYPES, *self.other_versions])

    @property
    def other_versions(self) -> tuple[str, ...]:
        """The versions that change, besides that of the types, when the list may."""
        return (FLAGS, *map(items_version, self.types))

    @property
    def search_versions(self) -> tuple[str, ...]:
        """The same for a search, which also counts other items that have the words."""
        return (FLAGS, *all_items_versions())

    def total(self) -> int:
        """Return the number of items, from tallies or counted; once for each state of the types."""
        return remembered(TYPES, self, self._count, also=self.other_versions)

    def _count(self) -> int:
        if self.is_plain:
            return self._tallied()
        if self.search:
            return self.queryset().count()
        shape, values = self.shape
        few = None if self.terms or self.slug or self.owner_id else self._counted_by()
        if isinstance(few, Lasting) and not (self.starting or self.ending):
            # These are the items and no others: the index alone tells how many they are.
            return cast(int, compiled(("total", shape, few), partial(few.ids, shape)).count(values))
        if few:
            shape = replace(shape, few=few, by_term=False)
        return compiled(("total", shape), lambda: shape.queryset().order_by().values("pk")).count(values)

    def _counted_by(self) -> "Few | None":
        """Return items that all rows are among, which are looked up to count these: all rows by their dates, or one in PART."""
        if self.few or not self.has_dates:
            return self.few
        lasting = self._lasting()
        is_exact = lasting.suit(self) and not (self.starting or self.ending)
        return lasting if is_exact else self._find_few(self.every.total() // PART)[0]

    def _tallied(self) -> int:
        return sum(total for (_, _, owned), total in self._groups().items() if self.include_owned or not owned)

    def _groups(self) -> dict[tuple[int, str, bool], int]:
        """Return the tallies of the types and the status, without those of no items."""
        return {
            group: total
            for group, total in tallies().items()
            if total and group[0] in self.types and self.status in {None, group[1]}
        }

    def parts(self, field: str) -> tuple["ItemFilter", ...]:
        """Return filters of parts of the items, each of which an index has in the order of a field; none if there is no need."""
        is_by_date, has_one_type = field == "listed_at", len(self.types) == 1
        is_whole = self.status and not self.include_owned and (is_by_date or has_one_type)
        if is_whole or self.slug or self.owner_id or self.few or (self.terms and not (self.leading_term and is_by_date)):
            return ()
        groups = self._groups()
        parts = {(self.types if is_by_date else (type_id,), status) for type_id, status, owned in groups if not owned}
        filters = [replace(self, types=types, status=status, include_owned=False) for types, status in sorted(parts)]
        has_owned = self.include_owned and any(owned for _, _, owned in groups)
        return (*filters, *([replace(self, is_owned=True)] if has_owned else ()))

    def among(self) -> int:
        """Return the number of items that are read if the list is read in order: the few, or all of the types and the status."""
        return self.few_number if self.few else self.every.total()

    def any_of(self, ids: Any) -> QuerySet[Any]:
        """Return those of the rows with some ids, which are not looked up among the few."""
        return replace(self, few=None).queryset().filter(pk__in=ids)

    def others(self) -> "OtherItems | None":
        """Return all items that the filter leaves out; None if no index finds these."""
        if self.include_owned or not self.is_plain:
            return None
        left_out = {
            (0, "") if owned else (type_id, status): total
            for (type_id, status, owned), total in tallies().items()
            if total and (owned or type_id not in self.types or self.status not in {None, status})
        }
        return OtherItems(tuple(sorted(left_out)), sum(tallies().values()) - self.total())


@dataclass(frozen=True)
class Lasting:
    """All items of the types and statuses whose last dates end in the range of a filter."""

    groups: tuple[tuple[int, str], ...]

    def suit(self, wanted: ItemFilter) -> bool:
        return 0 < len(self.groups) <= MAX_RANGES and bool(wanted.when or wanted.starting) and not wanted.include_owned

    def ids(self, wanted: ItemFilter) -> QuerySet[ContentItem, Any]:
        lasting = Q(owner=None)
        if wanted.starting:
            lasting &= Q(lasts_until__gte=wanted.starting)
        if wanted.when:
            lasting &= Q(**{_WHEN[wanted.when]: wanted.at})
        return _ids([lasting & Q(type_id=type_id, status=status) for type_id, status in self.groups])


@dataclass(frozen=True)
class Beginning:
    """All items of the types that may be under way in the range of a filter, by when they begin."""

    types: tuple[int, ...]

    def suit(self, wanted: ItemFilter) -> bool:
        return 0 < len(self.types) <= MAX_RANGES and bool(wanted.starting or wanted.ending)

    def ids(self, wanted: ItemFilter) -> QuerySet[ContentItem, Any]:
        begun = [Q(type_id=type_id) & (Q(starts_at__lte=wanted.ending) if wanted.ending else Q()) for type_id in self.types]
        if not wanted.starting:
            return _ids(begun)
        earliest = _earliest(wanted.starting)
        usual, long = Q(starts_at__gte=earliest), Q(is_long=True, starts_at__lt=earliest)
        return _ids([each & some for some in (usual, long) for each in begun])


@dataclass(frozen=True)
class Tagged:
    """All items with one of some terms."""

    terms: tuple[int, ...]

    def suit(self, wanted: ItemFilter) -> bool:
        return bool(wanted.terms)

    def ids(self, wanted: ItemFilter) -> QuerySet[ItemTerm, Any]:
        return ItemTerm.objects.filter(term_id__in=self.terms).order_by().values("item_id")


Few = Lasting | Beginning | Tagged


@dataclass(frozen=True)
class OtherItems:
    """The items of a type and a status, for each of some; 0 and an empty text stand for the owned ones."""

    groups: tuple[tuple[int, str], ...]
    number: int = field(compare=False)

    def queryset(self) -> QuerySet[ContentItem]:
        owned = Q(owner__isnull=False)
        parts = [Q(owner=None, type_id=type_id, status=status) if type_id else owned for type_id, status in self.groups]
        return ContentItem.objects.filter(pk__in=_ids(parts))

    def total(self) -> int:
        return self.number


def _next_owned_ends() -> QuerySet[ContentItem, Any]:
    """Return the next ends of owned items. Those of other types do not matter, and the index has no types."""
    return ContentItem.objects.filter(owner__isnull=False, ends_at__gte=ANY_TIME).order_by("ends_at").values_list("ends_at")


def _ids(parts: list[Q]) -> QuerySet[ContentItem, Any]:
    """Return the ids of the items of all parts, each of which an index has: for alternatives, SQLite scans the table."""
    first, *others = [ContentItem.objects.filter(part).order_by().values("pk") for part in parts]
    return first.union(*others, all=True) if others else first


def _earliest(starting: datetime) -> datetime:
    """Return when the first of the items begins that end at this instant or later, and are not long."""
    return max(starting, _FIRST + LONG) - LONG
