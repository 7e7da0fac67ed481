"""The starts that can be booked: the same rule for the page that offers them and for the service that books one."""

from collections.abc import Iterable
from dataclasses import dataclass

from commerce.common.types.spans import Span, gaps, merge_spans


@dataclass(frozen=True, slots=True)
class SlotRule:
    """How a service is booked. All in seconds."""

    duration: int
    #: The distance of the starts that are offered, counted from the beginning of each working period.
    step: int
    #: Kept free before and after each appointment; may lie outside of working hours. Between two appointments is the sum of the
    #: time after the first and the time before the second.
    before: int = 0
    after: int = 0
    #: The least time from now to a start, and the most.
    notice: int = 0
    horizon: int = 10 * 366 * 86_400


def starts(working: Iterable[Span], busy: Iterable[Span], off: Iterable[Span], rule: SlotRule, *, now: int) -> list[int]:
    """Return the starts that are free, in order. Working periods may overlap where one ends on the next day.

    `busy` is what appointments occupy, with their times before and after, and `off` is when nobody works, of which times before
    and after may be a part.
    """
    earliest, latest = now + rule.notice, now + rule.horizon
    # The starts of appointments that would overlap.
    lost = [(begin - rule.duration + 1, end) for begin, end in off]
    lost += [(begin - rule.duration - rule.after + 1, end + rule.before) for begin, end in busy]
    taken = merge_spans(lost)
    found: set[int] = set()
    for opens, closes in working:
        for begin, end in gaps(taken, max(opens, earliest), min(closes - rule.duration, latest) + 1):
            missed = -((opens - begin) // rule.step)
            found.update(range(opens + missed * rule.step, end, rule.step))
    return sorted(found)
