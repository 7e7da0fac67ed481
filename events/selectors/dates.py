"""Reads of dates: upcoming, past, and by month.

An item represents its own first date and owns a row for each later one. If its own date is cancelled or skipped, it is listed at
the next one. The item's `lasts_until` is the end of its last date
that is not cancelled, so that past items are found by an index; the rows' `ends_at` tells which date is next.
"""

import datetime as dt
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Case, F, Min, OuterRef, Q, QuerySet, Subquery, When

from cms_api.content.models import ContentItem, ContentType, ItemTerm, Term
from cms_api.content.selectors import TYPES, ItemFilter, items_version
from cms_api.content.types import LONG, Status
from cms_api.core import versions
from cms_api.core.reading import ANY_ID, ANY_TIME, Instances, Statement, Values, compile_once

from ..models import DateChange, Series
from ..types.plans import stamp_of

#: Maximum difference between local times: all-day dates may have been stored when the site had another time zone.
_LOCAL_TIMES_APART = timedelta(days=1)

#: How long before the present a date began at most that is not over and not long.
_BEGAN_WITHIN = LONG + _LOCAL_TIMES_APART

#: Start of an item's next date, the item's id, and the id of the row of that date.
NextDate = tuple[datetime, int, int]
#: Builds the rows of a filter's items of a type.
Build = Callable[[ItemFilter, ContentType], QuerySet[Any, Any]]


@dataclass(frozen=True)
class Upcoming:
    """Items that have not ended, by the start of the next date; then items without dates, newest first. For a Paginator.

    The few items that have begun are loaded up front; of those yet to begin, only as many as the page needs.
    """

    items: ItemFilter
    type: ContentType
    now: datetime
    begun: list[NextDate]
    dated: int
    undated: int
    #: When the first of the listed dates may end, which changes the list.
    until: datetime | None

    def count(self) -> int:
        return self.dated + self.undated

    def __len__(self) -> int:
        return self.count()

    def __getitem__(self, wanted: slice) -> list[ContentItem]:
        start, stop, _ = wanted.indices(len(self))
        rows: list[tuple[int, int | None]] = []
        if start < self.dated:
            last = min(stop, self.dated)
            next_dates = [*self.begun, *_to_begin(self.items, self.type, self.now, last)]
            rows += [(pk, shown) for _, pk, shown in sorted(next_dates)[start:last]]
        if stop > self.dated:
            reading = _Reading(self.items, self.type, self.now)
            rows += reading.rows(_select_undated, max(start - self.dated, 0), stop - self.dated)
        return _at_dates(self.type, rows)


@dataclass(frozen=True)
class Past:
    """Items whose dates have all ended, by the end of the last, latest first. For a Paginator."""

    items: ItemFilter
    type: ContentType
    now: datetime
    total: int
    #: When the next item will become past.
    until: datetime | None

    def count(self) -> int:
        return self.total

    def __len__(self) -> int:
        return self.total

    def __getitem__(self, wanted: slice) -> list[ContentItem]:
        last = _later_dates(self.type).filter(ends_at=OuterRef("lasts_until"))
        shown = Case(When(ends_at=F("lasts_until"), then=F("pk")), default=Subquery(last.values("pk")[:1]))
        over = _select_dated(self.items).filter(lasts_until__lt=self.now).annotate(shown=shown)
        return _at_dates(self.type, list(over.order_by("-lasts_until", "-pk").values_list("pk", "shown")[wanted]))


def upcoming(items: ItemFilter, item_type: ContentType, now: datetime) -> Upcoming:
    """Return upcoming items; `items` is already filtered by type and search."""
    begun = _list_begun(items, item_type, now)
    until = min([*(end for _, end in begun), *(start for start, _, _ in _to_begin(items, item_type, now, 1))], default=None)
    reading = _Reading(items, item_type, now)
    dated = reading.count(_lasting)
    undated = max(items.total() - dated - reading.count(_over), 0)
    return Upcoming(items, item_type, now, [date for date, _ in begun], dated, undated, until)


def has_upcoming(item_type: ContentType) -> bool:
    """Return whether the type has pages, and dates that make its items upcoming or past."""
    field = item_type.date_field
    return bool(item_type.has_detail and field and field.facet)


