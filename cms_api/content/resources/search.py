"""Items as results of the site's search, with the next date of those that have dates."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from cms_api.fields import FIELD_TYPES
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http import page_cache
from cms_api.text.excerpts import join_texts
from cms_api.text.site_search import RANKED_MATCHES, Candidate, Result

from ..models import ContentItem, ContentType
from ..selectors import TYPES, ItemFilter, items_version, type_by_id, visible_types
from .calendar_links import without_tokens
from .cards import is_dated
from .moments import When, when
from .next_dates import next_date, with_next_date


class ItemSource:
    """Published items of visible types that have detail pages."""

    def candidates(self, text: str) -> Iterable[Candidate]:
        """An item with dates counts as new until its last date is over."""
        types = _searched_types()
        page_cache.depends_on(FLAGS, TYPES, *(items_version(found.pk) for found in types))
        rows = _public(types, text).order_by("-listed_at", "-pk").values_list("pk", "title", "lasts_until", "listed_at")
        return [Candidate(pk, title, lasts_until or listed_at) for pk, title, lasts_until, listed_at in rows[:RANKED_MATCHES]]

    def results(self, keys: Sequence[int]) -> Mapping[int, Result]:
        now = timezone.now()
        types = _searched_types()
        items = with_next_date(_public(types).filter(pk__in=keys).defer("cached_json"), types, now)
        return {item.pk: _result(item, now) for item in items}


ITEMS = ItemSource()


def _searched_types() -> list[ContentType]:
    return [found for found in visible_types().values() if found.has_detail]


def _public(types: Sequence[ContentType], text: str | None = None) -> QuerySet[ContentItem]:
    return ItemFilter(types=tuple(found.pk for found in types), search=text).queryset()


def _result(item: ContentItem, now: datetime) -> Result:
    item.type = type_by_id(item.type_id)
    return Result(
        title=item.title,
        url=reverse("item_detail", args=[item.type.slug, item.slug]),
        kind=item.type.name,
        text=_text(item),
        when=_when(item, now),
        published_at=item.published_at if is_dated(item.type) else None,
    )


def _text(item: ContentItem) -> str:
    """Return the excerpt and the texts of the fields, prose first."""
    fields = [field for field in item.type.schema if field != item.type.title_field and item.data.get(field.key) is not None]
    fields.sort(key=lambda field: field.type not in {"textarea", "richtext_tiptap"})
    texts = (FIELD_TYPES[field.type].search_text(field, item.data[field.key]) for field in fields)
    return without_tokens(join_texts([item.excerpt or "", *texts]))


def _when(item: ContentItem, now: datetime) -> When | None:
    """Return the next date, or the item's own if none is to come; the page is made again when that date is over."""
    date, end = next_date(item, now)
    if date and end and end >= now:
        page_cache.good_until(end)
    return when(date)
