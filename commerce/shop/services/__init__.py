"""Writes of the shop."""

from .categories import delete_category, save_category
from .products import archive_product, delete_product, publish_product, save_product, unpublish_product
from .shipping import save_shipping_method, switch_shipping_method

__all__ = [
    "archive_product",
    "delete_category",
    "delete_product",
    "publish_product",
    "save_category",
    "save_product",
    "save_shipping_method",
    "switch_shipping_method",
    "unpublish_product",
]