def coming_up(types: Collection[ContentType], now: datetime, count: int) -> tuple[list[ContentItem], datetime | None]:
    """Return the next items of the types, each at its next date, and when one of them may end, which changes the list."""
    chosen, until = _next_dates(types, now, count)
    next_up: dict[int, ContentItem] = {}
    for item_type in types:
        rows: list[tuple[int, int | None]] = [(pk, shown) for (_, pk, shown), type_id in chosen if type_id == item_type.pk]
        if rows:
            next_up |= {item.pk: item for item in _at_dates(item_type, rows)}
    return [next_up[pk] for (_, pk, _), _ in chosen if pk in next_up], until


def _next_dates(types: Collection[ContentType], now: datetime, count: int) -> tuple[list[tuple[NextDate, int]], datetime | None]:
    """Return the next dates of the types, each with the id of its type, and when that changes; kept while nothing does."""
    ids = sorted(found.pk for found in types)
    names = tuple(map(items_version, ids))
    kept: dict[int, tuple[datetime, list[tuple[NextDate, int]], datetime | None]]
    kept = versions.load_once(TYPES, dict, slot=f"events.next_dates.{ids}", also=names)
    if count in kept:
        since, chosen, until = kept[count]
        if since <= now and (until is None or now < until):
            return chosen, until
    found: list[tuple[NextDate, int]] = []
    ends: list[datetime] = []
    for item_type in types:
        items = ItemFilter(types=(item_type.pk,))
        begun = _list_begun(items, item_type, now)
        to_begin = _to_begin(items, item_type, now, count)
        ends += [*(end for _, end in begun), *(start for start, _, _ in to_begin[:1])]
        found += [(date, item_type.pk) for date in (*(date for date, _ in begun), *to_begin)]
    found.sort(key=lambda each: each[0])
    chosen, until = found[:count], min(ends, default=None)
    kept[count] = now, chosen, until
    return chosen, until


def takes_place(item_type: ContentType) -> Q:
    """Return the condition that the date of a row is neither cancelled nor skipped."""
    field = item_type.date_field
    return Q(**{f"data__{field.key}__cancelled__isnull": True}) if field else Q()


@dataclass(frozen=True)
class _Reading:
    """Statements about the dates of some items, compiled once for each filter but those with words, of which there are many."""

    items: ItemFilter
    type: ContentType
    now: datetime

    def all(self, build: Build) -> list[Any]:
        return self._statement(build).all(self._times)

    def rows(self, build: Build, start: int, stop: int) -> list[Any]:
        return self._statement(build).rows(start, stop, self._times)

    def count(self, build: Build) -> int:
        return self._statement(build).count(self._times)

    @property
    def _times(self) -> Values:
        return {ANY_TIME: self.now, ANY_TIME - _BEGAN_WITHIN: self.now - _BEGAN_WITHIN}

    def _statement(self, build: Build) -> Statement:
        found = partial(build, self.items, self.type)
        if self.items.search:
            return Statement(found())
        field = self.type.date_field
        return compile_once((build, self.items, self.type.pk, field.key if field else None), found)


def _to_begin(items: ItemFilter, item_type: ContentType, now: datetime, count: int) -> list[NextDate]:
    return _Reading(items, item_type, now).rows(_beginning, 0, count)


def _beginning(items: ItemFilter, item_type: ContentType) -> QuerySet[Any, Any]:
    found = items.queryset().filter(_is_at_own_date(item_type), starts_at__gte=ANY_TIME).order_by("starts_at", "pk")
    return found.values_list("starts_at", "pk", "pk")


def _is_at_own_date(item_type: ContentType) -> Q:
    """Return the condition that an item is listed at its own date until that is over.

    A cancelled or skipped one is passed over if another date takes place, and therefore ends later.
    """
    return takes_place(item_type) | Q(lasts_until=F("ends_at"))


