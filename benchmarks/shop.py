"""Cost of the shop's pages and lists among few and many orders, and checkouts per second: `python -m benchmarks.shop`.

On SQLite or, with --postgresql or DATABASE_URL, on databases of its own there.
"""

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tests.webhooks.crash import Site, running, site
from tests.webhooks.receiver import make_authority

from .growth import DAYS, RENDERED, Growth, compare, parser_of

#: How much more CPU a list may take among a hundred times as many orders.
BAR = 1.3
PRODUCTS = 200
PART = 2_000
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
#: Any 32 letters and digits: the same in the cookie and in the form.
CSRF = "benchmark0benchmark0benchmark0be"

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
    options = arguments()
    missed = False
    if "lists" in options.case:
        missed = compare(Growth("orders", fill, ("shop",), "shop:read", PATHS, BAR), options)
    if "checkout" in options.case:
        checkouts(options)
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
    for start in range(0, total, PART):
        numbers = range(start, min(start + PART, total))
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

    at = now - timedelta(days=DAYS) * (total - number) / total
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


def checkouts(options: argparse.Namespace) -> None:
    """Count the orders that visitors place in some seconds, with one server process and with two."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        folder = Path(scratch)
        proxies = {"TRUSTED_PROXIES": "127.0.0.1"}
        with site(folder, make_authority(folder), postgresql=options.postgresql, **proxies) as target:
            target.manage("feature", "on", "shop")
            target.manage("setting", "set", "payments.allow_test_payments", "true")
            target.manage("shell", "-v", "0", "-c", "from benchmarks.shop import add_products; add_products()")
            target.token = target.manage("create_token", "shop", "--all-abilities")
            for workers in (1, 2):
                with running(target, "serve", "--port", str(target.port), "--workers", str(workers)):
                    target.wait_for("/readyz")
                    placed, seconds = buying(target, options)
                rate = placed / seconds
                print(
                    f"{workers} server process{'es' if workers > 1 else ''}, {options.visitors} visitors at once: "
                    f"{rate:.1f} orders/s, {2 * rate:.1f} requests/s ({placed} orders in {seconds:.0f} s)",
                    flush=True,
                )


def buying(target: Site, options: argparse.Namespace) -> tuple[int, float]:
    """Return how many orders were placed, and in how many seconds. Every one of them must be stored."""
    before = stored(target)
    numbers = count(before)
    with ThreadPoolExecutor(options.visitors) as pool:
        # Both processes have answered when it begins.
        list(pool.map(lambda _: visit(target, next(numbers)), range(4 * options.visitors)))
        start = time.monotonic()

        def shop(_: int) -> int:
            placed = 0
            while time.monotonic() < start + options.seconds:
                visit(target, next(numbers))
                placed += 1
            return placed

        placed = sum(pool.map(shop, range(options.visitors)))
        seconds = time.monotonic() - start
    assert stored(target) - before == placed + 4 * options.visitors
    return placed, seconds


def visit(target: Site, number: int) -> None:
    """Put a product into the cart and check out, as one new visitor, over one connection."""
    from http.client import HTTPConnection

    connection = HTTPConnection("127.0.0.1", target.port, timeout=60)
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    cookies = f"csrftoken={CSRF}"

    def post(path: str, values: dict[str, Any]) -> Any:
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": cookies,
            "X-Forwarded-For": address,
        }
        connection.request("POST", path, urlencode(values), headers)
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status == 302, (path, answer.status, body[-2000:])
        return answer

    try:
        added = post("/shop/cart/add", {"variant": 1 + number % (2 * PRODUCTS), "quantity": 1})
        cookies += "".join(f"; {cookie.partition(';')[0]}" for cookie in added.headers.get_all("Set-Cookie", []))
        entered = {f"shipping-{name}": value for name, value in ADDRESS.items()}
        entered |= {"email": f"buyer{number}@example.com", "same_address": "on", "shipping_method": 1}
        paying = post("/shop/checkout", {"csrfmiddlewaretoken": CSRF, **entered})
        assert "/shop/" not in paying.headers["Location"], paying.headers["Location"]
    finally:
        connection.close()


def stored(target: Site) -> int:
    total: int = target.call("GET", "/api/v1/shop/orders?per_page=1")[1]["meta"]["total"]
    return total


def arguments() -> argparse.Namespace:
    cases = ["lists", "checkout"]
    parser = parser_of("python -m benchmarks.shop", __doc__)
    parser.add_argument("--case", action="append", choices=cases, help="only this one; may be repeated")
    parser.add_argument("--seconds", type=float, default=20, help="of checkouts (20)")
    parser.add_argument("--visitors", type=int, default=8, help="who check out at the same time (8)")
    options = parser.parse_args()
    options.case = options.case or cases
    return options


if __name__ == "__main__":
    sys.exit(main())
