"""Plan intervals and member statuses. No database access."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction

from dateutil.relativedelta import relativedelta
from django.db.models import IntegerChoices, TextChoices

FEATURE = "members"
#: The name of plans among the records that are paid for; payments store it.
PAYABLE = "plan"

MAX_DESCRIPTION = 500
MAX_PLAN_NAME = 100
MAX_SLUG = 60
MAX_POSITION = 10_000


class MemberStatus(TextChoices):
    ACTIVE = "active"
    CANCELLED = "cancelled"


class Choice(StrEnum):
    """The outcome of a member's choice of a plan."""

    CHANGED = "changed"
    REQUESTED = "requested"
    #: The plan runs to the end of what was paid for.
    ENDING = "ending"
    UNCHANGED = "unchanged"


#: For how many days before its end a plan can be renewed, and for how many after it; then the plan ends.
RENEWAL_OPENS_DAYS = 14
GRACE_DAYS = 7
#: How many days before the end of a plan its member is first reminded.
REMINDED_DAYS_BEFORE = 7


class Notice(IntegerChoices):
    """The latest reminder of a plan's end."""

    NONE = 0
    SOON = 1
    ENDS = 2


class Interval(TextChoices):
    """How often a plan is paid."""

    NONE = "none", "Once"
    MONTH = "month", "Every month"
    YEAR = "year", "Every year"


def next_end(start: date, interval: str, day: int) -> date | None:
    """Return the day until which a plan is paid that is paid from `start`; None if it is paid once.

    `day` is the day of the month of its first payment, so that one paid on 31 January ends on 28 February, then 31 March.
    """
    return None if interval == Interval.NONE else shift_end(start, interval, day, periods=1)


def shift_end(end: date, interval: str, day: int | None, *, periods: int) -> date:
    """Return the end of a plan that is paid for so many periods more, or fewer; `day` is as in `next_end`."""
    months = 12 if interval == Interval.YEAR else 1
    shifted: date = end + relativedelta(months=months * periods, day=day)
    return shifted


#: The days that a price of an interval is for.
INTERVAL_DAYS = {Interval.MONTH: 30, Interval.YEAR: 365}


@dataclass(frozen=True, slots=True)
class Rate:
    """A price of a plan in minor units, and how often it is paid."""

    cents: int
    currency: str
    interval: str

    @property
    def has_days(self) -> bool:
        """Whether days of the plan cost something."""
        return self.cents > 0 and self.interval in INTERVAL_DAYS

    def days_for(self, days: int, other: "Rate") -> Fraction:
        """Return the days at this rate that days at another one are worth: none in another currency, or of a plan paid once."""
        if self.currency != other.currency or not self.has_days or not other.has_days:
            return Fraction(0)
        worth = Fraction(days * other.cents, INTERVAL_DAYS[Interval(other.interval)])
        return worth * INTERVAL_DAYS[Interval(self.interval)] / self.cents


def price_in_words(price: str, interval: str) -> str:
    """Return a price with its interval: `$12.50 a month`."""
    often = {Interval.NONE: "once", Interval.MONTH: "a month", Interval.YEAR: "a year"}[Interval(interval)]
    return f"{price} {often}"
