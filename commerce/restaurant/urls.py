"""The public pages of the restaurant."""

from django.urls import path

from .views import cart, checkout, menu, orders

urlpatterns = [
    path("menu", menu.show_menu, name="restaurant_menu"),
    path("menu/items/<id:pk>", menu.show_dish, name="restaurant_dish"),
    path("menu/cart", cart.show_cart, name="restaurant_cart"),
    path("menu/cart/add", cart.add, name="restaurant_add"),
    path("menu/cart/update", cart.update, name="restaurant_update_cart"),
    path("menu/checkout", checkout.checkout, name="restaurant_checkout"),
    path("menu/orders/<secret:token>/", orders.show_order, name="restaurant_order"),
    path("menu/orders/<secret:token>/pay", orders.pay, name="restaurant_pay_order"),
    path("accounts/meals/", orders.account_meals, name="restaurant_account"),
]
