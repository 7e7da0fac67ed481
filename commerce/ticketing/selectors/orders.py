"""Reads of ticket orders and tickets."""

from datetime import datetime
from typing import Any

from django.db.models import Count, Q, QuerySet, Value
from django.db.models.functions import Coalesce, NullIf, TruncHour
from django.urls import reverse

from cms_api.core.identifiers import read_id
from cms_api.core.records import filter_given
from cms_api.flags.selectors import site_timezone
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching
from commerce.common.selectors import placed_by
from commerce.common.types import email_key

from ..models import AttendeeTicket, Reservation, RevokedCode, TicketOrder, WaitingEntry
from ..types.orders import ADMITS, TicketStatus, code_key

#: The links that buyers and attendees get.
RESERVATION_LINK = SignedLink("ticketing.reservation", Reservation, view="tickets_checkout")
ORDER_LINK = SignedLink("ticketing.order", TicketOrder, view="tickets_order")
OFFER_LINK = SignedLink("ticketing.offer", WaitingEntry, view="tickets_offer")
WAITING_LINK = SignedLink("ticketing.waiting", WaitingEntry, view="tickets_leave")

#: A transfer makes a new code, and so ends the link of the former holder.
TICKET_LINK = SignedLink("ticketing.ticket", AttendeeTicket, view="tickets_ticket", field="code")


def orders(
    *,
    status: str | None = None,
    event_id: int | None = None,
    email: str | None = None,
    since: datetime | None = None,
    search: str = "",
) -> QuerySet[TicketOrder]:
    """Return ticket orders with their items (two statements); `since` is of their creation."""
    found = TicketOrder.objects.prefetch_related("items")
    found = filter_given(
        found, status=status, event_id=event_id, email=None if email is None else email_key(email), created_at__gte=since
    )
    return matching(found, search) if search.strip() else found


def orders_of(user: Any) -> QuerySet[TicketOrder]:
    """Return the orders of an account, and those of its confirmed address."""
    return placed_by(TicketOrder.objects.all(), user)


def tickets_held_by(address: str) -> QuerySet[AttendeeTicket]:
    """Return the tickets that were transferred to an address."""
    return AttendeeTicket.objects.select_related("order").filter(holder_email=email_key(address))


def tickets(
    *,
    status: str | None = None,
    event_id: int | None = None,
    order_id: int | None = None,
    email: str | None = None,
    search: str = "",
) -> QuerySet[AttendeeTicket]:
    """Return tickets with their orders; `email` is that of the buyer."""
    found = AttendeeTicket.objects.select_related("order", "checked_in_by")
    found = filter_given(found, status=status, event_id=event_id, order=order_id)
    if email is not None:
        found = found.filter(order__in=TicketOrder.objects.filter(email=email_key(email)).values("pk"))
    return matching(found, search) if search.strip() else found


def find_ticket(reference: str) -> AttendeeTicket | None:
    """Return the ticket with an id, or with a code in any case. A code has a letter, so that it is never an id."""
    if (pk := read_id(reference)) is not None:
        return tickets().filter(pk=pk).first()
    return find_by_code(reference)


def find_by_code(text: str) -> AttendeeTicket | None:
    """Return the ticket with a code as people type it."""
    code = code_key(text)
    return tickets().filter(code=code).first() if code else None


def is_revoked(text: str) -> bool:
    """Return whether a code is the former one of a ticket."""
    code = code_key(text)
    return bool(code) and RevokedCode.objects.filter(pk=code).exists()


def door_list(event_id: int, start: str) -> QuerySet[AttendeeTicket]:
    """Return the tickets for a date that are not void, by name."""
    found = AttendeeTicket.objects.select_related("order").filter(event_id=event_id, start=start, status__in=ADMITS)
    return found.order_by(Coalesce(NullIf("attendee_name", Value("")), "order__name"), "pk")


def counts_by_type(event_id: int, start: str) -> list[dict[str, Any]]:
    """Return, for each type with tickets for a date, its `name`, and how many are `sold` and `checked_in` (one statement)."""
    found = AttendeeTicket.objects.filter(event_id=event_id, start=start, status__in=ADMITS).order_by("type_name")
    arrived = Count("pk", filter=Q(status=TicketStatus.CHECKED_IN))
    rows = found.values("ticket_type_id", "type_name").annotate(sold=Count("pk"), checked_in=arrived)
    return [{"name": row["type_name"], "sold": row["sold"], "checked_in": row["checked_in"]} for row in rows]


def counts_by_hour(event_id: int, start: str) -> list[tuple[datetime, int]]:
    """Return how many people were checked in for a date in each hour on the site's clock (one statement)."""
    found = AttendeeTicket.objects.filter(event_id=event_id, start=start, status=TicketStatus.CHECKED_IN)
    hours = found.annotate(hour=TruncHour("checked_in_at", tzinfo=site_timezone())).order_by("hour")
    return list(hours.values_list("hour").annotate(Count("pk")))


def starts_with_tickets(event_id: int) -> set[str]:
    """Return the local starts of the dates for which tickets are valid or being paid for."""
    tickets_of = AttendeeTicket.objects.filter(event_id=event_id, status__in=ADMITS).order_by()
    return set(tickets_of.values_list("start", flat=True).distinct()) | set(
        Reservation.objects.filter(event=event_id, is_placed=True).values_list("start", flat=True)
    )


def waiting_list() -> QuerySet[WaitingEntry]:
    """Return the entries of the waiting lists with their ticket types and events."""
    return WaitingEntry.objects.select_related("ticket_type", "ticket_type__event")


def order_url(pk: int) -> str:
    """Return the path of an order's page in the admin."""
    return reverse("ticket_orders:inspect", args=[pk])
