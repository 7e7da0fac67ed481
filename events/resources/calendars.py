"""Events as iCalendar: whole calendars, and the single VEVENT of a date, which has the same UID wherever it stands."""

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings

from cms_api.content.models import ContentType
from cms_api.content.selectors import terms_by_id
from cms_api.content.views.cards import shorten
from cms_api.fields.datetimes import zone_named
from cms_api.flags.selectors import get_setting, site_timezone
from cms_api.text.html import strip_tags

from ..selectors.feeds import Date, Event
from ..types.recurrence import occurrences
from .lines import escaped, line, text_line
from .timezones import vtimezone

#: How often a subscriber is asked to look again.
REFRESH = "PT1H"
DESCRIPTION_LENGTH = 1000

#: How many beginnings of texts a process remembers as they read without their markup, which takes longest to find out.
_REMEMBERED = 10_000

_PROSE = frozenset({"textarea", "richtext_tiptap"})
_ADDRESS = ("street", "street2", "city", "state", "postal_code", "country")
#: Zones whose times are written as UTC itself.
_UTC = frozenset({"UTC", "UCT", "Universal", "Zulu", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu"})
_WALL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)
_MILLISECOND = dt.timedelta(milliseconds=1)
_FINE, _LARGEST = 2**30, 2**31 - 1


class Writer:
    """Writes dates of a type; remembers what the dates of an event share, and which zones need to be described."""

    def __init__(self, item_type: ContentType) -> None:
        self.type = item_type
        self.site = site_timezone()
        self.host = urlsplit(settings.BASE_URL).hostname or "localhost"
        self._terms = terms_by_id()
        field = item_type.date_field
        self._date_key = field.key if field else ""
        self._shared: dict[int, str] = {}
        self._zones: dict[str, set[int]] = {}

    def vevent(self, date: Date, *, stamp: dt.datetime | None = None, status: str = "", more: str = "") -> str:
        """A VEVENT, or nothing where the date has no usable start."""
        value = date.data.get(self._date_key)
        times = self._times(value) if isinstance(value, dict) else ""
        if not times:
            return ""
        event = date.event
        if (shared := self._shared.get(event.pk)) is None:
            shared = self._shared[event.pk] = self._of_event(event)
        changed = max(date.updated_at, event.updated_at)
        at = utc(changed)
        status = status or ("CANCELLED" if value and value.get("cancelled") else "CONFIRMED")
        return (
            f"BEGIN:VEVENT\r\n{line('UID', f'item-{date.pk}@{self.host}')}DTSTAMP:{utc(stamp) if stamp else at}\r\n"
            f"CREATED:{utc(date.created_at)}\r\nLAST-MODIFIED:{at}\r\nSEQUENCE:{sequence(date.created_at, changed)}\r\n"
            f"{times}STATUS:{status}\r\n{shared}{more}END:VEVENT\r\n"
        )

    def calendar(self, vevents: Sequence[str], head: str = "") -> bytes:
        """A VCALENDAR of what was written, with the zones that it names; an empty one has the site's, for it needs some part."""
        zones = self._zones or ({} if vevents else {self.site.key: {2000}})
        described = [vtimezone(name, years) for name, years in sorted(zones.items())]
        start = f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{text_line('PRODID', f'-//{self.host}//Calendar//EN')}CALSCALE:GREGORIAN\r\n"
        return "".join([start, head, *described, *vevents, "END:VCALENDAR\r\n"]).encode()

    def _times(self, value: dict[str, Any]) -> str:
        try:
            if value.get("repeat"):
                # Its first time is stored as the rule has it, also where clocks skip it on that date.
                first = occurrences({**value, "repeat": None}, horizon=dt.date.min)[0]
                value = first.value(value["tz"])
            start, end = value["start"], value.get("end")
            if value.get("all_day"):
                return _days(start, end or start)
            zone = zone_named(value["tz"]) or self.site
            return self._clock(start, end if end and end > start else None, zone)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            # Stored when the field was of another type.
            return ""

    def _clock(self, start: str, end: str | None, zone: ZoneInfo) -> str:
        if not all(_WALL.fullmatch(each) for each in (start, end) if each is not None):
            return ""
        mark, closing = f";TZID={zone.key}:", ""
        if zone.key in _UTC:
            mark, closing = ":", "Z"
        else:
            years = self._zones.setdefault(zone.key, set())
            years.add(int(start[:4]))
            if end:
                years.add(int(end[:4]))
        lines = f"DTSTART{mark}{_compact(start)}{closing}\r\n"
        return f"{lines}DTEND{mark}{_compact(end)}{closing}\r\n" if end else lines

    def _of_event(self, event: Event) -> str:
        url = f"{settings.BASE_URL}/{self.type.slug}/{event.slug}" if self.type.has_detail else ""
        place = self._first(event, "address", dict)
        lines = [text_line("SUMMARY", event.title)]
        if told := [escaped(part) for part in (self._named(event, "subtitle"), self._prose(event), url) if part]:
            lines.append(line("DESCRIPTION", "\\n\\n".join(told)))
        if where := ", ".join(filter(None, (self._named(event, "venue"), _flat(place)))):
            lines.append(text_line("LOCATION", where))
        if spot := _coordinates(place):
            lines.append(line("GEO", spot))
        if names := self._categories(event):
            lines.append(line("CATEGORIES", ",".join(map(escaped, names))))
        if url:
            lines.append(line("URL", url))
        return "".join(lines)

    def _named(self, event: Event, key: str) -> str:
        """The value of the type's line of text of that name."""
        has_it = any((field.key, field.type) == (key, "text") for field in self.type.schema)
        text = event.data.get(key) if has_it else None
        return text if isinstance(text, str) else ""

    def _first(self, event: Event, kind: str, python: type) -> Any:
        values = (event.data.get(field.key) for field in self.type.schema if field.type == kind)
        return next((value for value in values if value and isinstance(value, python)), None)

    def _prose(self, event: Event) -> str:
        if event.excerpt:
            return shorten(event.excerpt, DESCRIPTION_LENGTH)
        values = (event.data.get(field.key) for field in self.type.schema if field.type in _PROSE)
        text = next((value for value in values if value and isinstance(value, str)), "")
        return _plain(text[: DESCRIPTION_LENGTH * 20]) if text else ""

    def _categories(self, event: Event) -> list[str]:
        ids = [pk for field in self.type.taxonomies for pk in event.data.get(field.key) or ()]
        return list(dict.fromkeys(self._terms[pk].name for pk in ids if pk in self._terms))


def feed_of(item_type: ContentType, dates: Iterable[Date], *, address: str) -> bytes:
    """The calendar of a type, to which people subscribe at an address."""
    writer = Writer(item_type)
    site = str(get_setting("site.name") or "")
    head = [
        *_title(" \u2013 ".join(filter(None, (item_type.name_plural, site)))),
        text_line("X-WR-TIMEZONE", writer.site.key),
        line("REFRESH-INTERVAL;VALUE=DURATION", REFRESH),
        line("X-PUBLISHED-TTL", REFRESH),
        line("SOURCE;VALUE=URI", address),
    ]
    if item_type.description:
        head += [text_line("X-WR-CALDESC", item_type.description), text_line("DESCRIPTION", item_type.description)]
    return writer.calendar([vevent for date in dates if (vevent := writer.vevent(date))], "".join(head))


def file_of(item_type: ContentType, dates: Sequence[Date]) -> bytes:
    """The calendar of one event, which people take with them; empty where it has no date."""
    writer = Writer(item_type)
    vevents = [vevent for date in dates if (vevent := writer.vevent(date))]
    return writer.calendar(vevents, "".join(_title(dates[0].event.title))) if vevents else b""


def sequence(created: dt.datetime, changed: dt.datetime) -> int:
    """A number that is larger after each change: milliseconds for twelve days, then seconds, which last for decades."""
    since = max((changed - created) // _MILLISECOND, 0)
    return min(since if since < _FINE else _FINE + (since - _FINE) // 1000, _LARGEST)


def utc(moment: dt.datetime) -> str:
    return _compact(moment.astimezone(dt.UTC).isoformat()[:19]) + "Z"


_plain_texts: dict[bytes, str] = {}


def _plain(html: str) -> str:
    key = blake2b(html.encode(errors="surrogatepass"), digest_size=16).digest()
    if (found := _plain_texts.get(key)) is None:
        if len(_plain_texts) >= _REMEMBERED:
            _plain_texts.clear()
        found = _plain_texts[key] = shorten(strip_tags(html), DESCRIPTION_LENGTH)
    return found


def _title(name: str) -> tuple[str, str]:
    return text_line("NAME", name), text_line("X-WR-CALNAME", name)


def _days(start: str, end: str) -> str:
    """Whole days; the end is the day after the last, and left out where the calendar has no such day."""
    first, last = dt.date.fromisoformat(start), dt.date.fromisoformat(end)
    lines = f"DTSTART;VALUE=DATE:{_compact(start)}\r\n"
    if last == dt.date.max:
        return lines
    return f"{lines}DTEND;VALUE=DATE:{_compact((max(first, last) + dt.timedelta(days=1)).isoformat())}\r\n"


def _compact(stamp: str) -> str:
    return stamp.replace("-", "").replace(":", "")


def _flat(place: dict[str, Any] | None) -> str:
    return ", ".join(part for key in _ADDRESS if isinstance(part := (place or {}).get(key), str) and part)


def _coordinates(place: dict[str, Any] | None) -> str:
    found = [(place or {}).get(key) for key in ("latitude", "longitude")]
    return ";".join(f"{each:.6f}" for each in found) if all(isinstance(each, int | float) for each in found) else ""
