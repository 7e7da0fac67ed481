from django.apps import AppConfig


class LoyaltyConfig(AppConfig):
    name = "commerce.loyalty"
    label = "loyalty"
    verbose_name = "Loyalty"
