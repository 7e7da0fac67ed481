"""Stores the VEVENTs of an event beside it, with the write that changes them."""

import time
from collections.abc import Iterable

from django.db import transaction

from cms_api.content.models import ContentItem
from cms_api.content.selectors import all_types
from cms_api.content.services.items import lock
from cms_api.content.types import Status
from cms_api.core.errors import NotFound

from ..models import CalendarEntry
from ..resources.vevents import serialize
from ..selectors.feeds import date_of, event_of, outdated_within
from ..selectors.horizon import feed_span

#: How long a run of `refresh` goes on: less than a job may take.
SECONDS = 20


def store(item: ContentItem, rows: Iterable[ContentItem]) -> None:
    """Writes the VEVENTs of a stored item and the rows that it owns, all of them as the database has them; one statement.

    The item is locked, and the transaction the caller's. An item that is not published or has no date needs none, and keeps
    what it has: that is out of date by then.
    """
    dated = sorted((row for row in rows if row.starts_at), key=lambda row: (row.starts_at, row.pk))
    if item.status != Status.PUBLISHED or not (item.starts_at or dated):
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
    """Stores the VEVENTs that feeds show and have to make on the spot; how many events they were.

    They are those of events from before there were any, and of those that something other than a save has changed.
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
