"""Assignment of sent values to an item: cleaned by its type's schema, with references, title, slug and status resolved."""

from collections.abc import Mapping, Sequence, Set
from datetime import datetime
from itertools import count
from typing import Any

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message, taken_message
from cms_api.core.locks import lock_for_share
from cms_api.core.records import set_values
from cms_api.core.writing import Conflict
from cms_api.fields import Context, Field, clean_data
from cms_api.fields.datetimes import is_sent_back, keep_marks
from cms_api.flags.selectors import site_timezone
from cms_api.flags.services import notify
from cms_api.media.services.library import lock_images

from ..models import ContentItem, ContentType
from ..selectors import vocabulary
from ..types import MAX_SLUG, Placing, Status, check_slug, place, slug_from

#: Attributes that clients and forms may send besides `data`; all optional.
PLAIN = ("excerpt", "meta_title", "meta_description", "featured_media_id")


#: Slugs that are looked up in one statement.
_BATCH_SLUGS = 500
#: The slug of an item is unique within its type.
SLUG_ONCE = Conflict(("type_id", "slug"))
#: Site-relative URLs of locked pictures, by id.
Pictures = Mapping[int, str]


def assign(item: ContentItem, values: Mapping[str, Any], *, now: datetime, pictures: Pictures, complete: bool = True) -> None:
    """Set the sent values on the item, unsaved; the rest stays as it is. Raises Invalid with all errors.

    An item without an id is new and gets defaults for values that were not sent. `complete` enforces required fields; a draft
    saved by a person may omit them until it is published. `pictures` come from `lock_featured_media`.
    """
    collector = ErrorCollector()
    new = item.pk is None
    was_public = item.status in {Status.PUBLISHED, Status.SCHEDULED}
    _place(item, values, now, collector)
    becomes_public = item.status in {Status.PUBLISHED, Status.SCHEDULED} and not was_public
    with collector.under():
        _assign_data(item, values, new=new, complete=complete, whole=becomes_public)
    set_values(item, values, PLAIN)
    picture = values.get("featured_media_id")
    if picture and picture not in pictures:
        collector.add("featured_media_id", invalid_choice("featured_media_id"))
    title_before = item.title
    item.title = derive_title(item.type, item.data) or ("" if new else title_before)
    with collector.under():
        _assign_slug(item, values, new=new)
    if collector.errors and values.get("slug") and slug_is_taken(item):
        collector.add("slug", taken_message("slug"))
    collector.raise_if_any()
    item.title = item.title or item.type.name
    item.updated_at = now
    item.listed_at = item.updated_at if item.status == Status.DRAFT or not item.published_at else item.published_at
    item.live = item.status == Status.PUBLISHED


def lock_featured_media(*sent: Mapping[str, Any]) -> Pictures:
    """Lock the pictures that sent values feature, and return those that exist.

    Deleting a picture locks it first and then the items that feature it, so writers call this before they lock an item.
    """
    return lock_images({picture for values in sent if (picture := values.get("featured_media_id"))})


def derive_title(item_type: ContentType, data: Mapping[str, Any]) -> str:
    field = item_type.title_field
    return str(data.get(field.key) or "") if field else ""


def _place(item: ContentItem, values: Mapping[str, Any], now: datetime, collector: ErrorCollector) -> None:
    with collector.under():
        placing = place(
            current=Placing(item.status, item.published_at),
            status=values.get("status"),
            published_at=values.get("published_at"),
            now=now,
        )
        item.status, item.published_at = placing.status, placing.published_at


def _assign_data(item: ContentItem, values: Mapping[str, Any], *, new: bool, complete: bool, whole: bool) -> None:
    if not new and "data" not in values and not whole:
        return
    item_type = item.type
    context = Context(timezone=site_timezone())
    sent = values.get("data", {})
    cleaned = clean_data(item_type.schema, sent, context=context, partial=not new, enforce_required=complete)
    collector = ErrorCollector()
    for field in item_type.taxonomies:
        if cleaned.get(field.key):
            with collector.under(f"data.{field.key}"):
                cleaned[field.key] = _term_ids(item_type, field, cleaned[field.key])
    for field in item_type.relations:
        if cleaned.get(field.key):
            with collector.under(f"data.{field.key}"):
                _check_targets(field, cleaned[field.key])
    for field in item_type.schema:
        if field.type == "datetime" and is_sent_back(field, sent.get(field.key), item.data.get(field.key), context):
            cleaned[field.key] = item.data[field.key]
    if (dated := item_type.date_field) and dated.key in cleaned:
        cleaned[dated.key] = _with_marks(item, item.data.get(dated.key), cleaned[dated.key])
    item.data = {**item.data, **cleaned}
    if whole and complete:
        for field in item_type.schema:
            if field.required and field.key not in cleaned and item.data.get(field.key) in (None, "", [], {}):
                collector.add(f"data.{field.key}", required_message(field.key))
    collector.raise_if_any()


