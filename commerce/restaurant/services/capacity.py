"""Counts the orders of each slot, as the shop counts its stock: one conditional statement, never read and then written.

The caller has locked the order, and saves it.
"""

from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import get_setting
from commerce.common.services.networks import has_many, most_orders
from commerce.common.types.shares import most_unpaid

from ..models import RestaurantOrder, Slot
from ..types.orders import OPEN, Fulfillment

#: Unpaid orders that one network may have in a slot, however few these are.
FEWEST_UNPAID_ORDERS = 2
HOLDS_MANY = "Other orders from your network wait for their payment at this time. Pay for them first, or choose another time."
HAS_MANY = "Many orders from your network are still to be paid. Sign in, or pay online."

#: The age at which counts are deleted.
SLOT_RETENTION = timedelta(days=2)


def take_slot(order: RestaurantOrder) -> None:
    """Count an order among those of its slot, unless it is already.

    Raises Invalid (`slot`) if the slot is full, or one network has too many unpaid orders in it; the caller's transaction must
    then be rolled back.
    """
    if order.has_slot:
        return
    Slot.objects.bulk_create([Slot(starts_at=order.slot_at)], ignore_conflicts=True)
    if not _take(order):
        raise Invalid({"slot": "This time has just been taken. Choose another time."})
    # The row is locked now: orders of one network are counted one after another.
    _check_share(order)
    order.has_slot = True


def _check_share(order: RestaurantOrder) -> None:
    """Raise Invalid (`slot`) if visitors of one network would have too many orders that are not paid.

    Guests who order at their tables share a network: half of a slot can be theirs.
    """
    limit, orders = get_setting("restaurant.orders_per_slot"), most_orders()
    if not order.network or not orders:
        return
    unpaid = RestaurantOrder.objects.filter(network=order.network, has_slot=True, is_processing=False)
    is_at_table = order.fulfillment == Fulfillment.DINE_IN
    most = (
        max(FEWEST_UNPAID_ORDERS, limit // 2)
        if is_at_table
        else most_unpaid(limit, one_order=FEWEST_UNPAID_ORDERS, several=orders)
    )
    if limit > 0 and unpaid.filter(slot_at=order.slot_at).count() >= most:
        raise Invalid({"slot": HOLDS_MANY})
    binding = unpaid.filter(status__in=OPEN).exclude(fulfillment=Fulfillment.DINE_IN)
    is_binding = order.reserved_until is None or not order.total_cents
    if is_binding and not is_at_table and has_many(binding, order.network):
        raise Invalid({"slot": HAS_MANY})


def _take(order: RestaurantOrder) -> bool:
    limit, slots = get_setting("restaurant.orders_per_slot"), Slot.objects.filter(starts_at=order.slot_at)
    free = slots.filter(orders__lt=limit) if limit > 0 else slots
    return bool(free.update(orders=F("orders") + 1))


def give_back_slot(order: RestaurantOrder) -> None:
    if order.has_slot:
        Slot.objects.filter(starts_at=order.slot_at, orders__gt=0).update(orders=F("orders") - 1)
        order.has_slot = False


def drop_past_slots() -> None:
    """Delete the counts of past slots (periodic job)."""
    Slot.objects.filter(starts_at__lt=timezone.now() - SLOT_RETENTION).delete()
