"""Business time: how long a ticket waited for staff, counted in support hours only, from the log of its statuses."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from commerce.common.types.spans import Span, merge_spans

from .tickets import RUNNING

#: An entry of the log: unix seconds, and the status from then on.
Change = tuple[int, str]


class BusinessTime:
    """Seconds of support hours. Outside of the given spans nothing counts."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = merge_spans(spans)
        self._starts = [start for start, _ in self._spans]
        #: Seconds before each span, and after the last.
        self._before = [0, *accumulate(end - start for start, end in self._spans)]

    def until(self, at: int) -> int:
        """Return the business seconds from the beginning of time to a moment."""
        place = bisect_right(self._starts, at) - 1
        if place < 0:
            return 0
        start, end = self._spans[place]
        return self._before[place] + min(at, end) - start

    def between(self, start: int, end: int) -> int:
        return self.until(end) - self.until(start) if start < end else 0

    def after(self, start: int, seconds: int) -> int | None:
        """Return the first moment at which some business seconds have passed since another; None if it is beyond the spans."""
        wanted = self.until(start) + seconds
        if wanted > self._before[-1]:
            return None
        place = bisect_right(self._before, wanted - 1) - 1
        found = self._spans[place][0] + wanted - self._before[place]
        return max(found, start)


def open_spans(log: Sequence[Change], until: int) -> list[Span]:
    """Return the times up to a moment in which a ticket was open, by its log in order."""
    ends = [at for at, _ in log[1:]] + [until]
    spans = ((at, min(end, until)) for (at, status), end in zip(log, ends, strict=True) if status in RUNNING)
    return merge_spans(span for span in spans if span[0] < span[1])


def count_waited_seconds(log: Sequence[Change], until: int, hours: BusinessTime) -> int:
    """Return the business seconds in which a ticket was open, up to a moment: its clock."""
    return sum(hours.between(start, end) for start, end in open_spans(log, until))


def due_at(log: Sequence[Change], target: int, hours: BusinessTime) -> int | None:
    """Return when the clock of a ticket reaches a target in seconds, if its status never changes again.

    None while the clock is stopped before it, and where the target is beyond the spans.
    """
    left = target
    for (at, status), end in zip(log, [*(at for at, _ in log[1:]), None], strict=True):
        if status not in RUNNING:
            continue
        if end is None or hours.between(at, end) >= left:
            return hours.after(at, left)
        left -= hours.between(at, end)
    return None


def percentile(values: Sequence[int], percent: int) -> int:
    """Return the smallest value that at least so many percent of some sorted values do not exceed (nearest rank)."""
    return values[max(0, -(-len(values) * percent // 100) - 1)]
