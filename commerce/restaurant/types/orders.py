"""Orders: statuses, ways to get and to pay them, and limits."""

from django.db.models import TextChoices

from commerce.common.types.tax import Supply

#: The name of orders among what is paid for; payments store it.
PAYABLE = "restaurant_order"
#: The series of their numbers.
NUMBERS = "RES"
FIRST_NUMBER = 1001
#: Of one dish in a cart.
MAX_QUANTITY = 99
#: Different items in a cart.
MAX_ITEMS = 50
MAX_NOTE = 300
MAX_ORDER_NOTE = 1000
MAX_TABLE = 20
#: The largest tip, in percent of the rest of the total.
MAX_TIP_PERCENT = 100
#: Tips that are offered, in percent of the items.
TIP_PERCENTS = (0, 5, 10, 15)


class OrderStatus(TextChoices):
    #: Waiting for its online payment; the kitchen does not see it.
    PENDING = "pending"
    PLACED = "placed"
    PREPARING = "preparing"
    READY = "ready"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


#: Those that the kitchen works on.
OPEN = (OrderStatus.PLACED, OrderStatus.PREPARING, OrderStatus.READY)


class Fulfillment(TextChoices):
    PICKUP = "pickup", "Pick-up"
    DELIVERY = "delivery", "Delivery"
    DINE_IN = "dine_in", "Dine in"


#: How each decides where an order is taxed.
SUPPLIES = {
    Fulfillment.PICKUP: Supply.PICKED_UP,
    Fulfillment.DELIVERY: Supply.DELIVERED,
    Fulfillment.DINE_IN: Supply.AT_TABLE,
}


class PaymentMethod(TextChoices):
    ONLINE = "online", "Online"
    AT_STORE = "at_store", "At the store"


def order_number(sequence: int) -> str:
    return f"{NUMBERS}-{sequence:04d}"


def customer_status(status: str, fulfillment: str) -> str:
    """Return a status in the words of customers."""
    if status == OrderStatus.READY:
        ready = {Fulfillment.PICKUP: "Ready for pick-up", Fulfillment.DELIVERY: "On its way", Fulfillment.DINE_IN: "Served soon"}
        return ready[Fulfillment(fulfillment)]
    words = {
        OrderStatus.PENDING: "Awaiting payment",
        OrderStatus.PLACED: "Received",
        OrderStatus.PREPARING: "Being prepared",
        OrderStatus.COMPLETED: "Completed",
        OrderStatus.CANCELLED: "Cancelled",
    }
    return words[OrderStatus(status)]