def _list_begun(items: ItemFilter, item_type: ContentType, now: datetime) -> list[tuple[NextDate, datetime]]:
    """Return ongoing items, and series past their own date or without it, with the end of the next date (three statements)."""
    reading = _Reading(items, item_type, now)
    found = [row for build in (_short, _long, _repeating) for row in reading.all(build)]
    return [((start, pk, shown), end) for start, pk, shown, end in found if start and end]


def _short(items: ItemFilter, item_type: ContentType) -> QuerySet[Any, Any]:
    return _select_started(items, item_type).filter(is_long=False, starts_at__gte=ANY_TIME - _BEGAN_WITHIN)


def _long(items: ItemFilter, item_type: ContentType) -> QuerySet[Any, Any]:
    return _select_started(items, item_type).filter(is_long=True)


def _select_started(items: ItemFilter, item_type: ContentType) -> QuerySet[Any, Any]:
    going_on = items.queryset().filter(_is_at_own_date(item_type), starts_at__lt=ANY_TIME, ends_at__gte=ANY_TIME)
    return going_on.order_by().values_list("starts_at", "pk", "pk", "ends_at")


def _repeating(items: ItemFilter, item_type: ContentType) -> QuerySet[Any, Any]:
    following = _later_dates(item_type).filter(ends_at__gte=ANY_TIME)
    # All dates of an item have the same length, so the first to end is the first to start.
    names = {"next_start": "starts_at", "next_id": "pk", "next_end": "ends_at"}
    later = {name: Subquery(following.values(column)[:1]) for name, column in names.items()}
    is_past_own = Q(ends_at__lt=ANY_TIME) | ~_is_at_own_date(item_type)
    going_on = items.queryset().filter(is_past_own, series__isnull=False, lasts_until__gte=ANY_TIME).order_by()
    return going_on.annotate(**later).values_list("next_start", "pk", "next_id", "next_end")


def past(items: ItemFilter, item_type: ContentType, now: datetime) -> Past:
    following = _select_dated(items).filter(lasts_until__gte=now).aggregate(until=Min("lasts_until"))
    return Past(items, item_type, now, _Reading(items, item_type, now).count(_over), following["until"])


def _select_dated(items: ItemFilter) -> QuerySet[ContentItem]:
    return items.queryset().filter(lasts_until__isnull=False).order_by()


def _lasting(items: ItemFilter, _: ContentType) -> QuerySet[Any, Any]:
    return _select_dated(items).filter(lasts_until__gte=ANY_TIME).values_list("pk")


def _over(items: ItemFilter, _: ContentType) -> QuerySet[Any, Any]:
    return _select_dated(items).filter(lasts_until__lt=ANY_TIME).values_list("pk")


def _select_undated(items: ItemFilter, _: ContentType) -> QuerySet[Any, Any]:
    return items.queryset().filter(lasts_until=None).order_by("-listed_at", "-pk").values_list("pk", "pk")


def _later_dates(item_type: ContentType) -> QuerySet[ContentItem]:
    """Return the later dates of the outer query's item that are not cancelled."""
    return ContentItem.objects.filter(takes_place(item_type), owner=OuterRef("pk")).order_by("ends_at", "pk")


def _at_dates(item_type: ContentType, rows: list[tuple[int, int | None]]) -> list[ContentItem]:
    """Return the items, each set to its given date (one statement)."""
    wanted = {pk for pair in rows for pk in pair if pk}
    found = ContentItem.objects.defer("cached_json").select_related("featured_media__mediaimage").in_bulk(wanted)
    shown = []
    for pk, at in rows:
        item, row = found.get(pk), found.get(at or pk)
        if item is None:
            continue
        item.type = item_type
        shown.append(at_date(item, row.data) if row is not None and row is not item else item)
    return shown


def at_date(item: ContentItem, data: dict[str, Any]) -> ContentItem:
    """Set an item to another of its dates, for display only; the rule is unchanged."""
    field = item.type.date_field
    if field and isinstance(date := data.get(field.key), dict):
        rule = (item.data.get(field.key) or {}).get("repeat")
        item.data = {**item.data, field.key: {**date, "repeat": rule}}
    return item


@dataclass(frozen=True)
class Standing:
    """A date in a month: its row and its item."""

    pk: int
    title: str
    slug: str
    owner_slug: str | None
    starts_at: datetime
    ends_at: datetime
    date: dict[str, Any] | None


