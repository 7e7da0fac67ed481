"""The restaurant module: menus, and orders for pickup, delivery and dine-in."""

from cms_api.core.module import AccountPage, Block, Event, HeaderLink, Job, Mail, Module, Row, SettingKey

_ORDER = {
    "name": "The customer's first name",
    "number": "The order's number",
    "order_url": "The address of the order's page",
}
_SAMPLE = {"name": "Dana", "number": "RES-1064", "order_url": "https://example.org/menu/orders/NjQ/"}
_SUMMARY = Block(
    "2 x Wood-fired pizza (Large): $33.00\n\nSubtotal: $33.00\nTip: $3.00\nTotal: $36.00",
    "<table><tr><td>2 x Wood-fired pizza (Large)</td><td>$33.00</td></tr><tr><th>Total</th><td>$36.00</td></tr></table>",
)
_WHEN = "How and when the customer gets the order"
_SAMPLE_WHEN = "Pick-up: 1 March 2026, 18:55"

MODULE = Module(
    name="restaurant",
    title="Restaurant",
    description="Menus, and orders for pickup, delivery and dine-in.",
    feature="restaurant",
    uses=("accounts", "payments", "taxes"),
    group="Commerce",
    pages="commerce.restaurant.urls.urlpatterns",
    header_links=(HeaderLink("Your order", "/menu/cart", count_cookie="menu_cart_items"),),
    account_pages=(AccountPage("Meals", "View your restaurant orders", "/accounts/meals/"),),
    payables={"restaurant_order": "commerce.restaurant.services.paying.ORDERS"},
    events=(
        Event(
            "restaurant_order.placed",
            "A restaurant order is placed. Online payments must be captured first.",
            document="commerce.restaurant.resources.orders.RestaurantOrderResource",
            resource="commerce.restaurant.resources.orders.restaurant_order",
        ),
    ),
    mails=(
        Mail(
            "restaurant_order_placed",
            "Confirms a restaurant order to its customer.",
            subject="Your order {{ number }}",
            placeholders={**_ORDER, "when": _WHEN, "summary": "Items and totals"},
            sample={**_SAMPLE, "when": _SAMPLE_WHEN, "summary": _SUMMARY},
        ),
        Mail(
            "restaurant_order_received",
            "Notifies the business of a restaurant order.",
            subject="New order {{ number }} ({{ total }})",
            placeholders={
                "name": "The customer's name",
                "number": "The order's number",
                "total": "The order's total",
                "when": _WHEN,
                "summary": "Items and totals",
                "admin_url": "The address of the order in the admin",
            },
            sample={
                "name": "Dana Reyes",
                "number": "RES-1064",
                "total": "$36.00",
                "when": _SAMPLE_WHEN,
                "summary": _SUMMARY,
                "admin_url": "https://example.org/admin/restaurant/orders/inspect/64/",
            },
            to_staff=True,
        ),
        Mail(
            "restaurant_order_ready",
            "Tells a customer that a restaurant order can be picked up, or is on its way.",
            subject="Your order {{ number }} is {{ state }}",
            placeholders={**_ORDER, "state": "“ready for pick-up” or “on its way”"},
            sample={**_SAMPLE, "state": "ready for pick-up"},
        ),
        Mail(
            "restaurant_order_cancelled",
            "Tells a customer that a restaurant order was cancelled.",
            subject="Your order {{ number }} has been cancelled",
            placeholders={**_ORDER, "refund": "A sentence about the money"},
            sample={**_SAMPLE, "refund": "We're refunding $36.00."},
        ),
    ),
    settings=(
        SettingKey("restaurant.lead_minutes", int, 25, "The time that an order takes.", title="Minutes to prepare an order"),
        SettingKey("restaurant.slot_minutes", int, 15, "Orders can be placed for each slot.", title="Minutes of a slot"),
        SettingKey(
            "restaurant.last_order_minutes",
            int,
            15,
            "The last slot is so many minutes before closing.",
            title="Minutes between the last order and closing",
        ),
        SettingKey("restaurant.days_ahead", int, 7, "For 0, orders are for today only.", title="Days that can be ordered ahead"),
        SettingKey("restaurant.orders_per_slot", int, 0, "0 means no limit.", title="Orders of a slot"),
        SettingKey("restaurant.is_paused", bool, False, "While paused, no orders are taken.", title="Pause orders"),
        SettingKey("restaurant.pickup", bool, True, "Customers can pick up their orders.", title="Pick-up"),
        SettingKey("restaurant.delivery", bool, True, "Orders are delivered to the delivery zones.", title="Delivery"),
        SettingKey("restaurant.dine_in", bool, False, "Guests can order from their table.", title="Dine in"),
        SettingKey("restaurant.pay_online", bool, True, "Customers can pay when they order.", title="Pay online"),
        SettingKey("restaurant.pay_at_store", bool, True, "Customers can pay on receipt.", title="Pay at the store"),
        SettingKey("restaurant.tips", bool, True, "Customers can add a tip.", title="Tips"),
    ),
    numbers={"RES": 1001},
    jobs=(
        Job("lapse_restaurant_orders", "commerce.restaurant.services.housekeeping.lapse_orders", every=60),
        Job(
            "forget_networks_of_restaurant_orders",
            "commerce.restaurant.services.housekeeping.forget_networks_of_orders",
            every=3600,
        ),
        Job("drop_forgotten_menu_carts", "commerce.restaurant.services.carts.drop_forgotten_carts", every=86_400),
        Job("drop_past_restaurant_slots", "commerce.restaurant.services.capacity.drop_past_slots", every=86_400),
    ),
    rows=(Row("menu", "commerce.restaurant.rows.MenuBlock"),),
    sitemap="commerce.restaurant.feeds.sections",
    searches=("commerce.restaurant.feeds.DISHES",),
    footer_links="commerce.restaurant.feeds.footer_links",
    media_usage="commerce.restaurant.services.media_usage.MEDIA_USAGE",
    viewsets=("commerce.restaurant.admin.RESTAURANT",),
    menu=("commerce.restaurant.admin.KITCHEN",),
    cards=("commerce.restaurant.admin.cards.open_orders",),
    menu_group="sales",
    menu_order=20,
    roles=("manager",),
    demo="commerce.restaurant.demo.load",
)
