"""The private calendar feeds of staff."""

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.cache import set_response_etag
from django.views.decorators.http import conditional_page, require_safe

from cms_api.core.not_found import found_or_404

from ..resources.calendars import MEDIA_TYPE
from ..resources.calendars import staff_feed as feed_of
from ..selectors.appointments import in_feed
from ..selectors.services import staff_of_feed

#: How long past appointments stay in a feed.
PAST_SHOWN_FOR = timedelta(days=90)


@conditional_page
@require_safe
def staff_feed(request: HttpRequest, key: str) -> HttpResponse:
    """The appointments of a member of staff. Programs that fetch it again get it only if something has changed."""
    staff = found_or_404(staff_of_feed(key) if "\0" not in key else None)
    body = feed_of(staff, in_feed(staff, since=timezone.now() - PAST_SHOWN_FOR))
    response = HttpResponse(body, content_type=MEDIA_TYPE)
    # Responses that are never stored get no ETag by themselves.
    set_response_etag(response)
    return response
