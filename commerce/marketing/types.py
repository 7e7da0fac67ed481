"""States of subscribers and limits of their data. No database access."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import TextChoices

FEATURE = "marketing"
#: Incremented with every change of a list; pages that show one depend on it.
LISTS = "marketing.lists"

MAX_SOURCE = 100
#: Maximum characters of a mailing list's name and description, and its highest position.
MAX_LIST = 100
MAX_LIST_DESCRIPTION = 300
MAX_POSITION = 2**31 - 1
MAX_SEQUENCE = 100
#: Maximum characters of a slug.
MAX_SLUG = 60
#: Maximum number of steps, and maximum delay of each.
MAX_STEPS = 50
MAX_DELAY = timedelta(days=730)
#: Maximum characters of a step's body.
MAX_BODY = 100_000


class Status(TextChoices):
    #: Gets mail.
    ACTIVE = "active"
    #: Has signed up but not yet confirmed the address.
    PENDING = "pending"
    #: Wants no mail; the row stays so that nobody emails them again.
    UNSUBSCRIBED = "unsubscribed"


@dataclass(frozen=True, slots=True)
class Promise:
    """A sign-up request, applied when the address is confirmed."""

    subscriber_id: int
    list_slugs: tuple[str, ...]
    first_name: str
    last_name: str
    asked_at: datetime


class Trigger(TextChoices):
    """When people are enrolled in a sequence automatically."""

    MANUAL = "manual", "No automatic enrolment"
    SUBSCRIBED = "subscribed", "Everyone who subscribes"
    TAGGED = "tagged", "Anyone with this tag"


class Unit(TextChoices):
    MINUTES = "minutes"
    HOURS = "hours"
    DAYS = "days"


class EnrolmentState(TextChoices):
    #: Gets the next step when it is due.
    ACTIVE = "active"
    #: Has got the last step.
    FINISHED = "finished"
    #: Unsubscribed or removed; gets no more steps.
    STOPPED = "stopped"


def delay_of(number: int, unit: str) -> timedelta:
    """Return the delay of a step after the previous one."""
    return timedelta(**{unit: number})


def following(steps: Sequence[int], sent: Sequence[int]) -> int | None:
    """Return the step after the one sent last, given the ordered `steps`; None if none is left.

    Steps already sent are never sent again, wherever they have been moved. If none of the sent steps exists any more,
    starts with the first.
    """
    last = next((step for step in reversed(sent) if step in steps), None)
    ahead = steps if last is None else steps[steps.index(last) + 1 :]
    return next((step for step in ahead if step not in sent), None)


def new_tags(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return the tags that were added, ignoring case."""
    known = {tag.casefold() for tag in before}
    return [tag for tag in after if tag.casefold() not in known]
