"""Ticket orders in the admin."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from wagtail.admin.ui.tables import Column

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn, local_date
from cms_api.adminkit.transitions import Transition, calling
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.text.search import matching
from commerce.common.admin.cells import figure, link
from commerce.common.selectors import format_money
from commerce.common.types.codes import number_key
from commerce.common.types.money import Money
from commerce.crm.selectors import contact_page
from commerce.payments.selectors import payments_of, refundable_cents, refunds_of

from ..models import TicketOrder
from ..resources import mails, sums
from ..resources.documents import space_out
from ..selectors.events import event_by_id
from ..selectors.orders import ORDER_LINK, orders
from ..services.ending import cancel_order, refund_order, void_tickets
from ..services.recording import record_order_payment
from ..services.sending import resend_tickets
from ..types.orders import ADMITS, NUMBERS, PAYABLE, OrderStatus, TicketStatus
from .dates import EventFilter, StartFilter
from .order_forms import PaymentForm, ReasonForm, RefundOrderForm, VoidForm, tickets_with_prices

TONES = {OrderStatus.PENDING: "warning", OrderStatus.PAID: "positive"}
TICKET_TONES = {TicketStatus.VALID: "info", TicketStatus.CHECKED_IN: "positive"}


def find(found: QuerySet[TicketOrder], text: str) -> QuerySet[TicketOrder]:
    """Search orders by their number, such as `TIX-1001`, or by words."""
    key = number_key(text)
    return found.filter(number=key) if key.startswith(f"{NUMBERS}-") else matching(found, text)


def status_note(order: TicketOrder) -> str:
    """Return what an order waits for, or what became of it."""
    if order.is_processing:
        return "Payment on its way"
    if order.has_lapsed:
        return "Not paid in time"
    if order.refunded_cents and order.status == OrderStatus.PAID:
        return f"{format_money(Money(order.refunded_cents, order.currency))} refunded"
    return ""


def total(order: TicketOrder) -> str:
    return format_money(order.total) if order.total_cents else "Free"


def may_refund(order: TicketOrder) -> bool:
    is_paid = order.status in {OrderStatus.PAID, OrderStatus.REFUNDED} and order.total_cents > order.refunded_cents
    return is_paid and refundable_cents(PAYABLE, order.pk) > 0


def may_cancel(order: TicketOrder) -> bool:
    return order.is_pending or (order.status == OrderStatus.PAID and not order.total_cents)


def has_tickets(order: TicketOrder) -> bool:
    paid = order.status in {OrderStatus.PAID, OrderStatus.REFUNDED}
    return paid and order.tickets.filter(status__in=ADMITS).exists()


def can_resend(order: TicketOrder) -> bool:
    return order.paid_at is not None and order.tickets.filter(status__in=ADMITS, holder_email="").exists()


def pay(order: TicketOrder, user: Any, values: Mapping[str, Any]) -> Any:
    return record_order_payment(order=order, values=values, user=user)


def refund(order: TicketOrder, user: Any, values: Mapping[str, Any]) -> Any:
    given = {"amount_cents": values["amount_cents"], "reason": values["reason"]}
    return refund_order(order=order, tickets=values.get("tickets") or None, user=user, **given)


def refund_whole(order: TicketOrder, user: Any, values: Mapping[str, Any]) -> None:
    refund_order(order=order, reason=values["reason"], user=user)


def void(order: TicketOrder, user: Any, values: Mapping[str, Any]) -> bool:
    return bool(void_tickets(order=order, tickets=values["tickets"], user=user))


class OrderViewSet(RecordViewSet):
    model = TicketOrder
    icon = "list-ul"
    menu_label = "Ticket orders"
    menu_order = 20
    name = "ticket_orders"
    url_prefix = "tickets/orders"
    pages = ("inspect", "history")
    inspect_template_name = "ticketing_admin/order.html"
    list_display = (
        RecordColumn("number", label="Number", sort_key="number"),
        NotedColumn("event", label="Event", accessor="title", note=lambda order: mails.start_words(order.start)),
        NotedColumn("name", label="Buyer", note=lambda order: order.email, sort_key="name"),
        Column("ticket_count", label="Tickets", sort_key="ticket_count"),
        Column("total_cents", label="Total", accessor=total, sort_key="total_cents"),
        StatusColumn("status", label="Status", tone=lambda order: TONES.get(order.status, ""), note=status_note),
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
        "Items": lambda order: "; ".join(map(str, order.items.all())),
        "Subtotal": figure("subtotal_cents"),
        "Discount": figure("discount_cents"),
        "Promo code": "promo_code",
        "Fee": figure("fee_cents"),
        "Tax": figure("tax_cents"),
        "Total": figure("total_cents"),
        "Refunded": figure("refunded_cents"),
        "Currency": lambda order: order.currency.upper(),
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
        Transition(
            "record_payment",
            "Record payment",
            pay,
            "Payment for {record} recorded. The tickets have been emailed.",
            offered=lambda order: order.is_pending and not order.is_processing,
            form=PaymentForm,
            on_page=True,
            confirm=lambda order: f"The whole total of {total(order)} has arrived. The buyer gets the tickets by email.",
        ),
        Transition(
            "void",
            "Void tickets",
            void,
            "Tickets of {record} voided.",
            offered=has_tickets,
            form=VoidForm,
            on_page=True,
            serious=True,
            confirm="They no longer admit, and their seats can be sold again. Nothing is refunded.",
        ),
        Transition(
            "refund",
            "Refund",
            refund,
            "Refund of {record} started.",
            offered=may_refund,
            form=RefundOrderForm,
            on_page=True,
            serious=True,
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
            "Status": " · ".join(filter(None, (record.get_status_display(), status_note(record)))),
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

    def inspect_context(self, record: TicketOrder, request: HttpRequest) -> dict[str, Any]:
        currency = record.currency
        return {
            "tickets": [
                {
                    "ticket": each,
                    "code": space_out(each.code),
                    "price": format_money(Money(cents, currency)) if cents else "Free",
                    "classname": f"records__tag--{tone}" if (tone := TICKET_TONES.get(TicketStatus(each.status))) else "",
                    "arrived": local_date(each.checked_in_at),
                }
                for each, cents in tickets_with_prices(record)
            ],
            "items": [(str(item), format_money(Money(item.total_cents, currency))) for item in record.items.all()],
            "sums": sums.of_order(record),
            "payments": payments_of(PAYABLE, record.pk),
            "refunds": refunds_of(PAYABLE, record.pk),
            "buyer_url": ORDER_LINK.path(record),
        }
