"""The admin home's cards for tickets, and the first step."""

from collections.abc import Iterator
from datetime import datetime, time

from django.conf import settings
from django.db.models import Count, F, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.cards import Card, Kind, Step
from cms_api.flags.selectors import site_timezone
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import TicketOrder, TicketSales
from ..resources.mails import count_of, start_words
from ..selectors.events import coming_dates
from ..selectors.seats import sold_at
from ..types.orders import OrderStatus

SHOWN_DATES = 5


def next_dates(request: HttpRequest) -> Iterator[Card]:
    """Yield cards of the next dates that sell tickets, with the tickets that are sold and the seats (two statements)."""
    dates = coming_dates(SHOWN_DATES)
    tickets = sold_at({(row.owner_id or row.pk, start) for row, start in dates})
    for row, start in dates:
        event = row.owner_id or row.pk
        number = tickets.get((event, start), 0)
        sold = f"{number} of {row.seats} tickets sold" if row.seats is not None else f"{count_of(number)} sold"
        yield Card(
            row.title,
            set_query_params(reverse("attendees:index"), {"event": event, "start": start}),
            Kind.UPCOMING,
            text=f"{start_words(start)} \N{MIDDLE DOT} {sold}",
            icon="tag",
            at=row.starts_at,
        )


def orders_today(request: HttpRequest) -> Card:
    """Return the paid orders of today (one statement)."""
    zone = site_timezone()
    since = datetime.combine(timezone.localdate(timezone=zone), time(), tzinfo=zone)
    recent = TicketOrder.objects.filter(created_at__gte=since, paid_at__isnull=False, currency=settings.SITE_CURRENCY)
    recent = recent.exclude(status=OrderStatus.CANCELLED)
    found = recent.aggregate(number=Count("pk"), tickets=Sum("ticket_count"), cents=Sum(F("total_cents") - F("refunded_cents")))
    money = format_money(Money(found["cents"] or 0, settings.SITE_CURRENCY))
    return Card(
        "Ticket orders today",
        reverse("ticket_orders:index"),
        Kind.FIGURE,
        text=f"{money} for {count_of(found['tickets'] or 0)}",
        icon="list-ul",
    )


def sell_tickets(request: HttpRequest) -> Step:
    text = "Ticket types with prices and seats."
    return Step("Sell tickets for an event", reverse("ticket_sales:add"), text, done=TicketSales.objects.exists(), order=70)
