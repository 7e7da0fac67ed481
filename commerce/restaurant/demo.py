"""A demo menu with hours, zones, and orders of the last days: three of every status.

Matched by name, and orders by their addresses. No events are emitted and no emails sent.
"""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from itertools import cycle, islice
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.content.demo import library
from commerce.common.services import next_number
from commerce.common.types.money import minor_units
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

SIZE = {"name": "Size", "minimum": 1, "maximum": 1, "options": [("Regular", 0), ("Large", 3)]}
TOPPINGS = {"name": "Extras", "maximum": 3, "options": [("Extra mozzarella", 2), ("Olives", 1), ("Anchovies", 2), ("Rocket", 1)]}
MILK = {"name": "Milk", "maximum": 1, "options": [("Oat milk", 0), ("Soy milk", 0)]}
#: Name, price in units of the currency, description, allergens, diets, groups.
MENU: dict[str, list[tuple[str, int, str, str, str, list[Any]]]] = {
    "Starters": [
        ("Mill soup", 7, "Roasted tomato and fennel, with sourdough.", "gluten celery", "vegan", []),
        ("Burrata", 11, "With peaches, basil and toasted hazelnuts.", "milk nuts", "vegetarian gluten_free", []),
        ("Smoked trout", 12, "From the river, with beetroot and horseradish.", "fish mustard", "gluten_free", []),
        ("Flatbread", 6, "From the wood oven, with za'atar and olive oil.", "gluten sesame", "vegan", []),
    ],
    "Pizza": [
        ("Margherita", 13, "Tomato, mozzarella, basil.", "gluten milk", "vegetarian", [SIZE, TOPPINGS]),
        ("Marinara", 11, "Tomato, garlic, oregano. No cheese.", "gluten", "vegan", [SIZE, TOPPINGS]),
        ("Four cheeses", 15, "Mozzarella, gorgonzola, taleggio, pecorino.", "gluten milk", "vegetarian", [SIZE, TOPPINGS]),
        ("Diavola", 16, "Spicy salami, chilli, honey.", "gluten milk", "spicy", [SIZE, TOPPINGS]),
    ],
    "Mains": [
        ("Nettle risotto", 16, "With aged pecorino and lemon.", "milk celery", "vegetarian gluten_free", []),
        ("Roast chicken", 19, "Half a bird, with potatoes and gravy.", "celery milk", "gluten_free", []),
        ("Bean stew", 15, "White beans, kale and smoked paprika.", "celery", "vegan gluten_free spicy", []),
    ],
    "Desserts and drinks": [
        ("Chocolate tart", 8, "With sea salt and cream.", "gluten eggs milk", "vegetarian", []),
        ("Lemon sorbet", 6, "Two scoops.", "", "vegan gluten_free", []),
        ("Rhubarb lemonade", 5, "Made here.", "", "vegan gluten_free", []),
        ("Flat white", 4, "Beans from the roastery in the yard.", "milk", "vegetarian gluten_free", [MILK]),
    ],
}
PICTURES = {"Margherita": "kiln", "Burrata": "pots", "Rhubarb lemonade": "garden", "Smoked trout": "river"}
#: Weekday, opening, closing: closed on Mondays, open past midnight on weekends.
HOURS = [(day, 12, 15) for day in range(1, 7)] + [(day, 18, 22) for day in (1, 2, 3, 6)] + [(day, 18, 1) for day in (4, 5)]
ZONES: list[dict[str, Any]] = [
    {"name": "Town", "postal_codes": "HX7*, 05301", "fee": 3, "minimum": 15, "free": 40, "extra_minutes": 15},
    {"name": "Valley", "postal_codes": "HX*, OL14*, 053*", "fee": 6, "minimum": 25, "free": None, "extra_minutes": 30},
]
DOMAIN = "meals.example"
PEOPLE = ("Dana Reyes", "Ömer Güneş", "Ruth Adeyemi", "Lena Brandt", "Tom Hale", "Priya Nair", "Noor de Vries")
#: Orders of each status at scale 1.
ROUNDS = 3


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    _load_menu(progress)
    if not OpeningPeriod.objects.exists():
        for day, opens, closes in HOURS:
            save_opening(values={"weekday": day, "opens": time(opens), "closes": time(closes)})
            progress(1)
    known = set(DeliveryZone.objects.values_list("name", flat=True))
    for position, zone in enumerate(ZONES):
        if zone["name"] not in known:
            save_zone(values=_zone(position=position, **zone))
            progress(1)
    _load_orders(scale, progress)


def _cents(amount: int) -> int:
    return minor_units(amount, settings.SITE_CURRENCY)


def _zone(*, fee: int, minimum: int, free: int | None, **values: Any) -> dict[str, Any]:
    free_from = None if free is None else _cents(free)
    return {**values, "fee_cents": _cents(fee), "minimum_cents": _cents(minimum), "free_from_cents": free_from}


def _load_menu(progress: Callable[[int], None]) -> None:
    known = set(MenuItem.objects.values_list("name", flat=True))
    if all(row[0] in known for rows in MENU.values() for row in rows):
        return
    media = library.stock()
    for place, (title, rows) in enumerate(MENU.items()):
        category = MenuCategory.objects.filter(name=title).first() or save_category(values={"name": title, "position": place})
        for position, (name, price, description, allergens, diets, groups) in enumerate(rows):
            if name in known:
                continue
            values = {
                "name": name,
                "category": category,
                "description": description,
                "price_cents": _cents(price),
                "allergens": allergens.split(),
                "diets": diets.split(),
                "groups": [_group(group) for group in groups],
                "image": media.images[PICTURES[name]].pk if name in PICTURES else None,
                "is_available": name != "Chocolate tart",
                "position": position,
            }
            save_dish(values=values)
            progress(1)


def _group(group: dict[str, Any]) -> dict[str, Any]:
    return {**group, "options": [{"name": name, "price_cents": _cents(price)} for name, price in group["options"]]}


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
        name=PEOPLE[number % len(PEOPLE)],
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
