"""Files that buyers may download."""

from django.db.models import F

from ..models import Order, OrderItem, Product, ProductFile
from ..types.orders import OrderStatus
from .orders import SOLD


def files_of(order: Order) -> list[tuple[OrderItem, ProductFile]]:
    """Return the files of an order's digital products, once it is paid; those of refunded items are left out."""
    if order.status not in SOLD:
        return []
    items = {item.product_id: item for item in order.items.all() if item.is_digital and item.refunded < item.quantity}
    files = ProductFile.objects.filter(product__in=[pk for pk in items if pk])
    return [(items[file.product_id], file) for file in files]


def is_downloadable(product: Product) -> bool:
    """Return whether customers have bought the files of a product, or are about to (one statement)."""
    sold = OrderItem.objects.filter(product_id=product.pk, is_digital=True, refunded__lt=F("quantity"))
    return sold.filter(order__status__in=[*SOLD, OrderStatus.PENDING]).exists()
