"""Counts the orders of each slot, as the shop counts its stock: one conditional statement, never read and then written.

The caller has locked the order, and saves it.
"""

from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.selectors import get_setting

from ..models import RestaurantOrder, Slot

#: The age at which counts are deleted.
PAST = timedelta(days=2)


def take_slot(order: RestaurantOrder) -> None:
    """Count an order among those of its slot, unless it is already. Raises Invalid (`slot`) if the slot is full."""
    if order.has_slot:
        return
    Slot.objects.bulk_create([Slot(starts_at=order.slot_at)], ignore_conflicts=True)
    if not _take(order):
        raise Invalid({"slot": "This time has just been taken. Choose another time."})
    order.has_slot = True


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
    Slot.objects.filter(starts_at__lt=timezone.now() - PAST).delete()
