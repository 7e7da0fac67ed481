"""The restaurant in the admin."""

from django.http import HttpRequest
from django.urls import reverse_lazy
from wagtail.admin.menu import MenuItem
from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .hours import OpeningViewSet, SpecialDayViewSet, ZoneViewSet
from .menu import CategoryViewSet, DishViewSet
from .orders import OrderViewSet


class RestaurantGroup(ModelViewSetGroup):
    menu_label = "Restaurant"
    menu_icon = "list-ul"
    items = (OrderViewSet, DishViewSet, CategoryViewSet, OpeningViewSet, SpecialDayViewSet, ZoneViewSet)


class KitchenItem(MenuItem):
    """The menu entry of the kitchen page, for people who may change orders."""

    def is_shown(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("restaurant.change_restaurantorder"))


RESTAURANT = RestaurantGroup()
KITCHEN = KitchenItem("Kitchen", reverse_lazy("restaurant_orders:kitchen"), icon_name="tasks")

register_log_actions(
    {
        "restaurant.available": ("Mark as available", "Marked as available"),
        "restaurant.sold_out": ("Mark as sold out", "Marked as sold out"),
    }
)
