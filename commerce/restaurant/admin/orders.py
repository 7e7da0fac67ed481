"""Orders in the admin, and the kitchen page, which refreshes by itself."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.views.generic import TemplateView
from wagtail.admin import messages
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, HeaderButton

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, local_date
from cms_api.adminkit.history import register_log_actions
from cms_api.adminkit.pages import RecordsPage
from cms_api.adminkit.transitions import Transition, calling
from cms_api.flags.selectors import site_formats, site_timezone
from cms_api.text.search import matching
from commerce.common.admin.cells import logged_amount
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.payments.selectors import refundable_cents
from commerce.payments.types import RECORDED, Method
from commerce.sales.admin import (
    SaleStatusColumn,
    SaleViewSet,
    amounts_for_csv,
    currency,
    items,
    money_note,
    price_words,
    refund_button,
    register_sale_actions,
)
from commerce.sales.resources import Row

from ..models import RestaurantOrder
from ..resources import mails, sums
from ..selectors.hours import is_paused
from ..selectors.orders import ORDER_LINK, kitchen_orders, orders
from ..services.hours import pause_kitchen
from ..services.kitchen import CANCELS, COMPLETES, READY_FROM, STARTS, cancel_order, complete_order, mark_ready, start_preparing
from ..services.paying import ORDERS
from ..types.orders import PAYABLE, Fulfillment, OrderStatus, PaymentMethod

TONES = {OrderStatus.PLACED: "warning", OrderStatus.PREPARING: "info", OrderStatus.READY: "positive"}
#: Orders that the kitchen page shows.
SHOWN_ORDERS = 100


class CompleteForm(forms.Form):
    """Asks how an order was paid at the store; nothing if it has been paid."""

    method = forms.ChoiceField(label="Paid by", choices=[(each.value, each.label) for each in RECORDED])

    def __init__(self, *args: Any, record: RestaurantOrder, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "auto_id": f"id_{record.pk}_%s"})
        if not record.is_unpaid:
            del self.fields["method"]


def refund_words(order: RestaurantOrder) -> str:
    """Return what goes back when an order is cancelled."""
    return format_money(Money(refundable_cents(PAYABLE, order.pk), order.currency))


def is_refundable(order: RestaurantOrder) -> bool:
    return refundable_cents(PAYABLE, order.pk) > 0


def cancel_words(order: RestaurantOrder) -> str:
    back = f", and {refund_words(order)} goes back to them" if is_refundable(order) else ""
    return f"The customer gets an email{back}."


def complete(order: RestaurantOrder, user: Any, values: Mapping[str, Any]) -> bool:
    return complete_order(order=order, method=values.get("method", Method.CASH), user=user)


def kitchen_time(moment: datetime) -> dict[str, str]:
    """Return the `time` on the restaurant's clock, and the `day` if it is not today."""
    zone, formats = site_timezone(), site_formats()
    local = timezone.localtime(moment, zone)
    is_today = local.date() == timezone.localdate(timezone=zone)
    return {"time": formats.time(local), "day": "" if is_today else formats.weekday_date(local.date())}


class KitchenView(RecordsPage, TemplateView):
    """The open orders by the time for which they are wanted. The script asks for `kitchen/orders/`, a part of the page."""

    permission_required = "change"
    template_name = "restaurant_admin/kitchen.html"
    page_title = "Kitchen"
    header_icon = "tasks"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        shown = [
            {
                "order": order,
                **kitchen_time(order.wanted_at),
                "way": mails.way(order),
                "transitions": [
                    each.bind(self.viewset, order) for each in self.viewset.transitions if each.in_rows and each.offered(order)
                ],
                "url": self.viewset.url(order),
                "note": money_note(order),
            }
            for order in kitchen_orders()[:SHOWN_ORDERS]
        ]
        more = {"orders": shown, "is_paused": is_paused(), "back": reverse(self.viewset.get_url_name("kitchen"))}
        return super().get_context_data(**kwargs, **more)

    def post(self, request: HttpRequest) -> HttpResponse:
        """Pause the kitchen, or resume."""
        paused = request.POST.get("paused") == "1"
        pause_kitchen(paused=paused, user=request.user)
        messages.success(request, "Orders are paused." if paused else "Orders are taken again.")
        return redirect(self.viewset.get_url_name("kitchen"))


