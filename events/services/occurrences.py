"""Materializes the dates of a repeating item as items that it owns, and keeps them up to date.

Rows are identified by their starts. An edit leaves unaffected rows alone. The row of a removed date is deleted, unless it has
RSVPs: then it stays, cancelled.
"""

import re
import time
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services import projections
from cms_api.content.services.items import delete_owned, lock
from cms_api.content.types import MADE_WHEN_READ, Status
from cms_api.core.errors import NotFound
from cms_api.flags.selectors import site_timezone

from ..models import Series
from ..selectors.dates import changes_of, series_of
from ..selectors.horizon import horizon
from ..selectors.rsvps import start_of
from ..types.plans import Key, Value, altered, compare, date_of, key_of, plan_of
from ..types.rsvps import Notice
from . import attendance, calendars, capacity

#: Columns of a row derived from its owner or its place in the series.
FOLLOWING = (
    "title", "slug", "status", "live", "published_at", "listed_at", "data", "starts_at", "ends_at", "lasts_until", "is_long",
)  # fmt: skip
BATCH = 250


def expand(item: ContentItem, is_new: bool = False, is_moved: bool = True) -> None:
    """Update the rows of a stored item to match its date. Call in a transaction that has locked `item`.

    With `is_moved`, the date itself may have changed: then RSVPs and other records of an only date follow it.
    """
    field = item.type.date_field
    if field is None:
        return
    # A new item has neither dates nor replies yet.
    series = None if is_new else series_of(item)
    _materialize_dates(item, field.key, series, is_moved=is_moved and not is_new)
    if not is_new:
        # It may have been published again, or a date may be back.
        capacity.confirm_waiting(item)


def _materialize_dates(item: ContentItem, date_key: str, series: Series | None, *, is_moved: bool) -> None:
    value = item.data.get(date_key) or {}
    if series is None and not value.get("repeat"):
        if is_moved:
            attendance.reschedule(item, value.get("start", ""))
        calendars.store(item, [])
        return
    calendars.store(item, _Expansion(item, date_key, value).carry_out(series))


def top_up() -> int:
    """Materialize dates that have come within the horizon; return the number of series."""
    due = Series.objects.filter(is_open=True, expanded_to__lt=horizon()).order_by("expanded_to")
    return sum(_materialize(pk) for pk in list(due.values_list("pk", flat=True)))


def materialize(*, after: int = 0, seconds: float) -> int | None:
    """Update open-ended series after the horizon was moved, nearer or farther, in order of id.

    Runs for the given number of seconds; returns the id to continue after, or None when done.
    """
    end = time.monotonic() + seconds
    moved = Series.objects.filter(is_open=True).exclude(expanded_to=horizon())
    while pk := moved.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True).first():
        if time.monotonic() > end:
            return after
        _materialize(pk)
        after = pk
    return None


@transaction.atomic
def _materialize(pk: int) -> bool:
    found = ContentItem.objects.filter(pk=pk).only("pk", "type_id").first()
    try:
        item = lock(found) if found else None
    except NotFound:
        return False
    if item is not None:
        expand(item)
    return item is not None


