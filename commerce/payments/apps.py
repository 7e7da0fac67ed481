from django.apps import AppConfig


class PaymentsConfig(AppConfig):
    name = "commerce.payments"
    label = "payments"
    verbose_name = "Payments"
