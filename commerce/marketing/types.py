"""The states of subscribers and the limits of what is written of them: rules that need no database."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import TextChoices

FEATURE = "marketing"
#: Moves with every change of a list; pages that show one depend on it.
LISTS = "marketing.lists"

MAX_SOURCE = 100
#: The characters of a mailing list's name and description, and its highest position.
MAX_LIST = 100
MAX_LIST_DESCRIPTION = 300
MAX_POSITION = 2**31 - 1
MAX_SEQUENCE = 100
#: The characters of a slug.
MAX_SLUG = 60
#: The steps of a sequence, and how long each may wait.
MAX_STEPS = 50
MAX_DELAY = timedelta(days=730)
#: The characters of what a step says.
MAX_BODY = 100_000


class Status(TextChoices):
    #: Gets mail.
    ACTIVE = "active"
    #: Has signed up, and has not yet confirmed that the address is theirs.
    PENDING = "pending"
    #: Wants no mail; kept so that nobody writes to them again.
    UNSUBSCRIBED = "unsubscribed"


@dataclass(frozen=True, slots=True)
class Promise:
    """What somebody asked for on the site, and gets as soon as they show that the address is theirs."""

    subscriber_id: int
    list_ids: tuple[int, ...]
    first_name: str
    last_name: str
    asked_at: datetime


class Trigger(TextChoices):
    """Who is enrolled in a sequence without anybody's doing."""

    MANUAL = "manual", "Nobody: people are enrolled by hand"
    SUBSCRIBED = "subscribed", "Everybody who subscribes"
    TAGGED = "tagged", "Whoever has a tag when subscribing, or gets it later"


class Unit(TextChoices):
    MINUTES = "minutes"
    HOURS = "hours"
    DAYS = "days"


class EnrolmentState(TextChoices):
    #: Gets the next step when it is due.
    ACTIVE = "active"
    #: Has got the last step.
    FINISHED = "finished"
    #: Has unsubscribed, or was taken out, and gets no more of it.
    STOPPED = "stopped"


def delay_of(number: int, unit: str) -> timedelta:
    """How long a step waits after the one before."""
    return timedelta(**{unit: number})


def following(steps: Sequence[int], sent: Sequence[int]) -> int | None:
    """The step after the one that was sent last, of `steps` in their order; None where none is left.

    What was sent is not sent again, wherever it stands now. Where nothing that was sent is left, it begins with the first.
    """
    last = next((step for step in reversed(sent) if step in steps), None)
    ahead = steps if last is None else steps[steps.index(last) + 1 :]
    return next((step for step in ahead if step not in sent), None)


def new_tags(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """The tags that somebody did not have, in whatever case."""
    known = {tag.casefold() for tag in before}
    return [tag for tag in after if tag.casefold() not in known]
