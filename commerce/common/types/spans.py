"""Spans of time as pairs of unix seconds, the first included and the second not. Lists of them are sorted and do not overlap."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

Span = tuple[int, int]


def span(start: datetime, end: datetime) -> Span:
    """Return the span between two aware moments, whose fractions of a second are dropped."""
    return int(start.timestamp()), int(end.timestamp())


def moment(seconds: int) -> datetime:
    """Return the moment of unix seconds, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return spans in any order as a list without overlaps; spans that touch become one, and empty ones are dropped."""
    found: list[Span] = []
    for start, end in sorted(each for each in spans if each[0] < each[1]):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def overlaps(spans: Sequence[Span], start: int, end: int) -> bool:
    """Return whether a span has a second in common with one of a list."""
    # The last one that begins before the end; all earlier ones end before it begins.
    place = bisect_right(spans, (end - 1, _LAST)) - 1
    return start < end and place >= 0 and spans[place][1] > start


#: Later than the end of any span.
_LAST = 2**62
