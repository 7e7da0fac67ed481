"""Stores the VEVENTs of an event with the write that changes them."""

import time
from collections.abc import Iterable

from django.db import transaction

from cms_api.content.models import ContentItem
from cms_api.content.selectors import all_types
from cms_api.content.services.items import lock
from cms_api.content.types import Status
from cms_api.core.errors import NotFound
from cms_api.flags.selectors import is_on

from ..models import CalendarEntry
from ..resources.vevents import serialize
from ..selectors.feeds import date_of, event_of, outdated_within
from ..selectors.horizon import feed_span

#: Seconds per run of `refresh`: less than the job limit.
SECONDS = 20


def store(item: ContentItem, rows: Iterable[ContentItem]) -> None:
    """Store the VEVENTs of an item and the rows it owns, all as they are in the database; one statement.

    Call in a transaction that has locked the item. For an item that is unpublished or has no date, and while there are no
    feeds, the entry is left as it is; it is stale by then.
    """
    if item.status != Status.PUBLISHED or not is_on("events"):
        return
    dated = sorted((row for row in rows if row.starts_at), key=lambda row: (row.starts_at, row.pk))
    if not (item.starts_at or dated):
        return
    event = event_of(item)
    made = serialize(item.type, event, [date_of(row, event) for row in (item, *dated)])
    CalendarEntry.objects.bulk_create(
        [CalendarEntry(item=item, made_for=item.type.epoch, made_of=item.updated_at, **made._asdict())],
        update_conflicts=True,
        unique_fields=["item"],
        update_fields=["made_for", "made_of", "shared", "dates"],
    )


def refresh() -> int:
    """Store the missing and stale VEVENTs of events in feeds; return how many events.

    These are events older than this table, saved while there were no feeds, or changed by something other than a save.
    """
    end = time.monotonic() + SECONDS
    span = feed_span()
    late = (item for kind in all_types().values() if kind.date_field for item in outdated_within(kind, *span))
    return sum(_refresh(item) for item in late if time.monotonic() < end)


@transaction.atomic
def _refresh(item: ContentItem) -> bool:
    try:
        item = lock(item)
    except NotFound:
        return False
    store(item, item.owned.all())
    return True
