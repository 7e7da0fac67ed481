"""Materializes the dates of a repeating item as items that it owns, and keeps them up to date.

An edit leaves unaffected rows alone. A date that moves keeps its row (`types.moves`). The row of a removed date is deleted,
unless it has RSVPs: then it stays, cancelled. So does the only date of an event, as a row that the item owns.
"""

import time
from typing import Any

from django.db import transaction

from cms_api.content.models import ContentItem
from cms_api.content.services.items import lock
from cms_api.core import batches
from cms_api.core.not_found import NotFound

from ..models import Series
from ..selectors.dates import series_of
from ..selectors.horizon import horizon
from ..selectors.moves import own_date
from . import attendance, calendars, capacity, mails
from .expansion import Expansion


def expand(item: ContentItem, is_new: bool = False, is_moved: bool = True, former: Any = None) -> None:
    """Update the rows of a stored item to match its date. Call in a transaction that has locked `item`.

    With `is_moved`, the date itself may have changed from the value `former`, if that is known: then RSVPs and other records
    follow the dates that have moved.
    """
    field = item.type.date_field
    if field is None:
        return
    # A new item has neither dates nor replies yet.
    series = None if is_new else series_of(item)
    value = item.data.get(field.key) or {}
    # A single date that people need stays as a cancelled row, like one that has left a rule.
    is_removed = is_moved and not value and own_date(former) is not None
    if series is None and not value.get("repeat") and not is_removed:
        if is_moved and not is_new:
            attendance.follow_only_date(item, value, former)
        calendars.store(item, [], numbers={}, is_new=is_new)
    else:
        expansion = Expansion(item, field.key, value, series, former if is_moved else None, is_moved=is_moved)
        rows = expansion.carry_out()
        calendars.store(item, rows, numbers=expansion.numbers, is_new=is_new)
    if not is_new:
        # It may have been published again, or a date may be back.
        capacity.confirm_waiting(item)
        mails.resume_notices(item)


def top_up() -> int:
    """Materialize dates that have come within the horizon; return the number of series."""
    due = Series.objects.filter(is_open=True, expanded_to__lt=horizon()).order_by("expanded_to", "pk")
    return batches.each(due.values_list("pk", flat=True), _materialize)


def materialize(*, after: int = 0, seconds: float) -> int | None:
    """Update open-ended series after the horizon was moved, nearer or farther, in order of id.

    Runs for the given number of seconds; returns the id to continue after, or None when done.
    """
    end = time.monotonic() + seconds
    moved = Series.objects.filter(is_open=True).exclude(expanded_to=horizon())
    while pk := moved.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True).first():
        if time.monotonic() > end:
            return after
        _materialize(pk)
        after = pk
    return None


@transaction.atomic
def _materialize(pk: int) -> bool:
    found = ContentItem.objects.filter(pk=pk).only("pk", "type_id").first()
    try:
        item = lock(found) if found else None
    except NotFound:
        return False
    if item is not None:
        expand(item, is_moved=False)
    return item is not None
