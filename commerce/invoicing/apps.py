from django.apps import AppConfig


class InvoicingConfig(AppConfig):
    name = "commerce.invoicing"
    label = "invoicing"
    verbose_name = "Invoicing"
