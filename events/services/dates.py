"""Single dates that are skipped or cancelled, and put back."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.content.models import ContentItem
from cms_api.content.services import projections
from cms_api.content.services.items import lock, mark_date
from cms_api.content.types import Status
from cms_api.core.errors import Invalid

from ..models import DateChange, Rsvp
from ..selectors.dates import changes_of
from ..selectors.moves import reach, stored_dates
from ..types.plans import DateStatus, plan_of, status_of
from .attendance import change_dates, promised_starts
from .locks import NO_DATE
from .occurrences import expand

LAST = "At least one date must remain. Cancel this one instead."
REPLIED = "People are coming to this date. Cancel it instead, so that they are notified."

ACTIONS = {
    DateStatus.SKIPPED: "events.skip_date",
    DateStatus.CANCELLED: "events.cancel_date",
    None: "events.restore_date",
}


@transaction.atomic
def change_date(*, item: ContentItem, start: str, status: DateStatus | None, user: Any = None) -> bool:
    """Skip or cancel the date with this local start, or with no status put it back; return False if nothing changes.

    People with RSVPs are notified of cancelled dates, and of cancelled dates that are back. Raises Invalid (`start`), NotFound.
    """
    item = lock(item)
    field = item.type.date_field
    value = (item.data.get(field.key) or {}) if field else {}
    rows = stored_dates(item, field.key, {}).by_row if field else {}
    plan = plan_of(value, horizon=reach(item, value, value, rows=rows))
    if start == plan.own[0] and start:
        change = _change_own
    elif start in {later for later, _ in plan.later}:
        change = _change_later
    else:
        raise Invalid({"start": NO_DATE})
    if status == DateStatus.SKIPPED:
        statuses = {**changes_of(item.pk), plan.own[0]: status_of(value)}
        _check_skippable(item, start, {each for each, _ in plan.later} | {plan.own[0]}, statuses)
    is_change = change(item, start, status)
    if is_change and user is not None:
        log(instance=item, action=ACTIONS[status], user=user, data={"start": start})
    return is_change


def _check_skippable(item: ContentItem, start: str, starts: set[str], statuses: Mapping[str, str]) -> None:
    if all(each == start or statuses.get(each) == DateStatus.SKIPPED for each in starts):
        raise Invalid({"start": LAST})
    if Rsvp.objects.filter(event=item, occurrence_start=start).exists() or start in promised_starts(item, besides=""):
        raise Invalid({"start": REPLIED})


def _change_own(item: ContentItem, start: str, status: DateStatus | None) -> bool:
    """Change the date that the item itself represents. It stays the start of the rule, and counts in its number of dates."""
    if not mark_date(item=item, cancelled=status == DateStatus.CANCELLED, skipped=status == DateStatus.SKIPPED):
        return False
    change_dates(item, {item.pk: start}, is_cancelled=status is not None)
    return True


def _change_later(item: ContentItem, start: str, status: DateStatus | None) -> bool:
    stored = DateChange.objects.filter(event=item, start=start)
    if status == stored.values_list("status", flat=True).first():
        return False
    if status is None:
        stored.delete()
    else:
        DateChange.objects.update_or_create(event=item, start=start, defaults={"status": status})
    projections.invalidate([item.type_id], changed=[item.pk], reordered=item.status == Status.PUBLISHED)
    expand(item, is_moved=False)
    return True
