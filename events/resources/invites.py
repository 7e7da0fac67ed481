"""Calendar attachments of emails to guests: an invitation to one date, or its cancellation (RFC 5546)."""

from django.conf import settings
from django.utils import timezone
from icalendar import vText

from cms_api.calendars.files import calendar
from cms_api.calendars.values import person
from cms_api.content.models import ContentItem
from cms_api.content.selectors import type_by_id
from cms_api.flags.selectors import get_setting, site_timezone
from cms_api.mail.types import read_address

from ..selectors.feeds import Date
from .descriptions import describe
from .vevents import single


def invite(
    *, event: ContentItem, date: Date, name: str, email: str, party_size: int, sequence: int, cancelled: bool = False
) -> bytes:
    """Return a `text/calendar` file of one date, with the UID used in feeds: `method=REQUEST`, or `CANCEL`."""
    item_type = type_by_id(event.type_id)
    component = describe(item_type, date.event)
    organizer = read_address(settings.BUSINESS_EMAIL or settings.DEFAULT_FROM_EMAIL).address
    component["ORGANIZER"] = person(str(get_setting("site.name") or "") or organizer, organizer)
    stance = {"CUTYPE": "INDIVIDUAL", "ROLE": "REQ-PARTICIPANT", "PARTSTAT": "ACCEPTED", "RSVP": "FALSE"}
    guests = {"X-NUM-GUESTS": str(party_size - 1)} if party_size > 1 else {}
    component["ATTENDEE"] = person(name or email, email, **stance, **guests)
    vevent, zones = single(item_type, date, component, stamp=timezone.now(), sequence=sequence, cancelled=cancelled)
    method = vText("CANCEL" if cancelled else "REQUEST")
    return calendar(vevent, zones, {"METHOD": method}, empty_zone=site_timezone().key)
