"""Reads of RSVPs: which events and dates accept them, and the RSVP of a link."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.resources.moments import when
from cms_api.content.selectors import find_type, published_items, type_by_id
from cms_api.content.types import Status
from cms_api.core.time_zones import zone_named
from cms_api.fields.datetimes import settle
from cms_api.flags.selectors import get_setting, is_on, site_timezone
from cms_api.http.signed_links import SignedLink

from ..models import Rsvp
from ..types.rsvps import RsvpStatus, as_start
from .dates import takes_place

FEATURE = "events"
#: The slug of the type whose items accept RSVPs.
TYPE = "events"

#: The link in the emails of an RSVP.
CANCEL = SignedLink("events.rsvps.cancel", Rsvp, view="rsvp_cancel")
#: The columns that identify a row's date.
DATE_COLUMNS = ("pk", "type_id", "owner_id", "status", "title", "slug", "data", "starts_at", "ends_at")


def is_open() -> bool:
    """Return whether RSVPs are enabled."""
    return is_on(FEATURE) and get_setting("events.rsvp") is True


def find_event(slug: str) -> ContentItem | None:
    """Return the published event with this slug, if it accepts RSVPs."""
    found_type = find_type(TYPE) if is_open() else None
    if found_type is None or not found_type.has_detail or found_type.date_field is None:
        return None
    event = published_items(found_type).filter(slug=slug).first()
    if event is not None:
        event.type = found_type
    return event


def takes_replies(event: ContentItem) -> bool:
    """Return whether an event accepts RSVPs, regardless of its dates."""
    return is_open() and event.owner_id is None and event.status == Status.PUBLISHED and type_by_id(event.type_id).slug == TYPE


def date_of(row: ContentItem) -> dict[str, Any]:
    """Return the single date of a row, without a rule; empty if it has none."""
    field = type_by_id(row.type_id).date_field
    value = row.data.get(field.key) if field else None
    if not isinstance(value, dict) and row.owner_id:
        # The type's date field has been replaced since.
        value = next((each for each in row.data.values() if isinstance(each, dict) and "start" in each), None)
    return {**value, "repeat": None} if isinstance(value, dict) and value.get("start") else {}


def start_of(date: Mapping[str, Any]) -> str:
    """Return the local start, as stored in RSVPs."""
    start: str = date.get("start", "")
    if not start or date.get("all_day"):
        return start
    return settle(dt.datetime.fromisoformat(start), zone_named(date.get("tz")) or site_timezone()).isoformat()


def words_of(date: Mapping[str, Any]) -> str:
    """Format a date: "Sunday, March 22, 2026, 6:30 p.m."."""
    shown = when(dict(date)) if date else None
    if shown is None:
        return ""
    span = f"{shown.start.text} \N{EN DASH} {shown.end.text}" if shown.end else shown.start.text
    return f"{span}, {shown.zone}" if shown.zone else span


def promised_words(rsvp: Rsvp) -> str:
    """Format the date of an RSVP, even if its row now has a different one."""
    date = date_of(rsvp.occurrence)
    if start_of(date) == rsvp.occurrence_start:
        return words_of(date)
    zone = date.get("tz") or site_timezone().key
    start = rsvp.occurrence_start
    return words_of({"start": start, "end": None, "all_day": "T" not in start, "tz": zone, "repeat": None})


def is_off(rsvp: Rsvp) -> bool:
    """Return whether the date of an RSVP is cancelled."""
    return bool(date_of(rsvp.occurrence).get("cancelled"))


def is_offered(row: ContentItem) -> bool:
    """Return whether a row's date accepts RSVPs: neither cancelled nor past."""
    date = date_of(row)
    return bool(date) and not date.get("cancelled") and row.ends_at is not None and row.ends_at >= timezone.now()


def repeats(event: ContentItem) -> bool:
    """Return whether an event has more than one date to choose from."""
    return ContentItem.objects.filter(owner_id=event.pk).exists()


def offered_dates(event: ContentItem, count: int) -> list[ContentItem]:
    """Return the next dates that accept RSVPs, soonest first."""
    rows = ContentItem.objects.filter(Q(pk=event.pk) | Q(owner_id=event.pk), ends_at__gte=timezone.now())
    rows = rows.filter(takes_place(type_by_id(event.type_id)))
    return [row for row in rows.order_by("starts_at", "pk").only(*DATE_COLUMNS)[:count] if is_offered(row)]


def find_date(event: ContentItem, wanted: str) -> ContentItem | None:
    """Return the row of an event's date by local start or row id, preferring one that is not cancelled."""
    rows = ContentItem.objects.filter(Q(pk=event.pk) | Q(owner_id=event.pk)).only(*DATE_COLUMNS)
    if wanted.isascii() and wanted.isdigit():
        return rows.filter(pk=int(wanted)).first() if len(wanted) < 19 else None
    start = as_start(wanted)
    if not start:
        return None
    field = type_by_id(event.type_id).date_field
    assert field
    found = list(rows.filter(Q(pk=event.pk) | Q(**{f"data__{field.key}__start": start})).order_by("pk"))
    found = [row for row in found if start in (start_of(date_of(row)), date_of(row).get("start"))]
    return min(found, key=lambda row: (bool(date_of(row).get("cancelled")), row.pk), default=None)


def find_by_token(token: str) -> Rsvp | None:
    return CANCEL.find(Rsvp.objects.select_related("event", "occurrence"), token)


def list_rsvps() -> QuerySet[Rsvp]:
    """Return RSVPs with the list columns of their events (one statement), excluding large ones."""
    found = Rsvp.objects.select_related("event", "occurrence")
    large = ("cached_json", "excerpt", "meta_title", "meta_description")
    return found.defer("event__data", *(f"{row}__{name}" for row in ("event", "occurrence") for name in large))


def headcount(rsvps: QuerySet[Rsvp]) -> dict[str, int]:
    """Return the numbers of people coming, waiting and cancelled (one statement)."""
    sums = {name: Sum("party_size", filter=Q(status=status), default=0) for name, status in _COUNTED.items()}
    found: dict[str, int] = rsvps.order_by().aggregate(**sums)
    return found


_COUNTED = {"coming": RsvpStatus.GOING, "waiting": RsvpStatus.WAITING, "called_off": RsvpStatus.CANCELLED}
