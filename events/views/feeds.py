"""Calendars of types, to subscribe to, and of single events, to take along."""

import datetime as dt

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import conditional_page, require_safe

from cms_api.content.models import ContentType
from cms_api.content.selectors import all_types, item_tag, items_version, order_version
from cms_api.content.views import keep_page
from cms_api.content.views.linked_data import absolute
from cms_api.flags.selectors import site_timezone
from cms_api.http import page_cache

from ..resources.calendars import feed_of, file_of
from ..selectors.feeds import dates_of_event, dates_of_type, find_event
from ..selectors.horizon import horizon

#: How long a date stays in the feed after its end.
KEPT = dt.timedelta(days=90)

_MEDIA_TYPE = "text/calendar; charset=utf-8"


@csrf_exempt
@require_safe
@conditional_page
def calendar_feed(request: HttpRequest, type_slug: str) -> HttpResponse:
    """The dates of a type from 90 days ago to the horizon."""
    item_type = _dated_type(type_slug)
    keep_page(items_version(item_type.pk))
    dates = dates_of_type(item_type, _today() - KEPT, _end_of(horizon()))
    body = feed_of(item_type, dates, address=absolute(reverse("calendar_feed", args=[type_slug])))
    return HttpResponse(body, content_type=_MEDIA_TYPE)


@csrf_exempt
@require_safe
@conditional_page
def calendar_file(request: HttpRequest, type_slug: str, slug: str) -> HttpResponse:
    """All dates of one event; at the slug of a single date the event's are found too."""
    item_type = _dated_type(type_slug)
    event, owner = find_event(item_type, slug)
    if owner:
        return HttpResponsePermanentRedirect(reverse("calendar_file", args=[type_slug, owner]))
    body = file_of(item_type, dates_of_event(event, item_type)) if event else b""
    if event is None or not body:
        raise Http404
    keep_page(order_version(item_type.pk))
    page_cache.shows(item_tag(event.pk))
    disposition = f'attachment; filename="{event.slug}.ics"'
    return HttpResponse(body, content_type=_MEDIA_TYPE, headers={"Content-Disposition": disposition})


def _dated_type(slug: str) -> ContentType:
    item_type = all_types()[slug]
    if item_type.date_field is None:
        raise Http404
    return item_type


def _today() -> dt.datetime:
    """The beginning of the site's day, with whose end the feed is another."""
    zone = site_timezone()
    day = timezone.now().astimezone(zone).date()
    page_cache.good_until(_end_of(day))
    return dt.datetime.combine(day, dt.time(), tzinfo=zone)


def _end_of(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day + dt.timedelta(days=1), dt.time(), tzinfo=site_timezone())
