"""The admin home's card for the restaurant."""

from django.http import HttpRequest
from django.urls import reverse

from cms_api.adminkit.cards import Card, count_up_to_max

from ..models import RestaurantOrder
from ..types.orders import OrderStatus


def open_orders(request: HttpRequest) -> Card:
    """Orders that the kitchen has not finished."""
    unfinished = RestaurantOrder.objects.filter(status__in=[OrderStatus.PLACED, OrderStatus.PREPARING])
    return Card(
        "Open restaurant orders",
        reverse("restaurant_orders:kitchen"),
        text="They are placed or being prepared.",
        icon="tasks",
        count=count_up_to_max(unfinished),
    )
