"""Emails about orders, and their entries in the timelines of contacts."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from cms_api.mail.services import queue, queue_to_business
from commerce.common.selectors import format_money
from commerce.common.types import salutation
from commerce.common.types.money import Money
from commerce.crm.services import record_activity, record_customer
from commerce.crm.types import ActivityKind, NewActivity
from commerce.payments.selectors import unsettled_words

from ..models import RestaurantOrder
from ..resources import mails
from ..selectors.orders import ORDER_LINK, admin_url
from ..types.orders import PAYABLE, Fulfillment

SOURCE = "restaurant"


def record_placed(order: RestaurantOrder) -> None:
    """Create or fill in the customer's contact while the CRM is on, and record the order in its timeline."""
    activity = _activity(order, f"Placed restaurant order {order.number} ({format_money(order.total)})")
    known = {"phone": order.phone, **(order.delivery_address or {}), "name": order.name}
    record_customer(email=order.email, source=SOURCE, activity=activity, **known)


def record_completed(order: RestaurantOrder) -> None:
    _record(order, f"Restaurant order {order.number} completed")


def record_cancelled(order: RestaurantOrder) -> None:
    _record(order, f"Restaurant order {order.number} cancelled")


def _record(order: RestaurantOrder, summary: str) -> None:
    record_activity(email=order.email, activity=_activity(order, summary))


def _activity(order: RestaurantOrder, summary: str) -> NewActivity:
    return NewActivity(ActivityKind.ORDER, summary, link=admin_url(order.pk))


def send_placed(order: RestaurantOrder) -> None:
    _send("restaurant_order_placed", order, {"summary": mails.summary(order), "when": mails.when(order)})


def send_ready(order: RestaurantOrder) -> None:
    """Tell the customer that the order can be picked up, or is on its way; guests at a table are served."""
    if order.fulfillment != Fulfillment.DINE_IN:
        _send("restaurant_order_ready", order, {"state": "on its way" if order.is_delivery else "ready for pick-up"})


def send_cancelled(order: RestaurantOrder, *, refund_cents: int) -> None:
    """Tell the customer that the order is cancelled, and that so much is refunded now."""
    otherwise = "Your payment has been refunded." if order.paid_at else "You haven't been charged."
    refund = unsettled_words(PAYABLE, order.pk) or otherwise
    if refund_cents:
        refund = f"We're refunding {format_money(Money(refund_cents, order.currency))}."
    _send("restaurant_order_cancelled", order, {"refund": refund})


def _send(template: str, order: RestaurantOrder, context: Mapping[str, Any]) -> None:
    common = {"name": salutation(order.name), "number": order.number, "order_url": ORDER_LINK.url(order)}
    queue(template=template, to=[order.email], context={**common, **context}, about=f"restaurant:{order.pk}")


def notify_business(order: RestaurantOrder) -> None:
    """Email the business about a new order; an answer goes to the customer."""
    context = {
        "number": order.number,
        "name": order.name,
        "total": format_money(order.total),
        "when": mails.when(order),
        "summary": mails.summary(order),
        "admin_url": settings.BASE_URL + admin_url(order.pk),
    }
    queue_to_business(template="restaurant_order_received", context=context, reply_to=order.email)
