"""Orders as records that customers pay for, and how they become binding."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.webhooks.services import emit
from commerce.payments.types import LONGEST_TO_PAY, SHORTEST_PAGE_LIFETIME, Due
from commerce.sales.services import SalePayable
from commerce.sales.types import Stage

from ..models import MenuCart, MenuCartItem, RestaurantOrder
from ..selectors import hours
from ..selectors.carts import order_problem
from ..selectors.orders import ORDER_LINK
from ..types.orders import OPEN, PAYABLE, OrderStatus, PaymentMethod
from . import notices
from .capacity import take_slot

NOT_PAID_IN_TIME = "The time to pay for this order has ended."


class RestaurantOrders(SalePayable[RestaurantOrder]):
    model, payable, log_prefix, admin_page = RestaurantOrder, PAYABLE, "restaurant", "restaurant_orders:inspect"
    stages = {
        OrderStatus.PENDING: Stage.PENDING,
        **dict.fromkeys((*OPEN, OrderStatus.COMPLETED), Stage.PAID),
        OrderStatus.CANCELLED: Stage.CANCELLED,
    }
    # Staff give its money back with it.
    more_transitions = {Stage.PAID: {Stage.CANCELLED}}

    def lock(self, pk: int) -> RestaurantOrder | None:
        return lock_order(pk)

    def due(self, record: RestaurantOrder) -> Due:
        """Return the order's total. Raises Invalid: `status` if it waits for no payment, `items` for a dish that is off."""
        at_store = record.payment_method == PaymentMethod.AT_STORE and record.status in OPEN and record.is_unpaid
        if not at_store and (not record.is_pending or record.is_processing):
            raise Invalid({"status": self.not_due})
        if record.is_pending:
            if timezone.now() > min(_pays_until(record), record.created_at + LONGEST_TO_PAY):
                raise Invalid({"status": NOT_PAID_IN_TIME})
            if problem := order_problem(record):
                raise Invalid({"items": f"{problem} Please order again."})
            take_slot(record)
            record.reserved_until = reservation_end()
            record.save(update_fields=["reserved_until", "has_slot"])
        page = ORDER_LINK.path(record)
        return Due(
            record.total,
            f"Restaurant order {record.number}",
            record.email,
            return_path=page,
            cancel_path=page,
            expires_at=record.reserved_until,
        )

    def apply_payment(self, record: RestaurantOrder, payment: Any) -> bool:
        """Apply a payment, unless nobody waits for the meal any more. A page that was opened in time may still be in use."""
        if not record.is_pending or payment.amount != record.total:
            return False
        if timezone.now() > _pays_until(record) + SHORTEST_PAGE_LIFETIME:
            raise Invalid({"status": NOT_PAID_IN_TIME})
        become_placed(record, paid_at=payment.paid_at)
        return True

    def begin_processing(self, record: RestaurantOrder) -> list[str]:
        """Let the customer order something else."""
        _empty_cart(record)
        return ["cart"]


ORDERS = RestaurantOrders()


def lock_order(pk: int) -> RestaurantOrder | None:
    """Lock an order, and before it its cart, which the checkout locks first."""
    cart = RestaurantOrder.objects.filter(pk=pk).values("cart")
    MenuCart.objects.select_for_update().filter(pk__in=cart).first()
    return RestaurantOrder.objects.select_for_update(of=("self",)).filter(pk=pk).first()


def reservation_end() -> datetime:
    """Return until when an order that is placed now waits for its payment."""
    return timezone.now() + SHORTEST_PAGE_LIFETIME


def _pays_until(order: RestaurantOrder) -> datetime:
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
