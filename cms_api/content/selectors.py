"""Reads of types, vocabularies and items."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, cast

from django.db.models import Q, QuerySet
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.reading import ANY_ID, ANY_TEXT, Instances, Statement, compiled
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import is_on
from cms_api.http import page_cache
from cms_api.http.found import remembered
from cms_api.text.search import matching

from .models import ContentItem, ContentType, ItemTerm, Tally, Term
from .types import Status

#: Version that moves on every change of a type, field or term.
TYPES = "content.types"

_ID = re.compile("[1-9][0-9]{0,18}")


def items_version(type_id: int) -> str:
    """Return the name of the version that every write to the type's items moves."""
    return f"content.items.{type_id}"


def order_version(type_id: int) -> str:
    """Return the name of the version that moves when the public items of the type, or their order, change."""
    return f"content.order.{type_id}"


def item_tag(item_id: int) -> str:
    """Return the tag for pages that show this item."""
    return f"item:{item_id}"


def all_types() -> dict[str, ContentType]:
    """Return every content type by slug, including those whose feature is off."""
    return versions.cached(TYPES, lambda: {found.slug: found for found in ContentType.objects.all()})


def visible_types() -> dict[str, ContentType]:
    """Return the content types visible to clients and visitors, by slug."""
    return {slug: found for slug, found in all_types().items() if is_on(found.feature)}


def visible_type_rows() -> QuerySet[ContentType]:
    """Return the visible types as a queryset, for choices of a form."""
    return ContentType.objects.filter(pk__in=[found.pk for found in visible_types().values()])


def listed_types() -> list[tuple[str, str]]:
    """Return choices (slug and name) of the content types whose items have pages.

    Hidden types that have items are among them, marked as hidden: a page that lists them can still be saved. The widget offers
    them only where they are chosen.
    """
    found = {slug: each for slug, each in all_types().items() if each.has_detail}
    filled = set[int]()
    if any(not is_on(each.feature) for each in found.values()):
        filled.update(Tally.objects.filter(total__gt=0).values_list("type_id", flat=True))
    return [
        (slug, each.name_plural if is_on(each.feature) else f"{each.name_plural} (hidden)")
        for slug, each in found.items()
        if is_on(each.feature) or each.pk in filled
    ]


def find_type(slug: str) -> ContentType | None:
    found = all_types().get(slug)
    return found if found and is_on(found.feature) else None


def is_visible_type(slug: str) -> bool:
    return find_type(slug) is not None


def type_by_id(type_id: int) -> ContentType:
    return types_by_id()[type_id]


def types_by_id() -> Mapping[int, ContentType]:
    """Return every content type by id."""
    return versions.cached(TYPES, lambda: {found.pk: found for found in all_types().values()}, slot=f"{TYPES}.by_id")


def vocabulary(type_id: int) -> dict[str, list[Term]]:
    """Return the terms of a type's taxonomies, in order."""
    return _vocabularies().get(type_id, {})


def terms_by_id() -> dict[int, Term]:
    def load() -> dict[int, Term]:
        return {term.pk: term for by_key in _vocabularies().values() for terms in by_key.values() for term in terms}

    return versions.cached(TYPES, load, slot=f"{TYPES}.terms_by_id")


def _vocabularies() -> dict[int, dict[str, list[Term]]]:
    def load() -> dict[int, dict[str, list[Term]]]:
        found: dict[int, dict[str, list[Term]]] = {}
        for term in Term.objects.order_by("position", "name", "id"):
            found.setdefault(term.type_id, {}).setdefault(term.taxonomy, []).append(term)
        return found

    return versions.cached(TYPES, load, slot=f"{TYPES}.vocabularies")


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
        return (FLAGS, *_items_versions())

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
            for group, total in _tallies().items()
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
            for (type_id, status, owned), total in _tallies().items()
            if total and (owned or type_id not in self.types or self.status not in {None, status})
        }
        return OtherItems(tuple(sorted(left_out)), sum(_tallies().values()) - self.total())


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


def _tallies() -> dict[tuple[int, str, bool], int]:
    """Return the number of items by type, status, and whether another item owns them."""

    def load() -> dict[tuple[int, str, bool], int]:
        return {row[:3]: row[3] for row in Tally.objects.values_list("type_id", "status", "owned", "total")}

    return versions.cached(TYPES, load, slot="content.tallies", also=_items_versions())


def _items_versions() -> tuple[str, ...]:
    """Return the names of the versions of all items."""
    return versions.cached(TYPES, lambda: tuple(map(items_version, types_by_id())), slot="content.items_versions")


def item_counts() -> dict[int, int]:
    """Return the number of published items per type, without owned ones."""
    rows = Tally.objects.filter(status=Status.PUBLISHED, owned=False).values_list("type_id", "total")
    return dict(rows)


