"""Files that buyers may download."""

from datetime import datetime

from django.db.models import F, Q, QuerySet

from ..models import Order, OrderItem, Product, ProductFile
from ..types.orders import OrderStatus
from .orders import SOLD


def files_of(order: Order) -> list[tuple[OrderItem, ProductFile]]:
    """Return the files of an order's digital products, once it is paid; those of refunded items are left out.

    A removed file is among them if it was there between the order and its payment.
    """
    if order.status not in SOLD:
        return []
    items = {item.product_id: item for item in order.items.all() if item.is_digital and item.refunded < item.quantity}
    # A payment that staff record may have an earlier day than its order.
    until = max(filter(None, (order.created_at, order.paid_at)))
    is_ordered = Q(removed_at=None) | Q(removed_at__gt=order.created_at, created_at__lte=until)
    files = ProductFile.objects.filter(is_ordered, product__in=[pk for pk in items if pk])
    return [(items[file.product_id], file) for file in files]


def files_on_sale(product: Product) -> QuerySet[ProductFile]:
    """Return the files that a new customer of a product gets."""
    return product.files.filter(removed_at=None)


def is_downloadable(product: Product, *, since: datetime | None = None) -> bool:
    """Return whether customers have bought the files of a product, `since` a time, or are about to (one statement)."""
    sold = OrderItem.objects.filter(product_id=product.pk, is_digital=True, refunded__lt=F("quantity"))
    sold = sold.filter(order__status__in=[*SOLD, OrderStatus.PENDING])
    return (sold.exclude(order__paid_at__lt=since, order__created_at__lt=since) if since else sold).exists()
