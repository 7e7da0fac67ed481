"""The next date of items that are listed outside of calendars: of a series, the first that has not ended and takes place."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import OuterRef, Q, QuerySet, Subquery

from ..models import ContentItem, ContentType
from ..selectors import type_by_id


def with_next_date(items: QuerySet[ContentItem], types: Iterable[ContentType], now: datetime) -> QuerySet[ContentItem]:
    """Add the data and the end of the first later date that has not ended and is not cancelled."""
    keys = [(found.pk, found.date_field.key) for found in types if found.date_field]
    if not keys:
        return items
    takes_place = reduce(or_, (Q(type=pk, **{f"data__{key}__cancelled__isnull": True}) for pk, key in keys))
    later = ContentItem.objects.filter(takes_place, owner=OuterRef("pk"), ends_at__gte=now).order_by("ends_at", "pk")
    return items.annotate(next_data=Subquery(later.values("data")[:1]), next_end=Subquery(later.values("ends_at")[:1]))


def next_date(item: ContentItem, now: datetime) -> tuple[Any, datetime | None]:
    """Return the next date of an item from `with_next_date`, or its own if no other is to come; and when that ends."""
    field = item.type.date_field
    own: Any = item.data.get(field.key) if field else None
    later = getattr(item, "next_data", None)
    if field and own and later and item.ends_at and (item.ends_at < now or own.get("cancelled")):
        return {**later[field.key], "repeat": own.get("repeat")}, item.next_end
    return own, item.ends_at


def pass_over_cancelled(items: Sequence[ContentItem], now: datetime) -> None:
    """Set items whose own date is cancelled or skipped to their next date, for display only (at most one statement)."""
    off = {item.pk: item for item in items if _is_off(item)}
    if not off:
        return
    types = {pk: type_by_id(pk) for pk in {item.type_id for item in off.values()}}
    found = ContentItem.objects.filter(pk__in=off).only("type_id", "data", "ends_at")
    for row in with_next_date(found, types.values(), now):
        row.type = types[row.type_id]
        field = row.type.date_field
        assert field
        off[row.pk].data = {**off[row.pk].data, field.key: next_date(row, now)[0]}


def _is_off(item: ContentItem) -> bool:
    """Return whether the date that an item is shown at is cancelled, but another one takes place, and therefore ends later."""
    field = type_by_id(item.type_id).date_field
    shown = item.data.get(field.key) if field else None
    is_cancelled = isinstance(shown, dict) and bool(shown.get("cancelled"))
    return is_cancelled and item.lasts_until is not None and item.lasts_until != item.ends_at
