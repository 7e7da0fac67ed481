"""The filters of lists of items."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from cms_api.core import versions
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http.found import remembered
from cms_api.text.search import matching

from ..models import ContentItem, ItemTerm
from ..types import Status
from .types import TYPES, all_items_versions, items_version, tallies


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
    when: str | None = None
    starting: datetime | None = None
    ending: datetime | None = None
    #: Whether rows may come from a term's index, which lists its items newest first, instead of from the items table.
    by_term: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether only type, status and owner are filtered, so that the tallies provide the total."""
        return not (self.owner_id or self.slug or self.search or self.terms or self.when or self.starting or self.ending)

    @property
    def depends_on_time(self) -> bool:
        return bool(self.when)

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
        return replace(self, search=None, by_term=False)

    def queryset(self) -> QuerySet[Any]:
        found: QuerySet[Any] = ContentItem.objects.all()
        if self.leading_term:
            found = ItemTerm.objects.filter(term_id=self.leading_term)
            if self.status:
                found = found.filter(status=self.status)
        found = found.filter(**{self.path(name): value for name, value in self._conditions().items()})
        for term_ids in self.terms[1:] if self.leading_term else self.terms:
            tagged = ItemTerm.objects.filter(term_id__in=term_ids).values("item_id")
            found = found.filter(**{self.path("id") + "__in": tagged})
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
            now = timezone.now()
            conditions["lasts_until__gte" if self.when == "upcoming" else "lasts_until__lt"] = now
        return conditions

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
        """Return the number of items, from tallies or counted; once for each state of the types, unless it depends on time."""
        return self._count() if self.depends_on_time else remembered(TYPES, self, self._count, also=self.other_versions)

    def _count(self) -> int:
        return self._tallied() if self.is_plain else self.queryset().count()

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
        if is_whole or self.slug or self.owner_id or (self.terms and not (self.leading_term and is_by_date)):
            return ()
        groups = self._groups()
        parts = {(self.types if is_by_date else (type_id,), status) for type_id, status, owned in groups if not owned}
        filters = [replace(self, types=types, status=status, include_owned=False) for types, status in sorted(parts)]
        has_owned = self.include_owned and any(owned for _, _, owned in groups)
        return (*filters, *([replace(self, is_owned=True)] if has_owned else ()))

    def among(self) -> int:
        """Return the number of items of the types and the status, which are read if the list is read in order."""
        every = ItemFilter(types=self.types, status=self.status, include_owned=self.include_owned)
        return self.total() if self == every else every.total()

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
class OtherItems:
    """The items of a type and a status, for each of some; 0 and an empty text stand for the owned ones."""

    groups: tuple[tuple[int, str], ...]
    number: int = field(compare=False)

    def queryset(self) -> QuerySet[ContentItem]:
        owned, items = Q(owner__isnull=False), ContentItem.objects.order_by().values("pk")
        parts = [Q(owner=None, type_id=type_id, status=status) if type_id else owned for type_id, status in self.groups]
        # Each is found by an index of its own: for alternatives, SQLite scans the table.
        first, *rest = map(items.filter, parts)
        return ContentItem.objects.filter(pk__in=first.union(*rest, all=True) if rest else first)

    def total(self) -> int:
        return self.number
