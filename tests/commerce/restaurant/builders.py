"""Builders of the restaurant's records, by its services, with the changes that a test needs."""

import itertools
from datetime import time
from typing import Any

from commerce.restaurant.models import DeliveryZone, MenuCart, MenuCategory, MenuItem, OpeningPeriod, Option, RestaurantOrder
from commerce.restaurant.selectors.hours import offered_slots
from commerce.restaurant.services import save_category, save_dish, save_opening, save_zone
from commerce.restaurant.services.carts import add_to_cart, open_cart
from commerce.restaurant.services.placing import place_order

_numbers = itertools.count(1)

ADDRESS = {
    "name": "Dana Reyes",
    "street": "14 Canal Street",
    "street2": "",
    "city": "Brattleboro",
    "state": "VT",
    "postal_code": "05301",
    "country": "US",
}
#: One of two sizes, and up to two extras.
GROUPS = [
    {"name": "Size", "minimum": 1, "maximum": 1, "options": [{"name": "Regular"}, {"name": "Large", "price_cents": 300}]},
    {"name": "Extras", "maximum": 2, "options": [{"name": name, "price_cents": 100} for name in ("Olives", "Capers", "Rocket")]},
]


def make_dish(name: str = "", *, price: int = 1000, **values: Any) -> MenuItem:
    category = values.pop("category", None) or MenuCategory.objects.first() or save_category(values={"name": "Mains"})
    return save_dish(values={"name": name or f"Dish {next(_numbers)}", "category": category, "price_cents": price, **values})


def option(dish: MenuItem, name: str) -> int:
    return Option.objects.get(group__item=dish, name=name).pk


def open_always() -> None:
    """Open around the clock."""
    if not OpeningPeriod.objects.exists():
        for day in range(7):
            save_opening(values={"weekday": day, "opens": time(0), "closes": time(0)})


def make_zone(name: str = "Town", **values: Any) -> DeliveryZone:
    return save_zone(values={"name": name, "postal_codes": "053*", "fee_cents": 300, **values})


def make_cart(*items: tuple[MenuItem, int]) -> MenuCart:
    """A cart with dishes; by default two of one at 10.00."""
    cart = open_cart()
    for dish, quantity in items or ((make_dish(), 2),):
        add_to_cart(cart=cart, item=dish, quantity=quantity)
    return cart


def values(**changes: Any) -> dict[str, Any]:
    """The values of a checkout: picked up as soon as possible, and paid at the store."""
    customer = {"name": "Dana Reyes", "email": "dana@example.com", "phone": "", "notes": ""}
    return {**customer, "fulfillment": "pickup", "slot": "asap", "payment_method": "at_store", **changes}


def make_order(*items: tuple[MenuItem, int], user: Any = None, **changes: Any) -> RestaurantOrder:
    open_always()
    return place_order(cart=make_cart(*items), values=values(**changes), user=user)


def last_slot() -> Any:
    return offered_slots()[-1]
