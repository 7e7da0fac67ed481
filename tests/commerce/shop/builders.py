"""Builders of the shop's records, by its services, with the changes that a test needs."""

import itertools
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from commerce.common.services.discounts import save_discount_code
from commerce.shop.models import Cart, DiscountCode, Order, Product, ProductCategory, ProductVariant, ShippingMethod
from commerce.shop.services import save_category, save_product, save_shipping_method
from commerce.shop.services.carts import add_to_cart, open_cart
from commerce.shop.services.paying import ORDERS
from commerce.shop.services.placing import place_order

_numbers = itertools.count(1)


def make_category(name: str = "", **values: Any) -> ProductCategory:
    return save_category(values={"name": name or f"Category {next(_numbers)}", **values})


def make_product(name: str = "", *, price: int = 1000, stock: int | None = 10, sizes: str = "", **values: Any) -> Product:
    """A published product: one variant at `price` minor units, or one for each of the `sizes` ("S M L")."""
    variant = {"price_cents": price, "stock": stock}
    options = [{"name": "Size", "values": sizes.split()}] if sizes else []
    variants = [{**variant, "values": [size]} for size in sizes.split()] or [variant]
    given = {"name": name or f"Product {next(_numbers)}", "status": "published", "options": options, "variants": variants}
    return save_product(values=given | values)


def make_variant(
    *, price: int = 1000, stock: int | None = 10, reserved: int = 0, product: dict[str, Any] | None = None, **values: Any
) -> ProductVariant:
    """The only variant of a product of its own, of which `reserved` pieces are reserved; `product` are values of the product."""
    made = make_product(**(product or {}), variants=[{"price_cents": price, "stock": stock, **values}])
    ProductVariant.objects.filter(product=made).update(reserved=reserved)
    return ProductVariant.objects.select_related("product").get(product=made)


def variants(product: Product) -> list[ProductVariant]:
    """The stored variants of a product, in display order."""
    return list(ProductVariant.objects.filter(product=product))


def resent(product: Product) -> list[dict[str, Any]]:
    """The variants of a product as its form sends them when nobody has changed anything."""
    names = ("values", "sku", "price_cents", "compare_at_price_cents", "stock", "weight_grams")
    return [
        {"id": variant.pk, "stock_shown": variant.stock, **{name: getattr(variant, name) for name in names}}
        for variant in variants(product)
    ]


def make_method(name: str = "Standard", **values: Any) -> ShippingMethod:
    return save_shipping_method(values={"name": name, "price_cents": 500, **values})


def make_code(code: str = "SAVE10", **values: Any) -> DiscountCode:
    return save_discount_code(model=DiscountCode, values={"code": code, "percent": Decimal(10), **values})


ADDRESS = {
    "name": "Dana Reyes",
    "street": "14 Canal Street",
    "street2": "",
    "city": "Brattleboro",
    "state": "VT",
    "postal_code": "05301",
    "country": "US",
}


def make_cart(*items: tuple[ProductVariant, int], user: Any = None) -> Cart:
    """A cart with pieces of variants; by default two of a product at 10.00."""
    cart = open_cart(user=user)
    for variant, quantity in items or ((make_variant(), 2),):
        add_to_cart(cart=cart, variant=variant, quantity=quantity)
    return cart


def checkout_values(**changes: Any) -> dict[str, Any]:
    """The values of a checkout; without a shipping method, the only one is chosen, and made if there is none."""
    values = {"email": "dana@example.com", "name": "Dana Reyes", "phone": "", "shipping_address": ADDRESS, **changes}
    if "shipping_method" not in values:
        values["shipping_method"] = (ShippingMethod.objects.first() or make_method()).pk
    return values


def make_order(*items: tuple[ProductVariant, int], user: Any = None, code: str = "", **values: Any) -> Order:
    """A pending order whose items are reserved."""
    cart = make_cart(*items, user=user)
    Cart.objects.filter(pk=cart.pk).update(discount_code=code)
    return place_order(cart=Cart.objects.get(pk=cart.pk), values=checkout_values(**values), user=user)


def record_order_payment(*, order: Order, values: Mapping[str, Any]) -> Order:
    """The order as it is once staff have recorded its payment."""
    ORDERS.record_payment(order, values)
    return Order.objects.get(pk=order.pk)


def make_paid_order(*items: tuple[ProductVariant, int], **values: Any) -> Order:
    return record_order_payment(order=make_order(*items, **values), values={"method": "cash"})
