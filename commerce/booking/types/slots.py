"""The starts that can be booked: the same rule for the page that offers them and for the service that books one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from commerce.common.types.spans import Span, overlaps


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

    def occupied(self, start: int) -> Span:
        """Return the time that an appointment takes from others."""
        return start - self.before, start + self.duration + self.after


def starts(working: Iterable[Span], busy: Sequence[Span], off: Sequence[Span], rule: SlotRule, *, now: int) -> list[int]:
    """Return the starts that are free, in order. Working periods may overlap where one ends on the next day.

    `busy` is what appointments occupy, with their times before and after, and `off` is when nobody works, of which times before
    and after may be a part. Both are lists as `spans.merged` returns them.
    """
    earliest, latest = now + rule.notice, now + rule.horizon
    found = set()
    for opens, closes in working:
        missed = max(0, -((opens - earliest) // rule.step))
        for start in range(opens + missed * rule.step, min(closes - rule.duration, latest) + 1, rule.step):
            if not overlaps(off, start, start + rule.duration) and not overlaps(busy, *rule.occupied(start)):
                found.add(start)
    return sorted(found)
