"""Sends paid orders, whole or in parts."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, Invalid
from cms_api.core.locks import get_row
from cms_api.fields.base import FieldPath, read_line
from cms_api.fields.texts import is_web_url
from cms_api.webhooks.services import emit

from ..models import Order, OrderItem, Shipment, ShipmentItem
from ..types.orders import MAX_CARRIER, MAX_TRACKING, MAX_TRACKING_URL, OrderStatus, tracking_url
from . import notices

#: Pieces by the id of their order item.
Pieces = Mapping[int, int]


@transaction.atomic
def fulfill_order(
    *,
    order: Order,
    tracking: Mapping[str, Any] | None = None,
    pieces: Pieces | None = None,
    send_email: bool = True,
    user: Any = None,
) -> Order:
    """Ship pieces of a paid order, by default all that are left; with the last one, the order is fulfilled.

    `tracking` may have `carrier`, `tracking_number` and `tracking_url`, which is derived for known carriers. Raises Invalid by
    these names, for `status` if the order is not paid, and for `items`.
    """
    parcel = read_tracking(tracking or {})
    locked = get_row(Order.objects.select_for_update(), order.pk)
    if locked.status != OrderStatus.PAID:
        raise Invalid({"status": f"Only paid orders can be fulfilled; this one is {locked.get_status_display().lower()}."})
    items = {item.pk: item for item in locked.items.all()}
    shipped = _read_pieces(pieces, items)
    now = timezone.now()
    shipment = Shipment.objects.create(order=locked, shipped_by=user, created_at=now, **parcel)
    for pk, quantity in shipped.items():
        OrderItem.objects.filter(pk=pk).update(shipped=F("shipped") + quantity)
        items[pk].shipped += quantity
    ShipmentItem.objects.bulk_create(
        [ShipmentItem(shipment=shipment, item_id=pk, quantity=quantity) for pk, quantity in shipped.items()]
    )
    for name, value in parcel.items():
        setattr(locked, name, value)
    locked.updated_at = now
    is_whole = not any(item.unshipped for item in items.values())
    if is_whole:
        locked.status, locked.fulfilled_at = OrderStatus.FULFILLED, now
    locked.save()
    log(
        instance=locked,
        action="shop.fulfill_order" if is_whole else "shop.ship_part",
        user=user,
        data=_describe_parcel(parcel, shipped),
    )
    if is_whole:
        emit("order.status_changed", locked)
    notices.record_shipped(locked, is_whole=is_whole)
    if send_email:
        notices.send_shipped(locked, shipment)
    return locked


@transaction.atomic
def correct_tracking(*, shipment: Shipment, tracking: Mapping[str, Any], send_email: bool = False, user: Any = None) -> bool:
    """Change how a shipment is tracked; return False if unchanged. Its customer gets an email only if asked for.

    Raises Invalid as `fulfill_order` does.
    """
    parcel = read_tracking(tracking)
    order = get_row(Order.objects.select_for_update(), shipment.order_id)
    if parcel == {name: getattr(shipment, name) for name in parcel}:
        return False
    Shipment.objects.filter(pk=shipment.pk).update(**parcel)
    if order.shipments.order_by("-pk").values_list("pk", flat=True).first() == shipment.pk:
        Order.objects.filter(pk=order.pk).update(**parcel, updated_at=timezone.now())
    log(instance=order, action="shop.correct_tracking", user=user, data=_describe_parcel(parcel, {}))
    if send_email:
        shipment.refresh_from_db()
        notices.send_shipped(order, shipment)
    return True


def read_tracking(values: Mapping[str, Any]) -> dict[str, str]:
    """Return carrier, number and URL; that of a known carrier is derived if it is left out. Raises Invalid."""
    errors = ErrorCollector()
    found = {"carrier": "", "tracking_number": "", "tracking_url": ""}
    for name, limit in (("carrier", MAX_CARRIER), ("tracking_number", MAX_TRACKING), ("tracking_url", MAX_TRACKING_URL)):
        with errors.under():
            found[name] = read_line(values.get(name), FieldPath(name, name.replace("_", " ")), limit) or ""
    if found["tracking_url"] and not is_web_url(found["tracking_url"]):
        errors.add("tracking_url", "The tracking url must be a valid URL.")
    errors.raise_if_any()
    found["tracking_url"] = found["tracking_url"] or tracking_url(found["carrier"], found["tracking_number"])
    return found


def _read_pieces(pieces: Pieces | None, items: Mapping[int, OrderItem]) -> dict[int, int]:
    """Return how many of each item are shipped, by default all that are left. Raises Invalid (`items`)."""
    if pieces is None:
        rest = {pk: item.unshipped for pk, item in items.items() if item.unshipped}
        if not rest:
            raise Invalid({"status": "Nothing of this order is left to ship."})
        return rest
    for pk, quantity in pieces.items():
        if pk not in items or not 0 <= quantity <= items[pk].unshipped:
            left = items[pk].unshipped if pk in items else 0
            raise Invalid({"items": f"Only {left} left to ship." if left else "Nothing of this item is left to ship."})
    shipped = {pk: quantity for pk, quantity in pieces.items() if quantity}
    if not shipped:
        raise Invalid({"items": "Choose at least one item to ship."})
    return shipped


def _describe_parcel(parcel: Mapping[str, str], pieces: Pieces) -> dict[str, Any]:
    return {**{name: value for name, value in parcel.items() if value}, "pieces": sum(pieces.values())}
