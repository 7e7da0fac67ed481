"""Tables of the shop. Written by `services` only."""

from .carts import Cart, CartItem
from .catalogue import Product, ProductCategory, ProductFile, ProductPicture, ProductVariant
from .orders import Order, OrderItem, OrderRefund, Shipment, ShipmentItem
from .selling import DiscountCode, ShippingMethod

__all__ = [
    "Cart",
    "CartItem",
    "DiscountCode",
    "Order",
    "OrderItem",
    "OrderRefund",
    "Product",
    "ProductCategory",
    "ProductFile",
    "ProductPicture",
    "ProductVariant",
    "Shipment",
    "ShipmentItem",
    "ShippingMethod",
]
