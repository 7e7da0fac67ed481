"""Cost of the shop's pages and lists among few and many orders, and checkouts per second: `python -m benchmarks.shop`.

On SQLite or, with --postgresql or DATABASE_URL, on databases of its own there.
"""

import sys
from datetime import timedelta
from typing import Any

from .growth import OLDEST_DAYS, RENDERED, Growth, compare
from .visitors import Visitor, Visits, arguments, measure

#: How much more CPU a list may take among a hundred times as many orders.
MAX_CPU_RATIO = 1.3
PRODUCTS = 200
BATCH_ORDERS = 2_000
#: Customers: one address has a handful of orders in either set.
ORDERS_EACH = 5
#: Statuses of 100 successive orders.
STATUSES = ("fulfilled",) * 84 + ("paid",) * 6 + ("pending",) * 4 + ("cancelled",) * 4 + ("refunded",) * 2
WORDS = ("Walnut", "Linen", "Copper", "Stone", "Willow", "Ash", "Slate", "Wool")
ADDRESS = {
    "name": "Dana Reyes",
    "street": "14 Canal Street",
    "street2": "",
    "city": "Brattleboro",
    "state": "VT",
    "postal_code": "05301",
    "country": "US",
}

CACHED = "cached"
#: Pages by name; those of the API are requested with a token, those of the admin by an admin.
PATHS = {
    f"catalogue, {RENDERED}": "/shop",
    f"catalogue, {CACHED}": "/shop",
    f"product, {RENDERED}": "/shop/products/walnut-0",
    f"product, {CACHED}": "/shop/products/walnut-0",
    "API: products": "/api/v1/shop/products",
    "API: orders": "/api/v1/shop/orders",
    "API: orders, first page of a cursor": "/api/v1/shop/orders?cursor=",
    "API: orders, status=pending": "/api/v1/shop/orders?status=pending",
    "API: orders, status=paid": "/api/v1/shop/orders?status=paid",
    "API: orders, status=abandoned": "/api/v1/shop/orders?status=abandoned",
    "API: orders, email": "/api/v1/shop/orders?email=buyer7@example.com",
    "API: orders, since": "/api/v1/shop/orders?since={since}",
    "API: orders, status=paid, since": "/api/v1/shop/orders?status=paid&since={since}",
    "API: orders, status=paid, since, cursor": "/api/v1/shop/orders?status=paid&since={since}&cursor=",
    "admin: orders": "/admin/orders/",
}


def main() -> int:
    options = arguments("python -m benchmarks.shop", __doc__, "lists", "checkout")
    missed = False
    if "lists" in options.case:
        missed = compare(Growth("orders", fill, ("shop",), "shop:read", PATHS, MAX_CPU_RATIO), options)
    if "checkout" in options.case:
        measure(CHECKOUTS, options)
    return 1 if missed else 0


# Lists.


def fill(total: int) -> None:
    add_products()
    add_orders(total)


def add_products() -> None:
    """Create the products: two sizes of each, in eight categories, most with a picture."""
    from commerce.shop.services import save_category, save_product, save_shipping_method

    from .ours import add_images

    images = add_images()
    categories = [save_category(values={"name": word}) for word in WORDS]
    for number in range(PRODUCTS):
        word = WORDS[number % len(WORDS)]
        sizes = [
            {"values": [size], "sku": f"{word}-{number}-{size}", "price_cents": 1000 + 10 * number, "stock": 1_000_000}
            for size in "SL"
        ]
        save_product(
            values={
                "name": f"{word} {number}",
                "status": "published",
                "summary": "Made by hand in our workshop.",
                "description": "<p>Made by hand in our workshop, and tested there for a year.</p>",
                "category": categories[number % len(categories)],
                "options": [{"name": "Size", "values": ["S", "L"]}],
                "variants": sizes,
                "pictures": [images[number % len(images)]] if number % 10 else [],
            }
        )
    save_shipping_method(values={"name": "Standard", "price_cents": 500})


def add_orders(total: int) -> None:
    """Create orders of two years, with one to three items each, in bulk. They are not in the search index."""
    from django.db import transaction
    from django.utils import timezone

    from commerce.shop.models import Order, OrderItem, ProductVariant

    variants = list(ProductVariant.objects.select_related("product").order_by("pk"))
    now = timezone.now()
    for start in range(0, total, BATCH_ORDERS):
        numbers = range(start, min(start + BATCH_ORDERS, total))
        with transaction.atomic():
            orders = Order.objects.bulk_create([an_order(number, total, now) for number in numbers])
            items = [
                OrderItem(
                    order=order,
                    product=variant.product,
                    variant=variant,
                    position=position,
                    sku=variant.sku,
                    name=variant.product.name,
                    variant_name=variant.name,
                    quantity=1 + position,
                    unit_price_cents=variant.price_cents,
                )
                for number, order in zip(numbers, orders, strict=True)
                for position in range(1 + number % 3)
                for variant in [variants[(number * 7 + position) % len(variants)]]
            ]
            OrderItem.objects.bulk_create(items)


def an_order(number: int, total: int, now: Any) -> Any:
    """Return an order, unsaved: those with higher numbers are younger. Its status does not depend on its age."""
    from commerce.shop.models import Order

    at = now - timedelta(days=OLDEST_DAYS) * (total - number) / total
    status = STATUSES[number * 37 % len(STATUSES)]
    is_paid = status in {"paid", "fulfilled", "refunded"}
    return Order(
        number=f"ORD-{number + 1001:04d}",
        status=status,
        email=f"buyer{number % (total // ORDERS_EACH)}@example.com",
        name="Dana Reyes",
        currency="usd",
        subtotal_cents=4800,
        shipping_cents=500,
        total_cents=5300,
        refunded_cents=5300 if status == "refunded" else 0,
        shipping_method="Standard",
        shipping_address=ADDRESS,
        billing_address=ADDRESS,
        placed_at=at,
        created_at=at,
        updated_at=at,
        paid_at=at if is_paid else None,
        fulfilled_at=at if status == "fulfilled" else None,
        cancelled_at=at if status == "cancelled" else None,
    )


# Checkouts.


def check_out(visitor: Visitor) -> None:
    """Put a product into the cart and check out."""
    visitor.post("/shop/cart/add", {"variant": 1 + visitor.number % (2 * PRODUCTS), "quantity": 1})
    entered = {f"shipping-{name}": value for name, value in ADDRESS.items()}
    entered |= {"email": f"buyer{visitor.number}@example.com", "same_address": "on", "shipping_method": 1}
    paying = visitor.post("/shop/checkout", entered)
    assert "/shop/" not in paying, paying


CHECKOUTS = Visits(
    records="orders",
    path="/api/v1/shop/orders",
    feature="shop",
    fill="from benchmarks.shop import add_products; add_products()",
    visit=check_out,
    requests=2,
)


if __name__ == "__main__":
    sys.exit(main())
