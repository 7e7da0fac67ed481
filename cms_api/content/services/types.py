"""Writes of content types and vocabularies; affected items are serialized again."""

from collections.abc import Collection, Iterable, Mapping
from itertools import count
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.text import slugify
from wagtail.log_actions import log

from cms_api.core import jobs, versions
from cms_api.core.batches import Run
from cms_api.core.errors import ErrorCollector, Invalid, required_message, taken_message
from cms_api.core.identifiers import SLUG_OF_DIGITS, with_letters
from cms_api.core.locks import get_row, lock_to_delete
from cms_api.core.records import set_values
from cms_api.fields import Field, parse_fields

from ..models import ContentItem, ContentType, ItemTerm, Term
from ..selectors import TYPES, items_version, type_by_id
from ..types import slug_from
from . import projections
from .addresses import address_taken_message, find_address_owner
from .schemas import fit_items, store_changed

#: The attributes of a type that may be set.
ATTRIBUTES = (
    "name",
    "name_plural",
    "description",
    "icon",
    "schema_type",
    "has_detail",
    "excerpt_enabled",
    "comments_enabled",
    "index_layout",
    "detail_layout",
    "fields",
)

MAX_TERM = 100
MAX_POSITION = 10_000

#: Items that are refreshed in one transaction, which takes some 50 ms: others wait for it.
BATCH = 25
#: Maximum duration of one run of `refresh_items`, below the time limit of a task.
REFRESHING_SECONDS = 20


@transaction.atomic
def save_type(
    *,
    item_type: ContentType | None = None,
    slug: str = "",
    values: Mapping[str, Any],
    user: Any = None,
    system: bool = False,
    feature: str = "",
) -> ContentType:
    """Create a type (`item_type` None) or change one. The slug cannot be changed after creation. Raises Invalid."""
    new = item_type is None
    before = {} if item_type is None else _fields_of(item_type)
    found = item_type or ContentType(slug=slug, is_system=system, feature=feature)
    set_values(found, values, ATTRIBUTES)
    found.name_plural = found.name_plural or found.name
    collector = ErrorCollector()
    if not found.name:
        collector.add("name", required_message("name"))
    if new:
        _check_type_slug(slug, collector, system=system)
    with collector.under("fields"):
        schema = parse_fields(found.fields)
        found.fields = [{**field.as_dict(), "hierarchical": field.hierarchical} for field in schema]
    collector.raise_if_any()
    for derived in ("schema", "taxonomies", "relations", "title_field", "date_field"):
        found.__dict__.pop(derived, None)
    # The epoch is only changed in the database: saving a stale copy would set it back.
    found.save(update_fields=None if new else [*ATTRIBUTES, "updated_at"])
    if not new:
        fit_items(found, before)
    log(instance=found, action="wagtail.create" if new else "wagtail.edit", user=user)
    _begin_epoch(found.pk)
    found.refresh_from_db(fields=["epoch"])
    return found


def _fields_of(item_type: ContentType) -> dict[str, Field]:
    """Return the stored fields by key, with the type locked until the transaction ends."""
    stored = get_row(ContentType.objects.select_for_update(), item_type.pk)
    return {field.key: field for field in stored.schema}


def _check_type_slug(slug: str, collector: ErrorCollector, *, system: bool) -> None:
    if not slug:
        collector.add("slug", required_message("slug"))
    elif slugify(slug) != slug or len(slug) > 50:
        collector.add("slug", "The slug may contain only lower-case letters, digits and hyphens, at most 50.")
    elif slug.isdecimal():
        collector.add("slug", SLUG_OF_DIGITS)
    elif ContentType.objects.filter(slug=slug).exists():
        collector.add("slug", taken_message("slug"))
    elif not system and (owner := find_address_owner(slug)):
        # A built-in type may have pages of its module below its address.
        collector.add("slug", address_taken_message(slug, owner))


@transaction.atomic
def delete_type(*, item_type: ContentType, user: Any = None) -> None:
    """Delete a type. Raises Invalid if it has items or is built in."""
    if item_type.is_system:
        raise Invalid({"type": "A built-in content type can't be deleted."})
    lock_to_delete(item_type)
    if item_type.items.exists():
        raise Invalid({"type": "A content type with items can't be deleted. Delete the items first."})
    log(instance=item_type, action="wagtail.delete", user=user, deleted=True)
    item_type.delete()
    versions.bump(TYPES)


