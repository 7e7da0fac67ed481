"""VEVENTs of an event's dates: shared properties are stored once, with the properties specific to each date.

`serialize` makes the text stored with each write, `join` combines stored text. Three control characters in stored text are
placeholders: BASE and HOST for the site's URL and host name, which depend on the environment, and SEQUENCE for the number that is
stored beside the text and raised when that changes.
"""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson
from django.conf import settings
from icalendar import Component, vDatetime, vText
from icalendar import Event as VEvent
from icalendar.parser import Contentline

from cms_api.content.models import ContentType
from cms_api.content.types import BASE as BASE_BYTES
from cms_api.flags.selectors import site_timezone

from ..selectors.feeds import Cached, Date, Event, dates_of_events
from ..types.plans import DateStatus, status_of
from ..types.times import Times, times_of
from .descriptions import describe

BASE = BASE_BYTES.decode()
HOST = "\x02"
SEQUENCE = "\x03"
#: Maximum octets per line, excluding the line break.
LINE_OCTETS = 75

_END = "END:VEVENT\r\n"
_WITH_BASE = re.compile(f"^[^{BASE}\n]*{BASE}[^\r\n]*", re.MULTILINE)
#: Property names are shorter; beyond this many characters a line may be folded before a URL.
_NAME_CHARACTERS = 20
_SEPARATORS = str.maketrans("", "", "-:")

Zones = dict[str, set[int]]


class Stored(NamedTuple):
    """The stored VEVENTs of an event.

    `dates` is a JSON list with, for each date: its UTC span as two timestamps or nulls, the row id, the required time zone,
    the first and last year it is required for, and the date's own lines. `shared` contains the lines that follow each
    date's own.
    """

    shared: bytes
    dates: bytes
    sequence: int = 0


def serialize(item_type: ContentType, event: Event, dates: Iterable[Date]) -> Stored:
    """Return the VEVENTs of an event, without skipped dates and those without a usable start.

    Each date is an event of its own (ADR 28), so that a skipped one needs no EXDATE; the item's own is merely absent.
    """
    field, site = item_type.date_field, site_timezone()
    key = field.key if field else ""
    rows = [
        (_timestamp(date.starts_at), _timestamp(date.ends_at), date.pk, *times.zone_and_years, _own_lines(item_type, date, times))
        for date in dates
        if status_of(date.data.get(key)) != DateStatus.SKIPPED and (times := times_of(date.data.get(key), site))
    ]
    shared = shared_lines(describe(item_type, event)) if rows else ""
    return Stored(shared.encode(), orjson.dumps(rows))


def single(
    item_type: ContentType, date: Date, component: Component, *, stamp: dt.datetime, sequence: int, cancelled: bool
) -> tuple[str, Zones]:
    """Return one date's VEVENT with a component's properties, and its time zone; empty if it has no usable start."""
    field = item_type.date_field
    times = times_of(date.data.get(field.key), site_timezone()) if field else None
    if times is None:
        return "", {}
    zone, first, last = times.zone_and_years
    own = _own_lines(item_type, date, times._replace(cancelled=cancelled or times.cancelled), stamp=stamp)
    lines = with_host(own.replace(SEQUENCE, str(sequence)) + with_base(shared_lines(component)))
    return lines, {zone: {first, last}} if zone else {}


def join(stored: Iterable[Stored], span: tuple[dt.datetime, dt.datetime] | None = None) -> tuple[str, Zones]:
    """Return the VEVENTs of all dates, or of those within a span by start, and the years required of each time zone."""
    since, until = (moment.timestamp() for moment in span) if span else (0.0, 0.0)
    found: list[tuple[float, int, str, str]] = []
    zones: Zones = {}
    for shared, dates, sequence in stored:
        after = with_base(shared.decode())
        for starts, ends, pk, zone, first_year, last_year, lines in orjson.loads(dates):
            if span and (starts is None or not (starts < until and ends >= since)):
                continue
            found.append((starts, pk, lines.replace(SEQUENCE, str(sequence)), after))
            if zone:
                zones.setdefault(zone, set()).update((first_year, last_year))
    if span:
        found.sort(key=lambda each: each[:2])
    return with_host("".join([part for each in found for part in each[2:]])), zones


