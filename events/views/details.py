"""The detail page of a dated item, at the requested date or the next one; the URLs of later dates redirect here."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from cms_api.content.models import ContentItem
from cms_api.content.resources.moments import When, when
from cms_api.content.selectors import all_types
from cms_api.content.views import detail_context, detail_template, shown_item
from cms_api.core.not_found import found_or_404
from cms_api.http import page_cache

from ..selectors.capacity import places_left, places_tag
from ..selectors.dates import at_date, date_starting, dates_from, moved_start, owned_date
from ..selectors.rsvps import is_offered, takes_replies
from ..types.plans import DateStatus, status_of
from ..types.rsvps import places_text

LISTED_DATES = 12

_START = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")


@dataclass(frozen=True)
class Date:
    """One of an item's dates, and the URL of the page at that date."""

    when: When
    url: str
    is_shown: bool
    #: The free places, if they are limited and the date accepts RSVPs.
    places: str = ""


@require_safe
def item_detail(request: HttpRequest, type_slug: str, slug: str) -> HttpResponse:
    """A published item. The URLs of its later dates redirect here permanently."""
    item_type = all_types()[type_slug]
    item = shown_item(item_type, slug)
    if item is None:
        found = found_or_404(owned_date(item_type, slug) if item_type.has_detail else None)
        owner, start = found
        query = f"?{urlencode({'occurrence': start}, safe=':')}" if start else ""
        return HttpResponsePermanentRedirect(reverse("item_detail", args=[item_type.slug, owner]) + query)
    return render(request, detail_template(item_type), dated_context(item, request.GET.get("occurrence", ""), request))


def dated_context(item: ContentItem, wanted: str, request: HttpRequest) -> dict[str, Any]:
    """Return the context of an item's page at the date with this local start, or at the next one."""
    dates = _set_date(item, wanted)
    return {**detail_context(item, request), "dates": dates}


def _set_date(item: ContentItem, wanted: str) -> list[Date]:
    """Set the item to the requested or next date; return its dates from now on, if it has several."""
    field = item.type.date_field
    assert field
    now = timezone.now()
    own = item.data.get(field.key)
    if not isinstance(own, dict) or item.ends_at is None:
        return []
    later = dates_from(item, now, LISTED_DATES)
    is_skipped = status_of(own) == DateStatus.SKIPPED
    coming = [*([item] if item.ends_at >= now and not is_skipped else []), *later][:LISTED_DATES]
    if coming:
        page_cache.good_until(min(each.ends_at for each in coming if each.ends_at))
    values = [(each, each.data.get(field.key)) for each in coming]
    has_more = bool(later) or item.lasts_until != item.ends_at
    places = _places(item, coming) if has_more else {}
    chosen = next((date for _, date in values if isinstance(date, dict) and not date.get("cancelled")), own)
    if wanted and _START.fullmatch(wanted):
        full = wanted if wanted.count(":") != 1 else f"{wanted}:00"
        row = None if full == own.get("start") else date_starting(item, full) or date_starting(item, moved_start(item, full))
        if row or not is_skipped:
            chosen = row.data[field.key] if row else own
    at_date(item, {field.key: chosen})
    if not has_more:
        return []
    return [_date(item, date, chosen, places.get(each.pk, "")) for each, date in values if isinstance(date, dict)]


def _places(item: ContentItem, dates: list[ContentItem]) -> dict[int, str]:
    """Return the texts about free places, by row id."""
    if not takes_replies(item):
        return {}
    page_cache.shows(places_tag(item.pk))
    return {pk: places_text(left) for pk, left in places_left(item.pk, list(filter(is_offered, dates))).items()}


def _date(item: ContentItem, date: dict[str, Any], chosen: dict[str, Any], places: str) -> Date:
    shown = when({**date, "repeat": None})
    assert shown
    path = reverse("item_detail", args=[item.type.slug, item.slug])
    url = f"{path}?{urlencode({'occurrence': date['start']}, safe=':')}"
    return Date(shown, url, date["start"] == chosen.get("start"), places)
