"""Emails about orders, and their entries in the timelines of contacts."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.conf import settings
from wagtail.log_actions import log

from cms_api.mail.services import queue, queue_to_business
from cms_api.mail.types import Attachment, Visitor
from commerce.common.selectors import format_money
from commerce.common.services.documents import Document, typeset
from commerce.common.types import split_name
from commerce.common.types.money import Money
from commerce.crm.services import record_activity, record_customer
from commerce.crm.types import ActivityKind, NewActivity
from commerce.payments.selectors import unsettled_words

from ..models import Order, Shipment
from ..resources import mails
from ..resources.documents import receipt_document
from ..selectors.orders import ORDER_LINK, admin_url
from ..types.orders import PAYABLE

SOURCE = "shop"


def names(order: Order) -> tuple[str, str]:
    """Return the first and the last name of an order's customer."""
    return split_name(order.name)


def record_placed(order: Order) -> None:
    """Create or fill in the customer's contact while the CRM is on, and record the order in its timeline."""
    activity = _activity(order, f"Placed order {_describe(order)}")
    known = {"phone": order.phone, **(order.shipping_address or {}), "name": order.name}
    record_customer(email=order.email, source=SOURCE, activity=activity, **known)


def record_paid(order: Order) -> None:
    _record(order, f"Paid for order {_describe(order)}")


def record_shipped(order: Order, *, is_whole: bool) -> None:
    done = "ready for pick-up" if order.is_pickup else "shipped"
    _record(order, f"Order {order.number} {done}" if is_whole else f"A part of order {order.number} {done}")


def record_cancelled(order: Order) -> None:
    _record(order, f"Order {order.number} cancelled")


def record_refunded(order: Order, amount: Money) -> None:
    _record(order, f"Refunded {format_money(amount)} of order {order.number}")


def _describe(order: Order) -> str:
    return f"{order.number} ({format_money(order.total)})"


def _record(order: Order, summary: str) -> None:
    record_activity(email=order.email, activity=_activity(order, summary))


def _activity(order: Order, summary: str) -> NewActivity:
    return NewActivity(ActivityKind.ORDER, summary, link=admin_url(order.pk))


def send_confirmation(order: Order) -> None:
    """Email the customer what was bought, with the receipt as PDF and links to what can be downloaded."""
    context = {"summary": mails.summary(order), "downloads": mails.downloads(order)}
    made_from = {"order_id": order.pk, "document": asdict(receipt_document(order))}
    pdf = Attachment(f"{order.number}.pdf", type="application/pdf", maker=f"{__name__}.typeset_receipt", made_from=made_from)
    _send("order_confirmed", order, context, attachments=[pdf])


def typeset_receipt(*, order_id: int, document: Mapping[str, Any]) -> bytes:
    """Return the receipt of an order for its mail, and note the characters that it lacks."""
    pdf = typeset(Document(**document))
    order = Order.objects.filter(pk=order_id).first() if pdf.missing else None
    if order is not None:
        log(instance=order, action="shop.receipt_lacks", data={"characters": pdf.missing_list})
    return pdf.content


def send_shipped(order: Order, shipment: Shipment) -> None:
    if order.is_pickup:
        _send("order_ready", order, {"shipment": mails.shipment(shipment), "place": order.shipping_method})
        return
    _send("order_shipped", order, {"shipment": mails.shipment(shipment), "tracking": mails.tracking(shipment)})


def send_cancelled(order: Order) -> None:
    refund = unsettled_words(PAYABLE, order.pk) or "You have not been charged."
    _send("order_cancelled", order, {"refund": refund})


def send_refunded(order: Order, amount: Money) -> None:
    _send("order_refunded", order, {"amount": format_money(amount)})


def send_reminder(order: Order) -> None:
    _send("order_reminder", order, {"summary": mails.summary(order)}, entered_by=Visitor(order.user))


def _send(template: str, order: Order, context: Mapping[str, Any], **more: Any) -> None:
    common = {"name": names(order)[0] or order.name, "number": order.number, "order_url": ORDER_LINK.url(order)}
    queue(template=template, to=[order.email], context={**common, **context}, **more)


def notify_business(order: Order) -> None:
    """Email the business about a paid order; an answer goes to the customer."""
    context = {
        "number": order.number,
        "name": order.name,
        "total": format_money(order.total),
        "summary": mails.summary(order),
        "admin_url": settings.BASE_URL + admin_url(order.pk),
    }
    queue_to_business(template="order_received", context=context, reply_to=order.email)
