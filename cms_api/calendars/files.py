"""iCalendar files: a VCALENDAR around the lines of events."""

import datetime as dt
from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from django.conf import settings
from icalendar import Calendar, vDuration, vText

from .timezones import vtimezone
from .values import Text

#: The refresh interval suggested to subscribers.
REFRESH = dt.timedelta(hours=1)

_END = b"END:VCALENDAR\r\n"


def file(events: Iterable[str], *, method: str = "", title: str = "", refresh: bool = False) -> bytes:
    """Return a VCALENDAR of events in UTC, as `utc_event` returns them.

    `method` is for attachments of emails, such as REQUEST or CANCEL (RFC 5546). `title` and `refresh` are for feeds: the name of
    the calendar, and whether to suggest an interval at which programs fetch it again.
    """
    properties: dict[str, object] = {}
    if method:
        properties["METHOD"] = vText(method)
    if title:
        properties |= title_of(title)
    if refresh:
        properties |= refresh_interval()
    return calendar("".join(events), {}, properties)


def calendar(
    vevents: str, zones: Mapping[str, Iterable[int]], properties: Mapping[str, object], *, empty_zone: str = "UTC"
) -> bytes:
    """Return a VCALENDAR with the time zones of its events, given by IANA name with the years that are required of each.

    An empty calendar has `empty_zone`, as a component is required.
    """
    zones = zones or ({} if vevents else {empty_zone: {2000}})
    described = [vtimezone(name, years) for name, years in sorted(zones.items())]
    made = Calendar()
    made["VERSION"] = vText("2.0")
    made["PRODID"] = Text.of(f"-//{urlsplit(settings.BASE_URL).hostname or 'localhost'}//Calendar//EN")
    made["CALSCALE"] = vText("GREGORIAN")
    for name, value in properties.items():
        made[name] = value
    return b"".join([made.to_ical().removesuffix(_END), "".join([*described, vevents]).encode(), _END])


def title_of(name: str) -> dict[str, object]:
    """Return the properties with a calendar's name: the one of RFC 7986, and the older one that most programs read."""
    return {"NAME": Text.of(name), "X-WR-CALNAME": Text.of(name)}


def refresh_interval() -> dict[str, object]:
    """Return the properties with the suggested refresh interval: the one of RFC 7986, and the older one."""
    return {"REFRESH-INTERVAL": vDuration(REFRESH, params={"VALUE": "DURATION"}), "X-PUBLISHED-TTL": vDuration(REFRESH)}
