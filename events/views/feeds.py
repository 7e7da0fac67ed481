"""Calendar feeds of types, and calendar files of single events."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import conditional_page, require_safe

from cms_api.content.models import ContentType
from cms_api.content.resources.linked_data import absolute
from cms_api.content.selectors import all_types, cache_page, item_tag, items_version, order_version
from cms_api.http import page_cache

from ..resources.calendars import feed_of, file_of
from ..selectors.feeds import events_within, find_event
from ..selectors.horizon import end_of, feed_span, today

_MEDIA_TYPE = "text/calendar; charset=utf-8"


@csrf_exempt
@require_safe
@conditional_page
def calendar_feed(request: HttpRequest, type_slug: str) -> HttpResponse:
    """The dates of a type from 90 days ago to the horizon."""
    item_type = _dated_type(type_slug)
    cache_page(items_version(item_type.pk))
    span = feed_span()
    # The span changes when the site's day ends.
    page_cache.good_until(end_of(today()))
    body = feed_of(item_type, events_within(item_type, *span), span, address=absolute(reverse("calendar_feed", args=[type_slug])))
    return HttpResponse(body, content_type=_MEDIA_TYPE)


@csrf_exempt
@require_safe
@conditional_page
def calendar_file(request: HttpRequest, type_slug: str, slug: str) -> HttpResponse:
    """All dates of one event; the slug of a single date redirects to its event."""
    item_type = _dated_type(type_slug)
    event, owner = find_event(item_type, slug)
    if owner:
        return HttpResponsePermanentRedirect(reverse("calendar_file", args=[type_slug, owner]))
    body = file_of(item_type, event) if event else b""
    if event is None or not body:
        raise Http404
    cache_page(order_version(item_type.pk))
    page_cache.shows(item_tag(event.pk))
    disposition = f'attachment; filename="{slug}.ics"'
    return HttpResponse(body, content_type=_MEDIA_TYPE, headers={"Content-Disposition": disposition})


def _dated_type(slug: str) -> ContentType:
    item_type = all_types()[slug]
    if item_type.date_field is None:
        raise Http404
    return item_type