@transaction.atomic
def save_term(
    *,
    item_type: ContentType,
    taxonomy: str,
    name: str,
    slug: str = "",
    parent: Term | None = None,
    position: int = 0,
    term: Term | None = None,
    user: Any = None,
) -> Term:
    """Create a term or change one. Raises Invalid."""
    fields = {field.key: field for field in item_type.taxonomies}
    collector = ErrorCollector()
    if taxonomy not in fields:
        collector.add("taxonomy", "The content type has no such taxonomy.")
    name = name.strip()
    if not name:
        collector.add("name", required_message("name"))
    if len(name) > MAX_TERM:
        collector.add("name", f"The name may not be greater than {MAX_TERM} characters.")
    slug = slug or _term_slug(item_type, taxonomy, name, term)
    same = Term.objects.filter(type=item_type, taxonomy=taxonomy, slug=slug).exclude(pk=term.pk if term else 0)
    if slug != slugify(slug) or not slug or len(slug) > MAX_TERM:
        collector.add("slug", f"The slug may contain only lower-case letters, digits and hyphens, at most {MAX_TERM}.")
    elif slug.isdecimal() and (term is None or slug != term.slug):
        collector.add("slug", SLUG_OF_DIGITS)
    elif same.exists():
        collector.add("slug", taken_message("slug"))
    if parent is not None and not (
        taxonomy in fields
        and fields[taxonomy].hierarchical
        and (parent.type_id, parent.taxonomy) == (item_type.pk, taxonomy)
        and not _is_below(parent, term)
    ):
        collector.add("parent", "The selected parent is invalid.")
    if not 0 <= position <= MAX_POSITION:
        collector.add("position", f"The position must be a number between 0 and {MAX_POSITION}.")
    collector.raise_if_any()
    new = Term(type=item_type, taxonomy=taxonomy)
    found = get_row(Term.objects.select_for_update(no_key=True), term.pk) if term else new
    found.name, found.slug, found.parent, found.position = name, slug, parent, position
    found.save()
    log(instance=found, action="wagtail.edit" if term else "wagtail.create", user=user)
    _begin_epoch(item_type.pk)
    return found


def _term_slug(item_type: ContentType, taxonomy: str, name: str, term: Term | None) -> str:
    """Return a slug for a name in any script: with a letter, unlike an id, and with a number if another name has the same."""
    slug = with_letters(slug_from(name, "")[: MAX_TERM - 8].strip("-_"), taxonomy)
    others = Term.objects.filter(type=item_type, taxonomy=taxonomy, slug__startswith=slug).exclude(pk=term.pk if term else 0)
    used = dict(others.values_list("slug", "name"))
    if used.get(slug, name).casefold() == name.casefold():
        return slug
    return next(free for number in count(2) if (free := f"{slug}-{number}") not in used)


def _is_below(candidate: Term | None, term: Term | None) -> bool:
    """Return whether `candidate` is the term or one of its descendants, and so cannot be its parent."""
    while candidate is not None and term is not None:
        if candidate.pk == term.pk:
            return True
        candidate = candidate.parent
    return False


@transaction.atomic
def delete_term(*, term: Term, user: Any = None) -> None:
    """Delete a term and remove it from its items."""
    type_id = term.type_id
    get_row(ContentType.objects.select_for_update(), type_id)
    lock_to_delete(term)
    items = list(ContentItem.objects.select_for_update().filter(item_terms__term=term).order_by("pk"))
    for item in items:
        item.data[term.taxonomy] = [term_id for term_id in item.data.get(term.taxonomy) or () if term_id != term.pk]
    store_changed(type_by_id(type_id), items)
    ItemTerm.objects.filter(term=term).delete()
    log(instance=term, action="wagtail.delete", user=user, deleted=True)
    term.delete()
    _begin_epoch(type_id)


def _begin_epoch(type_id: int) -> None:
    """Mark the cached JSON of all items of the type stale: it is rebuilt on read until `refresh_items` has run."""
    ContentType.objects.filter(pk=type_id).update(epoch=F("epoch") + 1)
    versions.bump(TYPES, items_version(type_id))
    jobs.run_soon("refresh_items")


def recompute_dates() -> None:
    """Ask for a refresh of the dates of all items: the start of a day depends on the site's time zone, which has changed."""
    for item_type in ContentType.objects.all():
        if item_type.date_field is not None:
            _begin_epoch(item_type.pk)


def refresh_items() -> int:
    """Project items of an earlier epoch of their type again, one batch per transaction. Returns how many there were.

    Stops after REFRESHING_SECONDS even if items are left for the next run.
    """
    with Run(REFRESHING_SECONDS) as run:
        return sum(_refresh(run, type_id, epoch) for type_id, epoch in ContentType.objects.values_list("pk", "epoch"))


def _refresh(run: Run, type_id: int, epoch: int) -> int:
    late = ContentItem.objects.filter(type_id=type_id, cached_epoch__lt=epoch)
    keys = late.order_by("cached_epoch", "pk").values_list("pk", flat=True)
    return run.each_batch(keys, lambda ids: _project(late, type_id, ids), size=BATCH)


@transaction.atomic
def _project(late: QuerySet[ContentItem], type_id: int, ids: Collection[int]) -> int:
    # Same lock order as everywhere else.
    items = list(late.select_for_update().filter(pk__in=ids).order_by("pk"))
    for item in items:
        item.type = type_by_id(type_id)
        projections.set_dates(item)
        projections.refresh(item)
    projections.cache_json(items)
    dates = ("starts_at", "ends_at", "lasts_until", "is_long")
    ContentItem.objects.bulk_update(items, [*dates, "cached_json", "cached_epoch"], batch_size=100)
    if items:
        projections.invalidate([type_id], changed=[item.pk for item in items])
    for item in items:
        projections.notify_saved(item)
    return len(items)


def create_builtin_types(definitions: Iterable[Mapping[str, Any]]) -> None:
    """Create the built-in types that are missing. Changes that people made to existing ones are preserved."""
    for definition in definitions:
        if not ContentType.objects.filter(slug=definition["slug"]).exists():
            save_type(slug=definition["slug"], values=definition["values"], system=True, feature=definition.get("feature", ""))
