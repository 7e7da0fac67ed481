"""Times at which an order can be ready: a pure function of hours, rules and the present."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from commerce.common.types.hours import DAY, Schedule, working_spans
from commerce.common.types.spans import moment


@dataclass(frozen=True, slots=True)
class Rules:
    """`lead` is how long an order takes, `step` the length of a slot, `last_order` the time between the last slot and closing."""

    lead: timedelta
    step: timedelta
    last_order: timedelta
    days_ahead: int


def slots(hours: Schedule, rules: Rules, now: datetime) -> list[datetime]:
    """Return the times for which an order that is placed now can be taken: instants in UTC, in order, each once.

    The first one of a period is its opening, or the earliest moment at which an order can be ready, rounded up to the grid; the
    grid of each period starts at its opening. Periods are those of the days until `days_ahead`, and what is left of yesterday's.
    """
    today = now.astimezone(hours.zone).date()
    earliest, step = (now + rules.lead).timestamp(), int(rules.step.total_seconds())
    found: set[int] = set()
    for opens, closes in working_spans(hours, today - DAY, today + rules.days_ahead * DAY):
        missed = max(0, -int((opens - earliest) // step))
        found.update(range(opens + missed * step, closes - int(rules.last_order.total_seconds()) + 1, step))
    return [moment(each) for each in sorted(found)]
