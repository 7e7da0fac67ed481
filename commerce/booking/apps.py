from django.apps import AppConfig


class BookingConfig(AppConfig):
    name = "commerce.booking"
    label = "booking"
    verbose_name = "Booking"
