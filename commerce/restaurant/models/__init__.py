"""Tables of the restaurant. Written by `services` only."""

from .carts import MenuCart, MenuCartItem
from .hours import DeliveryZone, OpeningPeriod, SpecialDay
from .menu import MenuCategory, MenuItem, Option, OptionGroup
from .orders import RestaurantOrder, RestaurantOrderItem, Slot

__all__ = [
    "DeliveryZone",
    "MenuCart",
    "MenuCartItem",
    "MenuCategory",
    "MenuItem",
    "OpeningPeriod",
    "Option",
    "OptionGroup",
    "RestaurantOrder",
    "RestaurantOrderItem",
    "Slot",
    "SpecialDay",
]
