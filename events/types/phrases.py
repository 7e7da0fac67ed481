"""Sentences about recurrence: the rule, its dates, and the effect of clock changes."""

import calendar
import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from cms_api.fields.datetimes import to_utc
from cms_api.fields.places import DAYS
from cms_api.text.formats import Formats

from .plans import DateStatus, Difference, Effect
from .recurrence import Occurrence, place_in_month

_UNITS = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_PLACES = {1: "first", 2: "second", 3: "third", 4: "fourth", -1: "last"}
#: Every month has at least this many days.
_SHORTEST_MONTH = 28


@dataclass(frozen=True, slots=True)
class DateLine:
    """A formatted date of a series, with its peculiarities."""

    weekday: str
    day: str
    times: str
    iso: str
    notes: tuple[str, ...] = ()


def rule_sentence(value: Mapping[str, Any], formats: Formats) -> str:
    """Describe a rule, such as "Every 2 weeks on Monday and Friday, until 30 April 2026"."""
    rule = value["repeat"]
    first = first_day(value)
    unit = _UNITS[rule["frequency"]]
    every = f"Every {unit}" if rule["interval"] == 1 else f"Every {rule['interval']} {unit}s"
    return f"{every}{_on(rule, first, formats)}, {_end(rule, formats)}"


def first_day(value: Mapping[str, Any]) -> dt.date:
    return dt.date.fromisoformat(value["start"][:10])


def is_beside_rule(value: Mapping[str, Any]) -> bool:
    """Return whether the first date is on none of the rule's weekdays."""
    weekdays = value["repeat"]["weekdays"]
    return bool(weekdays) and DAYS[first_day(value).weekday()] not in weekdays


def lines(
    dates: Sequence[Occurrence], zone: ZoneInfo, changes: Mapping[str, str], formats: Formats, *, shown: range
) -> list[DateLine]:
    """Format dates; `changes` has the statuses of those that are skipped or cancelled, by local start."""
    found = []
    for at in shown:
        line = _line(dates[at], dates[at - 1] if at else None, zone, formats)
        status = changes.get(dates[at].start.isoformat())
        found.append(replace(line, notes=(f"{DateStatus(status).label}.", *line.notes)) if status else line)
    return found


def is_over(date: Occurrence, zone: ZoneInfo, now: dt.datetime) -> bool:
    last = date.end or date.start
    if isinstance(last, dt.datetime):
        return to_utc(last, zone) < now
    return last < now.astimezone(zone).date()


def count_sentence(*, total: int, to_come: int, is_open: bool, scheduled_through: str) -> str:
    """Describe how many dates are upcoming, and how far a rule without an end date is scheduled."""
    if is_open and not scheduled_through:
        return "No end date."
    if is_open:
        return f"Scheduled through {scheduled_through}; {to_come:,} upcoming."
    share = {0: "past", total: "upcoming"}.get(to_come, f"{to_come:,} upcoming")
    return f"{format_count(total, 'date')}, {'all ' if total > 1 and to_come in (0, total) else ''}{share}."


def difference_sentence(found: Difference) -> str:
    """Describe a difference, such as "3 dates are removed, 2 of them have RSVPs and stay as cancelled; 4 are added; 20 stay."."""
    if not found.is_change:
        return "the date stays as it is." if found.staying == 1 else f"all {found.staying:,} dates stay as they are."
    counts = [(found.removed, "removed"), (found.added, "added")]
    said = [f"{number:,} {'is' if number == 1 else 'are'} {what}" for number, what in counts if number]
    if found.replied:
        said[0] += _describe_replied(found.replied, found.removed)
    if found.moved:
        said.insert(bool(found.removed), f"{found.moved:,} {'moves' if found.moved == 1 else 'move'}")
    if found.staying:
        said.append(f"{found.staying:,} {'stays' if found.staying == 1 else 'stay'}")
    number, _, rest = "; ".join(said).partition(" ")
    return f"{number} {'date' if number == '1' else 'dates'} {rest}."


def effect_sentences(effects: Sequence[Effect], *, is_public: bool = True) -> list[str]:
    """Describe who is notified, such as "31 guests of 4 dates that move are notified.".

    People are notified of cancellations at once, and of other changes once the event is public.
    """
    found, later = [], "" if is_public else " once the event is published"
    for one, many, when, part in (
        ("moves", "move", later, [each for each in effects if each.after and not each.is_back]),
        ("takes place after all", "take place after all", later, [each for each in effects if each.is_back]),
        ("is cancelled", "are cancelled", "", [each for each in effects if not each.after]),
    ):
        guests = sum(each.guests for each in part)
        if guests:
            verb = "is" if guests == 1 else "are"
            dates = f"{format_count(len(part), 'date')} that {one if len(part) == 1 else many}"
            found.append(f"{format_count(guests, 'guest')} of {dates} {verb} notified{when}.")
    return found


