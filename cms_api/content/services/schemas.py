"""Migration of stored item values when the fields of a type change, so that stored values always fit the schema."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Q
from django.utils import timezone
from wagtail.models import Revision

from cms_api.core.errors import ErrorCollector, Invalid
from cms_api.fields import FIELD_TYPES, Context, Field
from cms_api.flags.selectors import site_timezone
from cms_api.webhooks.services import emit

from ..models import ContentItem, ContentType, ItemUnique
from . import projections

BATCH_ITEMS = 500


def fit_items(item_type: ContentType, before: Mapping[str, Field]) -> None:
    """Migrate the stored values of a changed type's items to its current fields, in the caller's transaction.

    A value is converted to the new field type if possible, otherwise emptied. This includes values left over from a removed
    field whose key is used again by a different one. The values of renamed options are replaced. Raises Invalid if a field
    becomes unique but its values are not, or loses an option that items have.
    """
    _rename_options(item_type, before)
    changed = [field for field in item_type.schema if _is_another(before.get(field.key), field)]
    context = Context(timezone=site_timezone())
    for items in _lock_items_with(item_type, changed):
        for item in items:
            for field in changed:
                if field.key in item.data:
                    item.data[field.key] = _fit(before.get(field.key), field, item.data[field.key], context)
        ContentItem.objects.bulk_update(items, ["data"], batch_size=100)
    _claim_unique_values(item_type)


def store_changed(item_type: ContentType, items: Sequence[ContentItem]) -> None:
    """Store items whose data a change of their type or terms has changed, and emit that they are updated."""
    now = timezone.now()
    for item in items:
        item.type, item.updated_at = item_type, now
    projections.cache_json(items)
    changed = ["data", "updated_at", "cached_json", "cached_epoch"]
    ContentItem.objects.bulk_update(items, changed, batch_size=100)
    for item in items:
        emit("content_item.updated", item)


def _rename_options(item_type: ContentType, before: Mapping[str, Field]) -> None:
    """Replace the values of options that were renamed, also in drafts. Raises Invalid if items have a removed one."""
    collector = ErrorCollector()
    for index, field in enumerate(item_type.schema):
        was = before.get(field.key)
        if was is None or not (FIELD_TYPES[was.type].takes_options and FIELD_TYPES[field.type].takes_options):
            continue
        gone = {option.value for option in was.options} - {option.value for option in field.options}
        if not gone:
            continue
        renamed = _renamed_options(was, field)
        left = gone - renamed.keys()
        count = 0
        for items in _lock_items_with(item_type, [field]):
            count += sum(1 for item in items if left.intersection(_read_choices(item.data[field.key])))
            moved = [item for item in items if renamed.keys() & _read_choices(item.data[field.key])]
            for item in moved:
                item.data[field.key] = _replace_choices(item.data[field.key], renamed)
            store_changed(item_type, moved)
            _rename_in_drafts(items, field.key, renamed)
        if count:
            labels = ", ".join(f"“{option.label}”" for option in was.options if option.value in left)
            items_have = "1 item has" if count == 1 else f"{count:,} items have"
            collector.add(f"fields.{index}.options", f"{items_have} {labels}. Choose something else there first.")
    collector.raise_if_any()


def _renamed_options(was: Field, field: Field) -> dict[str, str]:
    """Return the new values of options by the former ones: of the same label, or in the same place of as many options."""
    former, now = {option.value for option in was.options}, {option.value for option in field.options}
    added = {option.label: option.value for option in field.options if option.value not in former}
    found = {option.value: added[option.label] for option in was.options if option.value not in now and option.label in added}
    if len(was.options) == len(field.options):
        for old, new in zip(was.options, field.options, strict=True):
            if old.value not in now | found.keys() and new.value not in former | set(found.values()):
                found[old.value] = new.value
    return found


def _read_choices(value: Any) -> set[Any]:
    return (
        {each for each in value if isinstance(each, str)}
        if isinstance(value, list)
        else {value}
        if isinstance(value, str)
        else set()
    )


def _replace_choices(value: Any, renamed: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return list(dict.fromkeys(renamed.get(each, each) for each in value))
    return renamed.get(value, value)


def _rename_in_drafts(items: Sequence[ContentItem], key: str, renamed: Mapping[str, str]) -> None:
    """Replace the values in the latest revisions, where editing continues."""
    ids = [item.latest_revision_id for item in items if item.latest_revision_id]
    changed = []
    for revision in Revision.objects.filter(pk__in=ids).order_by("pk"):
        data = revision.content.get("data") or {}
        if renamed.keys() & _read_choices(data.get(key)):
            revision.content = {**revision.content, "data": {**data, key: _replace_choices(data[key], renamed)}}
            changed.append(revision)
    Revision.objects.bulk_update(changed, ["content"], batch_size=100)


def _is_another(was: Field | None, field: Field) -> bool:
    return was is None or (was.type, was.multiple) != (field.type, field.multiple)


def _lock_items_with(item_type: ContentType, fields: Sequence[Field]) -> Iterator[list[ContentItem]]:
    """Yield batches of items that have a value under any of the fields' keys, locked."""
    holds = Q(data__has_any_keys=[field.key for field in fields])
    ids = list(ContentItem.objects.filter(holds, type=item_type).order_by("pk").values_list("pk", flat=True)) if fields else []
    for start in range(0, len(ids), BATCH_ITEMS):
        items = list(ContentItem.objects.select_for_update().filter(pk__in=ids[start : start + BATCH_ITEMS]).order_by("pk"))
        for item in items:
            item.type = item_type
        yield items


def _fit(was: Field | None, field: Field, value: Any, context: Context) -> Any:
    kind = FIELD_TYPES[field.type]
    if field.type in {"taxonomy", "relation"} and (was is None or was.type != field.type):
        # The ids refer to another taxonomy or type.
        return kind.nothing()
    for candidate in _readings(value):
        try:
            return kind.clean(field, candidate, context)
        except Invalid:
            continue
    return kind.nothing()


def _readings(value: Any) -> Iterator[Any]:
    """Yield the value itself, then as a list or its first entry, and a number as text."""
    yield value
    if isinstance(value, list):
        yield value[0] if value else None
    else:
        yield [value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


def _claim_unique_values(item_type: ContentType) -> None:
    """Add the values of fields that have become unique, and remove those of fields that no longer are."""
    unique = {field.key: field for field in item_type.schema if field.unique}
    stored = ItemUnique.objects.filter(type=item_type)
    stored.exclude(key__in=unique).delete()
    entered = set(stored.order_by().values_list("key", flat=True).distinct())
    collector = ErrorCollector()
    for index, field in enumerate(item_type.schema):
        if field.key in unique and field.key not in entered:
            for items in _lock_items_with(item_type, [field]):
                for item in items:
                    try:
                        projections.sync_unique_values(item, new=False)
                    except Invalid:
                        collector.add(f"fields.{index}.unique", "Several items have the same value.")
                        break
    collector.raise_if_any()
