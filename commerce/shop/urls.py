"""The public pages of the shop."""

from django.urls import path

from .views import cart, catalogue, checkout, orders

urlpatterns = [
    path("shop", catalogue.products, name="shop"),
    path("shop/categories/<slug:slug>", catalogue.category, name="shop_category"),
    path("shop/products/<slug:slug>", catalogue.product, name="shop_product"),
    path("shop/cart", cart.show_cart, name="shop_cart"),
    path("shop/cart/add", cart.add, name="shop_add_to_cart"),
    path("shop/cart/update", cart.update, name="shop_update_cart"),
    path("shop/checkout", checkout.checkout, name="shop_checkout"),
    path("shop/orders/<secret:token>", orders.show_order, name="shop_order"),
    path("shop/orders/<secret:token>/pay", orders.pay, name="shop_pay_order"),
    path("shop/orders/<secret:token>/receipt.pdf", orders.receipt, name="shop_receipt"),
    path("shop/orders/<secret:token>/files/<id:item>/<id:file>", orders.order_file, name="shop_download"),
    path("accounts/orders/", orders.account_orders, name="account_orders"),
]
