"""Reads of types, vocabularies and items."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from cms_api.core import versions
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import is_on
from cms_api.http import page_cache
from cms_api.text.search import matching

from .models import ContentItem, ContentType, ItemTerm, Tally, Term
from .types import Status

#: Moves with every change of a type, a field or a term.
TYPES = "content.types"

_ID = re.compile("[1-9][0-9]{0,18}")


def items_version(type_id: int) -> str:
    """The name of the version that every write of the type's items moves."""
    return f"content.items.{type_id}"


def order_version(type_id: int) -> str:
    """The name of the version that moves when other items of the type are public than before, or in another order."""
    return f"content.order.{type_id}"


def item_tag(item_id: int) -> str:
    """What a page names that shows an item."""
    return f"item:{item_id}"


def all_types() -> dict[str, ContentType]:
    """Every content type by slug, those whose feature is off included."""
    return versions.cached(TYPES, lambda: {found.slug: found for found in ContentType.objects.all()})


def visible_types() -> dict[str, ContentType]:
    """The content types that exist for clients and visitors, by slug."""
    return {slug: found for slug, found in all_types().items() if is_on(found.feature)}


def listed_types() -> list[tuple[str, str]]:
    """The choices of content types whose items have pages: slug and name."""
    return [(slug, found.name_plural) for slug, found in visible_types().items() if found.has_detail]


def find_type(slug: str) -> ContentType | None:
    found = all_types().get(slug)
    return found if found and is_on(found.feature) else None


def type_by_id(type_id: int) -> ContentType:
    by_id = versions.cached(TYPES, lambda: {found.pk: found for found in all_types().values()}, slot=f"{TYPES}.by_id")
    return by_id[type_id]


def vocabulary(type_id: int) -> dict[str, list[Term]]:
    """The terms of a type's taxonomies, in their order."""
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
    """What a list of items is narrowed to. `types` are the ids that may be seen at all."""

    types: tuple[int, ...]
    status: str | None = Status.PUBLISHED
    include_owned: bool = False
    owner_id: int | None = None
    slug: str | None = None
    search: str | None = None
    #: For every taxonomy filtered by, the term ids of which an item must have one.
    terms: tuple[tuple[int, ...], ...] = ()
    when: str | None = None
    starting: datetime | None = None
    ending: datetime | None = None
    #: Whether the rows may be those of a term, which point to its items newest first, instead of the items themselves.
    by_term: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether only type, status and owner narrow the list, so that the tallies know its total."""
        return not (self.owner_id or self.slug or self.search or self.terms or self.when or self.starting or self.ending)

    @property
    def depends_on_time(self) -> bool:
        return bool(self.when)

    @property
    def leading_term(self) -> int | None:
        """The term whose index the list follows, so that no items of others are looked at."""
        return self.terms[0][0] if self.by_term and self.terms and len(self.terms[0]) == 1 else None

    def path(self, name: str) -> str:
        """What a field of the item is called in the queryset: with a leading term the rows are that term's."""
        if not self.leading_term or name == "listed_at":
            return name
        return "item_id" if name == "id" else f"item__{name}"

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
        if not self.include_owned:
            conditions["owner_id__isnull"] = True
        if self.when:
            now = timezone.now()
            conditions["lasts_until__gte" if self.when == "upcoming" else "lasts_until__lt"] = now
        return conditions

    def fingerprint(self) -> str:
        """Changes when any write could have changed the list's content; the settings tell which day a bare date is."""
        return versions.fingerprint([TYPES, FLAGS, *map(items_version, self.types)])

    def total(self) -> int:
        """How many items there are: added up from tallies, or counted once for each state of the types."""
        if self.depends_on_time:
            return self.queryset().count()
        known = _totals(self.fingerprint())
        if self not in known:
            known[self] = self._tallied() if self.is_plain else self.queryset().count()
        return known[self]

    def _tallied(self) -> int:
        tallies = Tally.objects.filter(type_id__in=self.types)
        if self.status:
            tallies = tallies.filter(status=self.status)
        if not self.include_owned:
            tallies = tallies.filter(owned=False)
        return sum(tallies.values_list("total", flat=True))


