"""Cards and first steps that modules put on the admin's home."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db.models import QuerySet
from django.http import HttpRequest
from wagtail.models import Revision
from wagtail.permissions import policy_registry

from cms_api.core import registry
from cms_api.core.module import ADMINS

#: Counts beyond it are shown as "99+", and are not counted any further.
MAX_COUNT = 99
RECENT_AGE = timedelta(days=7)
#: Of how many revisions the latest changes are made: a record may have several.
READ_REVISIONS = 40
#: How far ahead the home looks.
LOOK_AHEAD = timedelta(days=90)


class Kind(StrEnum):
    #: Under "Needs attention", while its count is not 0.
    ATTENTION = "attention"
    #: Under "Coming up", at its time.
    UPCOMING = "upcoming"
    #: Under "Recently changed", with the time of the change.
    CHANGED = "changed"
    #: Under "At a glance": `text` is a figure, such as the sales of a week.
    FIGURE = "figure"
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
    #: A status that stands beside the title, such as Draft.
    status: str = ""
    #: When it happens, or happened, for what is coming up or was changed.
    at: datetime | None = None
    #: The label of a button on a card that needs attention, and the address to which it posts.
    button: str = ""
    action: str = ""
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


def call_permitted(request: HttpRequest, declared: Mapping[str, str]) -> Iterator[Any]:
    """Call the declared functions whose permission the user has, and yield what they return."""
    for dotted, permission in declared.items():
        if has_permission(request.user, permission):
            yield registry.load(dotted)(request)


def has_permission(user: Any, permission: str) -> bool:
    """Whether the user has a declared permission, such as `shop.view_order`, by the policy of its model."""
    if permission == ADMINS:
        return bool(user.is_superuser)
    label, _, codename = permission.partition(".")
    action, _, model = codename.rpartition("_")
    return bool(policy_registry.get_by_type(apps.get_model(label, model)).user_has_permission(user, action))


def count_up_to_max(records: QuerySet[Any]) -> int:
    """How many records there are, or `MAX_COUNT` + 1 where there are more: a million are not read for a number on a card."""
    return records.order_by()[: MAX_COUNT + 1].count()


def latest_changes(model: Any) -> dict[int, tuple[datetime, str]]:
    """When a model's records were changed last, and by whom, by their ids, latest first (one statement).

    The person is empty where an integration made the change.
    """
    revisions = Revision.objects.filter(base_content_type=ContentType.objects.get_for_model(model))
    columns = ("object_id", "created_at", "user__first_name", "user__last_name", "user__username")
    found: dict[int, tuple[datetime, str]] = {}
    for pk, at, first, last, username in revisions.order_by("-created_at", "-pk").values_list(*columns)[:READ_REVISIONS]:
        found.setdefault(int(pk), (at, f"{first or ''} {last or ''}".strip() or username or ""))
    return found
