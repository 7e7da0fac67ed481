"""Demo orders of the last two months: three and more of every status. Recognized by their addresses.

No events are emitted and no emails sent, and nothing is taken out of the stock.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.demo import data_beside, pick
from commerce.common.services import next_number
from commerce.payments.services import store_payment
from commerce.payments.types import Method

from ..models import Order, OrderItem, ProductVariant, Shipment, ShipmentItem, ShippingMethod
from ..selectors.pricing import Line, quote
from ..services.placing import Customer, fill_order, make_items
from ..types.orders import ABANDONED, FIRST_NUMBER, NUMBERS, PAYABLE, OrderStatus, order_number, tracking_url
from ..types.products import ProductStatus

DOMAIN = "orders.example"
DATA = data_beside(__file__, "orders.yaml")
#: Rounds of all statuses at scale 1.
ROUNDS = 4


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the orders that are missing; without demo products there are none."""
    variants = list(
        ProductVariant.objects.filter(product__status=ProductStatus.PUBLISHED, product__currency=settings.SITE_CURRENCY)
        .select_related("product")
        .order_by("product__slug", "position", "pk")
    )
    method = ShippingMethod.objects.filter(enabled=True, currency=settings.SITE_CURRENCY).order_by("position", "pk").first()
    if not variants or method is None:
        return
    known = set(Order.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    now = timezone.now()
    every = enumerate(DATA["statuses"] * ROUNDS * scale)
    dated = [(_placed_at(number, status, now), number, status) for number, status in every]
    for at, number, status in sorted(dated):
        if f"buyer{number + 1}@{DOMAIN}" not in known:
            _make(number, status, _lines(number, variants), method, at)
            progress(1)


def _placed_at(number: int, status: str, now: datetime) -> datetime:
    """Return when an order was placed: pending ones just now, the others at different hours of the last two months."""
    if status == OrderStatus.PENDING:
        return now - timedelta(minutes=number % 20)
    return now - timedelta(days=3 + number * 7 % 57, hours=number * 5 % 24, minutes=number * 11 % 60)


def _lines(number: int, variants: list[ProductVariant]) -> list[Line]:
    """Return one to three different variants, and how many of each."""
    chosen = {variants[(number * 5 + step * 3) % len(variants)].pk: step for step in range(1 + number % 3)}
    return [(variant, 1 + (number + chosen[variant.pk]) % 3) for variant in variants if variant.pk in chosen]


@transaction.atomic
def _make(number: int, status: str, lines: list[Line], method: ShippingMethod, at: datetime) -> None:
    customer = _customer(number)
    priced = quote(lines, place=customer.place, billed=customer.billed, method=method.pk)
    order = Order(placed_at=at, created_at=at)
    fill_order(order, customer, priced, None)
    is_sold = status not in {OrderStatus.PENDING, ABANDONED, OrderStatus.CANCELLED}
    order.status = OrderStatus.PENDING if status == ABANDONED else OrderStatus(status)
    order.reminded_at = at + timedelta(hours=1) if status in {ABANDONED, OrderStatus.PENDING} else None
    order.paid_at = at + timedelta(minutes=4) if is_sold else None
    order.fulfilled_at = at + timedelta(days=1, hours=3) if status == OrderStatus.FULFILLED else None
    order.cancelled_at = at + timedelta(hours=5) if status == OrderStatus.CANCELLED else None
    order.refunded_cents = order.total_cents if status == OrderStatus.REFUNDED else 0
    order.updated_at = order.fulfilled_at or order.cancelled_at or order.paid_at or at
    order.number = order_number(next_number(NUMBERS, first=FIRST_NUMBER))
    items = make_items(order, priced)
    _ship(order, items, number)
    if order.paid_at:
        store_payment(
            payable=PAYABLE,
            record_id=order.pk,
            amount=order.total,
            method=Method.BANK_TRANSFER,
            paid_at=order.paid_at,
            description=f"Order {order.number}",
            email=order.email,
            refunded_cents=order.refunded_cents,
        )
    get_search_backend().add(order)


def _ship(order: Order, items: list[OrderItem], number: int) -> None:
    """Store an order with its items, and the parcel of a fulfilled one."""
    if order.fulfilled_at and order.is_shipped:
        order.carrier = pick(DATA["carriers"], number)
        order.tracking_number = f"1Z{number:016d}"
        order.tracking_url = tracking_url(order.carrier, order.tracking_number)
    for item in items:
        item.shipped = item.quantity if order.fulfilled_at and not item.is_digital else 0
        item.refunded = item.quantity if order.status == OrderStatus.REFUNDED else 0
    order.save()
    OrderItem.objects.bulk_create(items)
    if order.carrier and order.fulfilled_at:
        sent = {name: getattr(order, name) for name in ("carrier", "tracking_number", "tracking_url")}
        shipment = Shipment.objects.create(order=order, created_at=order.fulfilled_at, **sent)
        ShipmentItem.objects.bulk_create(
            [ShipmentItem(shipment=shipment, item=item, quantity=item.quantity) for item in items if item.shipped]
        )


def _customer(number: int) -> Customer:
    name, street, town = (pick(DATA[each], number) for each in ("people", "streets", "towns"))
    address = {"name": name, "street": street, "street2": "", "city": town["city"], "state": ""}
    address |= {"postal_code": town["postal_code"], "country": "GB"}
    return Customer(
        email=f"buyer{number + 1}@{DOMAIN}",
        name=name,
        phone="",
        shipping_address=address,
        billing_address=address,
        note="Please leave it with the neighbours." if number % 11 == 5 else "",
        wants_news=False,
    )
