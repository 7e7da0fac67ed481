"""What of the content may be seen in the admin: nothing of a type whose feature is off, and no owned item."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest

from ..models import ContentItem, ContentType
from ..selectors import find_type, type_by_id, visible_types
from .inputs import fits


def visible_items() -> QuerySet[ContentItem]:
    """The items that the admin lists; owned ones follow their owner and are not edited by themselves."""
    types = [found.pk for found in visible_types().values()]
    return ContentItem.objects.filter(owner=None, type__in=types)


def visible_or_404(item: ContentItem) -> ContentItem:
    item_type = type_by_id(item.type_id)
    if item.owner_id is not None or find_type(item_type.slug) is None:
        raise Http404
    item.type = item_type
    return item


def fitting(draft: ContentItem) -> ContentItem:
    """A draft from before its type was changed, with the item's own values where the draft's no longer fit.

    When a type is changed its items are brought to the new schema; their revisions stay as they were.
    """
    misfits = [field.key for field in draft.type.schema if field.key in draft.data and not fits(field, draft.data[field.key])]
    if misfits:
        held = ContentItem.objects.values_list("data", flat=True).get(pk=draft.pk)
        draft.data = {**draft.data, **{key: held.get(key) for key in misfits}}
    return draft


def requested_type(request: HttpRequest) -> ContentType | None:
    """The type that `?type=` names; None where it names none. 404 for one that does not exist."""
    slug = request.GET.get("type", "")
    found = find_type(slug) if slug else None
    if slug and found is None:
        raise Http404
    return found


class VisibleItemMixin:
    """First base of every view of one item: all of Wagtail's views check the model's permissions, none the instance."""

    def get_object(self, *args: Any, **kwargs: Any) -> Any:
        item = super().get_object(*args, **kwargs)  # type: ignore[misc]
        return None if item is None else visible_or_404(item)