#: Totals of filtered lists in this process, for a few of the latest states; a write makes a new state.
_known_totals: dict[str, dict[ItemFilter, int]] = {}


def _totals(state: str) -> dict[ItemFilter, int]:
    if state not in _known_totals and len(_known_totals) >= 16:
        _known_totals.clear()
    known = _known_totals.setdefault(state, {})
    if len(known) >= 1000:
        known.clear()
    return known


def item_counts() -> dict[int, int]:
    """How many published items each type has, those that another item owns left out."""
    rows = Tally.objects.filter(status=Status.PUBLISHED, owned=False).values_list("type_id", "total")
    return dict(rows)


def find_item(reference: str, type_slug: str | None) -> ContentItem | None:
    """An item by its id, or by slug together with its type; None for one whose type is switched off."""
    found = next((found for lookup in _lookups(reference, type_slug) if (found := _visible(lookup.first()))), None)
    if found is not None:
        found.type = type_by_id(found.type_id)
    return found


#: The columns from which an answer is made, after the id and the value that a list is sorted by.
PREPARED = ("type_id", "prepared_for", "prepared")


def find_prepared(reference: str, type_slug: str | None) -> tuple[Any, ...] | None:
    """A row of the id, nothing, and the PREPARED columns of what `find_item` finds."""
    for lookup in _lookups(reference, type_slug):
        row = lookup.values_list("pk", *PREPARED).first()
        if row is not None and is_on(type_by_id(row[1]).feature):
            return (row[0], None, *row[1:])
    return None


def is_current(row: Sequence[Any]) -> bool:
    """Whether a row with PREPARED columns holds what the type's present state makes of the item."""
    return bool(row[3] == type_by_id(row[2]).epoch)


def _visible(item: ContentItem | None) -> ContentItem | None:
    return item if item is not None and is_on(type_by_id(item.type_id).feature) else None


def _lookups(reference: str, type_slug: str | None) -> Iterator[QuerySet[ContentItem]]:
    """By id, then by slug: a slug may look like a number."""
    item_type = find_type(type_slug) if type_slug else None
    if type_slug and item_type is None:
        return
    if _ID.fullmatch(reference) and int(reference) < 2**63:
        by_id = ContentItem.objects.filter(pk=int(reference))
        yield by_id.filter(type=item_type).order_by() if item_type else by_id.order_by()
    if item_type:
        yield ContentItem.objects.filter(type=item_type, slug=reference).order_by()


def published_items(item_type: ContentType) -> QuerySet[ContentItem]:
    """What visitors see of a type, newest first."""
    found = ContentItem.objects.filter(type=item_type, status=Status.PUBLISHED, owner=None).defer("prepared")
    return found.select_related("featured_media__mediaimage").order_by("-listed_at", "-id")


def newest_items(item_type: ContentType, term: Term | None) -> QuerySet[ContentItem]:
    """What visitors see of a type, or of one of its terms, newest first."""
    found = published_items(item_type)
    if term is None:
        return found
    # In the order of the term's own index.
    found = found.filter(item_terms__term=term, item_terms__status=Status.PUBLISHED)
    return found.order_by("-item_terms__listed_at", "-item_terms__item_id")


def latest_by_type(count: int) -> list[Mapping[str, Any]]:
    """For the front page: every type that has pages and published items, with its newest items."""
    types = [found for found in visible_types().values() if found.has_detail]
    sections = [{"type": found, "items": list(published_items(found)[:count])} for found in types]
    return [section for section in sections if section["items"]]


def keep_page(*names: str) -> None:
    """Cache the page that is being rendered until a type, a feature or one of the named versions changes."""
    page_cache.keep()
    page_cache.depends_on(FLAGS, TYPES, *names)
