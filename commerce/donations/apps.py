from django.apps import AppConfig


class DonationsConfig(AppConfig):
    name = "commerce.donations"
    label = "donations"
    verbose_name = "Donations"
