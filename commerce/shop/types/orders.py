"""Orders: statuses, numbers and carriers."""

from datetime import timedelta
from urllib.parse import quote

from django.db.models import TextChoices

#: The name of orders among what is paid for; payments store it.
PAYABLE = "order"
#: The series of their numbers.
NUMBERS = "ORD"
FIRST_NUMBER = 1001
#: How long after it was placed an order can be paid online, at the prices of then.
PAYABLE_FOR = timedelta(days=30)
#: Pieces of one variant in a cart.
MAX_QUANTITY = 9_999
#: Different variants in a cart.
MAX_ITEMS = 100
MAX_NOTE = 1000
MAX_CARRIER = 50
MAX_TRACKING = 100
MAX_TRACKING_URL = 500


class OrderStatus(TextChoices):
    PENDING = "pending"
    PAID = "paid"
    FULFILLED = "fulfilled"
    CANCELLED = "cancelled"
    REFUNDED = "refunded"


#: Statuses in the words of customers.
CUSTOMER_STATUS = {
    OrderStatus.PENDING: "Awaiting payment",
    OrderStatus.PAID: "Paid",
    OrderStatus.FULFILLED: "Shipped",
    OrderStatus.CANCELLED: "Cancelled",
    OrderStatus.REFUNDED: "Refunded",
}

#: A derived status that lists can be filtered by: pending for longer than `shop.abandoned_after_minutes`.
ABANDONED = "abandoned"

_TRACKING = {
    "ups": "https://www.ups.com/track?tracknum=",
    "usps": "https://tools.usps.com/go/TrackConfirmAction?tLabels=",
    "fedex": "https://www.fedex.com/fedextrack/?trknbr=",
    "dhl": "https://www.dhl.com/en/express/tracking.html?AWB=",
}
#: The names of the carriers whose tracking addresses are derived.
CARRIERS = {"ups": "UPS", "usps": "USPS", "fedex": "FedEx", "dhl": "DHL"}


def carrier_name(carrier: str) -> str:
    return CARRIERS.get(carrier.strip().lower(), carrier)


def tracking_url(carrier: str, number: str) -> str:
    """Return the address at which a known carrier (`ups`, `usps`, `fedex`, `dhl`, without case) shows a parcel; else empty."""
    page = _TRACKING.get(carrier.strip().lower(), "")
    return page + quote(number.strip(), safe="") if page and number.strip() else ""


def order_number(sequence: int) -> str:
    return f"{NUMBERS}-{sequence:04d}"
