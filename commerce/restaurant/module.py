"""The restaurant module: what is ordered from the menu, to take away, to be brought or at the table."""

from cms_api.core.module import Event, Module

MODULE = Module(
    name="restaurant",
    title="Restaurant",
    description="Menus, and orders for pickup, delivery and the table.",
    feature="restaurant",
    group="Commerce",
    events=(
        Event(
            "restaurant_order.placed",
            "A restaurant order is placed: at once where it is paid at the store, else when its payment is captured.",
            document="commerce.restaurant.resources.RestaurantOrderResource",
        ),
    ),
)
