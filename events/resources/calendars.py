"""iCalendar files: the feed of a type, and the download of one event. Each date has the same UID in both."""

import datetime as dt
from collections.abc import Mapping
from urllib.parse import urlsplit

from django.conf import settings
from icalendar import Calendar, vDuration, vText, vUri

from cms_api.content.models import ContentType
from cms_api.flags.selectors import get_setting, site_timezone

from ..selectors.feeds import Cached
from .timezones import vtimezone
from .values import Text
from .vevents import Zones, current, join

#: The refresh interval suggested to subscribers.
REFRESH = dt.timedelta(hours=1)

_END = b"END:VCALENDAR\r\n"


def feed_of(item_type: ContentType, found: list[Cached], span: tuple[dt.datetime, dt.datetime], *, address: str) -> bytes:
    """Return a type's calendar feed: the dates of its events within a span. `address` is the feed's URL."""
    site = str(get_setting("site.name") or "")
    head = {
        **_title(" \u2013 ".join(filter(None, (item_type.name_plural, site)))),
        "X-WR-TIMEZONE": Text.of(site_timezone().key),
        "REFRESH-INTERVAL": vDuration(REFRESH, params={"VALUE": "DURATION"}),
        "X-PUBLISHED-TTL": vDuration(REFRESH),
        "SOURCE": vUri(address, params={"VALUE": "URI"}),
    }
    if item_type.description:
        head["X-WR-CALDESC"] = head["DESCRIPTION"] = Text.of(item_type.description)
    return calendar(*join(current(item_type, found), span), head)


def file_of(item_type: ContentType, found: Cached) -> bytes:
    """Return the calendar file of one event; empty if it has no dates."""
    vevents, zones = join(current(item_type, [found]))
    return calendar(vevents, zones, _title(found.title)) if vevents else b""


def calendar(vevents: str, zones: Zones, properties: Mapping[str, object]) -> bytes:
    """Return a VCALENDAR with the time zones of its events; an empty one has the site's, as a component is required."""
    zones = zones or ({} if vevents else {site_timezone().key: {2000}})
    described = [vtimezone(name, years) for name, years in sorted(zones.items())]
    made = Calendar()
    made["VERSION"] = vText("2.0")
    made["PRODID"] = Text.of(f"-//{urlsplit(settings.BASE_URL).hostname or 'localhost'}//Calendar//EN")
    made["CALSCALE"] = vText("GREGORIAN")
    for name, value in properties.items():
        made[name] = value
    return b"".join([made.to_ical().removesuffix(_END), "".join([*described, vevents]).encode(), _END])


def _title(name: str) -> dict[str, object]:
    return {"NAME": Text.of(name), "X-WR-CALNAME": Text.of(name)}
