"""Reads of items."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any, cast

from django.db.models import QuerySet

from cms_api.core.identifiers import read_id
from cms_api.core.reading import ANY_ID, ANY_TEXT, Instances, Statement, compile_once
from cms_api.flags.selectors import is_on
from cms_api.text.search import matching

from ..models import ContentItem, ContentType, ItemTerm, Term
from ..types import Status
from .types import find_type, type_by_id, types_by_id


def find_item(reference: str, type_slug: str | None) -> ContentItem | None:
    """Return an item by id, or by slug and type; None if its type is switched off. Only its keys are read."""
    for found in _lookup(reference, type_slug, ("pk", "type_id", "owner_id"), Instances):
        if is_on(type_by_id(found.type_id).feature):
            found.type = type_by_id(found.type_id)
            return cast(ContentItem, found)
    return None


#: Columns that responses are built from, besides the id.
CACHED_COLUMNS = ("type_id", "cached_epoch", "cached_json")


def find_row(reference: str, type_slug: str | None, columns: tuple[str, ...]) -> Sequence[Any] | None:
    """Return a row for the item that `find_item` finds: the id and the columns."""
    for row in _lookup(reference, type_slug, ("type_id", "pk", *columns), Statement):
        if is_on(type_by_id(row[0]).feature):
            return cast(Sequence[Any], row[1:])
    return None


def find_outdated(rows: Iterable[Sequence[Any]], first: int) -> list[int]:
    """Return the ids of rows whose CACHED_COLUMNS, from `first`, hold JSON of another than the current state of their type."""
    types = types_by_id()
    return [row[0] for row in rows if row[first + 1] != types[row[first]].epoch]


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

    if (item_id := read_id(reference)) is not None:
        yield from compile_once(("content.by_id", *key), lambda: by(pk=ANY_ID), kind).rows(0, 1, {ANY_ID: item_id})
    if item_type:
        yield from compile_once(("content.by_slug", *key), lambda: by(slug=ANY_TEXT), kind).rows(0, 1, {ANY_TEXT: reference})


def current_item(item_id: int, *, to_delete: bool) -> ContentItem | None:
    """Return an item as it is now (one statement, compiled once), locked against changes until the transaction ends.

    On PostgreSQL, other transactions can still create references to it unless `to_delete` is set.
    """

    def build() -> QuerySet[ContentItem]:
        return ContentItem.objects.select_for_update(no_key=not to_delete).filter(pk=ANY_ID).order_by()

    found: ContentItem | None = compile_once(("content.lock", to_delete), build, Instances).first({ANY_ID: item_id})
    return found


def stored_terms(item: ContentItem) -> list[tuple[int, str, datetime]]:
    """Return term, status and date of the rows of an item's terms, in their order (one statement, compiled once)."""

    def build() -> QuerySet[ItemTerm, Any]:
        found = ItemTerm.objects.filter(item=ANY_ID).order_by("position")
        return found.values_list("term_id", "status", "listed_at")

    return compile_once("content.terms", build).all({ANY_ID: item.pk})


def published_items(item_type: ContentType) -> QuerySet[ContentItem]:
    """Return the items of a type that visitors see, newest first."""
    found = ContentItem.objects.filter(type=item_type, status=Status.PUBLISHED, owner=None).defer("cached_json")
    return found.select_related("featured_media__mediaimage").order_by("-listed_at", "-id")


def newest(item_type: ContentType, count: int) -> list[ContentItem]:
    """Return the newest items of a type that visitors see (one statement, compiled once)."""
    statement = compile_once(("content.newest", item_type.pk), partial(published_items, item_type), Instances)
    return statement.rows(0, count)


def published_item(item_type: ContentType, slug: str) -> ContentItem | None:
    """Return the item with a slug that visitors see (one statement, compiled once)."""
    build = partial(published_items(item_type).filter, slug=ANY_TEXT)
    found: ContentItem | None = compile_once(("content.slug", item_type.pk), build, Instances).first({ANY_TEXT: slug})
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
