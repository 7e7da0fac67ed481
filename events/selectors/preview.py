"""Previews of unsaved dates: the rule as a sentence, its next dates, and the effect of saving on existing dates."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from cms_api.content.models import ContentItem
from cms_api.fields.datetimes import keep_marks
from cms_api.flags.selectors import site_formats

from ..models import Rsvp, Series
from ..types.phrases import DateLine, first_day, is_beside_rule, is_over, lines, rule_sentence
from ..types.plans import Change, Difference, Key, Plan, Value, compare, date_of, key_of, plan_of, status_of
from ..types.recurrence import LIMIT, is_open_ended
from .dates import changes_of

#: Maximum number of dates listed.
SHOWN = 12


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
    plan = plan_of(value or {}, horizon=horizon)
    changed = changes_of(item.pk) if item else {}
    difference = _difference(item, date_key, plan, changed, repeats=repeats) if item else None
    if not value or not repeats:
        return Preview(difference=difference)
    zone, formats = ZoneInfo(value["tz"]), site_formats()
    dates = plan.occurrences
    statuses = {plan.own[0]: status_of(keep_marks(item.data.get(date_key), value)), **changed} if item else {}
    past = sum(is_over(date, zone, now) for date in dates)
    is_capped = len(dates) >= LIMIT and not value["repeat"]["count"]
    return Preview(
        sentence=rule_sentence(value, formats),
        beside=formats.date(first_day(value)) if is_beside_rule(value) else "",
        zone="" if value["all_day"] else zone.key,
        total=len(dates),
        to_come=len(dates) - past,
        lines=tuple(lines(dates, zone, statuses, formats, shown=range(past, min(past + SHOWN, len(dates))))),
        last=formats.date(dates[-1].start),
        is_open=is_open_ended(value),
        is_capped=is_capped,
        scheduled_through=formats.date(horizon) if plan.is_open else "",
        difference=difference,
    )


def _difference(item: ContentItem, date_key: str, plan: Plan, changed: Mapping[str, str], *, repeats: bool) -> Difference | None:
    """Return the effect of saving; None if no dates are materialized before or after. Nothing is locked: it is a snapshot."""
    is_series = Series.objects.filter(item=item).exists()
    if not is_series and not repeats:
        return None
    rows = ContentItem.objects.filter(owner=item).values_list("pk", "data")
    stored = {key_of(date): (pk, date) for pk, data in rows if (date := date_of(data, date_key))}
    before = _own(item.data.get(date_key))
    # Skipped and cancelled dates stay what they are.
    standing = {key for key, (_, date) in stored.items() if not date.get("cancelled") and key[0] not in changed}
    wanted = {plan.own, *(key for key in plan.later if key[0] not in changed)} if plan.occurrences else set()
    change = compare(standing | before, wanted)
    return Difference(
        added=len(change.added),
        staying=len(change.staying),
        removed=len(change.vanished),
        replied=_replied(item, change, {key: pk for key, (pk, _) in stored.items()}, is_series=is_series),
    )


def _own(stored: Any) -> set[Key]:
    """Return the date the item itself represents now."""
    single = {**stored, "repeat": None} if stored else {}
    return {plan_of(single, horizon=dt.date.max).own} if single else set()


def _replied(item: ContentItem, change: Change, stored: dict[Key, int], *, is_series: bool) -> int:
    """Count the removed dates that have RSVPs; RSVPs to a date that does not repeat yet move with it."""
    found = Rsvp.objects.filter(occurrence__in=[item.pk, *stored.values()])
    replies = set(found.order_by().values_list("occurrence", "occurrence_start").distinct())
    rows = {occurrence for occurrence, _ in replies if occurrence != item.pk}
    promised = {start for occurrence, start in replies if occurrence == item.pk and is_series}
    wanted = {start for start, _ in change.staying | change.added}
    return sum(stored[key] in rows if key in stored else key[0] in promised - wanted for key in change.vanished)
