"""Orders as records that customers pay for, and how they become binding."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.webhooks.services import emit
from commerce.payments.types import LONGEST_TO_PAY, SHORTEST_PAGE_LIFETIME
from commerce.sales.services import ReservedPayable
from commerce.sales.types import Stage

from ..models import MenuCart, MenuCartItem, RestaurantOrder
from ..selectors import hours
from ..selectors.carts import order_problem
from ..selectors.orders import ORDER_LINK
from ..types.orders import OPEN, PAYABLE, OrderStatus, PaymentMethod
from . import notices
from .capacity import take_slot


class RestaurantOrders(ReservedPayable[RestaurantOrder]):
    model, payable, log_prefix, customer_link = RestaurantOrder, PAYABLE, "restaurant", ORDER_LINK
    admin_page = "restaurant_orders:inspect"
    stages = {
        OrderStatus.PENDING: Stage.PENDING,
        **dict.fromkeys((*OPEN, OrderStatus.COMPLETED), Stage.PAID),
        OrderStatus.CANCELLED: Stage.CANCELLED,
    }
    # Staff give its money back with it.
    more_transitions = {Stage.PAID: {Stage.CANCELLED}}

    def lock(self, pk: int) -> RestaurantOrder | None:
        """Lock an order, and before it its cart, which the checkout locks first."""
        cart = RestaurantOrder.objects.filter(pk=pk).values("cart")
        MenuCart.objects.select_for_update().filter(pk__in=cart).first()
        return super().lock(pk)

    def check_due(self, record: RestaurantOrder) -> None:
        """Let an order that is paid at the store be paid while it is made, too."""
        is_at_store = record.payment_method == PaymentMethod.AT_STORE and record.status in OPEN and record.is_unpaid
        if not is_at_store:
            super().check_due(record)

    def take(self, record: RestaurantOrder, until: datetime) -> None:
        """Take the slot. Raises Invalid (`items`) for a dish that is off."""
        if problem := order_problem(record):
            raise Invalid({"items": f"{problem} Please order again."})
        take_slot(record)
        record.reserved_until = until
        record.save(update_fields=["reserved_until", "has_slot"])

    def pays_until(self, record: RestaurantOrder) -> datetime:
        return min(_served_until(record), super().pays_until(record))

    def describe(self, record: RestaurantOrder) -> str:
        return f"Restaurant order {record.number}"

    def become_paid(self, sale: RestaurantOrder, payment: Any = None) -> bool:
        """Place an order, unless nobody waits for the meal any more. A page that was opened in time may still be in use."""
        if timezone.now() > _served_until(sale) + SHORTEST_PAGE_LIFETIME:
            raise Invalid({"status": self.not_in_time})
        become_placed(sale, paid_at=payment.paid_at)
        return True

    def begin_processing(self, record: RestaurantOrder) -> list[str]:
        """Let the customer order something else."""
        _empty_cart(record)
        return ["cart"]


ORDERS = RestaurantOrders()


def _served_until(order: RestaurantOrder) -> datetime:
    """Return until when the payment of an order can begin: until its time.

    One that is made as soon as possible can be paid later, while it can still be made before the kitchen closes.
    """
    closes = hours.last_orders(order.wanted_at) if order.is_asap else None
    if closes is None:
        return order.wanted_at
    return max(order.wanted_at, min(order.created_at + LONGEST_TO_PAY, closes - _lead(order)))


def become_placed(order: RestaurantOrder, *, paid_at: datetime | None = None) -> None:
    """Make an order binding: the kitchen sees it, and its customer gets an email. The caller has locked the order."""
    now = timezone.now()
    order.status, order.is_processing, order.reserved_until = OrderStatus.PLACED, False, None
    order.placed_at, order.paid_at, order.updated_at = now, paid_at, now
    if paid_at is not None and order.is_asap:
        # One that was paid for late is made from now on.
        order.wanted_at = max(order.wanted_at, _soonest(order, now))
    if paid_at is not None:
        order.network = ""
    _empty_cart(order)
    order.save()
    log(instance=order, action="restaurant.place_order", data={"cents": order.total_cents, "currency": order.currency})
    emit("restaurant_order.placed", order)
    notices.record_placed(order)
    notices.send_placed(order)
    notices.notify_business(order)


def _soonest(order: RestaurantOrder, now: datetime) -> datetime:
    """Return when an order can be ready, or delivered, that is made from now on."""
    return (now + _lead(order)).replace(second=0, microsecond=0)


def _lead(order: RestaurantOrder) -> timedelta:
    """Return how long an order takes, with the way to the customer."""
    zone = hours.zone_at(order.delivery_address)
    return hours.rules(zone.extra_minutes if zone else 0).lead


def _empty_cart(order: RestaurantOrder) -> None:
    """Take what was ordered out of the cart; what has been added since stays."""
    if order.cart_id is None:
        return
    ordered: Counter[Any] = Counter()
    for item in order.items.all():
        ordered[item.menu_item_id, *item.options, item.notes] += item.quantity
    for row in MenuCartItem.objects.filter(cart=order.cart_id):
        number = ordered[row.item_id, *row.options, row.notes]
        if row.quantity <= number:
            row.delete()
        elif number:
            MenuCartItem.objects.filter(pk=row.pk).update(quantity=row.quantity - number)
    order.cart = None
