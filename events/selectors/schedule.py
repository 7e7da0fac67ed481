"""The dates of an item as editors manage them: those to come, with skipped ones."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Q

from cms_api.content.models import ContentItem, ContentType
from cms_api.content.services.projections import span
from cms_api.flags.selectors import is_on, site_timezone

from ..models import Capacity
from ..types.plans import DateStatus, has_vanished, plan_of, status_of
from .capacity import heads
from .dates import changes_of
from .horizon import horizon
from .rsvps import DATE_COLUMNS, FEATURE, TYPE, date_of, start_of, words_of


@dataclass(frozen=True, slots=True)
class ManagedDate:
    start: str
    words: str
    at: dt.datetime
    #: Empty for a date that takes place.
    status: str
    #: Whether it is the item's own date.
    is_first: bool
    #: Whether the rule no longer has it; it is kept for its RSVPs.
    is_vanished: bool = False
    #: The row of the date; None if it is skipped.
    row: int | None = None


def has_places(item_type: ContentType) -> bool:
    """Return whether the number of places can be limited: events alone take RSVPs."""
    return item_type.slug == TYPE and is_on(FEATURE)


def managed_dates(item: ContentItem, now: dt.datetime) -> list[ManagedDate]:
    """Return an item's dates that have not ended, soonest first (two statements)."""
    rows = ContentItem.objects.filter(Q(pk=item.pk) | Q(owner=item), ends_at__gte=now).only(*DATE_COLUMNS)
    changes = changes_of(item.pk)
    found = []
    for row in rows:
        date, is_first = date_of(row), row.pk == item.pk
        if not date or row.starts_at is None:
            continue
        start, status = start_of(date), status_of(date)
        is_vanished = not is_first and has_vanished(row.pk, row.slug, {**date, "start": start}, changes)
        found.append(ManagedDate(start, words_of(date), row.starts_at, status, is_first, is_vanished, row.pk))
    return sorted([*found, *_list_skipped(item, changes, now)], key=lambda date: (date.at, date.row or 0))


def _list_skipped(item: ContentItem, changes: dict[str, str], now: dt.datetime) -> list[ManagedDate]:
    starts = {start for start, status in changes.items() if status == DateStatus.SKIPPED}
    field = item.type.date_field
    if not starts or field is None:
        return []
    found = []
    for (start, _), date in plan_of(item.data.get(field.key) or {}, horizon=horizon()).later.items():
        at, end = span(date, site_timezone()) if start in starts else (None, None)
        if at and end and end >= now:
            found.append(ManagedDate(start, words_of(date), at, DateStatus.SKIPPED.value, is_first=False))
    return found


def places_of(item: ContentItem) -> dict[str, int]:
    """Return the limits of an event's dates by local start, for an empty start that of each other date."""
    return dict(Capacity.objects.filter(event=item).values_list("start", "places"))


def people_at(dates: list[ManagedDate]) -> dict[int, int]:
    """Return the number of people coming to each date, by row id."""
    return heads([date.row for date in dates if date.row])
