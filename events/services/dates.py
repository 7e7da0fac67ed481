"""Single dates that are skipped or cancelled, and put back."""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.content.models import ContentItem
from cms_api.content.services import projections
from cms_api.content.services.items import cancel_date, lock
from cms_api.content.types import Status
from cms_api.core.errors import Invalid

from ..models import DateChange, Rsvp
from ..selectors.horizon import horizon
from ..types.plans import DateStatus, plan_of
from ..types.rsvps import Notice
from .attendance import give_notice
from .locks import NO_DATE
from .occurrences import expand

FIRST = "The first date can't be skipped. Cancel it, or change the start of the series."
REPLIED = "This date has RSVPs. Cancel it instead, so that people are notified."

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
    plan = plan_of((item.data.get(field.key) or {}) if field else {}, horizon=horizon())
    if start == plan.own[0] and start:
        is_change = _change_own(item, status)
    elif start in {later for later, _ in plan.later}:
        is_change = _change_later(item, start, status)
    else:
        raise Invalid({"start": NO_DATE})
    if is_change and user is not None:
        log(instance=item, action=ACTIONS[status], user=user, data={"start": start})
    return is_change


def _change_own(item: ContentItem, status: DateStatus | None) -> bool:
    """Cancel the date that the item itself represents."""
    if status == DateStatus.SKIPPED:
        raise Invalid({"start": FIRST})
    if not cancel_date(item=item, cancelled=status is not None):
        return False
    give_notice({item.pk}, Notice.CANCELLED if status else Notice.RSVP)
    return True


def _change_later(item: ContentItem, start: str, status: DateStatus | None) -> bool:
    stored = DateChange.objects.filter(event=item, start=start)
    if status == stored.values_list("status", flat=True).first():
        return False
    if status == DateStatus.SKIPPED and Rsvp.objects.filter(event=item, occurrence_start=start).exists():
        raise Invalid({"start": REPLIED})
    if status is None:
        stored.delete()
    else:
        DateChange.objects.update_or_create(event=item, start=start, defaults={"status": status})
    projections.invalidate([item.type_id], changed=[item.pk], reordered=item.status == Status.PUBLISHED)
    expand(item)
    return True
