from django.apps import AppConfig


class EventsConfig(AppConfig):
    name = "events"
    label = "events"
    verbose_name = "Events"
