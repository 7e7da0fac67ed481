"""Stores the VEVENTs of an event with the write that changes them."""

from collections.abc import Iterable, Mapping

from django.db import transaction
from django.db.models import Case, F, When

from cms_api.content.models import ContentItem
from cms_api.content.selectors import all_types
from cms_api.content.services.items import lock
from cms_api.content.types import Status
from cms_api.core.batches import Run
from cms_api.core.not_found import NotFound
from cms_api.flags.selectors import is_on

from ..models import CalendarEntry
from ..resources.vevents import serialize
from ..selectors.feeds import date_of, event_of, numbers_of, outdated_within
from ..selectors.horizon import feed_span

#: Seconds per run of `refresh`: less than the job limit.
RUN_SECONDS = 20


def store(item: ContentItem, rows: Iterable[ContentItem], *, numbers: Mapping[str, int], is_new: bool = False) -> None:
    """Store the VEVENTs of an item and the rows it owns, all as they are in the database; one statement, two the first time.

    `numbers` are those of the series. The SEQUENCE is raised if the VEVENTs change.

    Call in a transaction that has locked the item. For an item that is unpublished or has no date, and while there are no
    feeds, the entry is left as it is; it is stale by then.
    """
    if item.status != Status.PUBLISHED or not is_on("events"):
        return
    dated = sorted((row for row in rows if row.starts_at), key=lambda row: (row.starts_at, row.pk))
    if not (item.starts_at or dated):
        return
    event = event_of(item)
    made = serialize(item.type, event, [date_of(row, event, numbers) for row in (item, *dated)])
    lines = {"shared": made.shared, "dates": made.dates}
    values = {"made_for": item.type.epoch, "made_of": item.updated_at, **lines}
    raised = Case(When(**lines, then=F("sequence")), default=F("sequence") + 1)
    if is_new or not CalendarEntry.objects.filter(item=item).update(**values, sequence=raised):
        CalendarEntry.objects.bulk_create([CalendarEntry(item=item, **values)])


def refresh() -> int:
    """Store the missing and stale VEVENTs of events in feeds; return how many events.

    These are events older than this table, saved while there were no feeds, or changed by something other than a save.
    """
    span = feed_span()
    with Run(RUN_SECONDS) as run:
        return sum(run.each(outdated_within(kind, *span), _refresh) for kind in all_types().values() if kind.date_field)


@transaction.atomic
def _refresh(item: ContentItem) -> bool:
    try:
        item = lock(item)
    except NotFound:
        return False
    store(item, item.owned.all(), numbers=numbers_of(item.pk))
    return True