class _Expansion:
    """The current and wanted rows of one item."""

    def __init__(self, item: ContentItem, date_key: str, value: Value) -> None:
        self.item, self.date_key, self.value = item, date_key, value
        self.until = horizon()
        self.site = site_timezone()
        plan = plan_of(value, horizon=self.until)
        self.own, self.is_open = plan.own, plan.is_open
        self.wanted = altered(plan.later, changes_of(item.pk))
        #: RSVP starts, by row id, of rows whose dates are lost.
        self.replied: dict[int, str] = {}

    def carry_out(self, series: Series | None) -> list[ContentItem]:
        """Write the changes and return the resulting rows."""
        rows = list(ContentItem.objects.filter(owner=self.item).order_by("pk"))
        before = [projections.standing(row) for row in rows]
        self.replied = attendance.starts_of([row for row in rows if not date_of(row.data, self.date_key)])
        stored = {self._key(row): row for row in rows}
        change = compare(stored, self.wanted)
        staying = {stored[key].pk for key in change.staying}
        kept = self._lock_replied([row for row in rows if row.pk not in staying])
        dropped = [row for row in rows if row.pk not in staying and row.pk not in kept]

        were_off = {row.pk for row in rows if self._date(row).get("cancelled")}
        changed = [row for row in rows if row.pk in staying and self._set_columns(row, self.wanted[self._key(row)])]
        gone = [(row, {**self._date(row), "cancelled": True}) for row in rows if row.pk in kept]
        changed += [row for row, date in gone if self._set_columns(row, date, is_vanished=True)]
        are_off = {row.pk for row in changed if self._date(row).get("cancelled")}
        starts = {row.pk: start_of(self._date(row)) for row in changed}
        attendance.change_dates(self.item, {pk: starts[pk] for pk in are_off - were_off}, is_cancelled=True)
        attendance.change_dates(self.item, {pk: starts[pk] for pk in were_off & starts.keys() - are_off}, is_cancelled=False)
        made = [self._new(date) for key, date in self.wanted.items() if key in change.added]
        lost: list[ContentItem] = []
        if series is not None:
            known = {start for start, _ in (*self.wanted, *stored)}
            lost = [self._new(self._cancelled(start), is_vanished=True) for start in self._promised() if start not in known]
        made += lost
        self._store(changed, made, dropped)
        attendance.change_dates(self.item, {row.pk: start_of(self._date(row)) for row in lost}, is_cancelled=True)

        rows = [row for row in rows if row.pk in staying or row.pk in kept] + made
        self._move_rsvps(rows)
        if series is None:
            attendance.reschedule(self.item, self.own[0])
        projections.count([*((each, -1) for each in before), *((projections.standing(row), 1) for row in rows)])
        self._conclude(series, rows, is_touched=bool(changed or made or dropped))
        return rows

    def _date(self, row: ContentItem) -> Value:
        """Return the date of a row; if the type's date field was temporarily of another kind, only RSVPs still have it."""
        return date_of(row.data, self.date_key) or self._cancelled(self.replied.get(row.pk, ""))

    def _key(self, row: ContentItem) -> Key:
        return key_of(self._date(row))

    def _promised(self) -> set[str]:
        """Return the starts, other than its own, of RSVPs attached to the item itself."""
        return attendance.promised_starts(self.item, besides=self.own[0])

    def _lock_replied(self, vanished: list[ContentItem]) -> set[int]:
        """Return the ids of the rows that must stay. Locks all of them, so that no RSVPs are added until the transaction ends."""
        if not vanished:
            return set()
        ids = [row.pk for row in vanished]
        list(ContentItem.objects.select_for_update().filter(pk__in=ids).order_by("pk").values_list("pk"))
        replied = attendance.in_use(self.item, vanished)
        for row in vanished:
            if row.pk in replied and self._key(row) == self.own:
                attendance.move(row, self.item, start=self.own[0])
                replied.discard(row.pk)
        return replied

    def _cancelled(self, start: str) -> Value:
        zone = self.value.get("tz") or self.site.key
        return {"start": start, "end": None, "all_day": "T" not in start, "tz": zone, "repeat": None, "cancelled": True}

    def _move_rsvps(self, rows: list[ContentItem]) -> None:
        """Move RSVPs attached to the item to the rows that now represent their dates."""
        starts = self._promised()
        by_start = {self._key(row)[0]: row for row in rows} if starts else {}
        for start in starts & by_start.keys():
            attendance.move(self.item, by_start[start], start=start)
            if self._date(by_start[start]).get("cancelled"):
                attendance.give_notice({by_start[start].pk}, Notice.CANCELLED)

    def _new(self, date: Value, *, is_vanished: bool = False) -> ContentItem:
        row = ContentItem(type=self.item.type, owner=self.item, created_at=timezone.now(), cached_epoch=MADE_WHEN_READ)
        self._set_columns(row, date, is_vanished=is_vanished)
        return row

    def _set_columns(self, row: ContentItem, date: Value, *, is_vanished: bool = False) -> bool:
        """Set the columns derived from the owner and the date; return whether anything changed."""
        before = [getattr(row, name) for name in FOLLOWING]
        owner, title = self.item, self.item.type.title_field
        row.title, row.status, row.live = owner.title, owner.status, owner.live
        row.published_at, row.listed_at = owner.published_at, owner.listed_at
        row.data = {**({title.key: owner.title} if title else {}), self.date_key: date}
        row.slug = _slug(owner, date, is_vanished=is_vanished)
        row.starts_at, row.ends_at = projections.span(date, self.site)
        row.lasts_until, row.is_long = row.ends_at, projections.is_long(row)
        if before == [getattr(row, name) for name in FOLLOWING]:
            return False
        row.updated_at = timezone.now()
        return True

    def _store(self, changed: list[ContentItem], made: list[ContentItem], dropped: list[ContentItem]) -> None:
        delete_owned(items=dropped)
        # Far faster than `bulk_update`, which compares every row with every other.
        ContentItem.objects.bulk_create(
            changed,
            batch_size=BATCH,
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=[*FOLLOWING, "updated_at"],
        )
        ContentItem.objects.bulk_create(made, batch_size=BATCH)

    def _conclude(self, series: Series | None, rows: Iterable[ContentItem], *, is_touched: bool) -> None:
        ends = [row.ends_at for row in rows if row.ends_at and not self._date(row).get("cancelled")]
        lasts = max([*ends, *([self.item.ends_at] if self.item.ends_at else [])], default=None)
        if lasts != self.item.lasts_until:
            self.item.lasts_until = lasts
            ContentItem.objects.filter(pk=self.item.pk).update(lasts_until=lasts)
            is_touched = True
        if not rows and not self.value.get("repeat"):
            Series.objects.filter(item=self.item).delete()
        elif series is None or (series.is_open, series.expanded_to) != (self.is_open, self.until):
            Series.objects.update_or_create(item=self.item, defaults={"is_open": self.is_open, "expanded_to": self.until})
        if is_touched:
            projections.invalidate([self.item.type_id], reordered=self.item.status == Status.PUBLISHED)


def _slug(owner: ContentItem, date: Value, *, is_vanished: bool) -> str:
    """Return a slug with a double hyphen, which editors' slugs never have, so that it cannot collide.

    A date that has vanished from the rule may coexist with one that starts at the same local time in another zone.
    """
    stamp = date["start"].replace("-", "").replace(":", "").lower()
    zone = re.sub("[^a-z0-9]+", "-", date["tz"].lower()) if is_vanished else ""
    return "-".join(filter(None, (f"{owner.slug}--{stamp}", zone)))
