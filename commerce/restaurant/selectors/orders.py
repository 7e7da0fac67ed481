"""Reads of orders."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from cms_api.http.signed_links import SignedLink
from commerce.common.selectors import placed_by

from ..models import RestaurantOrder
from ..types.orders import OPEN

#: The link to an order's page, which customers get by email.
ORDER_LINK = SignedLink("restaurant.order", RestaurantOrder, view="restaurant_order")


def orders() -> QuerySet[RestaurantOrder]:
    return RestaurantOrder.objects.prefetch_related("items")


def orders_of(user: Any) -> QuerySet[RestaurantOrder]:
    """Return the orders that an account placed, and those of its confirmed address."""
    return placed_by(RestaurantOrder.objects.all(), user)


def kitchen_orders() -> QuerySet[RestaurantOrder]:
    """Return the orders that the kitchen works on, the earliest first."""
    return orders().filter(status__in=OPEN).order_by("wanted_at", "id")


def admin_url(pk: int) -> str:
    """Return the path of an order's page in the admin."""
    return reverse("restaurant_orders:inspect", args=[pk])
