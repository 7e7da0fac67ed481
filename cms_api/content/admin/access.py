"""Visibility of content in the admin: types whose feature is off and owned items are hidden."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from ..models import ContentItem, ContentType
from ..selectors import find_type, type_by_id, visible_types
from .inputs import fits


def visible_type_ids() -> list[int]:
    return [found.pk for found in visible_types().values()]


def visible_items() -> QuerySet[ContentItem]:
    """Return the items that the admin lists, without owned ones, which are edited through their owner."""
    return ContentItem.objects.filter(owner=None, type__in=visible_type_ids())


def visible_or_404(item: ContentItem) -> ContentItem:
    item_type = type_by_id(item.type_id)
    if item.owner_id is not None or find_type(item_type.slug) is None:
        raise Http404
    item.type = item_type
    return item


def fitting(draft: ContentItem) -> ContentItem:
    """Return a draft with values that no longer fit its type replaced by the item's own.

    Changing a type migrates its items to the new schema, but not their revisions.
    """
    misfits = [field.key for field in draft.type.schema if field.key in draft.data and not fits(field, draft.data[field.key])]
    if misfits:
        stored = ContentItem.objects.values_list("data", flat=True).get(pk=draft.pk)
        draft.data = {**draft.data, **{key: stored.get(key) for key in misfits}}
    return draft


def requested_type(request: HttpRequest) -> ContentType | None:
    """Return the type named by `?type=`, or None without the parameter. Raises Http404 if the type does not exist."""
    slug = request.GET.get("type", "")
    found = find_type(slug) if slug else None
    if slug and found is None:
        raise Http404
    return found


class VisibleItemMixin:
    """First base of all views of one item: Wagtail's views check permissions for the model, but not for the instance."""

    def get_object(self, *args: Any, **kwargs: Any) -> Any:
        item = super().get_object(*args, **kwargs)  # type: ignore[misc]
        return None if item is None else visible_or_404(item)


def visible(view: type[Any]) -> type[Any]:
    """Return one of Wagtail's views of one item, limited to visible items."""
    return type(view.__name__, (VisibleItemMixin, view), {})
