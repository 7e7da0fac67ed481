"""The API's lists of the shop, for the law on the number of statements."""

from collections.abc import Callable

from cms_api.flags.services import switch_feature
from commerce.shop.models import ProductCategory
from tests.builders import make_image

from .builders import make_category, make_order, make_product, make_variant


def products(number: int) -> None:
    """Products of a category, with two variants and a picture."""
    switch_feature(name="shop", on=True)
    category = ProductCategory.objects.first() or make_category("Ceramics")
    image = make_image()
    for _ in range(number):
        make_product("Mug", sizes="S M", category=category, pictures=[image.pk])


def orders(number: int) -> None:
    """Pending orders of two items each."""
    switch_feature(name="shop", on=True)
    first, second = make_variant(stock=None), make_variant(stock=None)
    for _ in range(number):
        make_order((first, 2), (second, 1))


#: How to make rows for each list, and how many statements it may take.
LISTS: dict[str, tuple[Callable[[int], None], int]] = {
    # The versions, the total, the rows with their category, the variants, and the pictures.
    "/shop/products?per_page=100": (products, 5),
    "/shop/products?per_page=100&category=ceramics&status=all&sort=price_cents": (products, 5),
    "/shop/products?per_page=100&search=mug": (products, 5),
    "/shop/products?per_page=100&cursor=": (products, 4),
    # The versions, the total, the rows, and their items.
    "/shop/orders?per_page=100": (orders, 4),
    "/shop/orders?per_page=100&status=pending&email=dana@example.com&since=2026-01-01": (orders, 4),
    "/shop/orders?per_page=100&status=abandoned": (orders, 4),
    "/shop/orders?per_page=100&cursor=": (orders, 3),
}