def current(item_type: ContentType, found: list[Cached]) -> Iterator[Stored]:
    """Yield the stored VEVENTs of each event; missing and stale ones are made on the fly (two statements)."""
    late = [each.pk for each in found if not each.is_current(item_type)]
    made = {event.pk: serialize(item_type, event, dates) for event, dates in dates_of_events(late)} if late else {}
    for each in found:
        if each.is_current(item_type):
            yield Stored(bytes(each.shared), bytes(each.dates), each.sequence or 0)
        elif each.pk in made:
            yield made[each.pk]._replace(sequence=_next_sequence(each, made[each.pk]))


def _next_sequence(cached: Cached, made: Stored) -> int:
    """Return the SEQUENCE that VEVENTs will have when they are stored."""
    if cached.sequence is None:
        return 0
    is_same = (bytes(cached.shared), bytes(cached.dates)) == (made.shared, made.dates)
    return cached.sequence if is_same else cached.sequence + 1


def shared_lines(component: Component) -> str:
    """Return a component's properties and end, with lines folded before BASE, so that a URL can be inserted later."""
    made = []
    for line in component.content_lines()[1:-1]:
        before, base, after = line.partition(BASE)
        if base and len(before) > _NAME_CHARACTERS:
            made.append(f"{_fold(before)}\r\n {base}{after}\r\n")
        else:
            made.append((line if base else _fold(line)) + "\r\n")
    return "".join(made)


def with_base(lines: str) -> str:
    """Replace BASE with the site's URL in stored lines."""
    return _WITH_BASE.sub(_finish, lines) if BASE in lines else lines


def with_host(text: str) -> str:
    """Replace HOST with the site's host in stored text; a long host begins on a new line."""
    host = urlsplit(settings.BASE_URL).hostname or "localhost"
    return text.replace(HOST, host if len(host) <= LINE_OCTETS // 2 else "\r\n " + _fold(" " + host)[1:])


def _finish(line: re.Match[str]) -> str:
    whole = line[0].replace(BASE, settings.BASE_URL)
    return whole if len(whole) <= LINE_OCTETS and whole.isascii() else _fold(whole)


def _fold(line: str) -> str:
    return Contentline(line).to_ical().decode()


def _own_lines(item_type: ContentType, date: Date, times: Times, *, stamp: dt.datetime | None = None) -> str:
    changed = max(date.updated_at, date.event.updated_at)
    at = _utc(changed)
    return _template(times.zone, times.is_day, times.end is not None, times.cancelled).format(
        number=item_type.external_number(date.number, date.event.created_at),
        start=_local(times.start),
        end=_local(times.end) if times.end else "",
        stamp=_utc(stamp) if stamp else at,
        created=_utc(date.created_at),
        changed=at,
    )


@lru_cache(maxsize=1024)
def _template(zone: str, is_day: bool, has_end: bool, cancelled: bool) -> str:
    """Return a date's own lines as icalendar writes them, with format fields for the values."""
    parameters = {"VALUE": "DATE"} if is_day else {"TZID": zone} if zone else {}
    end = "" if zone or is_day else "Z"
    component = VEvent()
    component["DTSTART"] = vText("{start}" + end, params=parameters)
    if has_end:
        component["DTEND"] = vText("{end}" + end, params=parameters)
    component["DTSTAMP"] = vText("{stamp}")
    component["UID"] = vText(f"item-{{number}}@{HOST}")
    component["SEQUENCE"] = vText(SEQUENCE)
    component["CREATED"] = vText("{created}")
    component["LAST-MODIFIED"] = vText("{changed}")
    component["STATUS"] = vText("CANCELLED" if cancelled else "CONFIRMED")
    return component.to_ical().decode().removesuffix(_END)


def _local(moment: dt.date) -> str:
    """Format a day or local time per RFC 5545. icalendar takes ten times as long, for each date of a series."""
    return moment.isoformat().translate(_SEPARATORS)


def _utc(moment: dt.datetime) -> str:
    return _second(moment.replace(microsecond=0))


@lru_cache(maxsize=1024)
def _second(moment: dt.datetime) -> str:
    """Format a UTC time in whole seconds; cached, because rows written together share theirs."""
    return vDatetime(moment.astimezone(dt.UTC)).to_ical().decode()


def _timestamp(moment: dt.datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()
