"""A demo menu with hours, zones, and orders of the last days: three of every status.

Matched by name, and orders by their addresses. No events are emitted and no emails sent.
"""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from itertools import cycle, islice

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.content.demo import library
from cms_api.core.demo import data_beside, missing, pick
from commerce.common.services import next_number
from commerce.payments.services import store_payment
from commerce.payments.types import Method

from .models import DeliveryZone, MenuCartItem, MenuCategory, MenuItem, OpeningPeriod, RestaurantOrder, RestaurantOrderItem
from .selectors.carts import Chosen
from .selectors.menu import shown_dishes, with_details
from .selectors.pricing import quote
from .services import save_category, save_dish, save_opening, save_zone
from .services.placing import Customer, fill_order, make_items
from .types.orders import (
    FIRST_NUMBER,
    NUMBERS,
    PAYABLE,
    Fulfillment,
    OrderStatus,
    PaymentMethod,
    order_number,
)

DOMAIN = "meals.example"
DATA = data_beside(__file__)
#: Orders of each status at scale 1.
ROUNDS = 3


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    _load_menu(progress)
    if not OpeningPeriod.objects.exists():
        for row in DATA["hours"]:
            opens, closes = time.fromisoformat(row["opens"]), time.fromisoformat(row["closes"])
            save_opening(values={"weekday": row["weekday"], "opens": opens, "closes": closes})
            progress(1)
    for position, row in missing(DATA["zones"], DeliveryZone.objects, "name"):
        save_zone(values={**row, "position": position})
        progress(1)
    _load_orders(scale, progress)


def _load_menu(progress: Callable[[int], None]) -> None:
    known = set(MenuItem.objects.values_list("name", flat=True))
    if all(row["name"] in known for category in DATA["menu"] for row in category["dishes"]):
        return
    media = library.stock()
    for place, row in enumerate(DATA["menu"]):
        title = row["name"]
        category = MenuCategory.objects.filter(name=title).first() or save_category(values={"name": title, "position": place})
        for position, dish in missing(row["dishes"], MenuItem.objects, "name"):
            values = {"category": category, "position": position, **dish}
            values["groups"] = [DATA["groups"][name] for name in dish.get("groups", ())]
            if "picture" in dish:
                values["image"] = media.images[values.pop("picture")].pk
            save_dish(values=values)
            progress(1)


def _load_orders(scale: int, progress: Callable[[int], None]) -> None:
    dishes = list(with_details(shown_dishes()))
    known = set(RestaurantOrder.objects.filter(email__endswith=f"@{DOMAIN}").values_list("email", flat=True))
    now = timezone.now()
    for number, status in enumerate(islice(cycle(OrderStatus), len(OrderStatus) * ROUNDS * scale)):
        if dishes and f"guest{number + 1}@{DOMAIN}" not in known:
            _make(number, status, dishes, now)
            progress(1)


@transaction.atomic
def _make(number: int, status: OrderStatus, dishes: list[MenuItem], now: datetime) -> None:
    is_over = status in {OrderStatus.COMPLETED, OrderStatus.CANCELLED}
    at = now - (timedelta(days=1 + number // 2, hours=number % 5) if is_over else timedelta(minutes=number % 30))
    chosen = [_choose(dishes[(number * 3 + step * 5) % len(dishes)], 1 + (number + step) % 2) for step in range(1 + number % 3)]
    method = PaymentMethod.ONLINE if status == OrderStatus.PENDING or number % 2 else PaymentMethod.AT_STORE
    fulfillment = (Fulfillment.PICKUP, Fulfillment.DINE_IN)[number % 2]
    order = RestaurantOrder(
        status=status, slot_at=at + timedelta(minutes=40), wanted_at=at + timedelta(minutes=40), created_at=at
    )
    customer = Customer(
        name=pick(DATA["people"], number),
        email=f"guest{number + 1}@{DOMAIN}",
        phone="",
        fulfillment=fulfillment,
        table=str(1 + number % 12) if fulfillment == Fulfillment.DINE_IN else "",
        delivery_address=None,
        payment_method=method,
        notes="No cutlery, please." if number % 5 == 2 else "",
    )
    priced = quote(chosen)
    fill_order(order, customer, priced, None)
    is_binding = status not in {OrderStatus.PENDING, OrderStatus.CANCELLED}
    order.placed_at = at if is_binding else None
    order.paid_at = at if is_binding and (method == PaymentMethod.ONLINE or status == OrderStatus.COMPLETED) else None
    order.ready_at = at + timedelta(minutes=35) if status in {OrderStatus.READY, OrderStatus.COMPLETED} else None
    order.completed_at = at + timedelta(minutes=45) if status == OrderStatus.COMPLETED else None
    order.cancelled_at = at + timedelta(minutes=5) if status == OrderStatus.CANCELLED else None
    order.reserved_until = now + timedelta(minutes=31) if status == OrderStatus.PENDING else None
    order.number = order_number(next_number(NUMBERS, first=FIRST_NUMBER))
    order.save()
    RestaurantOrderItem.objects.bulk_create(make_items(order, priced))
    if order.paid_at:
        store_payment(
            payable=PAYABLE,
            record_id=order.pk,
            amount=order.total,
            method=Method.CASH,
            paid_at=order.paid_at,
            description=f"Restaurant order {order.number}",
            email=order.email,
        )
    get_search_backend().add(order)


def _choose(item: MenuItem, quantity: int) -> Chosen:
    """Return a dish with the first option of each group that needs one."""
    options = tuple(group.options.all()[0] for group in item.groups.all() if group.minimum)
    return Chosen(MenuCartItem(item=item, quantity=quantity), item, options)
