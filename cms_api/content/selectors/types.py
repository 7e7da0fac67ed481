"""Reads of types, vocabularies and tallies, and the names of the versions that change with them."""

from collections.abc import Mapping
from functools import partial

from django.db.models import QuerySet

from cms_api.core import versions
from cms_api.core.reading import Statement, compile_once
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import is_on
from cms_api.http import page_cache

from ..models import ContentType, Tally, Term
from ..types import Status

#: Version that moves on every change of a type, field or term.
TYPES = "content.types"


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
    return versions.load_once(TYPES, lambda: {found.slug: found for found in ContentType.objects.all()})


def visible_types() -> dict[str, ContentType]:
    """Return the content types visible to clients and visitors, by slug."""
    return {slug: found for slug, found in all_types().items() if is_on(found.feature)}


def taxonomy_keys() -> list[str]:
    """Return the keys of the taxonomies of all visible types."""
    return sorted({taxonomy.key for found in visible_types().values() for taxonomy in found.taxonomies})


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
    return versions.load_once(TYPES, lambda: {found.pk: found for found in all_types().values()}, slot=f"{TYPES}.by_id")


def vocabulary(type_id: int) -> dict[str, list[Term]]:
    """Return the terms of a type's taxonomies, in order."""
    return _vocabularies().get(type_id, {})


def terms_by_id() -> dict[int, Term]:
    def load() -> dict[int, Term]:
        return {term.pk: term for by_key in _vocabularies().values() for terms in by_key.values() for term in terms}

    return versions.load_once(TYPES, load, slot=f"{TYPES}.terms_by_id")


def _vocabularies() -> dict[int, dict[str, list[Term]]]:
    def load() -> dict[int, dict[str, list[Term]]]:
        found: dict[int, dict[str, list[Term]]] = {}
        for term in Term.objects.order_by("position", "name", "id"):
            found.setdefault(term.type_id, {}).setdefault(term.taxonomy, []).append(term)
        return found

    return versions.load_once(TYPES, load, slot=f"{TYPES}.vocabularies")


def tallies() -> dict[tuple[int, str, bool], int]:
    """Return the number of items by type, status, and whether another item owns them."""

    def load() -> dict[tuple[int, str, bool], int]:
        statement: Statement = compile_once(
            "content.tallies", partial(Tally.objects.values_list, "type_id", "status", "owned", "total")
        )
        return {row[:3]: row[3] for row in statement.all()}

    return versions.load_once(TYPES, load, slot="content.tallies", also=all_items_versions())


def all_items_versions() -> tuple[str, ...]:
    """Return the names of the versions of all items."""
    return versions.load_once(TYPES, lambda: tuple(map(items_version, types_by_id())), slot="content.items_versions")


def item_counts() -> dict[int, int]:
    """Return the number of published items per type, without owned ones."""
    rows = Tally.objects.filter(status=Status.PUBLISHED, owned=False).values_list("type_id", "total")
    return dict(rows)


def cache_page(*names: str) -> None:
    """Cache the page that is being rendered until a type, a feature or one of the named versions changes."""
    page_cache.enable()
    page_cache.depends_on(FLAGS, TYPES, *names)
