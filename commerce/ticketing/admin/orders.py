"""Ticket orders in the admin."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, local_date
from cms_api.adminkit.transitions import Transition, calling
from cms_api.text.search import matching
from commerce.common.admin.cells import link
from commerce.common.selectors import format_money
from commerce.common.types.codes import number_key
from commerce.common.types.money import Money
from commerce.crm.selectors import contact_page
from commerce.sales.admin import (
    SaleStatusColumn,
    SaleViewSet,
    amounts_for_csv,
    currency,
    items,
    payment_button,
    price_words,
    refund_button,
)
from commerce.sales.resources import Row

from ..models import TicketOrder
from ..resources import mails, sums
from ..resources.documents import space_out
from ..selectors.events import event_by_id
from ..selectors.orders import ORDER_LINK, orders
from ..services.ending import cancel_order, refund_order, void_tickets
from ..services.paying import ORDERS
from ..services.sending import resend_tickets
from ..types.orders import ADMITS, NUMBERS, PAYABLE, OrderStatus, TicketStatus
from .dates import EventFilter, StartFilter
from .order_forms import ReasonForm, RefundOrderForm, VoidForm, tickets_with_prices

TONES = {OrderStatus.PENDING: "warning", OrderStatus.PAID: "positive"}
TICKET_TONES = {TicketStatus.VALID: "info", TicketStatus.CHECKED_IN: "positive"}


def find(found: QuerySet[TicketOrder], text: str) -> QuerySet[TicketOrder]:
    """Search orders by their number, such as `TIX-1001`, or by words."""
    key = number_key(text)
    return found.filter(number=key) if key.startswith(f"{NUMBERS}-") else matching(found, text)


def is_sold(order: TicketOrder) -> bool:
    return order.status in {OrderStatus.PAID, OrderStatus.REFUNDED} and order.total_cents > order.refunded_cents


def may_cancel(order: TicketOrder) -> bool:
    return order.is_pending or (order.status == OrderStatus.PAID and not order.total_cents)


def has_tickets(order: TicketOrder) -> bool:
    paid = order.status in {OrderStatus.PAID, OrderStatus.REFUNDED}
    return paid and order.tickets.filter(status__in=ADMITS).exists()


def can_resend(order: TicketOrder) -> bool:
    return order.paid_at is not None and order.tickets.filter(status__in=ADMITS, holder_email="").exists()


def refund(order: TicketOrder, user: Any, values: Mapping[str, Any]) -> Any:
    given = {"amount_cents": values["amount_cents"], "reason": values["reason"]}
    return refund_order(order=order, tickets=values.get("tickets") or None, user=user, **given)


def refund_whole(order: TicketOrder, user: Any, values: Mapping[str, Any]) -> None:
    refund_order(order=order, reason=values["reason"], user=user)


class OrderViewSet(SaleViewSet):
    model = TicketOrder
    payable, customer_link, customer_label, tones = PAYABLE, ORDER_LINK, "Buyer's page", TONES
    icon = "list-ul"
    menu_label = "Ticket orders"
    menu_order = 20
    name = "ticket_orders"
    url_prefix = "tickets/orders"
    inspect_template_name = "ticketing_admin/order.html"
    list_display = (
        RecordColumn("number", label="Number", sort_key="number"),
        NotedColumn("event", label="Event", accessor="title", note=lambda order: mails.start_words(order.start)),
        NotedColumn("name", label="Buyer", note=lambda order: order.email, sort_key="name"),
        Column("ticket_count", label="Tickets", sort_key="ticket_count"),
        Column("total_cents", label="Total", accessor=price_words, sort_key="total_cents"),
        SaleStatusColumn(),
        MomentColumn("created_at", label="Created"),
    )
    filters = {
        "status": filters.choice(OrderStatus.choices),
        "event": EventFilter(),
        "start": StartFilter(lambda event: TicketOrder.objects.filter(event=event)),
        "created_at": filters.date_range("Created"),
    }
    search = find
    search_order = 176
    csv = {
        "Number": "number",
        "Status": "status",
        "Event": "title",
        "Date": "start",
        "Name": "name",
        "Email": "email",
        "Tickets": "ticket_count",
        "Items": items,
        **amounts_for_csv("subtotal", "discount"),
        "Promo code": "promo_code",
        **amounts_for_csv("fee", "tax", "total", "refunded"),
        "Currency": currency,
        "Created": "created_at",
        "Paid": "paid_at",
        "Cancelled": "cancelled_at",
    }
    transitions = (
        Transition(
            "resend",
            "Send tickets again",
            calling(resend_tickets, "order"),
            lambda order: f"Tickets sent to {order.email}.",
            offered=can_resend,
            confirm=lambda order: f"{order.email} gets an email with the tickets attached.",
        ),
        payment_button(
            ORDERS,
            done="Payment for {record} recorded. The tickets have been emailed.",
            confirm=lambda order: f"The whole total of {price_words(order)} has arrived. The buyer gets the tickets by email.",
        ),
        Transition(
            "void",
            "Void tickets",
            calling(void_tickets, "order", "tickets"),
            "Tickets of {record} voided.",
            offered=has_tickets,
            form=VoidForm,
            on_page=True,
            serious=True,
            confirm="They no longer admit, and their seats can be sold again. Nothing is refunded.",
        ),
        refund_button(
            ORDERS,
            offered=is_sold,
            form=RefundOrderForm,
            run=refund,
            confirm="The buyer gets an email once the money is on its way back.",
        ),
        Transition(
            "cancel",
            "Cancel order",
            calling(cancel_order, "order"),
            "{record} cancelled. The buyer has been emailed.",
            "{record} was already cancelled.",
            offered=may_cancel,
            serious=True,
            confirm="The seats can be sold again. The buyer gets an email.",
        ),
    )
    bulk_actions = (
        Bulk(
            "refund",
            "Refund",
            "refunded",
            "All that is left of them goes back, and their tickets become void. Buyers get an email once the money is on its "
            "way. Tickets of free orders become void. Orders that are not paid are left alone.",
            each=refund_whole,
            serious=True,
            form=ReasonForm,
        ),
    )

    def records(self) -> QuerySet[TicketOrder]:
        return orders()

    def facts(self, record: TicketOrder) -> dict[str, Any]:
        contact = contact_page(record.email)
        sales = reverse("ticket_sales:edit", args=[record.event_id])
        is_there = event_by_id(record.event_id) is not None
        return {
            **super().facts(record),
            "Event": link(record.title, sales) if is_there else f"{record.title} (deleted)",
            "Date": mails.when(record),
            "Venue": mails.where(record) or None,
            "Buyer": record.name,
            "Email": record.email,
            "Contact": link("Open in the CRM", contact) if contact else None,
            "Promo code": record.promo_code or None,
            "Seats are reserved until": record.reservation.until if record.is_pending and record.reservation else None,
            "Created": record.created_at,
            "Paid": record.paid_at,
            "Cancelled": record.cancelled_at,
        }

    def get_note(self, sale: TicketOrder) -> str:
        return super().get_note(sale) or ("Not paid in time" if sale.has_lapsed else "")

    def get_sums(self, sale: TicketOrder) -> list[Row]:
        items = [(str(item), format_money(Money(item.total_cents, sale.currency))) for item in sale.items.all()]
        return [*items, *sums.of_order(sale)]

    def inspect_context(self, record: TicketOrder, request: HttpRequest) -> dict[str, Any]:
        tickets = [
            {
                "ticket": each,
                "code": space_out(each.code),
                "price": format_money(Money(cents, record.currency)) if cents else "Free",
                "classname": f"records__tag--{tone}" if (tone := TICKET_TONES.get(TicketStatus(each.status))) else "",
                "arrived": local_date(each.checked_in_at),
            }
            for each, cents in tickets_with_prices(record)
        ]
        return {**super().inspect_context(record, request), "tickets": tickets}
