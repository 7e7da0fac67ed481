"""Events that sell tickets, and their dates."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Exists, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.utils import timezone

from cms_api.content.models import ContentItem
from cms_api.content.selectors import find_type, published_items, type_by_id
from cms_api.content.types import Status
from cms_api.core.reading import ANY_ID, Instances, compile_once
from events.selectors.dates import takes_place
from events.selectors.rsvps import (
    DATE_COLUMNS,
    FEATURE,
    TYPE,
    date_of,
    find_date,
    is_offered,
    offered_dates,
    repeats,
    start_of,
    words_of,
)

from ..models import Quota, TicketSales, TicketType
from ..types.sales import Times

__all__ = ["FEATURE", "TYPE"]

#: Dates that the form on an event's page offers.
OFFERED_DATES = 60


@dataclass(frozen=True, slots=True)
class EventDate:
    """One date of an event: the row that represents it, its local start, and the words for it."""

    event: ContentItem
    row: ContentItem
    start: str
    words: str

    @property
    def starts_at(self) -> datetime | None:
        """Return the instant at which it begins; the first moment of an all-day event."""
        return self.row.starts_at

    @property
    def ends_at(self) -> datetime | None:
        return self.row.ends_at

    @property
    def is_all_day(self) -> bool:
        return bool(date_of(self.row).get("all_day"))

    @property
    def times(self) -> Times:
        return Times(self.starts_at, self.ends_at, self.is_all_day)

    @property
    def is_over(self) -> bool:
        return self.ends_at is not None and self.ends_at < timezone.now()

    @property
    def is_cancelled(self) -> bool:
        return bool(date_of(self.row).get("cancelled"))

    @property
    def takes_place(self) -> bool:
        """Return whether it is neither cancelled nor over, and its event is published."""
        return self.event.status == Status.PUBLISHED and is_offered(self.row)


def find_event(slug: str) -> ContentItem | None:
    """Return the published event with this slug."""
    found_type = find_type(TYPE)
    if found_type is None or not found_type.has_detail or found_type.date_field is None:
        return None
    event = published_items(found_type).filter(slug=slug).first()
    if event is not None:
        event.type = found_type
    return event


def event_by_id(pk: int) -> ContentItem | None:
    """Return an event, whatever its status; None if it was deleted."""
    event = ContentItem.objects.filter(pk=pk, owner=None).first()
    if event is None or (event_type := type_by_id(event.type_id)).slug != TYPE:
        return None
    event.type = event_type
    return event


def date_at(event: ContentItem, start: str) -> EventDate | None:
    """Return the date of an event with a local start; None if there is none."""
    row = find_date(event, start) if start else None
    return _date(event, row) if row is not None else None


def own_date(event: ContentItem) -> EventDate | None:
    """Return the date that the event itself represents."""
    return _date(event, event)


def dates_on_offer(event: ContentItem, count: int = OFFERED_DATES) -> list[EventDate]:
    """Return the next dates that take place, soonest first."""
    return [date for row in offered_dates(event, count) if (date := _date(event, row)) is not None]


def _date(event: ContentItem, row: ContentItem) -> EventDate | None:
    value = date_of(row)
    start = start_of(value)
    return EventDate(event, row, start, words_of(value)) if start else None


def sells_tickets(event_id: int) -> TicketSales | None:
    """Return the ticket sales of an event, if it has any (one statement, compiled once)."""
    found: TicketSales | None = compile_once(
        "ticketing.sales", lambda: TicketSales.objects.filter(pk=ANY_ID).order_by(), Instances
    ).first({ANY_ID: event_id})
    return found


def event_data(date: EventDate) -> dict[str, Any]:
    """Return the event as it is stored with orders."""
    starts_at = None if date.is_all_day or date.starts_at is None else date.starts_at.isoformat(timespec="seconds")
    return {
        "title": " ".join(date.event.title.split()),
        "slug": date.event.slug,
        "starts_at": starts_at,
        "venue": venue_of(date.event) or None,
    }


def venue_of(event: ContentItem) -> str:
    """Return the venue of an event; empty without one."""
    venue = event.data.get("venue")
    return venue if isinstance(venue, str) else ""


def is_repeating(event: ContentItem) -> bool:
    """Return whether an event has several dates."""
    return repeats(event)


def coming_dates(count: int) -> list[tuple[Any, str]]:
    """Return the rows of the next dates of published events that sell tickets, and their local starts (one statement).

    Rows have `seats`: how many there are, None without a limit. Dates that have begun but not ended come first.
    """
    item_type = find_type(TYPE)
    field = item_type.date_field if item_type is not None else None
    if item_type is None or field is None:
        return []
    event = Coalesce("owner_id", "pk")
    rows = ContentItem.objects.filter(
        takes_place(item_type), type=item_type, status=Status.PUBLISHED, ends_at__gte=timezone.now()
    )
    rows = rows.filter(Q(pk__in=_selling()) | Q(owner__in=_selling()))
    types = TicketType.objects.filter(
        Q(start="") | Q(start=OuterRef("date_start")), event=OuterRef("event_pk"), quota=None, is_offered=True
    )
    quotas = Quota.objects.filter(
        Exists(TicketType.objects.filter(quota=OuterRef("pk"), is_offered=True)), event=OuterRef("event_pk")
    )
    seats = Case(
        When(Exists(types.filter(size=None)), then=None),
        default=_sum_of(types) + _sum_of(quotas),
        output_field=IntegerField(),
    )
    start: Any = KeyTextTransform("start", KeyTextTransform(field.key, "data"))
    found = rows.annotate(event_pk=event, date_start=start).annotate(seats=seats).order_by("starts_at", "pk")
    return [(row, start_of(date_of(row))) for row in found.only(*DATE_COLUMNS)[:count]]


def _selling() -> QuerySet[Any]:
    return TicketSales.objects.order_by().values("pk")


def _sum_of(rows: QuerySet[Any]) -> Coalesce:
    """Return an annotation: the seats of some ticket types or quotas of an event together."""
    sums = rows.order_by().values("event_id").annotate(seats=Sum("size"))
    return Coalesce(Subquery(sums.values("seats"), output_field=IntegerField()), 0)


def events_with_sales() -> QuerySet[ContentItem]:
    """Return the events that sell tickets, by title."""
    return ContentItem.objects.filter(pk__in=_selling()).order_by("title", "pk").only("title")


def events_to_scan() -> list[tuple[int, str]]:
    """Return the ids and titles of the events that sell tickets and are not over, by title."""
    return list(events_with_sales().filter(lasts_until__gte=timezone.now()).values_list("pk", "title"))


def events_to_sell() -> QuerySet[ContentItem]:
    """Return the events that are not over and sell no tickets, by title."""
    item_type = find_type(TYPE)
    coming = ContentItem.objects.filter(type=item_type, owner=None, lasts_until__gte=timezone.now())
    return coming.exclude(pk__in=_selling()).order_by("title", "pk").only("title", "type_id")


def next_date() -> Subquery:
    """Return an annotation of ticket sales: when the next date of the event begins, None without one."""
    item_type = find_type(TYPE)
    rows = ContentItem.objects.filter(Q(pk=OuterRef("pk")) | Q(owner=OuterRef("pk")), ends_at__gte=timezone.now())
    rows = rows.filter(takes_place(item_type)) if item_type is not None else rows.none()
    return Subquery(rows.order_by("starts_at", "pk").values("starts_at")[:1])
