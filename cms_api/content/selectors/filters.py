"""The filters of lists of items."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.reading import ANY_TIME, MAX_UNION_PARTS, compile_once
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http.found import max_sorted, remember
from cms_api.text.search import matching

from ..models import ContentItem, ItemTerm, Tally
from ..types import LONG, Status
from .types import TYPES, all_items_versions, items_version, tallies

#: No item ends then.
NEVER = datetime(9999, 12, 31, tzinfo=UTC)
_FIRST_INSTANT = datetime.min.replace(tzinfo=UTC)
#: Pairs of the id of a type and a status.
Pairs = tuple[tuple[int, str], ...]
OWNED = (0, "")
_WHEN = {"upcoming": "lasts_until__gte", "past": "lasts_until__lt"}


@dataclass(frozen=True)
class ItemFilter:
    """The filters of a list of items. `types` are the ids of the types that may be visible at all.

    A new condition is a field here and belongs in `_conditions`.
    """

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
    #: The instant that `when` refers to, without which there is no queryset. It is not now but the next end of an item: until
    #: then the same items are past, so the statement, the total and the ETag stay as they are. `current` fills it in.
    at: datetime | None = None
    starting: datetime | None = None
    ending: datetime | None = None
    #: Whether rows may come from the index of a term, which has its items newest first, instead of from the table of items.
    by_term: bool = False
    #: Whether the terms of each row are checked, instead of finding all items with the terms first.
    checks_terms: bool = False
    #: If few items meet the conditions on dates: the types and statuses that have items. An index has the items of each in the
    #: order of their dates; it finds the items, which are then sorted. See `current`.
    dated_groups: Pairs = ()
    #: Whether the items with the terms are so few that these are found and sorted.
    found_by_terms: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether only type, status and owner are filtered, so that the tallies provide the total."""
        return replace(self, is_owned=False, by_term=False, checks_terms=False, found_by_terms=False) == self._every

    @property
    def has_dates(self) -> bool:
        return bool(self.when or self.starting or self.ending)

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
        """Return the other conditions of a search, whose rows are those of the table of items."""
        return replace(self, search=None, by_term=False, checks_terms=not self.found_by_terms)

    @property
    def are_sorted(self) -> bool:
        return bool(self.dated_groups or self.found_by_terms)

    def current(self, stop: int) -> "ItemFilter":
        """Return the filter as of now, for reading the list up to `stop`.

        Its items stay the same until the next one ends, unless something is written.
        """
        if not (self.has_dates or (self.search and self.terms)):
            return self
        find = cache(partial(self._find_current, stop))
        return remember(TYPES, ("current", self, stop), find, also=self.other_versions, until=lambda: find().at)

    def _find_current(self, stop: int) -> "ItemFilter":
        found = replace(self, at=self._next_end()) if self.when else self
        most, dated = max_sorted(self._every.total(), stop), found._by_dates()
        if dated and replace(dated, search=None, terms=())._has_at_most(most):
            return dated
        tagged = replace(found, by_term=False, found_by_terms=True)
        return tagged if self.search and self.terms and replace(tagged, search=None)._has_at_most(most) else found

    def _by_dates(self) -> "ItemFilter | None":
        """Return the same filter, whose rows are found by indexes of dates; None if there is no need, or if these do not suit."""
        has_index = self.starting or self.ending or (self.when and not self.include_owned)
        if not has_index or self.owner_id or self.slug:
            return None
        pairs = self._pairs()
        if not pairs or len(pairs) > MAX_UNION_PARTS:
            return None
        return replace(self, dated_groups=pairs, by_term=False)

    def _has_at_most(self, number: int) -> bool:
        return self.queryset().order_by()[: number + 1].count() <= number

    def queryset(self) -> QuerySet[Any]:
        found: QuerySet[Any] = ContentItem.objects.all()
        if self.leading_term:
            found = ItemTerm.objects.filter(term_id=self.leading_term)
            if self.status:
                found = found.filter(status=self.status)
        found = found.filter(**{self.path(name): value for name, value in self._conditions().items()})
        if self.dated_groups:
            found = found.filter(pk__in=_ids(self._ranges()))
        for term_ids in self.terms[1:] if self.leading_term else self.terms:
            tagged = ItemTerm.objects.filter(term_id__in=term_ids)
            if self.checks_terms or self.dated_groups:
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

    def _ranges(self) -> list[Q]:
        """Return conditions that all items meet one of: for each, an index has the items of a type in a range of dates.

        By their last date, items are past or upcoming; this index leaves out owned items. By their first date, they have begun by
        `ending`, and may not have ended by `starting`: all that begin later than LONG before it, and those that last longer.
        """
        if self.when and not self.include_owned:
            dates = Q(owner=None, **{_WHEN[self.when]: self.at})
            dates &= Q(lasts_until__gte=self.starting) if self.starting else Q()
            return [dates & Q(type_id=type_id, status=status) for type_id, status in self.dated_groups]
        dates = Q(starts_at__lte=self.ending) if self.ending else Q()
        begun = [dates]
        if self.starting:
            earliest = max(self.starting, _FIRST_INSTANT + LONG) - LONG
            begun = [dates & Q(starts_at__gte=earliest), dates & Q(starts_at__lt=earliest, is_long=True)]
        return [Q(type_id=type_id) & each for type_id in sorted({type_id for type_id, _ in self.dated_groups}) for each in begun]

    def _next_end(self) -> datetime:
        """Return when the next item ends, which makes it past; NEVER if there is none."""
        every = self._every
        find = cache(every._find_next_end)
        return remember(TYPES, ("next end", every), find, also=self.other_versions, until=find)

    @property
    def _every(self) -> "ItemFilter":
        """The filter of all items of the types and the status."""
        return ItemFilter(types=self.types, status=self.status, include_owned=self.include_owned)

    def _find_next_end(self) -> datetime:
        now = timezone.now()
        ends: list[tuple[datetime | None]] = compile_once(("next end", self.types, self.status), self._next_ends).all(
            {ANY_TIME: now}
        )
        if self.include_owned:
            ends += compile_once("next end of owned", _next_owned_ends).rows(0, 1, {ANY_TIME: now})
        return min((end for (end,) in ends if end), default=NEVER)

    def _next_ends(self) -> QuerySet[Tally, Any]:
        """Return when the next item of each type and status ends."""
        items = ContentItem.objects.filter(owner=None, type=OuterRef("type"), status=OuterRef("status"))
        first = items.filter(lasts_until__gte=ANY_TIME).order_by("lasts_until").values("lasts_until")[:1]
        groups = Tally.objects.filter(type__in=self.types, owned=False, **({"status": self.status} if self.status else {}))
        return groups.values_list(Subquery(first))

    def fingerprint(self) -> str:
        """Return a key that changes on any write that could change the list, or its settings, which bare dates depend on."""
        return versions.fingerprint([TYPES, *self.other_versions])

    @property
    def other_versions(self) -> tuple[str, ...]:
        """The versions that change, besides that of the types, when the list may."""
        return (FLAGS, *map(items_version, self.types))

    @property
    def search_versions(self) -> tuple[str, ...]:
        """The same for a search, which also counts items that the filter leaves out."""
        return (FLAGS, *all_items_versions())

    def total(self) -> int:
        """Return the number of items, from tallies or counted; once for each state of the types."""
        if self.is_plain:
            return sum(self._groups().values())
        conditions = replace(self, dated_groups=(), by_term=True, found_by_terms=False, checks_terms=False)
        return remember(TYPES, conditions, conditions._count, also=self.other_versions)

    def _count(self) -> int:
        dated = self._by_dates()
        if dated and replace(dated, when=None, at=None, dated_groups=()) == self._every:
            # Nothing else is asked for: all that the ranges have are the items, so the index alone tells how many these are.
            return _ids(dated._ranges()).count()
        return (dated or self).queryset().order_by().count()

    def among(self) -> int:
        """Return how many items are read at most if each is checked for words."""
        return self.total() if self.are_sorted else self._every.total()

    def to_check(self) -> "ItemFilter | Groups":
        """Return a filter of the same items that suits checking all of them."""
        pairs = self._pairs()
        return Groups(pairs, self.total()) if self.is_plain and not self.include_owned and len(pairs) <= MAX_UNION_PARTS else self

    def left_out(self) -> "Groups | None":
        """Return the filter of all other items; None if no index finds these."""
        if self.include_owned or not self.is_plain:
            return None
        counted = self._groups()
        others = {group: total for group, total in tallies().items() if total and group not in counted}
        pairs = {OWNED if owned else (type_id, status) for type_id, status, owned in others}
        return Groups(tuple(sorted(pairs)), sum(others.values())) if len(pairs) <= MAX_UNION_PARTS else None

    def _pairs(self) -> Pairs:
        return tuple(sorted({(type_id, status) for type_id, status, _ in self._groups()}))

    def _groups(self) -> dict[tuple[int, str, bool], int]:
        """Return the tallies of the items with a type, a status and an owner as wanted, without those of no items."""
        return {
            group: total
            for group, total in tallies().items()
            if total and group[0] in self.types and self.status in {None, group[1]} and (self.include_owned or not group[2])
        }

    def parts(self, field: str) -> tuple["ItemFilter", ...]:
        """Return filters of parts of the items, each of which an index has in the order of a field; none if there is no need."""
        is_by_date, has_one_type = field == "listed_at", len(self.types) == 1
        is_whole = self.status and not self.include_owned and (is_by_date or has_one_type)
        if is_whole or self.slug or self.owner_id or (self.terms and not (self.leading_term and is_by_date)):
            return ()
        parts = {(self.types if is_by_date else (type_id,), status) for type_id, status, owned in self._groups() if not owned}
        filters = [replace(self, types=types, status=status, include_owned=False) for types, status in sorted(parts)]
        has_owned = any(owned for _, _, owned in self._groups())
        return (*filters, *([replace(self, is_owned=True)] if has_owned else ()))


@dataclass(frozen=True)
class Groups:
    """All items of some types and statuses that no other item owns. The pair OWNED stands for all that another one owns."""

    pairs: Pairs
    number: int = field(compare=False)

    def queryset(self) -> QuerySet[ContentItem]:
        if not self.pairs:
            return ContentItem.objects.none()
        owned = Q(owner__isnull=False)
        parts = [owned if pair == OWNED else Q(owner=None, type_id=pair[0], status=pair[1]) for pair in self.pairs]
        return ContentItem.objects.filter(pk__in=_ids(parts))

    def total(self) -> int:
        return self.number


def _next_owned_ends() -> QuerySet[ContentItem, Any]:
    """Return the next ends of owned items. Those of other types do not matter, and the index has no types."""
    return ContentItem.objects.filter(owner__isnull=False, ends_at__gte=ANY_TIME).order_by("ends_at").values_list("ends_at")


def _ids(parts: list[Q]) -> QuerySet[ContentItem, Any]:
    """Return the ids of the items of all parts, each of which an index has. SQLite would scan the table for `a OR b`."""
    first, *others = [ContentItem.objects.filter(part).order_by().values("pk") for part in parts]
    return first.union(*others, all=True) if others else first
