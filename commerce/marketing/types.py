"""The states of subscribers and the limits of what is written of them: rules that need no database."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import TextChoices

FEATURE = "marketing"
#: Moves with every change of a list; pages that show one depend on it.
LISTS = "marketing.lists"

MAX_SOURCE = 100


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
