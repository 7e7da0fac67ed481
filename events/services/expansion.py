"""One update of the rows of an item's dates.

A date that moves keeps its row, and with it its RSVPs. Only the first date is represented by the item itself: a date that
becomes the first one, or ceases to be it, changes its row. So that calendars still recognize it, it takes along its number, from
which its UID is made (`Series.numbers`).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django.db.models import CharField, Value
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services import projections
from cms_api.content.services.items import delete_owned
from cms_api.content.types import MADE_WHEN_READ, Status
from cms_api.flags.selectors import site_timezone

from ..models import DateChange, Series
from ..selectors.dates import changes_of
from ..selectors.moves import differ, find_moves, is_over, own_date, reach
from ..selectors.rsvps import start_of
from ..types import plans
from ..types.moves import Moves
from ..types.plans import Key, apply_changes, date_of, has_vanished, is_marked, key_of, plan_of, row_slug, status_of
from ..types.rsvps import Notice
from . import attendance

#: Columns of a row derived from its owner or its place in the series.
FOLLOWING = (
    "title", "slug", "status", "live", "published_at", "listed_at", "data", "starts_at", "ends_at", "lasts_until", "is_long",
)  # fmt: skip
BATCH_ROWS = 250
#: Former starts of an item's dates that are known, the latest ones.
MAX_FORMER_STARTS = 2000


class Expansion:
    """The current and wanted rows of one item. `former` is the value before an edit of the date, if there is one.

    `is_moved` says whether the date may be another one than before.
    """

    def __init__(
        self, item: ContentItem, date_key: str, value: plans.Value, series: Series | None, former: Any, *, is_moved: bool = True
    ) -> None:
        self.item, self.date_key, self.value, self.series, self.former = item, date_key, value, series, former
        self.site = site_timezone()
        self.rows = list(ContentItem.objects.filter(owner=item).order_by("pk"))
        #: RSVP starts, by row id, of rows whose dates are lost.
        self.replied = attendance.starts_of([row for row in self.rows if not date_of(row.data, date_key)])
        #: The dates of the rows before the change, and the one of the item itself, if known.
        self.dates = {row.pk: self._date(row) for row in self.rows}
        self.first = own_date(former)
        self.until = reach(item, value, former, rows=self.dates)
        self.plan = plan_of(value, horizon=self.until)
        self.own, self.is_open = self.plan.own, self.plan.is_open
        changes = changes_of(item.pk)
        #: The ids of the rows whose dates have vanished, and stay cancelled.
        self.gone = {row.pk for row in self.rows if has_vanished(row.pk, row.slug, self.dates[row.pk], changes)}
        self.moves = self._find_moves(changes)
        #: The new local start of each date that goes on, by its former one.
        self.starts = {former[0]: key[0] for former, key in self.moves.items()}
        #: The new key of each row's date that goes on.
        self.goals = {pk: key for pk in self.dates if (key := self._goal(pk, is_moved)) is not None}
        #: The new key of the date that the item has represented.
        self.first_goal = self.moves.get(key_of(self.first)) if self.first else None
        #: The row of the date that the item is to represent.
        self.heir = next((row for row in self.rows if self.goals.get(row.pk) == self.own), None)
        #: The skipped and cancelled dates after the change, and the later dates to be materialized.
        self.changes = {start: status for start, status in changes.items() if start not in self.starts}
        self.changes |= {self.starts[start]: status for start, status in changes.items() if start in self.starts}
        if self.first_goal in self.plan.later and (status := status_of(former)):
            self.changes[self.first_goal[0]] = status
        self.wanted = apply_changes(self.plan.later, self.changes)
        #: See `Series.numbers`.
        self.numbers: dict[str, int] = dict(series.numbers) if series is not None else {}

    def carry_out(self) -> list[ContentItem]:
        """Write the changes and return the resulting rows."""
        before, slugs = [projections.standing(row) for row in self.rows], {row.pk: row.slug for row in self.rows}
        staying = [row for row in self.rows if self.goals.get(row.pk) in self.wanted]
        leaving = [row for row in self.rows if self.goals.get(row.pk) not in self.wanted]
        kept = self._lock_replied(leaving)
        changed = [row for row in staying if self._set_columns(row, self.wanted[self.goals[row.pk]])]
        changed += [row for row in kept if self._set_columns(row, {**self.dates[row.pk], "cancelled": True}, is_vanished=True)]
        taken = {self.goals[row.pk] for row in staying}
        made = [self._new(date) for key, date in self.wanted.items() if key not in taken]
        lost = self._build_lost({*self.wanted, *(key_of(self.dates[row.pk]) for row in kept)})
        self._store(changed, made + lost, slugs)

        # A date may have moved to the start of one that is kept as cancelled: of two with the same key, the last one counts.
        notified, rows = self._find_notified(), kept + lost + staying + made
        attendance.follow_dates(self.item, self.starts, notified={start for start, _ in notified})
        self._keep_status()
        attendance.set_starts({row.pk: start for row in changed if (start := self._key(row)[0]) != self.dates[row.pk]["start"]})
        self._notify_of_status(changed)
        self._move_guests(rows)
        self._notify(rows, notified, lost)
        delete_owned(items=[row for row in leaving if row not in kept])
        projections.count([*((each, -1) for each in before), *((projections.standing(row), 1) for row in rows)])
        self._conclude(rows, is_touched=bool(changed or made or lost or len(rows) != len(self.rows)))
        return rows

    def _find_moves(self, changes: Mapping[str, str]) -> Moves:
        gone = [date for pk, date in self.dates.items() if pk in self.gone]
        rows = [date for pk, date in self.dates.items() if pk not in self.gone]
        return find_moves(self.former, self.value, self.plan, rows=rows, gone=gone, changes=changes)

    def _goal(self, pk: int, is_moved: bool) -> Key | None:
        """Return the key that a row's date gets; None if it vanishes. Without an edit, dates are as they were.

        A row whose date has vanished has none while another date has moved to its start.
        """
        key = key_of(self.dates[pk])
        if pk in self.gone and self._is_of_another(key, pk, is_moved):
            return None
        return self.moves.get(key) if self.moves else key

    def _is_of_another(self, key: Key, pk: int, is_moved: bool) -> bool:
        """Return whether the item, or a row that is not marked as vanished, had a date with this key before the change."""
        own = self.first and key_of(self.first) if is_moved else self.own
        others = (row for row in self.rows if row.pk != pk and key_of(self.dates[row.pk]) == key)
        return own == key or any(not is_marked(row.pk, row.slug, key[0]) for row in others)

    def _find_notified(self) -> list[Key]:
        """Return the new keys of the dates whose guests see a difference, without past ones and (formerly) cancelled ones."""
        if not self.moves or not self.plan.occurrences:
            return []
        dates = {key_of(date): date for date in self.dates.values() if not date.get("cancelled")}
        if self.first is not None and not status_of(self.former):
            dates[key_of(self.first)] = self.first
        own = self.plan.occurrences[0].value(self.value["tz"])
        after = {**self.wanted, **({} if status_of(self.value) else {self.own: own})}
        return [
            key
            for former, key in self.moves.items()
            if former in dates and key in after and not after[key].get("cancelled") and not is_over(after[key])
            if differ(dates[former], after[key])
        ]

    def _keep_status(self) -> None:
        """Keep a date skipped or cancelled that the item represents no longer. The marks of its new one are in its value."""
        key = self.first_goal
        if key is not None and key in self.plan.later and (status := status_of(self.former)):
            DateChange.objects.update_or_create(event=self.item, start=key[0], defaults={"status": status})
        if self.heir is not None or self.own[0] in self.changes:
            DateChange.objects.filter(event=self.item, start=self.own[0]).delete()

    def _date(self, row: ContentItem) -> plans.Value:
        """Return the date of a row; if the type's date field was temporarily of another kind, only RSVPs still have it."""
        return date_of(row.data, self.date_key) or self._build_cancelled(self.replied.get(row.pk, ""))

    def _key(self, row: ContentItem) -> Key:
        return key_of(self._date(row))

    def _find_promised(self) -> set[str]:
        """Return the starts, other than its own, of RSVPs attached to the item itself."""
        return attendance.promised_starts(self.item, besides=self.own[0])

    def _lock_replied(self, leaving: list[ContentItem]) -> list[ContentItem]:
        """Return the rows that must stay. Locks all of them, so that no RSVPs are added until the transaction ends."""
        if not leaving:
            return []
        ids = [row.pk for row in leaving]
        list(ContentItem.objects.select_for_update().filter(pk__in=ids).order_by("pk").values_list("pk"))
        replied = attendance.in_use(self.item, leaving)
        return [row for row in leaving if row.pk in replied and row is not self.heir]

    def _build_cancelled(self, start: str) -> plans.Value:
        zone = self.value.get("tz") or self.site.key
        return {"start": start, "end": None, "all_day": "T" not in start, "tz": zone, "repeat": None, "cancelled": True}

    def _build_lost(self, known: Collection[Key]) -> list[ContentItem]:
        """Return new rows for the dates that the item represented and people need, which are in the rule no longer."""
        if self.series is None and (self.first is None or self.first_goal == self.own):
            return []
        promised = {self.starts.get(start, start) for start in self._find_promised()}
        found = []
        for start in sorted(promised - {self.own[0], *(start for start, _ in known)}):
            is_first = self.first is not None and self.first["start"] == start
            date = {**(self.first or {}), "cancelled": True} if is_first else self._build_cancelled(start)
            found.append(self._new(date, is_vanished=True))
        return found

    def _move_guests(self, rows: list[ContentItem]) -> None:
        """Move RSVPs from the item to the rows that now represent their dates, and those of the new first date to the item."""
        by_key = {self._key(row): row for row in rows}
        successor = None
        if self.first is not None and self.first_goal == self.own:
            attendance.rename_start(self.item, self.first["start"], self.own[0])
        elif self.first is not None:
            goal = self.first_goal or next((key for key in by_key if key[0] == self.first["start"]), None)
            successor = by_key.get(goal) if goal else None
        if self.first is not None and successor is not None:
            attendance.move(self.item, successor, start=self.first["start"])
            attendance.set_starts({successor.pk: self._key(successor)[0]})
        self._move_others(rows)
        if self.heir is not None:
            attendance.move(self.heir, self.item, start=start_of(self.dates[self.heir.pk]))
            attendance.set_starts({self.item.pk: self.own[0]})
        if self.first is not None or (self.heir is not None and self.numbers.get(str(self.heir.pk)) == self.item.pk):
            # The item had the row's date before it had none.
            self._pass_numbers(successor)
        places = {str(self.item.pk), *(str(row.pk) for row in rows)}
        self.numbers = {pk: number for pk, number in self.numbers.items() if pk in places and number != int(pk)}

    def _move_others(self, rows: list[ContentItem]) -> None:
        """Move RSVPs that are attached to the item although their date is another one, as after changes of the date field."""
        starts = self._find_promised()
        by_start = {self._key(row)[0]: row for row in rows} if starts else {}
        for start in starts & by_start.keys():
            attendance.move(self.item, by_start[start], start=start)
            if self._date(by_start[start]).get("cancelled"):
                attendance.give_notice({by_start[start].pk}, Notice.CANCELLED)

    def _pass_numbers(self, successor: ContentItem | None) -> None:
        """Let the number of each date follow it: from the item to the row, from a row to the item."""
        own = str(self.item.pk)
        number = self.numbers.get(own, self.item.pk)
        if self.heir is not None:
            self.numbers[own] = self.numbers.get(str(self.heir.pk), self.heir.pk)
        elif successor is not None:
            # A date of its own, with a number that no date has: that row has the item's.
            self.numbers[own] = successor.pk
        if successor is not None:
            self.numbers[str(successor.pk)] = number

    def _notify_of_status(self, changed: list[ContentItem]) -> None:
        """Notify the guests of rows that are cancelled, or are back."""
        were_off = {pk for pk, date in self.dates.items() if date.get("cancelled")}
        starts = {row.pk: start_of(self._date(row)) for row in changed}
        are_off = {row.pk for row in changed if self._date(row).get("cancelled")}
        attendance.change_dates(self.item, {pk: starts[pk] for pk in are_off - were_off}, is_cancelled=True)
        attendance.change_dates(self.item, {pk: starts[pk] for pk in were_off & starts.keys() - are_off}, is_cancelled=False)

    def _notify(self, rows: list[ContentItem], notified: list[Key], lost: list[ContentItem]) -> None:
        """Notify the guests of dates that the item represents or has represented, and of all that have moved."""
        was_cancelled = self.first["start"] if self.first is not None and status_of(self.former) else ""
        vanished = {row.pk: start for row in lost if (start := start_of(self._date(row))) != was_cancelled}
        attendance.change_dates(self.item, vanished, is_cancelled=True)
        by_key = {self._key(row): row.pk for row in rows} | {self.own: self.item.pk}
        attendance.give_notice({by_key[key] for key in notified if key in by_key}, Notice.MOVED)
        was_off = bool(self.dates[self.heir.pk].get("cancelled")) if self.heir else False
        was_off = was_off or (self.first_goal == self.own and bool(status_of(self.former)))
        if was_off and not status_of(self.value) and self.plan.occurrences:
            attendance.change_dates(self.item, {self.item.pk: self.own[0]}, is_cancelled=False)
        if self.series is None and self.first is None:
            attendance.follow_only_date(self.item, self.value, None)

    def _new(self, date: plans.Value, *, is_vanished: bool = False) -> ContentItem:
        row = ContentItem(type=self.item.type, owner=self.item, created_at=timezone.now(), cached_epoch=MADE_WHEN_READ)
        self._set_columns(row, date, is_vanished=is_vanished)
        return row

    def _set_columns(self, row: ContentItem, date: plans.Value, *, is_vanished: bool = False) -> bool:
        """Set the columns derived from the owner and the date; return whether anything changed."""
        before = [getattr(row, name) for name in FOLLOWING]
        owner, title = self.item, self.item.type.title_field
        row.title, row.status, row.live = owner.title, owner.status, owner.live
        row.published_at, row.listed_at = owner.published_at, owner.listed_at
        row.data = {**({title.key: owner.title} if title else {}), self.date_key: date}
        row.slug = row_slug(owner.slug, date["start"], row.pk if is_vanished else None)
        row.starts_at, row.ends_at = projections.span(date, self.site)
        row.lasts_until, row.is_long = row.ends_at, projections.is_long(row)
        if before == [getattr(row, name) for name in FOLLOWING]:
            return False
        row.updated_at = timezone.now()
        return True

    def _store(self, changed: list[ContentItem], made: list[ContentItem], slugs: Mapping[int, str]) -> None:
        """Write rows. `slugs` are the stored ones, some of which a row may pass on to another."""
        wanted = {row.slug: row.pk for row in (*changed, *made)}
        passed = [pk for pk, slug in slugs.items() if wanted.get(slug, pk) != pk]
        if passed:
            moving = Concat(Value("moving--"), Cast("pk", CharField()))
            ContentItem.objects.filter(pk__in=passed).update(slug=moving)
        # Far faster than `bulk_update`, which compares every row with every other.
        ContentItem.objects.bulk_create(
            changed,
            batch_size=BATCH_ROWS,
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=[*FOLLOWING, "updated_at"],
        )
        ContentItem.objects.bulk_create(made, batch_size=BATCH_ROWS)

    def _former_starts(self, starts: Collection[str]) -> dict[str, str]:
        """Return where the dates went that have moved, this time and before."""
        known = dict(self.series.former_starts) if self.series is not None else {}
        followed = {former: self.starts.get(start, start) for former, start in known.items()} | self.starts
        found = [(former, start) for former, start in followed.items() if former not in starts and start in starts]
        return dict(found[-MAX_FORMER_STARTS:])

    def _conclude(self, rows: Iterable[ContentItem], *, is_touched: bool) -> None:
        ends = [row.ends_at for row in rows if row.ends_at and not self._date(row).get("cancelled")]
        lasts = max([*ends, *([self.item.ends_at] if self.item.ends_at else [])], default=None)
        if lasts != self.item.lasts_until:
            self.item.lasts_until = lasts
            ContentItem.objects.filter(pk=self.item.pk).update(lasts_until=lasts)
            is_touched = True
        wanted = {
            "is_open": self.is_open,
            "expanded_to": self.until,
            "numbers": self.numbers,
            "former_starts": self._former_starts({self.own[0], *(self._key(row)[0] for row in rows)}),
        }
        if not rows and not self.value.get("repeat") and not self.numbers:
            Series.objects.filter(item=self.item).delete()
        elif self.series is None or any(getattr(self.series, name) != value for name, value in wanted.items()):
            Series.objects.update_or_create(item=self.item, defaults=wanted)
        if is_touched:
            projections.invalidate([self.item.type_id], reordered=self.item.status == Status.PUBLISHED)
