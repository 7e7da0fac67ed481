"""Schedules by chance, in zones with clock changes, for the tests that compare the times on offer with the oracle's."""

import random
from dataclasses import dataclass
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

from commerce.booking.types.slots import SlotRule
from commerce.common.types.hours import Period, Schedule, instant
from commerce.common.types.spans import Span, merge_spans

#: Each with the dates of its clock changes in 2026, if it has any.
ZONES = {
    "UTC": (date(2026, 3, 29),),
    "Europe/Berlin": (date(2026, 3, 29), date(2026, 10, 25)),
    "Europe/London": (date(2026, 3, 29), date(2026, 10, 25)),
    "America/New_York": (date(2026, 3, 8), date(2026, 11, 1)),
    "America/Los_Angeles": (date(2026, 3, 8), date(2026, 11, 1)),
    "America/St_Johns": (date(2026, 3, 8), date(2026, 11, 1)),
    "Australia/Lord_Howe": (date(2026, 4, 5), date(2026, 10, 4)),
    "Pacific/Auckland": (date(2026, 4, 5), date(2026, 9, 27)),
    "Asia/Beirut": (date(2026, 3, 29), date(2026, 10, 25)),
    "Africa/Cairo": (date(2026, 4, 24), date(2026, 10, 30)),
    "Asia/Kathmandu": (date(2026, 6, 1),),
    "Pacific/Kiritimati": (date(2026, 1, 1),),
}


@dataclass(frozen=True)
class Case:
    """The hours of a member of staff on three days, what is taken of them, and how a service is booked."""

    days: list[date]
    hours: Schedule
    busy: list[Span]
    off: list[Span]
    rule: SlotRule
    now: int


def make_case(seed: int, name: str) -> Case:
    """The case of a seed, in a zone, around one of its clock changes."""
    chance = random.Random(seed)
    first = chance.choice(ZONES[name]) - timedelta(days=1)
    days = [first + timedelta(days=number) for number in range(3)]
    hours = schedule(chance, ZoneInfo(name), days)
    duration = 60 * chance.choice((15, 30, 45, 60, 90))
    begin = instant(first, time(), hours.zone)
    rule = SlotRule(
        duration,
        step=chance.choice((duration, 600, 900, 1800)),
        before=60 * chance.choice((0, 0, 10)),
        after=60 * chance.choice((0, 0, 5, 15)),
        notice=3600 * chance.choice((0, 1, 24)),
        # Whole days.
        horizon=3600 * chance.choice((48, 1992)),
    )
    busy, off = spans(chance, begin, 8), spans(chance, begin, 3)
    return Case(days, hours, busy, off, rule, now=begin + 60 * chance.randrange(-600, 1500))


def clock(chance: random.Random) -> time:
    """A time of the clock, often in the small hours, when clocks change."""
    return time(chance.choice((0, 1, 2, 2, 3, 9, 14, 23)), chance.choice((0, 0, 15, 30, 45)))


def schedule(chance: random.Random, zone: ZoneInfo, days: list[date]) -> Schedule:
    def periods() -> list[Period]:
        times = sorted({clock(chance) for _ in range(4)})
        pairs = [Period(*times[place : place + 2]) for place in range(0, len(times) - 1, 2)]
        overnight = [Period(time(22), time(3, 30))] if chance.random() < 0.2 else []
        return overnight or pairs

    weekly = {weekday: periods() for weekday in range(7) if chance.random() < 0.9}
    dates = {day: periods() if chance.random() < 0.5 else [] for day in days if chance.random() < 0.2}
    return Schedule(zone, weekly, dates, frozenset(day for day in days if chance.random() < 0.1))


def spans(chance: random.Random, begin: int, number: int) -> list[Span]:
    made = [(begin + 300 * chance.randrange(1200), 300 * chance.randrange(1, 40)) for _ in range(chance.randrange(number))]
    return merge_spans((start, start + length) for start, length in made)
