"""The calendar part of a mail to a guest: that they are expected at a date, or not any more (RFC 5546)."""

from urllib.parse import quote

from django.conf import settings
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.selectors import type_by_id
from cms_api.flags.selectors import get_setting
from cms_api.mail.types import read_address

from ..selectors.feeds import date_of, event_of
from .calendars import Writer
from .lines import line, quoted


def invite(
    *, event: ContentItem, occurrence: ContentItem, name: str, email: str, party_size: int, cancelled: bool = False
) -> bytes:
    """A `text/calendar` of one date, with the UID that it has in feeds: `method=REQUEST`, or `CANCEL`.

    Of two with the same SEQUENCE, programs follow the one with the later DTSTAMP, so that a guest may come back.
    """
    method = "CANCEL" if cancelled else "REQUEST"
    writer = Writer(type_by_id(event.type_id))
    people = _organizer() + _attendee(name, email, party_size)
    vevent = writer.vevent(
        date_of(occurrence, event_of(event)), stamp=timezone.now(), status="CANCELLED" if cancelled else "", more=people
    )
    return writer.calendar([vevent] if vevent else [], line("METHOD", method))


def _organizer() -> str:
    address = read_address(settings.BUSINESS_EMAIL or settings.DEFAULT_FROM_EMAIL).address
    site = str(get_setting("site.name") or "") or address
    return line(f"ORGANIZER;CN={quoted(site)}", _mailto(address))


def _attendee(name: str, email: str, party_size: int) -> str:
    guests = f";X-NUM-GUESTS={party_size - 1}" if party_size > 1 else ""
    stance = f"CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=FALSE{guests}"
    return line(f"ATTENDEE;CN={quoted(name or email)};{stance}", _mailto(email))


def _mailto(address: str) -> str:
    return "mailto:" + quote(address, safe="@!$&'*+/=?^_`{|}~-.")
