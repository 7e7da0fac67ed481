from django.apps import AppConfig


class TicketingConfig(AppConfig):
    name = "commerce.ticketing"
    label = "ticketing"
    verbose_name = "Event ticketing"
