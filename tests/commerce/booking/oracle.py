"""A second, slow way to find the starts that can be booked: minute by minute, by what the clock on the wall says."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from commerce.booking.types.slots import SlotRule
from commerce.common.types.hours import Schedule
from commerce.common.types.spans import Span

MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Clock:
    """The minutes around some dates, and what the clock says in each."""

    minutes: tuple[int, ...]
    says: tuple[datetime, ...]

    @classmethod
    def of(cls, schedule: Schedule, first: date, last: date) -> "Clock":
        moment = datetime.combine(first, time(), tzinfo=UTC) - timedelta(days=1)
        end = datetime.combine(last, time(), tzinfo=UTC) + timedelta(days=3)
        minutes, says = [], []
        while moment < end:
            minutes.append(int(moment.timestamp()) // 60)
            says.append(moment.astimezone(schedule.zone).replace(tzinfo=None))
            moment += MINUTE
        return cls(tuple(minutes), tuple(says))

    def first_at(self, day: date, clock: time) -> int:
        """Return the first minute in which the clock has reached a time of a date."""
        wanted = datetime.combine(day, clock)
        return next(minute for minute, says in zip(self.minutes, self.says, strict=True) if says >= wanted)


def starts(
    schedule: Schedule, first: date, last: date, busy: Sequence[Span], off: Sequence[Span], rule: SlotRule, now: int
) -> list[int]:
    clock = Clock.of(schedule, first, last)
    taken, away = _minutes(busy), _minutes(off)
    found = []
    day = first
    while day <= last:
        for period in sorted(schedule.periods(day)):
            opens = clock.first_at(day, period.opens)
            ends_on = day + timedelta(days=1) if period.closes <= period.opens else day
            closes = clock.first_at(ends_on, period.closes)
            for minute in range(opens, closes):
                used = range(minute, minute + rule.duration // 60)
                kept = range(minute - rule.before // 60, used.stop + rule.after // 60)
                if (
                    (minute - opens) % (rule.step // 60) == 0
                    and used.stop <= closes
                    and now + rule.notice <= minute * 60 <= now + rule.horizon
                    and away.isdisjoint(used)
                    and taken.isdisjoint(kept)
                ):
                    found.append(minute * 60)
        day += timedelta(days=1)
    return sorted(set(found))


def _minutes(spans: Sequence[Span]) -> set[int]:
    return {minute for start, end in spans for minute in range(start // 60, end // 60)}
