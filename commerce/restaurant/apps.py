from django.apps import AppConfig


class RestaurantConfig(AppConfig):
    name = "commerce.restaurant"
    label = "restaurant"
    verbose_name = "Restaurant"
