"""Spans of time as pairs of unix seconds, the first included and the second not. Lists of them are sorted and do not overlap."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

Span = tuple[int, int]


def span(start: datetime, end: datetime) -> Span:
    """Return the span between two aware moments, whose fractions of a second are dropped."""
    return int(start.timestamp()), int(end.timestamp())


def moment(seconds: int) -> datetime:
    """Return the moment of unix seconds, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
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
    place = bisect_right(spans, (end - 1, _LATEST_END)) - 1
    return start < end and place >= 0 and spans[place][1] > start


def gaps(spans: Sequence[Span], start: int, end: int) -> Iterator[Span]:
    """Yield the parts of a span that have nothing in common with a list, in order."""
    free = start
    for place in range(max(0, bisect_right(spans, (start, _LATEST_END)) - 1), len(spans)):
        taken, until = spans[place]
        if taken >= end:
            break
        if free < taken:
            yield free, taken
        free = max(free, until)
    if free < end:
        yield free, end


#: Later than the end of any span.
_LATEST_END = 2**62
