"""What modules put on the admin's home: cards, and first steps of a new site."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import QuerySet

#: Counts beyond it are shown as "99+", and are not counted any further.
MAX_COUNT = 99
#: What is called recent.
RECENT = timedelta(days=7)
#: How far ahead the home looks.
AHEAD = timedelta(days=90)


class Kind(StrEnum):
    #: Under "Needs attention", while its count is not 0.
    ATTENTION = "attention"
    #: Under "Coming up", at its time.
    UPCOMING = "upcoming"
    #: Among the buttons under "Create".
    CREATE = "create"


@dataclass(frozen=True)
class Card:
    """Something on the home that leads to a page of the admin."""

    title: str
    url: str
    kind: Kind = Kind.ATTENTION
    #: One line.
    text: str = ""
    #: The name of one of Wagtail's icons.
    icon: str = ""
    #: How many there are; see `count_up_to_max`.
    count: int = 1
    #: Something fails and stays so until somebody acts. Such cards come first.
    urgent: bool = False
    #: When it happens, for what is coming up.
    at: datetime | None = None
    #: Lower numbers come first; cards of the same number are in the order of the menu.
    order: int = 100

    @property
    def count_text(self) -> str:
        return f"{MAX_COUNT}+" if self.count > MAX_COUNT else str(self.count)


@dataclass(frozen=True)
class Step:
    """An entry of the list of first steps, which is ticked once it is done."""

    title: str
    url: str
    text: str
    done: bool
    #: Lower numbers come first.
    order: int


def count_up_to_max(records: QuerySet[object]) -> int:
    """How many records there are, or `MAX_COUNT` + 1 where there are more: a million are not read for a number on a card."""
    return records.order_by()[: MAX_COUNT + 1].count()
