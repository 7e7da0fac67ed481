"""The places of events. People are added, here and in `rsvps`, while the event is locked, so that no date has too many."""

from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.content.models import ContentItem
from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.core.not_found import found_or_404
from cms_api.flags.selectors import get_setting

from ..models import Capacity, Rsvp
from ..selectors.capacity import VERSION, places_at, places_left, places_tag
from ..selectors.rsvps import DATE_COLUMNS, date_of, find_date, is_offered, repeats, start_of, takes_replies
from ..types.rsvps import ACTIVE, MAX_PARTY, Notice, RsvpStatus, read_places
from .locks import NO_DATE, lock_event
from .mails import give_notice

HOLDS_MANY = "Many people have already replied from your network. Sign in to RSVP."


@transaction.atomic
def set_capacity(*, event: ContentItem, start: str = "", places: Any, user: Any = None) -> bool:
    """Set how many people may come to a date, or without a start to each date that has no number of its own.

    Empty places remove the limit. People who are coming stay, even if they are more; those on the waiting list who fit now
    are confirmed. Returns False if nothing changes. Raises Invalid (`places`, `start`), NotFound.
    """
    wanted = read_places(places)
    stored = found_or_404(lock_event(event.pk))
    row = find_date(stored, start) if start else None
    if start and row is None:
        raise Invalid({"start": NO_DATE})
    # The only date of an event may move, and its places with it.
    start = start_of(date_of(row)) if row and repeats(stored) else ""
    found = Capacity.objects.filter(event=stored, start=start)
    if wanted == found.values_list("places", flat=True).first():
        return False
    if wanted is None:
        found.delete()
    else:
        Capacity.objects.update_or_create(event=stored, start=start, defaults={"places": wanted})
    if user is not None:
        log(instance=stored, action="events.set_capacity", user=user, data={"start": start, "places": wanted})
    versions.bump(VERSION, tags=[places_tag(stored.pk)])
    confirm_waiting(stored)
    return True


def invalidate_places(event: ContentItem) -> None:
    """Invalidate the pages that show the free places of an event."""
    if Capacity.objects.filter(event=event).exists():
        versions.bump(VERSION, tags=[places_tag(event.pk)])


def room_for(event: ContentItem, row: ContentItem) -> int | None:
    """Return the free places of a date; None if they are not limited."""
    return places_left(event.pk, [row]).get(row.pk)


def check_share(event: ContentItem, row: ContentItem, network: str, party_size: int, before: Rsvp | None) -> None:
    """Raise Invalid (`party_size`) if visitors of one network would have too many of the limited places of a date.

    Places that they wait for count too. `before` is the RSVP that is replaced.
    """
    percent = int(get_setting("events.rsvp_network_percent"))
    limit = places_at(event.pk, row)
    if limit is None or not 0 <= percent < 100:
        return
    others = Rsvp.objects.filter(occurrence=row, network=network, status__in=ACTIVE)
    if before is not None:
        others = others.exclude(pk=before.pk)
    reserved = others.aggregate(sum=Sum("party_size", default=0))["sum"]
    if reserved and reserved + party_size > max(MAX_PARTY, limit * percent // 100):
        raise Invalid({"party_size": HOLDS_MANY})


def confirm_waiting(event: ContentItem, row: ContentItem | None = None) -> None:
    """Confirm RSVPs that wait and fit now, the longest waiting first, for one date or all. Call with the event locked."""
    if not takes_replies(event):
        return
    waiting = Rsvp.objects.filter(event=event, status=RsvpStatus.WAITING).order_by("waiting_since", "pk")
    if row is not None:
        waiting = waiting.filter(occurrence=row)
    line = list(waiting.values_list("pk", "occurrence_id", "party_size"))
    if not line:
        return
    found = ContentItem.objects.only(*DATE_COLUMNS).in_bulk({date for _, date, _ in line})
    rows = {pk: each for pk, each in found.items() if is_offered(each)}
    left = places_left(event.pk, list(rows.values()))
    confirmed = []
    for pk, date, party in line:
        if date not in rows or left.get(date, party) < party:
            continue
        if date in left:
            left[date] -= party
        confirmed.append(pk)
    fitting = Rsvp.objects.filter(pk__in=confirmed)
    fitting.update(status=RsvpStatus.GOING, waiting_since=None, updated_at=timezone.now())
    if confirmed:
        give_notice(fitting, Notice.RSVP)
        invalidate_places(event)
