"""Reads of the places at the dates of an event."""

from collections.abc import Sequence

from django.db.models import Sum

from cms_api.content.models import ContentItem

from ..models import Capacity, Rsvp
from ..types.rsvps import RsvpStatus
from .rsvps import date_of, start_of

#: Changed with the tag of an event whose free places have changed.
VERSION = "rsvps"


def places_tag(event_id: int) -> str:
    return f"rsvps:{event_id}"


def capacities(event_id: int, starts: Sequence[str]) -> dict[str, int]:
    """Return the places by local start, for an empty start those of each other date. Unlimited ones are missing."""
    found = Capacity.objects.filter(event=event_id, start__in=["", *starts])
    return dict(found.values_list("start", "places"))


def places_at(event_id: int, row: ContentItem) -> int | None:
    """Return the places at a date, free or not; None if they are not limited (one statement)."""
    start = start_of(date_of(row))
    limits = capacities(event_id, [start])
    return limits.get(start, limits.get(""))


def heads(rows: Sequence[int]) -> dict[int, int]:
    """Return the number of people coming to each date with RSVPs, by row id."""
    going = Rsvp.objects.filter(occurrence__in=rows, status=RsvpStatus.GOING).order_by()
    return dict(going.values_list("occurrence").annotate(heads=Sum("party_size")))


def places_left(event_id: int, rows: Sequence[ContentItem]) -> dict[int, int]:
    """Return the free places at each date, by row id; unlimited dates are missing (two statements)."""
    starts = {row.pk: start_of(date_of(row)) for row in rows}
    limits = capacities(event_id, list(starts.values()))
    limited = {row.pk: limit for row in rows if (limit := limits.get(starts[row.pk], limits.get(""))) is not None}
    coming = heads(list(limited)) if limited else {}
    return {pk: max(limit - coming.get(pk, 0), 0) for pk, limit in limited.items()}