def _with_marks(item: ContentItem, stored: Any, value: Any) -> Any:
    """Return a new date with the marks of the stored one; that of a series has those of the date that becomes its first one."""
    value = keep_marks(stored, value)
    if item.pk is not None and value != stored and _repeats(stored) and _repeats(value):
        for marked in notify("content.series_editing", item, value):
            value = marked
    return value


def _repeats(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.get("repeat"))


def _term_ids(item_type: ContentType, field: Field, references: list[int | str]) -> list[int]:
    terms = vocabulary(item_type.pk).get(field.key, [])
    known: dict[int | str, int] = {term.pk: term.pk for term in terms} | {term.slug: term.pk for term in terms}
    try:
        return list(dict.fromkeys(known[reference] for reference in references))
    except KeyError:
        raise Invalid({"": invalid_choice(field.key, (term.slug for term in terms))}) from None


def _check_targets(field: Field, ids: int | list[int]) -> None:
    wanted = {ids} if isinstance(ids, int) else set(ids)
    if not lock_for_share(ContentItem, wanted):
        raise Invalid({"": invalid_choice(field.key)})


def without_gone(item_type: ContentType, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return stored data without terms and related items that no longer exist (a statement, if items are related)."""
    terms = vocabulary(item_type.pk)
    known = {field.key: {term.pk for term in terms.get(field.key, ())} for field in item_type.taxonomies}
    related = [target for field in item_type.relations for target in _as_list(data.get(field.key))]
    items = set(ContentItem.objects.filter(pk__in=related).values_list("pk", flat=True)) if related else set()
    known |= {field.key: items for field in item_type.relations}
    found = dict(data)
    for key, ids in known.items():
        value = data.get(key)
        if isinstance(value, list):
            found[key] = [each for each in value if each in ids]
        elif value is not None and value not in ids:
            found[key] = None
    return found


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _assign_slug(item: ContentItem, values: Mapping[str, Any], *, new: bool) -> None:
    """Set the slug: the sent one, or a new item's title. The insert, or the update, shows whether another item has it."""
    sent = values.get("slug")
    if sent and sent != item.slug:
        item.slug = check_slug(sent)
    elif new:
        item.slug = slug_from(item.title, item.type.slug)


def slug_is_taken(item: ContentItem) -> bool:
    """Return whether another item of the type has the slug of an unsaved item."""
    return ContentItem.objects.filter(type_id=item.type_id, slug=item.slug).exclude(pk=item.pk).exists()


def used_slugs(items: Sequence[ContentItem]) -> set[str]:
    """Return those of the slugs of new items, all of one type, that stored items have."""
    if not items:
        return set()
    stored = ContentItem.objects.filter(type_id=items[0].type_id).values_list("slug", flat=True)
    wanted = [item.slug for item in items]
    parts = (wanted[start : start + _BATCH_SLUGS] for start in range(0, len(wanted), _BATCH_SLUGS))
    return {slug for part in parts for slug in stored.filter(slug__in=part)}


def free_slug(item: ContentItem, *, besides: Set[str] = frozenset()) -> str:
    """Return the title's slug, with `-2`, `-3`, ... if needed: the first used by no item and not in `besides`."""
    base = slug_from(item.title, item.type.slug)[: MAX_SLUG - 8]
    same = ContentItem.objects.filter(type_id=item.type_id, slug__startswith=f"{base}-").exclude(pk=item.pk)
    used = {*same.values_list("slug", flat=True), *besides}
    return next(slug for number in count(2) if (slug := f"{base}-{number}") not in used)
