"""Which date of an event becomes which when its start, end, time zone or rule change: pure functions.

A date that only moves stays the same date: its guests and tickets move with it.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .plans import Key
from .recurrence import is_open_ended

#: The keys of a rule that it shares with a shifted one, if it is open-ended.
_SHAPE = ("frequency", "interval", "monthly")


@dataclass(frozen=True, slots=True)
class Slot:
    """A date of an event: its key, and its span in UTC, None beyond the calendar's end."""

    key: Key
    start: dt.datetime | None
    end: dt.datetime | None

    @property
    def day(self) -> str:
        return self.key[0][:10]

    def is_over(self, now: dt.datetime) -> bool:
        return self.end is not None and self.end < now


Moves = dict[Key, Key]


def match_dates(before: Sequence[Slot], after: Sequence[Slot], *, now: dt.datetime, are_endless: bool = False) -> Moves:
    """Return the new key of each former date that goes on; the others vanish, and new dates that nothing leads to are added.

    Both are in order, the item's own date first. A date goes on at the same instant; else, if there are as many as before, at
    its place in their order (a shift); else on the same local day. `are_endless` says that both rules have no end and the same
    shape, so that they have as many dates. The only date of an event goes on as the first one.
    """
    moves = _at_same_instants(before, after)
    moves = _in_order(before, after, moves, now, are_endless=are_endless)
    moves |= _on_same_days(before, after, moves)
    if len(before) == 1 and after and not moves:
        moves = {before[0].key: after[0].key}
    return moves


def have_same_shape(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> bool:
    """Return whether two stored values repeat without an end and equally often."""
    if not before or not (is_open_ended(before) and is_open_ended(after)):
        return False
    one, other = before["repeat"], after["repeat"]
    is_same = all(one.get(part) == other.get(part) for part in _SHAPE)
    return is_same and max(len(one.get("weekdays") or ()), 1) == max(len(other.get("weekdays") or ()), 1)


def _at_same_instants(before: Sequence[Slot], after: Sequence[Slot]) -> Moves:
    by_start = {slot.start: slot.key for slot in after if slot.start is not None}
    moves = {key: key for key in {slot.key for slot in before} & {slot.key for slot in after}}
    free = {start: key for start, key in by_start.items() if key not in moves}
    return moves | {slot.key: free.pop(slot.start) for slot in before if slot.key not in moves and slot.start in free}


def _in_order(before: Sequence[Slot], after: Sequence[Slot], same: Moves, now: dt.datetime, *, are_endless: bool) -> Moves:
    """Return the moves with those of a shift: of all dates, or else of those to come and of the past ones."""
    found = dict(same)
    are_as_many = len(before) == len(after)
    if are_as_many or (are_endless and before and after and before[0].is_over(now) == after[0].is_over(now)):
        return found | _pairs(before, after, same)
    for is_over in (False, True):
        former = [slot for slot in before if slot.is_over(now) == is_over]
        wanted = [slot for slot in after if slot.is_over(now) == is_over]
        if len(former) == len(wanted) or are_endless:
            found |= _pairs(former, wanted, same)
    return found


def _pairs(before: Sequence[Slot], after: Sequence[Slot], same: Moves) -> Moves:
    """Return the pairs in order; none if a date that stays at its instant changes its place, which is no shift."""
    pairs = {former.key: wanted.key for former, wanted in zip(before, after, strict=False)}
    starts = set(same.values())
    is_shift = all(wanted == same.get(former, wanted) for former, wanted in pairs.items()) and all(
        former in same for former, wanted in pairs.items() if wanted in starts
    )
    return pairs if is_shift else {}


def _on_same_days(before: Sequence[Slot], after: Sequence[Slot], moves: Moves) -> Moves:
    taken = set(moves.values())
    free = {slot.day: slot.key for slot in after if slot.key not in taken}
    return {slot.key: free.pop(slot.day) for slot in before if slot.key not in moves and slot.day in free}
