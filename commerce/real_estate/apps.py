from django.apps import AppConfig


class RealEstateConfig(AppConfig):
    name = "commerce.real_estate"
    label = "real_estate"
    verbose_name = "Real estate"
