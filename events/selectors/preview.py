"""Previews of unsaved dates: the rule as a sentence, its next dates, and the effect of saving on existing dates."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models import Sum
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.fields.datetimes import keep_marks
from cms_api.flags.selectors import site_formats
from cms_api.flags.services import notify

from ..models import Rsvp, Series
from ..types import phrases
from ..types.moves import Moves
from ..types.phrases import DateLine, first_day, format_count, is_beside_rule, lines, rule_sentence
from ..types.plans import Difference, Effect, Key, Plan, Value, key_of, plan_of, status_of
from ..types.recurrence import MAX_OCCURRENCES, is_open_ended
from ..types.rsvps import ACTIVE
from .dates import changes_of
from .moves import StoredDates, differ, find_moves, is_over, own_date, reach, status_of_first, stored_dates
from .rsvps import words_of
from .schedule import managed_dates

SHOWN_DATES = 12


@dataclass(frozen=True, slots=True)
class Preview:
    sentence: str = ""
    #: The first date, if the rule does not include it.
    beside: str = ""
    zone: str = ""
    total: int = 0
    to_come: int = 0
    lines: tuple[DateLine, ...] = ()
    last: str = ""
    is_open: bool = False
    is_capped: bool = False
    scheduled_through: str = ""
    difference: Difference | None = None


def preview(value: Value | None, *, item: ContentItem | None, date_key: str, now: dt.datetime, horizon: dt.date) -> Preview:
    """Preview a cleaned value. `item` is the stored item whose dates follow it, if any."""
    repeats = bool(value and value.get("repeat"))
    edit = _read_edit(item, date_key, value) if item else None
    plan = edit.plan if edit else plan_of(value or {}, horizon=horizon)
    difference = _difference(edit, value, plan, repeats=repeats) if edit else None
    if not value or not repeats:
        return Preview(difference=difference)
    zone, formats = ZoneInfo(value["tz"]), site_formats()
    dates = plan.occurrences
    statuses = {**edit.changes, plan.own[0]: edit.status} if edit else {}
    past = sum(phrases.is_over(date, zone, now) for date in dates)
    is_capped = len(dates) >= MAX_OCCURRENCES and not value["repeat"]["count"]
    return Preview(
        sentence=rule_sentence(value, formats),
        beside=formats.date(first_day(value)) if is_beside_rule(value) else "",
        zone="" if value["all_day"] else zone.key,
        total=len(dates),
        to_come=len(dates) - past,
        lines=tuple(lines(dates, zone, statuses, formats, shown=range(past, min(past + SHOWN_DATES, len(dates))))),
        last=formats.date(dates[-1].start),
        is_open=is_open_ended(value),
        is_capped=is_capped,
        scheduled_through=formats.date(horizon) if plan.is_open else "",
        difference=difference,
    )


@dataclass(frozen=True, slots=True)
class _Edit:
    """The stored dates of an item, and how they go on after an edit."""

    item: ContentItem
    former: Any
    stored: StoredDates
    plan: Plan
    moves: Moves
    #: The skipped and cancelled later dates after the edit, by local start, and the status of the first one.
    changes: Mapping[str, str]
    status: str


def _read_edit(item: ContentItem, date_key: str, value: Value | None) -> _Edit:
    """Read what an edit leads to. Nothing is locked: it is a snapshot."""
    former, changes = item.data.get(date_key), changes_of(item.pk)
    stored = stored_dates(item, date_key, changes)
    plan = plan_of(value or {}, horizon=reach(item, value or {}, former, rows=stored.by_row))
    moves = find_moves(former, value or {}, plan, rows=stored.rows, gone=stored.gone, changes=changes)
    status = status_of(keep_marks(former, value))
    if value and value.get("repeat") and isinstance(former, dict) and former.get("repeat"):
        status = status_of_first(former, plan, moves=moves, changes=changes)
    starts = {key[0]: goal[0] for key, goal in moves.items()}
    followed = {start: each for start, each in changes.items() if start not in starts}
    followed |= {starts[start]: each for start, each in changes.items() if start in starts}
    first = own_date(former)
    goal = moves.get(key_of(first)) if first else None
    if goal is not None and goal in plan.later and status_of(former):
        followed[goal[0]] = status_of(former)
    return _Edit(item, former, stored, plan, moves, followed, status)


def _difference(edit: _Edit, value: Value | None, plan: Plan, *, repeats: bool) -> Difference | None:
    """Return the effect of saving; None if no dates are materialized and none moves."""
    item, moves, stored = edit.item, edit.moves, edit.stored
    is_series = Series.objects.filter(item=item).exists()
    first = own_date(edit.former)
    own = {key_of(first): first} if first else {}
    first_of = _first_of(value, plan)
    # Skipped and cancelled dates stay what they are.
    before = {key_of(date): date for date in stored.rows if not date.get("cancelled")} | own
    after = {key: date for key, date in plan.later.items() if key[0] not in edit.changes} | first_of
    are_off = {**(own if status_of(edit.former) else {}), **{key_of(date): date for date in stored.gone}}
    takes_place = {key: date for key, date in after.items() if key not in first_of or not edit.status}
    found = _effects(before, takes_place, moves, guests_of_dates(item), are_off=are_off)
    moved = [key for key in before if key in moves and moves[key] in after and differ(before[key], after[moves[key]])]
    if not (is_series or repeats or found):
        return None
    vanished = {key for key in before if key not in moves}
    kept = _find_replied(item, {row: key_of(date) for row, date in stored.by_row.items()}, first)
    return Difference(
        added=len(after.keys() - moves.values()) + sum(moves.get(key_of(date)) in after for date in stored.gone),
        staying=sum(moves.get(key) in after for key in before) - len(moved),
        moved=len(moved),
        removed=len(vanished),
        replied=len(vanished & kept),
        effects=found,
    )


def _first_of(value: Value | None, plan: Plan) -> dict[Key, Value]:
    return {plan.own: plan.occurrences[0].value(value["tz"])} if value and plan.occurrences else {}


def _effects(
    before: Mapping[Key, Value],
    after: Mapping[Key, Value],
    moves: Mapping[Key, Key],
    guests: Mapping[str, int],
    *,
    are_off: Mapping[Key, Value],
) -> tuple[Effect, ...]:
    """Return what the guests of coming dates are notified of, soonest first. `after` has the dates that take place.

    Of dates that were cancelled, in `are_off`, they are notified only if these take place after all.
    """
    found = []
    for key, date in sorted({**before, **are_off}.items()):
        people, goal = guests.get(key[0], 0), after.get(moves[key]) if key in moves else None
        if key in are_off:
            is_notified = goal is not None
        else:
            is_notified = goal is None if key not in moves else goal is not None and differ(date, goal)
        if people and is_notified and not is_over(goal or date):
            found.append(Effect(words_of(date), words_of(goal) if goal else "", people, is_back=key in are_off))
    return tuple(found)


def guests_of_dates(item: ContentItem) -> dict[str, int]:
    """Return how many people come to each date or wait for a place, by local start."""
    found = Rsvp.objects.filter(event=item, status__in=ACTIVE).order_by()
    guests: dict[str, int] = dict(found.values_list("occurrence_start").annotate(Sum("party_size")))
    for others in notify("events.guests_of_dates", item):
        guests |= {start: guests.get(start, 0) + count for start, count in others.items()}
    return guests


def guests_of_deletion(item: ContentItem) -> str:
    """Return a sentence on the guests who are notified if an item is deleted; empty if there are none."""
    coming = {date.start for date in managed_dates(item, timezone.now()) if not date.status}
    number = sum(count for start, count in guests_of_dates(item).items() if start in coming)
    return f"{format_count(number, 'guest')} of coming dates {'is' if number == 1 else 'are'} notified." if number else ""


def _find_replied(item: ContentItem, stored: Mapping[int, Key], first: Value | None) -> set[Key]:
    """Return the dates that people have RSVPs or tickets for, even cancelled RSVPs."""
    found = Rsvp.objects.filter(occurrence__in=[item.pk, *stored]).order_by()
    rows = set(found.values_list("occurrence", flat=True).distinct())
    keys = {key for pk, key in stored.items() if pk in rows}
    starts = {start for others in notify("events.starts_in_use", item) for start in others}
    keys |= {key for key in stored.values() if key[0] in starts}
    return keys | ({key_of(first)} if first and (item.pk in rows or first["start"] in starts) else set())
