"""iCalendar files: the feed of a type, and the download of one event. Each date has the same UID in both."""

import datetime as dt

from icalendar import vUri

from cms_api.calendars.files import calendar, refresh_interval, title_of
from cms_api.calendars.values import Text
from cms_api.content.models import ContentType
from cms_api.flags.selectors import get_setting, site_timezone

from ..selectors.feeds import Cached
from .vevents import current, join


def feed_of(item_type: ContentType, found: list[Cached], span: tuple[dt.datetime, dt.datetime], *, address: str) -> bytes:
    """Return a type's calendar feed: the dates of its events within a span. `address` is the feed's URL."""
    site, zone = str(get_setting("site.name") or ""), site_timezone().key
    head = {
        **title_of(" \u2013 ".join(filter(None, (item_type.name_plural, site)))),
        **refresh_interval(),
        "X-WR-TIMEZONE": Text.of(zone),
        "SOURCE": vUri(address, params={"VALUE": "URI"}),
    }
    if item_type.description:
        head["X-WR-CALDESC"] = head["DESCRIPTION"] = Text.of(item_type.description)
    return calendar(*join(current(item_type, found), span), head, empty_zone=zone)


def file_of(item_type: ContentType, found: Cached) -> bytes:
    """Return the calendar file of one event; empty if it has no dates."""
    vevents, zones = join(current(item_type, [found]))
    return calendar(vevents, zones, title_of(found.title)) if vevents else b""