class OrderViewSet(SaleViewSet):
    model = RestaurantOrder
    payable, customer_link, tones = PAYABLE, ORDER_LINK, TONES
    menu_label = "Restaurant orders"
    menu_order = 10
    name = "restaurant_orders"
    url_prefix = "restaurant/orders"
    inspect_template_name = "restaurant_admin/order.html"
    list_display = (
        RecordColumn("number", label="Order", sort_key="number"),
        NotedColumn("name", label="Customer", note=lambda order: order.email),
        SaleStatusColumn(),
        Column("fulfillment", label="Fulfillment", accessor="get_fulfillment_display"),
        Column("total_cents", label="Total", accessor=price_words, sort_key="total_cents"),
        MomentColumn("wanted_at", label="Wanted"),
        MomentColumn("created_at", label="Ordered"),
    )
    filters = {
        "status": filters.choice(OrderStatus.choices),
        "fulfillment": filters.choice(Fulfillment.choices),
        "payment_method": filters.choice(PaymentMethod.choices, label="Payment"),
        "created_at": filters.date_range("Ordered"),
    }
    search = matching
    search_order = 177
    csv = {
        "Order": "number",
        "Status": "status",
        "Fulfillment": "fulfillment",
        "Name": "name",
        "Email": "email",
        "Phone": "phone",
        "Items": items,
        **amounts_for_csv("tip", "tax", "total", "refunded"),
        "Currency": currency,
        "Payment": "payment_method",
        "Wanted": "wanted_at",
        "Paid": "paid_at",
        "Ordered": "created_at",
    }
    transitions = (
        Transition(
            "prepare",
            "Start preparing",
            calling(start_preparing, "order"),
            "{record} is being prepared.",
            offered=lambda order: order.status in STARTS,
        ),
        Transition(
            "ready",
            "Ready",
            calling(mark_ready, "order"),
            "{record} is ready.",
            offered=lambda order: order.status in READY_FROM,
        ),
        Transition(
            "complete",
            "Complete",
            complete,
            "{record} is completed.",
            offered=lambda order: order.status in COMPLETES,
            form=CompleteForm,
        ),
        refund_button(
            ORDERS,
            in_rows=False,
            confirm=lambda order: "The order goes on. Cancel it instead if it isn't wanted." if order.status in CANCELS else "",
        ),
        Transition(
            "cancel",
            "Cancel order",
            calling(cancel_order, "order"),
            "{record} cancelled. The customer has been emailed.",
            "{record} was already cancelled.",
            offered=lambda order: order.status in CANCELS,
            serious=True,
            confirm=cancel_words,
            confirm_label=lambda order: f"Cancel and refund {refund_words(order)}" if is_refundable(order) else "Cancel order",
        ),
    )

    def records(self) -> QuerySet[RestaurantOrder]:
        return orders()

    def list_buttons(self, user: Any) -> list[BaseButton]:
        return [HeaderButton("Kitchen", url=reverse(self.get_url_name("kitchen")), icon_name="tasks")]

    def facts(self, record: RestaurantOrder) -> dict[str, Any]:
        return {
            **super().facts(record),
            "For": mails.when(record),
            "Customer": record.name,
            "Email": record.email,
            "Phone": record.phone or None,
            "Delivery address": ", ".join(record.delivery_lines) or None,
            "Delivery zone": record.zone or None,
            "Note": record.notes or None,
            "Payment": record.get_payment_method_display(),
            "Ordered": local_date(record.created_at),
            "Paid": record.paid_at,
            "Ready": record.ready_at,
            "Completed": record.completed_at,
            "Cancelled": record.cancelled_at,
        }

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        part = self.construct_view(KitchenView, template_name="restaurant_admin/kitchen_orders.html")
        return [
            path("kitchen/", self.construct_view(KitchenView), name="kitchen"),
            path("kitchen/orders/", part, name="kitchen_orders"),
        ]

    def get_sums(self, sale: RestaurantOrder) -> list[Row]:
        return sums.of_order(sale)

    def inspect_context(self, record: RestaurantOrder, request: HttpRequest) -> dict[str, Any]:
        return {**super().inspect_context(record, request), "items": record.items.all()}


register_sale_actions("restaurant")
register_log_actions(
    {
        "restaurant.create_order": ("Create order", "Created"),
        "restaurant.replace_order": ("Replace order", "Replaced by another order of the same cart"),
        "restaurant.place_order": ("Place order", lambda data: f"Placed for {logged_amount(data)}"),
        "restaurant.prepare_order": ("Start preparing", "Being prepared"),
        "restaurant.order_ready": ("Mark as ready", "Ready"),
        "restaurant.complete_order": ("Complete order", "Completed"),
        "restaurant.cancel_order": ("Cancel order", "Cancelled"),
        "restaurant.lapse_order": ("End reservation", "Cancelled: it was not paid in time"),
    }
)
