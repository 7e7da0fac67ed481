"""Orders in the admin: everything that is done with one is a button of its page."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.views.generic import View
from wagtail.admin import messages
from wagtail.admin.ui.tables import Column
from wagtail.admin.views.generic.permissions import PermissionCheckedMixin

from cms_api.adminkit import filters
from cms_api.adminkit.bulk_actions import Bulk
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn
from cms_api.adminkit.history import register_log_actions
from cms_api.adminkit.transitions import Transition, calling
from cms_api.text.search import matching
from commerce.common.admin.cells import logged_amount
from commerce.common.services.documents import Pdf
from commerce.common.views import pdf_response
from commerce.sales.admin import (
    SaleStatusColumn,
    SaleViewSet,
    amounts_for_csv,
    currency,
    items,
    money_note,
    payment_button,
    price_words,
    refund_button,
    register_sale_actions,
)
from commerce.sales.resources import Row

from ..models import Order, Shipment
from ..resources import sums
from ..resources.documents import packing_slip, receipt
from ..selectors.orders import ORDER_LINK, SOLD, filter_abandoned, is_abandoned
from ..services.ending import cancel_order, refund_order
from ..services.fulfilling import correct_tracking, fulfill_order
from ..services.paying import ORDERS
from ..types.orders import ABANDONED, PAYABLE, OrderStatus
from .order_forms import RefundForm, ShipAllForm, ShipForm, TrackingForm

TONES = {
    OrderStatus.PENDING: "info",
    OrderStatus.PAID: "warning",
    OrderStatus.FULFILLED: "positive",
    OrderStatus.CANCELLED: "",
    OrderStatus.REFUNDED: "",
}


def of_status(orders: QuerySet[Order], name: str, value: str) -> QuerySet[Order]:
    return filter_abandoned(orders) if value == ABANDONED else orders.filter(status=value)


def parcel_of(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in ("carrier", "tracking_number", "tracking_url")}


def ship(order: Order, user: Any, values: Mapping[str, Any]) -> Order:
    return fulfill_order(
        order=order, tracking=parcel_of(values), pieces=values["pieces"], send_email=values["send_email"], user=user
    )


def refund(order: Order, user: Any, values: Mapping[str, Any]) -> Any:
    chosen = {name: values[name] for name in ("pieces", "restock", "reason")}
    return refund_order(order=order, amount_cents=values["amount_cents"], user=user, **chosen)


def correct(shipment: Shipment, user: Any, values: Mapping[str, Any]) -> bool:
    return correct_tracking(shipment=shipment, tracking=parcel_of(values), send_email=values["send_email"], user=user)


CORRECT_TRACKING = Transition(
    "correct_tracking",
    "Correct tracking",
    correct,
    "Tracking corrected.",
    "The tracking is as it was.",
    form=TrackingForm,
    on_page=True,
)


class DocumentView(PermissionCheckedMixin, View):
    """A document of an order, as PDF."""

    model: ClassVar[Any] = None
    viewset: ClassVar[Any] = None
    permission_required = "view"
    documents: ClassVar[Mapping[str, Callable[[Order], Pdf]]] = {"receipt": receipt, "packing_slip": packing_slip}
    document = ""

    def get(self, request: HttpRequest, pk: int) -> HttpResponse:
        order = get_object_or_404(self.viewset.records(), pk=pk)
        if self.document == "receipt" and order.paid_at is None:
            raise Http404
        pdf = self.documents[self.document](order)
        if pdf.missing:
            name = self.document.replace("_", " ")
            messages.warning(request, f"The {name} of {order} lacks some characters: {pdf.missing_list}")
        return pdf_response(pdf.content, f"{order.number}-{self.document.replace('_', '-')}")


class OrderViewSet(SaleViewSet):
    model = Order
    payable, customer_link, tones = PAYABLE, ORDER_LINK, TONES
    menu_label = "Orders"
    menu_order = 10
    name = "orders"
    inspect_template_name = "shop_admin/order.html"
    list_display = (
        RecordColumn("number", label="Order", sort_key="number"),
        NotedColumn("name", label="Customer", note=lambda order: order.email),
        SaleStatusColumn(),
        Column("total_cents", label="Total", accessor=price_words, sort_key="total_cents"),
        MomentColumn("created_at", label="Placed"),
    )
    filters = {
        "status": filters.choice([*OrderStatus.choices, (ABANDONED, "Abandoned")], method=of_status),
        "created_at": filters.date_range("Placed"),
    }
    search = matching
    search_order = 175
    csv = {
        "Order": "number",
        "Status": "status",
        "Name": "name",
        "Email": "email",
        "Phone": "phone",
        "Items": items,
        **amounts_for_csv("subtotal", "discount"),
        "Discount code": "discount_code",
        **amounts_for_csv("shipping", "tax", "total", "refunded"),
        "Currency": currency,
        "Shipping method": "shipping_method",
        "Shipping address": lambda order: ", ".join(order.shipping_lines),
        "Carrier": "carrier",
        "Tracking number": "tracking_number",
        "Placed": "placed_at",
        "Paid": "paid_at",
        "Fulfilled": "fulfilled_at",
    }
    transitions = (
        Transition(
            "ship",
            "Ship items",
            ship,
            lambda order: f"Items of {order} marked as shipped.",
            offered=lambda order: order.status == OrderStatus.PAID and any(item.unshipped for item in order.items.all()),
            form=ShipForm,
            on_page=True,
        ),
        payment_button(ORDERS, offered=lambda order: order.is_pending, done="{record} is paid now."),
        refund_button(ORDERS, offered=lambda order: order.status in SOLD, form=RefundForm, run=refund),
        Transition(
            "cancel",
            "Cancel order",
            calling(cancel_order, "order"),
            "{record} cancelled. The customer has been emailed.",
            "{record} was already cancelled.",
            offered=lambda order: order.is_pending or order.is_free_sale,
            serious=True,
            confirm="The items go back into stock, and the customer gets an email.",
        ),
    )

    bulk_actions = (
        Bulk(
            "ship",
            "Mark as shipped",
            "marked as shipped",
            "All their items that are left count as shipped. Orders that are not paid stay as they are.",
            each=lambda order, user, values: bool(fulfill_order(order=order, send_email=values["send_email"], user=user)),
            phrase="Mark {} as shipped",
            form=ShipAllForm,
        ),
    )

    def records(self) -> QuerySet[Order]:
        return Order.objects.prefetch_related("items")

    def facts(self, record: Order) -> dict[str, Any]:
        return {
            **super().facts(record),
            "Customer": record.name,
            "Email": record.email,
            "Phone": record.phone or None,
            "Note": record.customer_note or None,
            "Shipping method": record.shipping_method or None,
            "Reserved until": record.reserved_until,
            "Placed": record.placed_at,
            "Paid": record.paid_at,
            "Fulfilled": record.fulfilled_at,
            "Cancelled": record.cancelled_at,
        }

    def get_extra_urlpatterns(self) -> list[URLPattern]:
        def shipments() -> QuerySet[Shipment]:
            return Shipment.objects.select_related("order")

        def home(shipment: Shipment) -> str:
            return self.url(shipment.order)

        documents = [
            path(f"{name.replace('_', '-')}/<id:pk>/", self.construct_view(DocumentView, document=name), name=name)
            for name in DocumentView.documents
        ]
        policy = self.permission_policy
        return [
            *documents,
            self.part_pattern("shipments/<id:pk>/tracking/", CORRECT_TRACKING, parts=shipments, home=home, policy=policy),
        ]

    def get_note(self, sale: Order) -> str:
        return money_note(sale) or ("Abandoned" if is_abandoned(sale) else "")

    def get_sums(self, sale: Order) -> list[Row]:
        return sums.of_order(sale)

    def get_links(self, sale: Order) -> list[tuple[str, str]]:
        links = super().get_links(sale)
        if sale.paid_at:
            links.append((reverse("orders:receipt", args=[sale.pk]), "Receipt (PDF)"))
        if sale.is_shipped:
            links.append((reverse("orders:packing_slip", args=[sale.pk]), "Packing slip (PDF)"))
        return links

    def inspect_context(self, record: Order, request: HttpRequest) -> dict[str, Any]:
        return {
            **super().inspect_context(record, request),
            "items": record.items.all(),
            "shipments": record.shipments.prefetch_related("items__item"),
            "refunds": record.refunds.select_related("refunded_by"),
        }


def _parcel(data: Mapping[str, Any]) -> str:
    named = " ".join(filter(None, (data.get("carrier"), data.get("tracking_number"))))
    return f" ({named})" if named else ""


register_sale_actions("shop")
register_log_actions(
    {
        "shop.place_order": ("Place order", "Placed"),
        "shop.change_order": ("Change order", "Changed by its customer"),
        "shop.pay_order": ("Pay order", lambda data: f"Paid {logged_amount(data)}"),
        "shop.receipt_lacks": (
            "Receipt lacks characters",
            lambda data: f"The receipt lacks some characters: {data['characters']}",
        ),
        "shop.ship_part": ("Ship a part", lambda data: f"Shipped {data['pieces']} of its items{_parcel(data)}"),
        "shop.fulfill_order": ("Fulfill order", lambda data: f"Fulfilled{_parcel(data)}"),
        "shop.correct_tracking": ("Correct tracking", lambda data: f"Corrected the tracking{_parcel(data)}"),
        "shop.cancel_order": ("Cancel order", "Cancelled"),
        "shop.release_order": ("End reservation", "No longer reserved: it was not paid in time"),
        "shop.remind_customer": ("Remind customer", "Reminded the customer of the payment"),
        "shop.refund_order": ("Refund order", lambda data: f"Asked to refund {logged_amount(data)}"),
    }
)
