"""The columns of the calendar: what takes time, and its place on the grid. No database access."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from commerce.common.types.hours import DAY, Schedule, working_spans
from commerce.common.types.spans import merge_spans, moment

#: Minutes of a row of the grid.
ROW_MINUTES = 5
#: Rows without which there is no room for a line of text.
MIN_BLOCK_ROWS = 4
#: The hours that are shown even if nothing is in them.
USUAL_HOURS = (8, 18)


@dataclass
class Block:
    """Something that takes time. `kind` is a class of the style sheet."""

    kind: str
    starts_at: datetime
    ends_at: datetime
    title: str
    text: str = ""
    url: str = ""
    move_url: str = ""
    #: When it begins and ends on this day; empty where that is on another one.
    begins: str = ""
    ends: str = ""
    #: The classes that place it; see `place`.
    place: str = ""


@dataclass
class Column:
    """A day, or a member of staff on a day."""

    day: date
    title: str
    #: The working hours in words.
    note: str = ""
    url: str = ""
    book_url: str = ""
    is_today: bool = False
    blocks: list[Block] = field(default_factory=list)
    #: The working hours.
    hours: list[Block] = field(default_factory=list)
    #: Full hours in which nothing happens, with links that book them.
    free: list[Block] = field(default_factory=list)


def minutes(at: datetime, day: date, zone: ZoneInfo) -> int:
    """Return the minutes of the clock from the beginning of a day; before it 0, and after it 24 hours."""
    local = at.astimezone(zone)
    if local.date() != day:
        return 0 if local.date() < day else 24 * 60
    return 60 * local.hour + local.minute


def place(start: int, end: int) -> str:
    """Return the classes that place something on the grid: the hour and row of its start, and its length in hours and rows."""
    at, rows = start // ROW_MINUTES, max(MIN_BLOCK_ROWS, -(-end // ROW_MINUTES) - start // ROW_MINUTES)
    return f"at-h{at // 12} at-m{at % 12} for-h{rows // 12} for-m{rows % 12}"


def working(schedule: Schedule, day: date, zone: ZoneInfo, bounds: tuple[int, int]) -> Iterator[Block]:
    """Yield the working hours on a day of another zone's clock, `bounds` being when it begins and ends."""
    own = moment(bounds[0]).astimezone(schedule.zone).date()
    for opens, closes in merge_spans(working_spans(schedule, own - DAY, own + DAY)):
        start, end = max(opens, bounds[0]), min(closes, bounds[1])
        if start < end:
            yield Block("open", moment(start), moment(end), "")


def hours_shown(columns: Iterable[Column], zone: ZoneInfo) -> tuple[int, int]:
    """Return the first and the last hour of the grid: those with working hours or appointments, and the usual ones."""
    first, last = USUAL_HOURS
    for column in columns:
        for block in (*column.hours, *(each for each in column.blocks if each.kind not in {"off", "busy"})):
            first = min(first, minutes(block.starts_at, column.day, zone) // 60)
            last = max(last, -(-minutes(block.ends_at, column.day, zone) // 60))
    return first, last


def set_places(columns: Iterable[Column], zone: ZoneInfo, shown: tuple[int, int]) -> None:
    """Place everything on the grid; what begins earlier or ends later is cut."""
    first, last = 60 * shown[0], 60 * shown[1]
    for column in columns:
        for blocks in (column.blocks, column.hours, column.free):
            for block in blocks:
                start = min(max(minutes(block.starts_at, column.day, zone), first), last - MIN_BLOCK_ROWS * ROW_MINUTES)
                end = min(max(minutes(block.ends_at, column.day, zone), start), last)
                block.place = place(start, end)


def free_hours(column: Column) -> Iterator[tuple[datetime, datetime]]:
    """Yield the hours of work, counted from when it begins, in which nothing happens."""
    for period in column.hours:
        start = period.starts_at
        while start + timedelta(hours=1) <= period.ends_at:
            end = start + timedelta(hours=1)
            if not any(each.starts_at < end and each.ends_at > start for each in column.blocks):
                yield start, end
            start = end


def hour_labels(shown: tuple[int, int], clock: Any) -> list[dict[str, str]]:
    """Return the labels beside the grid; `clock` formats a time of day."""
    return [{"place": place(60 * hour, 60 * hour + 60), "text": clock(hour)} for hour in range(*shown)]
