"""Ticket sales in the admin: the events that sell tickets, and what each of them sells."""

from typing import Any

from django.conf import settings
from django.db.models import Case, CharField, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Sum, Value, When
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from wagtail.admin.panels import FieldPanel, ObjectList
from wagtail.admin.ui.tables import Column
from wagtail.admin.utils import set_query_params
from wagtail.admin.widgets.button import BaseButton, Button

from cms_api.adminkit import filters
from cms_api.adminkit.columns import CountColumn, RecordColumn, StatusColumn
from cms_api.adminkit.views import AddView
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.content.types import Status
from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import AttendeeTicket, TicketOrder, TicketSales, TicketType
from ..selectors.events import next_date
from ..services.sales import delete_sales, save_sales
from ..types.orders import ADMITS, OrderStatus, TicketStatus
from .sales_form import SalesForm

DRAFT, ON_SALE, OFF, OVER = "draft", "on_sale", "off", "over"
STATES = {ON_SALE: "On sale", OFF: "Not on sale", DRAFT: "Event not published", OVER: "Over"}
TONES = {ON_SALE: "positive", OFF: "warning", DRAFT: "warning"}


def _number_of(tickets: QuerySet[Any]) -> Coalesce:
    """Return an annotation: how many of some tickets an event has."""
    counted = tickets.filter(event_id=OuterRef("pk")).order_by().values("event_id").annotate(number=Count("pk"))
    return Coalesce(Subquery(counted.values("number"), output_field=IntegerField()), 0)


def with_numbers(sales: QuerySet[TicketSales]) -> QuerySet[TicketSales]:
    """Return ticket sales with `sold`, `arrived`, `revenue_cents`, `next_at` and `state` (in the same statement)."""
    now = timezone.now()
    paid = TicketOrder.objects.filter(
        event_id=OuterRef("pk"), status__in=(OrderStatus.PAID, OrderStatus.REFUNDED), currency=settings.SITE_CURRENCY
    )
    money = paid.order_by().values("event_id").annotate(cents=Sum(F("total_cents") - F("refunded_cents")))
    offered = TicketType.objects.filter(Q(sales_end=None) | Q(sales_end__gt=now), event=OuterRef("pk"), is_offered=True)
    state = Case(
        When(next_at=None, then=Value(OVER)),
        When(~Q(event__status=Status.PUBLISHED), then=Value(DRAFT)),
        When(Exists(offered), then=Value(ON_SALE)),
        default=Value(OFF),
        output_field=CharField(),
    )
    return sales.annotate(
        sold=_number_of(AttendeeTicket.objects.filter(status__in=ADMITS)),
        arrived=_number_of(AttendeeTicket.objects.filter(status=TicketStatus.CHECKED_IN)),
        revenue_cents=Coalesce(Subquery(money.values("cents")), 0),
        next_at=next_date(),
    ).annotate(state=state)


def by_state(found: QuerySet[TicketSales], name: str, value: str) -> QuerySet[TicketSales]:
    return found.filter(Q(state=value))


def next_words(sales: Any) -> str:
    return site_formats().datetime(sales.next_at.astimezone(site_timezone())) if sales.next_at else ""


def attendees_url(sales: TicketSales, **more: str) -> str:
    return set_query_params(reverse("attendees:index"), {"event": sales.pk, **more})


class AddSalesView(AddView):
    """May begin with an event of the address."""

    def get_initial(self) -> dict[str, Any]:
        return {**super().get_initial(), "event": self.request.GET.get("event", "")[:20].replace("\0", "")}


class SalesViewSet(RecordViewSet):
    model = TicketSales
    icon = "calendar-alt"
    menu_label = "Ticket sales"
    menu_order = 10
    name = "ticket_sales"
    url_prefix = "tickets/sales"
    pages = ("add", "edit", "delete")
    add_label = "Sell tickets"
    add_view_class = AddSalesView
    search_fields = ["event__title"]
    ordering = ("-created_at", "-pk")
    nulls_last = ("next_at",)
    list_display = (
        RecordColumn("event", label="Event", sort_key="event__title"),
        Column("next_at", label="Next date", accessor=next_words, sort_key="next_at"),
        CountColumn("sold", label="Sold", url=lambda sales: attendees_url(sales, status="admits")),
        CountColumn("arrived", label="Checked in", url=lambda sales: attendees_url(sales, status="checked_in")),
        Column(
            "revenue_cents",
            label="Revenue",
            accessor=lambda sales: format_money(Money(sales.revenue_cents, settings.SITE_CURRENCY)),
            sort_key="revenue_cents",
        ),
        StatusColumn(
            "state", label="State", accessor=lambda sales: STATES[sales.state], tone=lambda sales: TONES.get(sales.state, "")
        ),
    )
    filters = {"state": filters.choice(list(STATES.items()), label="State", method=by_state)}
    csv = {
        "Event": "event.title",
        "Next date": "next_at",
        "Sold": "sold",
        "Checked in": "arrived",
        "Revenue": lambda sales: Money(sales.revenue_cents, settings.SITE_CURRENCY).amount,
        "State": lambda sales: STATES[sales.state],
    }
    form = SalesForm
    panels = (
        ObjectList([FieldPanel("event"), FieldPanel("types")], heading="Ticket types"),
        ObjectList([FieldPanel("quotas")], heading="Shared seats"),
        ObjectList(
            [
                FieldPanel("asks_names"),
                FieldPanel("questions_editor"),
                FieldPanel("note", help_text="One line at the end of each ticket, for example about the entrance."),
            ],
            heading="Attendees",
        ),
    )
    delete_consequence = "Only an event of which no ticket was sold can stop to sell tickets. The event itself stays."

    def records(self) -> QuerySet[TicketSales]:
        return with_numbers(TicketSales.objects.select_related("event").defer("event__cached_json", "event__data"))

    def create(self, values: dict[str, Any], user: Any) -> TicketSales:
        given = dict(values)
        event = given.pop("event")
        return save_sales(event=event, quotas=given.pop("quotas"), types=given.pop("types"), values=given, user=user)

    def update(self, record: TicketSales, values: dict[str, Any], user: Any) -> TicketSales:
        return self.create({**values, "event": record.event}, user)

    def delete(self, record: TicketSales, user: Any) -> None:
        delete_sales(event=record.event, user=user)

    def record_buttons(self, record: TicketSales, user: Any) -> list[BaseButton]:
        found = []
        if user.has_perm("ticketing.change_attendeeticket"):
            door, message = (reverse(f"attendees:{name}", args=[record.pk]) for name in ("door", "message"))
            found.append(Button("Door", url=door, icon_name="success", priority=11))
            found.append(Button("Message attendees", url=message, icon_name="mail", priority=14))
        if user.has_perm("ticketing.view_attendeeticket"):
            found.append(Button("Attendees", url=attendees_url(record), icon_name="group", priority=12))
        if user.has_perm("ticketing.view_ticketorder"):
            orders = set_query_params(reverse("ticket_orders:index"), {"event": record.pk})
            found.append(Button("Orders", url=orders, icon_name="list-ul", priority=13))
        found.append(
            Button("Open event", url=reverse("content_items:edit", args=[record.pk]), icon_name="calendar-alt", priority=15)
        )
        return found
