"""The shop module: products and orders."""

from cms_api.core.module import Event, Module

ORDER = "commerce.shop.resources.OrderResource"
NOT_SHIPPED = {"carrier": None, "tracking_number": None, "tracking_url": None, "fulfilled_at": None}

MODULE = Module(
    name="shop",
    title="E-Commerce",
    description="Products, orders and fulfillment.",
    feature="shop",
    group="Commerce",
    events=(
        Event(
            "order.created",
            "An order is created.",
            document=ORDER,
            sample={"status": "pending", "paid_at": None, "updated_at": "2026-03-01T18:28:00+00:00", **NOT_SHIPPED},
        ),
        Event(
            "order.paid",
            "An order is paid.",
            document=ORDER,
            sample={"status": "paid", "updated_at": "2026-03-01T18:30:00+00:00", **NOT_SHIPPED},
        ),
        Event("order.status_changed", "An order's status changes, also when it is fulfilled through the API.", document=ORDER),
    ),
)
