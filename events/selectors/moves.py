"""Reads how the dates of an item go on after an edit. Shared by materialization and preview."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.services.projections import span
from cms_api.flags.selectors import site_timezone
from cms_api.flags.services import notify

from ..models import Rsvp
from ..types.moves import Moves, Slot, have_same_shape, match_dates
from ..types.phrases import first_day
from ..types.plans import DateStatus, Key, Plan, Value, date_of, has_vanished, key_of, plan_of, status_of
from ..types.recurrence import is_open_ended
from .horizon import horizon
from .rsvps import start_of

#: Another time zone puts a date off by a day at most.
_ZONE_SHIFT = dt.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class StoredDates:
    """The dates of the rows that an item owns, by row id."""

    by_row: dict[int, Value]
    #: Those of the rule, and those that had left it and stay cancelled.
    rows: list[Value]
    gone: list[Value]


def stored_dates(item: ContentItem, date_key: str, changes: Mapping[str, str]) -> StoredDates:
    """Read the dates of an item's rows (one statement). `changes` are its skipped and cancelled dates."""
    rows = item.owned.values_list("pk", "slug", "data")
    found = [(pk, slug, date) for pk, slug, data in rows if (date := date_of(data, date_key))]
    gone = {pk for pk, slug, date in found if has_vanished(pk, slug, date, changes)}
    by_row = {pk: date for pk, _, date in found}
    rest = [date for pk, date in by_row.items() if pk not in gone]
    return StoredDates(by_row, rest, [by_row[pk] for pk in by_row if pk in gone])


def reach(item: ContentItem, value: Value, former: Any, *, rows: Mapping[int, Value]) -> dt.date:
    """Return until which day an item has dates: to the horizon, or to the last date behind it that people count on.

    The horizon may have been nearer since; then these dates still take place. `rows` are the stored later dates by row id, and
    `former` is the value before an edit, which may put the dates off.
    """
    until = horizon()
    beyond = {pk: date["start"] for pk, date in rows.items() if date["start"][:10] > until.isoformat()}
    if not beyond or not is_open_ended(value):
        return until
    used = set(Rsvp.objects.filter(occurrence__in=beyond).order_by().values_list("occurrence", flat=True))
    starts = {start for found in notify("events.starts_in_use", item) for start in found}
    last = max((start for pk, start in beyond.items() if pk in used or start in starts), default="")
    if not last:
        return until
    put_off = first_day(value) - first_day(former) if own_date(former) else dt.timedelta(0)
    return dt.date.fromisoformat(last[:10]) + max(put_off, dt.timedelta(0)) + _ZONE_SHIFT


def own_date(value: Any) -> Value | None:
    """Return the first date of a stored value, without a rule, as the rows of later dates have theirs; None if there is none."""
    if not isinstance(value, Mapping) or not value.get("start"):
        return None
    single: Value = {**value, "repeat": None}
    return plan_of(single, horizon=dt.date.max).occurrences[0].value(value["tz"])


def find_moves(
    former: Any, value: Value, plan: Plan, *, rows: Iterable[Value], gone: Iterable[Value], changes: Mapping[str, str]
) -> Moves:
    """Return which of the dates of a former value becomes which of a plan's.

    `rows` has the later dates that are stored, without the skipped ones. These are among `changes`, with others that only an
    earlier rule had. `gone` has dates that had left the rule and stay cancelled: they are back only at their own start.
    """
    first = own_date(former)
    if first is None or not plan.occurrences:
        return {}
    zone = first["tz"]
    skipped = _list_skipped(former, zone, changes)
    later = [date for date in (*rows, *skipped) if key_of(date) != key_of(first)]
    before = [_slot(first), *sorted(map(_slot, later), key=_place)]
    after = [_slot(date) for date in (plan.occurrences[0].value(value["tz"]), *plan.later.values())]
    moves = match_dates(before, after, now=timezone.now(), are_endless=have_same_shape(former, value))
    return moves | _back(gone, after, moves)


def _list_skipped(former: Value, zone: str, changes: Mapping[str, str]) -> list[Value]:
    """Return the skipped dates of a value."""
    starts = [start for start, status in changes.items() if status == DateStatus.SKIPPED]
    if not starts or not former.get("repeat"):
        return []
    until = max(horizon(), dt.date.fromisoformat(max(starts)[:10]))
    known = {key[0] for key in plan_of(former, horizon=until).later}
    return [_date_at(start, zone) for start in starts if start in known]


def status_of_first(former: Any, plan: Plan, *, moves: Moves, changes: Mapping[str, str]) -> str:
    """Return the DateStatus of the first date of a plan after an edit: that of the former date that becomes it."""
    first = own_date(former)
    if first is not None and moves.get(key_of(first)) == plan.own:
        return status_of(former)
    return next((changes.get(key[0], "") for key, goal in moves.items() if goal == plan.own), "")


def differ(one: Value, other: Value) -> bool:
    """Return whether guests see a difference between two dates: another time by the clock, or another instant."""
    return _get_visible_parts(one) != _get_visible_parts(other)


def is_over(date: Value) -> bool:
    return _slot(date).is_over(timezone.now())


def _get_visible_parts(date: Value) -> tuple[Any, ...]:
    return start_of(date), date.get("end") or date["start"], bool(date.get("all_day")), span(date, site_timezone())


def _slot(date: Value) -> Slot:
    return Slot(key_of(date), *span(date, site_timezone()))


def _place(slot: Slot) -> tuple[bool, float, Key]:
    return slot.start is None, slot.start.timestamp() if slot.start else 0.0, slot.key


def _date_at(start: str, zone: str) -> Value:
    return {"start": start, "end": None, "all_day": "T" not in start, "tz": zone, "repeat": None}


def _back(gone: Iterable[Value], after: list[Slot], moves: Moves) -> Moves:
    taken = set(moves.values())
    free = [slot for slot in after if slot.key not in taken]
    by_instant, by_start = {slot.start: slot.key for slot in free}, {slot.key[0]: slot.key for slot in free}
    found: Moves = {}
    for slot in map(_slot, gone):
        key = by_start.get(slot.key[0]) or by_instant.get(slot.start)
        if key is not None and key not in found.values() and slot.key not in moves:
            found[slot.key] = key
    return found