def _describe_replied(replied: int, removed: int) -> str:
    if removed == 1:
        return " but stays as cancelled, since it has RSVPs"
    if replied == removed:
        return ", all of them have RSVPs and stay as cancelled"
    return f", {replied:,} of them {'has RSVPs and stays' if replied == 1 else 'have RSVPs and stay'} as cancelled"


def format_count(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def _on(rule: Mapping[str, Any], first: dt.date, formats: Formats) -> str:
    match rule["frequency"], rule["monthly"]:
        case "weekly", _:
            days = [calendar.day_name[DAYS.index(day)] for day in rule["weekdays"]] or [calendar.day_name[first.weekday()]]
            return f" on {_join_words(days)}"
        case "monthly", "weekday":
            return f" on the {_PLACES[place_in_month(first)]} {calendar.day_name[first.weekday()]}"
        case "monthly", _:
            return f" on the {_ordinal(first.day)}" + (" (in months that have one)" if first.day > _SHORTEST_MONTH else "")
        case "yearly", _:
            leap = " (in leap years)" if (first.month, first.day) == (2, 29) else ""
            return f" on {formats.day(first)}{leap}"
    return ""


def _end(rule: Mapping[str, Any], formats: Formats) -> str:
    if rule["count"]:
        return "once" if rule["count"] == 1 else format_count(rule["count"], "time")
    return f"until {formats.date(dt.date.fromisoformat(rule['until']))}" if rule["until"] else "with no end date"


def _join_words(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _ordinal(number: int) -> str:
    suffix = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _line(date: Occurrence, before: Occurrence | None, zone: ZoneInfo, formats: Formats) -> DateLine:
    start = date.start
    return DateLine(
        weekday=calendar.day_name[start.weekday()],
        day=formats.date(start),
        times=_times(date, formats),
        iso=start.isoformat(),
        notes=tuple(_notes(date, before, zone, formats)),
    )


def _times(date: Occurrence, formats: Formats) -> str:
    start, end = date.start, date.end
    if isinstance(start, dt.datetime):
        if not isinstance(end, dt.datetime) or end == start:
            return _clock(start, formats)
        beyond = f"{formats.weekday_date(end)}, " if end.date() != start.date() else ""
        return f"{_clock(start, formats)} to {beyond}{_clock(end, formats)}"
    return "all day" if end is None or end == start else f"to {formats.weekday_date(end)}"


def _clock(moment: dt.datetime, formats: Formats) -> str:
    return formats.time(moment, with_seconds=bool(moment.second))


def _notes(date: Occurrence, before: Occurrence | None, zone: ZoneInfo, formats: Formats) -> Iterator[str]:
    start = date.start
    if not isinstance(start, dt.datetime):
        return
    if date.is_moved:
        yield f"The clocks skip the time of the rule on this day: it begins at {_clock(start, formats)} instead."
    if before is None or not isinstance(before.start, dt.datetime):
        return
    change = _offset(start, zone) - _offset(before.start, zone)
    if change:
        stays = "" if date.is_moved or before.is_moved else f": the clock time stays {_clock(start, formats)}"
        yield f"{_change(start, before.start, change, zone)}{stays}."


def _change(start: dt.datetime, before: dt.datetime, change: dt.timedelta, zone: ZoneInfo) -> str:
    """Describe a clock change. Only called summer time if the zone does; some zones put clocks back for a while instead."""
    forward = change > dt.timedelta(0)
    if _get_dst(start if forward else before, zone) == abs(change) and not _get_dst(before if forward else start, zone):
        return f"Summer time {'begins' if forward else 'ends'}"
    return f"The clocks go {'forward' if forward else 'back'} by {abs(change).seconds // 60} minutes"


def _offset(wall: dt.datetime, zone: ZoneInfo) -> dt.timedelta:
    return wall.replace(tzinfo=zone).utcoffset() or dt.timedelta(0)


def _get_dst(wall: dt.datetime, zone: ZoneInfo) -> dt.timedelta:
    return wall.replace(tzinfo=zone).dst() or dt.timedelta(0)
