"""Migration of stored item values when the fields of a type change, so that stored values always fit the schema."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db.models import Q

from cms_api.core.errors import ErrorCollector, Invalid
from cms_api.fields import FIELD_TYPES, Context, Field
from cms_api.flags.selectors import site_timezone

from ..models import ContentItem, ContentType, ItemUnique
from . import projections

BATCH_ITEMS = 500


def fit_items(item_type: ContentType, before: Mapping[str, Field]) -> None:
    """Migrate the stored values of a changed type's items to its current fields, in the caller's transaction.

    A value is converted to the new field type if possible, otherwise emptied. This includes values left over from a removed
    field whose key is used again by a different one. Raises Invalid if a field becomes unique but its values are not.
    """
    changed = [field for field in item_type.schema if _is_another(before.get(field.key), field)]
    context = Context(timezone=site_timezone())
    for items in _lock_items_with(item_type, changed):
        for item in items:
            for field in changed:
                if field.key in item.data:
                    item.data[field.key] = _fit(before.get(field.key), field, item.data[field.key], context)
        ContentItem.objects.bulk_update(items, ["data"], batch_size=100)
    _claim_unique_values(item_type)


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
