"""Links that add an item's date to a visitor's own calendar, and the placeholder tokens for them in texts."""

import datetime as dt
from html import escape
from typing import Any
from urllib.parse import urlencode

from cms_api.core.time_zones import zone_named
from cms_api.fields.datetimes import read_stored, to_utc
from cms_api.flags.selectors import site_country
from cms_api.text.addresses import address_lines
from cms_api.text.placeholders import CALENDAR_TOKEN

from ..models import ContentItem

_GOOGLE = "https://calendar.google.com/calendar/render"
_OUTLOOK = "https://outlook.live.com/calendar/0/deeplink/compose"


def calendar_links(item: ContentItem) -> dict[str, str]:
    """Return the URLs by calendar, `google` and `outlook`; empty if the item has no usable start."""
    field = item.type.date_field
    try:
        span = _span(item.data[field.key]) if field else None
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        # No date, or one stored when the field had another type.
        span = None
    return {"google": _google(item, *span), "outlook": _outlook(item, *span)} if span else {}


def resolve(html: str, item: ContentItem) -> str:
    """Replace tokens in HTML, in text or in an `href`, with the links. Tokens are removed if the item has no start."""
    if "{item." not in html:
        return html
    links = calendar_links(item)
    return CALENDAR_TOKEN.sub(lambda found: escape(links.get(found[1], "")), html)


def without_tokens(text: str) -> str:
    return CALENDAR_TOKEN.sub("", text)


def venue_of(item: ContentItem) -> str:
    """Return the venue of an item, from a text field called `venue` if the type has one."""
    return _line(item, "venue")


def location_of(item: ContentItem) -> str:
    """Return the venue and the address on one line."""
    places = (item.data.get(each.key) for each in item.type.schema if each.type == "address")
    place = next((each for each in places if isinstance(each, dict)), {})
    return ", ".join(filter(None, (venue_of(item), *address_lines(place, home=site_country()))))


def _line(item: ContentItem, key: str) -> str:
    field = next((each for each in item.type.schema if (each.key, each.type) == (key, "text")), None)
    value = item.data.get(field.key) if field else None
    return value if isinstance(value, str) else ""


def _span(stored: dict[str, Any]) -> tuple[str, str, bool]:
    """Return start, end and whether they are whole days, whose end is the day after the last; otherwise instants in UTC."""
    start, end = stored["start"], stored.get("end") or stored["start"]
    if stored.get("all_day"):
        first, last = dt.date.fromisoformat(start), dt.date.fromisoformat(end) + dt.timedelta(days=1)
        return first.isoformat(), last.isoformat(), True
    zone = zone_named(stored["tz"])
    if zone is None:
        raise ValueError(stored["tz"])
    keys = ("start", "end" if stored.get("end") else "start")
    opening, closing = (to_utc(read_stored(stored, key), zone).replace(tzinfo=None) for key in keys)
    return f"{opening.isoformat()}Z", f"{closing.isoformat()}Z", False


def _google(item: ContentItem, start: str, end: str, all_day: bool) -> str:
    dates = f"{start}/{end}".replace("-", "").replace(":", "")
    more = {"location": location_of(item), "details": _description(item)}
    return _address(_GOOGLE, {"action": "TEMPLATE", "text": item.title, "dates": dates, **more})


def _outlook(item: ContentItem, start: str, end: str, all_day: bool) -> str:
    when = {"startdt": start, "enddt": end, **({"allday": "true"} if all_day else {})}
    more = {"location": location_of(item), "body": _description(item)}
    return _address(_OUTLOOK, {"path": "/calendar/action/compose", "rru": "addevent", "subject": item.title, **when, **more})


def _description(item: ContentItem) -> str:
    return "\n".join(filter(None, (_line(item, "subtitle"), item.url)))


def _address(base: str, query: dict[str, str]) -> str:
    return f"{base}?{urlencode({name: value for name, value in query.items() if value}, errors='replace')}"
