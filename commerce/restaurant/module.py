"""The restaurant module: menus, and orders for pickup, delivery and dine-in."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="restaurant",
    title="Restaurant",
    description="Menus, and orders for pickup, delivery and dine-in.",
    feature="restaurant",
    group="Commerce",
    events=(
        Event(
            "restaurant_order.placed",
            "A restaurant order is placed. Online payments must be captured first.",
            document="commerce.restaurant.resources.RestaurantOrderResource",
        ),
    ),
)
