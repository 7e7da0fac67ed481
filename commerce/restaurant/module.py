"""The restaurant module: menus, and orders for pickup, delivery and dine-in."""

from cms_api.core.module import AccountPage, Admin, Api, Event, HeaderLink, Job, Module, Pages, Records, Row, SettingKey

from .mails import MAILS

MODULE = Module(
    name="restaurant",
    title="Restaurant",
    description="Menus, and orders for pickup, delivery and dine-in.",
    feature="restaurant",
    uses=("accounts", "payments", "taxes"),
    api=Api(
        group="Commerce",
        events=(
            Event(
                "restaurant_order.placed",
                "A restaurant order is placed. Online payments must be captured first.",
                document="commerce.restaurant.resources.orders.RestaurantOrderResource",
                resource="commerce.restaurant.resources.orders.restaurant_order",
            ),
        ),
    ),
    pages=Pages(
        urls="commerce.restaurant.urls.urlpatterns",
        account_pages=(AccountPage("Meals", "View your restaurant orders", "/accounts/meals/"),),
        sitemap="commerce.restaurant.feeds.sections",
        searches=("commerce.restaurant.feeds.DISHES",),
        footer_links="commerce.restaurant.feeds.footer_links",
        header_links=(HeaderLink("Your order", "/menu/cart", count_cookie="menu_cart_items"),),
        rows=(Row("menu", "commerce.restaurant.rows.MenuBlock"),),
    ),
    admin=Admin(
        viewsets=("commerce.restaurant.admin.RESTAURANT",),
        menu=("commerce.restaurant.admin.KITCHEN",),
        menu_group="sales",
        menu_order=20,
        cards={"commerce.restaurant.admin.cards.open_orders": "restaurant.change_restaurantorder"},
        roles=("manager",),
    ),
    records=Records(
        payables={"restaurant_order": "commerce.restaurant.services.paying.ORDERS"},
        numbers={"RES": 1001},
        media_usage="commerce.restaurant.services.media_usage.MEDIA_USAGE",
        demo="commerce.restaurant.demo.load",
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
    mails=MAILS,
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
)
