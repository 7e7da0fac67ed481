"""Plan intervals and member statuses. No database access."""

from enum import StrEnum

from django.db.models import TextChoices

FEATURE = "members"

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
    UNCHANGED = "unchanged"


class Interval(TextChoices):
    """How often a plan is paid."""

    NONE = "none", "Once"
    MONTH = "month", "Every month"
    YEAR = "year", "Every year"


def price_in_words(price: str, interval: str) -> str:
    """Return a price with its interval: `$12.50 a month`."""
    often = {Interval.NONE: "once", Interval.MONTH: "a month", Interval.YEAR: "a year"}[Interval(interval)]
    return f"{price} {often}"
