"""The admin home's cards for the shop."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from cms_api.adminkit.cards import Card, Kind, count_up_to_max
from cms_api.flags.selectors import get_setting
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Order, ProductVariant
from ..selectors.orders import SOLD
from ..selectors.products import low_in_stock
from ..types.orders import OrderStatus
from ..types.products import ProductStatus

#: The days that the card of sales sums up.
SUMMED_DAYS = 7


def orders(request: HttpRequest) -> Iterator[Card]:
    """Orders to be shipped, and the sales of the last days."""
    url = reverse("orders:index")
    unshipped = Order.objects.filter(status=OrderStatus.PAID)
    yield Card(
        "Orders to ship",
        f"{url}?status=paid",
        text="They have been paid.",
        icon="clipboard-list",
        count=count_up_to_max(unshipped),
    )
    recent = Order.objects.filter(
        paid_at__gte=timezone.now() - timedelta(days=SUMMED_DAYS), status__in=SOLD, currency=settings.SITE_CURRENCY
    )
    sold = recent.aggregate(number=Count("pk"), cents=Sum("total_cents"), refunded=Sum("refunded_cents"))
    money = Money((sold["cents"] or 0) - (sold["refunded"] or 0), settings.SITE_CURRENCY)
    orders_ = f"{sold['number']} order{'' if sold['number'] == 1 else 's'}"
    yield Card(
        f"Sales in the last {SUMMED_DAYS} days",
        url,
        kind=Kind.FIGURE,
        text=f"{format_money(money)} from {orders_}",
        icon="clipboard-list",
    )


def low_stock(request: HttpRequest) -> Card:
    """Published products of which few or none are left."""
    few = ProductVariant.objects.filter(low_in_stock(get_setting("shop.low_stock")), product__status=ProductStatus.PUBLISHED)
    return Card(
        "Low stock",
        reverse("products:index") + "?status=published&stock=low",
        text="Products that are almost or wholly sold out.",
        icon="tag",
        count=count_up_to_max(few.values("product").distinct()),
    )
