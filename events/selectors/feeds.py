"""Events for calendars: stored VEVENTs, and the data to make them."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.types import LONG, Status

from ..models import CalendarEntry, Series

#: The columns of a date used in calendars.
_OF_DATE = ("pk", "data", "created_at", "updated_at", "starts_at", "ends_at")
_OF_EVENT = ("pk", "data", "updated_at", "title", "slug", "excerpt", "created_at")

#: Items per statement.
BATCH = 10_000


class Event(NamedTuple):
    """An event as shown on the site."""

    pk: int
    data: dict[str, Any]
    updated_at: dt.datetime
    title: str
    slug: str
    excerpt: str | None
    created_at: dt.datetime


class Date(NamedTuple):
    """One date of an event: a row owned by the event or, for its first date, the event itself."""

    pk: int
    data: dict[str, Any]
    created_at: dt.datetime
    updated_at: dt.datetime
    starts_at: dt.datetime | None
    ends_at: dt.datetime | None
    event: Event
    #: The number in its UID.
    number: int


class Cached(NamedTuple):
    """A published event and its stored VEVENTs; all None if there are none."""

    pk: int
    title: str
    updated_at: dt.datetime
    made_for: int | None
    made_of: dt.datetime | None
    shared: bytes
    dates: bytes
    sequence: int | None

    def is_current(self, item_type: ContentType) -> bool:
        """Return whether the stored VEVENTs match the item and the type's current state."""
        return (self.made_for, self.made_of) == (item_type.epoch, self.updated_at)


_CACHED = (
    "pk",
    "title",
    "updated_at",
    *(f"calendar_entry__{name}" for name in ("made_for", "made_of", "shared", "dates", "sequence")),
)


def event_of(item: ContentItem) -> Event:
    return Event._make(getattr(item, name) for name in _OF_EVENT)


def date_of(row: ContentItem, event: Event, numbers: Mapping[str, int]) -> Date:
    """Return a date of an event; `numbers` are those of its series."""
    return Date._make([*(getattr(row, name) for name in _OF_DATE), event, numbers.get(str(row.pk), row.pk)])


def numbers_of(event_id: int) -> dict[str, int]:
    """Return the numbers of the dates of an event that are not the ids of their rows, by row id (one statement)."""
    return Series.objects.filter(item=event_id).values_list("numbers", flat=True).first() or {}


def sequence_of(event_id: int) -> int:
    """Return the SEQUENCE of the dates of an event in feeds (one statement)."""
    return CalendarEntry.objects.filter(item=event_id).values_list("sequence", flat=True).first() or 0


def events_within(item_type: ContentType, since: dt.datetime, until: dt.datetime) -> list[Cached]:
    """Return the type's published events with a date that starts before `until` and ends at or after `since` (one statement)."""
    return [Cached._make(row) for row in _within(item_type, since, until).values_list(*_CACHED)]


def outdated_within(item_type: ContentType, since: dt.datetime, until: dt.datetime) -> QuerySet[ContentItem]:
    """Return those of `events_within` with missing or stale VEVENTs, with ids and types only (one statement)."""
    current = Q(calendar_entry__made_for=item_type.epoch, calendar_entry__made_of=F("updated_at"))
    late = _within(item_type, since, until).exclude(pk__in=ContentItem.objects.filter(current).values("pk"))
    return late.order_by("pk").only("pk", "type_id")


def _within(item_type: ContentType, since: dt.datetime, until: dt.datetime) -> QuerySet[ContentItem]:
    public = _public(item_type).filter(starts_at__lt=until, ends_at__gte=since)
    # Separate queries, because each uses an index of its own.
    parts = (public.filter(starts_at__gte=since - LONG), public.filter(starts_at__lt=since - LONG, is_long=True))
    ids: list[QuerySet[ContentItem, Any]] = [part.filter(owner=None).values_list("pk") for part in parts]
    ids += [part.filter(owner__isnull=False).values_list("owner") for part in parts]
    return _public(item_type).filter(pk__in=ids[0].union(*ids[1:]), owner=None)


def find_event(item_type: ContentType, slug: str) -> tuple[Cached | None, str]:
    """Return the published event with this slug; otherwise the slug of the event that owns a date with it (one statement)."""
    row = _public(item_type).filter(slug=slug).values_list("owner__status", "owner__slug", *_CACHED).first()
    if row is None:
        return None, ""
    status, owner, *columns = row
    if owner is None:
        return Cached._make(columns), ""
    return None, owner if status == Status.PUBLISHED else ""


def dates_of_events(ids: Sequence[int]) -> list[tuple[Event, list[Date]]]:
    """Return published events with all their dates, the first date first (three statements per BATCH)."""
    found: dict[int, tuple[Event, list[Date]]] = {}
    numbers: dict[int, dict[str, int]] = {}
    public = ContentItem.objects.filter(status=Status.PUBLISHED).order_by()
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        numbers |= dict(Series.objects.filter(item__in=batch).values_list("item", "numbers"))
        for item in public.filter(pk__in=batch).only(*{*_OF_EVENT, *_OF_DATE}):
            event = event_of(item)
            found[item.pk] = event, [date_of(item, event, numbers.get(item.pk, {}))]
        later = public.filter(owner__in=batch, starts_at__isnull=False).order_by("starts_at", "pk")
        for owner, *columns in later.values_list("owner", *_OF_DATE):
            if owner in found:
                event, dates = found[owner]
                dates.append(Date._make([*columns, event, numbers.get(owner, {}).get(str(columns[0]), columns[0])]))
    return list(found.values())


def _public(item_type: ContentType) -> QuerySet[ContentItem]:
    return ContentItem.objects.filter(type=item_type, status=Status.PUBLISHED).order_by()
