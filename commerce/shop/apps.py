from django.apps import AppConfig


class ShopConfig(AppConfig):
    name = "commerce.shop"
    label = "shop"
    verbose_name = "Shop"
