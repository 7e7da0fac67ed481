"""Dates as calendars tell them: what all dates of an event share, read once, and of each date its few own columns."""

import datetime as dt
from typing import Any, NamedTuple

from django.db.models import QuerySet

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.types import LONG, Status

#: Of a date's columns, those that calendars tell; what follows them is the event's alone.
_OF_DATE = ("pk", "data", "created_at", "updated_at")
_OF_EVENT = (*_OF_DATE, "title", "slug", "excerpt")


class Event(NamedTuple):
    """An event as the site shows it."""

    pk: int
    data: dict[str, Any]
    created_at: dt.datetime
    updated_at: dt.datetime
    title: str
    slug: str
    excerpt: str | None


class Date(NamedTuple):
    """One date of an event: a row that the event owns or, for its first date, the event."""

    pk: int
    data: dict[str, Any]
    created_at: dt.datetime
    updated_at: dt.datetime
    event: Event


def event_of(item: ContentItem) -> Event:
    return Event._make(getattr(item, name) for name in _OF_EVENT)


def date_of(row: ContentItem, event: Event) -> Date:
    return Date(row.pk, row.data, row.created_at, row.updated_at, event)


def dates_of_type(item_type: ContentType, since: dt.datetime, until: dt.datetime) -> list[Date]:
    """The dates of a type's published events that begin before `until` and end at `since` or later, in order (two statements)."""
    public = _public(item_type).filter(starts_at__lt=until)
    # Apart from each other, because each is found by an index of its own.
    recent = public.filter(starts_at__gte=since - LONG, ends_at__gte=since)
    long = public.filter(starts_at__lt=since - LONG, ends_at__gte=since, is_long=True)
    owned = [part.filter(owner__isnull=False) for part in (recent, long)]
    events = [part.filter(owner=None) for part in (recent, long)]
    owners = [ContentItem.objects.order_by().filter(pk__in=part.values("owner"), status=Status.PUBLISHED) for part in owned]

    known: dict[int, Event] = {}
    found: list[tuple[dt.datetime, Date]] = []
    for starts_at, ends_at, *columns in _together([*events, *owners], "starts_at", "ends_at", *_OF_EVENT):
        if columns[0] in known:
            continue
        event = known[columns[0]] = Event._make(columns)
        if ends_at is not None and ends_at >= since and starts_at < until:
            found.append((starts_at, Date._make([*columns[:4], event])))
    for starts_at, owner, *columns in _together(owned, "starts_at", "owner", *_OF_DATE):
        # One that was published between the two statements comes next time.
        if owner in known:
            found.append((starts_at, Date._make([*columns, known[owner]])))
    found.sort(key=lambda each: (each[0], each[1].pk))
    return [date for _, date in found]


def _together(parts: list[QuerySet[ContentItem]], *columns: str) -> QuerySet[ContentItem, Any]:
    """The rows of all parts, with one statement."""
    first, *others = (part.values_list(*columns) for part in parts)
    return first.union(*others, all=True)


def dates_of_event(event: Event, item_type: ContentType) -> list[Date]:
    """All dates of a published event, its own first (one statement)."""
    owned = _public(item_type).filter(owner=event.pk, starts_at__isnull=False).order_by("starts_at", "pk")
    return [Date._make([*event[:4], event]), *(Date._make([*columns, event]) for columns in owned.values_list(*_OF_DATE))]


def find_event(item_type: ContentType, slug: str) -> tuple[Event | None, str]:
    """A published event by its slug, or else the slug of the one that the slug is a date of (one statement)."""
    row = _public(item_type).filter(slug=slug).values_list("owner__status", "owner__slug", *_OF_EVENT).first()
    if row is None:
        return None, ""
    status, owner, *columns = row
    if owner is None:
        return Event._make(columns), ""
    return None, owner if status == Status.PUBLISHED else ""


def _public(item_type: ContentType) -> QuerySet[ContentItem]:
    return ContentItem.objects.filter(type=item_type, status=Status.PUBLISHED).order_by()