def dates_between(
    item_type: ContentType, first: dt.date, last: dt.date, zone: ZoneInfo, term: Term | None = None
) -> list[Standing]:
    """Return all dates of published items that may fall on these days, using two index ranges that exclude earlier rows."""
    opening = datetime.combine(first, dt.time(), tzinfo=zone) - _LOCAL_TIMES_APART
    closing = datetime.combine(last, dt.time(), tzinfo=zone) + 2 * _LOCAL_TIMES_APART
    field = item_type.date_field
    assert field
    shown = {f"data__{field.key}__skipped__isnull": True}
    rows = ContentItem.objects.filter(**shown, type=item_type, status=Status.PUBLISHED, starts_at__lt=closing)
    if term:
        tagged = ItemTerm.objects.filter(term=term, status=Status.PUBLISHED).values("item_id")
        rows = rows.filter(Q(pk__in=tagged) | Q(owner__in=tagged))
    usual = rows.filter(starts_at__gte=opening - LONG, is_long=False)
    long = rows.filter(is_long=True, ends_at__gt=opening)
    columns = ("pk", "title", "slug", "owner__slug", "starts_at", "ends_at", f"data__{field.key}")
    return [Standing(*row) for each in (usual, long) for row in each.order_by("starts_at", "pk").values_list(*columns)]


def dates_from(item: ContentItem, now: datetime, count: int) -> list[ContentItem]:
    """Return the rows of an item's later dates that have not ended, including cancelled ones, soonest first."""
    rows = ContentItem.objects.filter(owner=item, ends_at__gte=now).order_by("ends_at", "pk")
    return list(rows.only("pk", "type_id", "owner_id", "slug", "data", "starts_at", "ends_at")[:count])


def date_starting(item: ContentItem, start: str) -> ContentItem | None:
    """Return the row of the item's date with this local start, as stored."""
    field = item.type.date_field
    assert field
    rows = ContentItem.objects.filter(owner=item, **{f"data__{field.key}__start": start})
    return rows.order_by("pk").only("pk", "slug", "data", "starts_at", "ends_at").first()


def series_of(item: ContentItem) -> Series | None:
    """Return how far the dates of an item are expanded, if it repeats (one statement, compiled once)."""
    found: Series | None = compile_once("events.series", lambda: Series.objects.filter(item=ANY_ID).order_by(), Instances).first(
        {ANY_ID: item.pk}
    )
    return found


def changes_of(item_id: int) -> dict[str, str]:
    """Return the statuses of the item's skipped and cancelled later dates, by local start."""
    return dict(DateChange.objects.filter(event=item_id).values_list("start", "status"))


def moved_start(item: ContentItem, start: str) -> str:
    """Return the local start of the item's date that began at another one before it moved; empty if there is none."""
    starts = Series.objects.filter(item=item).values_list("former_starts", flat=True).first() or {}
    return str(starts.get(start, ""))


def _moved_date(item_type: ContentType, slug: str) -> tuple[str, str] | None:
    """Return what `owned_date` does for the slug that a date had before it moved."""
    owner, _, stamp = slug.rpartition("--")
    public = Series.objects.filter(item__type=item_type, item__slug=owner, item__status=Status.PUBLISHED)
    starts = public.values_list("former_starts", flat=True).first() if owner else None
    found = (start for former, start in (starts or {}).items() if stamp_of(former) == stamp)
    return next(((owner, start) for start in found), None)


def owned_date(item_type: ContentType, slug: str) -> tuple[str, str] | None:
    """Return the slug of the public item that owns the date with this slug, now or before it moved, and the date's start."""
    rows = ContentItem.objects.filter(type=item_type, slug=slug, owner__status=Status.PUBLISHED, owner__type=item_type)
    found = rows.values_list("owner__slug", "data").first()
    if found is None:
        return _moved_date(item_type, slug)
    dates = (value for value in found[1].values() if isinstance(value, dict) and "start" in value)
    field = item_type.date_field
    date = (found[1].get(field.key) if field else None) or next(dates, {})
    return found[0], date.get("start", "")