def find_item(reference: str, type_slug: str | None) -> ContentItem | None:
    """Return an item by id, or by slug and type; None if its type is switched off. Only its keys are read."""
    for found in _lookup(reference, type_slug, ("pk", "type_id", "owner_id"), Instances):
        if is_on(type_by_id(found.type_id).feature):
            found.type = type_by_id(found.type_id)
            return cast(ContentItem, found)
    return None


#: Columns that responses are built from, after the id and the value that the list is sorted by.
CACHED_COLUMNS = ("type_id", "cached_epoch", "cached_json")


def find_row(reference: str, type_slug: str | None, columns: tuple[str, ...]) -> tuple[Any, ...] | None:
    """Return a row for the item that `find_item` finds: id, None and the columns, of which `type_id` is the first."""
    for row in _lookup(reference, type_slug, ("pk", *columns), Statement):
        if is_on(type_by_id(row[1]).feature):
            return (row[0], None, *row[1:])
    return None


def outdated(rows: Iterable[Sequence[Any]]) -> list[int]:
    """Return the ids of rows with CACHED_COLUMNS whose cached JSON does not match the current state of their type."""
    types = types_by_id()
    return [row[0] for row in rows if row[3] != types[row[2]].epoch]


def _lookup(reference: str, type_slug: str | None, columns: tuple[str, ...], kind: type[Statement]) -> Iterator[Any]:
    """Yield the rows found by id, then by slug, since a slug may look like a number (a statement each, compiled once)."""
    item_type = find_type(type_slug) if type_slug else None
    if type_slug and item_type is None:
        return
    key = item_type.pk if item_type else None, columns

    def by(**wanted: Any) -> QuerySet[ContentItem, Any]:
        found = ContentItem.objects.filter(**wanted).order_by()
        found = found.filter(type=item_type) if item_type else found
        return found.only(*columns) if kind is Instances else found.values_list(*columns)

    if _ID.fullmatch(reference) and int(reference) < 2**63:
        yield from compiled(("content.by_id", *key), lambda: by(pk=ANY_ID), kind).rows(0, 1, {ANY_ID: int(reference)})
    if item_type:
        yield from compiled(("content.by_slug", *key), lambda: by(slug=ANY_TEXT), kind).rows(0, 1, {ANY_TEXT: reference})


def current_item(item_id: int, *, to_delete: bool) -> ContentItem | None:
    """Return an item as it is now (one statement, compiled once), locked against changes until the transaction ends.

    On PostgreSQL, other transactions can still create references to it unless `to_delete` is set.
    """

    def build() -> QuerySet[ContentItem]:
        return ContentItem.objects.select_for_update(no_key=not to_delete).filter(pk=ANY_ID).order_by()

    found: ContentItem | None = compiled(("content.lock", to_delete), build, Instances).first({ANY_ID: item_id})
    return found


def stored_terms(item: ContentItem) -> list[tuple[int, str, datetime]]:
    """Return term, status and date of the rows of an item's terms, in their order (one statement, compiled once)."""

    def build() -> QuerySet[ItemTerm, Any]:
        found = ItemTerm.objects.filter(item=ANY_ID).order_by("position")
        return found.values_list("term_id", "status", "listed_at")

    return compiled("content.terms", build).all({ANY_ID: item.pk})


def published_items(item_type: ContentType) -> QuerySet[ContentItem]:
    """Return the items of a type that visitors see, newest first."""
    found = ContentItem.objects.filter(type=item_type, status=Status.PUBLISHED, owner=None).defer("cached_json")
    return found.select_related("featured_media__mediaimage").order_by("-listed_at", "-id")


def newest(item_type: ContentType, count: int) -> list[ContentItem]:
    """Return the newest items of a type that visitors see (one statement, compiled once)."""
    statement = compiled(("content.newest", item_type.pk), partial(published_items, item_type), Instances)
    return statement.rows(0, count)


def published_item(item_type: ContentType, slug: str) -> ContentItem | None:
    """Return the item with a slug that visitors see (one statement, compiled once)."""
    build = partial(published_items(item_type).filter, slug=ANY_TEXT)
    found: ContentItem | None = compiled(("content.slug", item_type.pk), build, Instances).first({ANY_TEXT: slug})
    return found


def found_items(text: str) -> QuerySet[ContentItem]:
    """Return the items of any type and status that match a search."""
    return matching(ContentItem.objects.order_by(), text)


def newest_items(item_type: ContentType, term: Term | None) -> QuerySet[ContentItem]:
    """Return the items of a type, or of one of its terms, that visitors see, newest first."""
    found = published_items(item_type)
    if term is None:
        return found
    # Sorted by the term's own index.
    found = found.filter(item_terms__term=term, item_terms__status=Status.PUBLISHED)
    return found.order_by("-item_terms__listed_at", "-item_terms__item_id")


def cache_page(*names: str) -> None:
    """Cache the page that is being rendered until a type, a feature or one of the named versions changes."""
    page_cache.enable()
    page_cache.depends_on(FLAGS, TYPES, *names)
