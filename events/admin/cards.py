"""The events cards on the admin home."""

from collections.abc import Iterator

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from cms_api.adminkit.cards import LOOK_AHEAD, RECENT_AGE, Card, Kind, count_up_to_max
from cms_api.content.admin.menu import may_any
from cms_api.content.admin.urls import add_url, edit_url, list_url
from cms_api.content.models import ContentItem
from cms_api.content.selectors import find_type
from cms_api.content.types import Status

from ..models import Rsvp, Submission
from ..selectors.capacity import heads
from ..selectors.dates import takes_place
from ..selectors.rsvps import TYPE, date_of, words_of
from ..types.rsvps import ACTIVE

SHOWN_EVENTS = 5


def next_dates(request: HttpRequest) -> Iterator[Card]:
    """Yield cards of the next dates, with the number of people coming for those who may see RSVPs (two statements)."""
    item_type = find_type(TYPE)
    if item_type is None:
        return
    now = timezone.now()
    found = ContentItem.objects.filter(
        takes_place(item_type), type=item_type, status=Status.PUBLISHED, starts_at__gte=now, starts_at__lt=now + LOOK_AHEAD
    )
    rows = list(found.order_by("starts_at", "pk").only("title", "type_id", "owner_id", "starts_at", "data")[:SHOWN_EVENTS])
    coming_to = heads([row.pk for row in rows]) if may_any(request.user, Rsvp) else {}
    for row in rows:
        when = words_of(date_of(row))
        coming = coming_to.get(row.pk)
        yield Card(
            row.title,
            edit_url(row.owner_id or row.pk),
            Kind.UPCOMING,
            text=f"{when} \N{MIDDLE DOT} {coming} coming" if coming else when,
            icon=item_type.icon,
            at=row.starts_at,
        )


def new_rsvps(request: HttpRequest) -> Card:
    now = timezone.now()
    new = Rsvp.objects.filter(status__in=ACTIVE, created_at__gte=now - RECENT_AGE, occurrence__starts_at__gte=now)
    return Card(
        "New RSVPs",
        reverse("rsvps:index"),
        text="For upcoming events, in the last 7 days.",
        icon="calendar-check",
        count=count_up_to_max(new),
    )


def count_submitted(request: HttpRequest) -> Card | None:
    """Return the card of drafts submitted by members."""
    item_type = find_type(TYPE)
    if item_type is None:
        return None
    drafts = Submission.objects.filter(item__status=Status.DRAFT, item__type=item_type)
    return Card(
        "Submitted events to review",
        f"{list_url(item_type)}&status={Status.DRAFT}",
        text="Submitted by members. They are drafts until you publish them.",
        icon="calendar-alt",
        count=count_up_to_max(drafts),
    )


def create(request: HttpRequest) -> Card | None:
    item_type = find_type(TYPE)
    if item_type is None:
        return None
    return Card(item_type.name, add_url(item_type), Kind.CREATE, icon=item_type.icon)
