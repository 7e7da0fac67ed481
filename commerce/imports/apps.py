from django.apps import AppConfig


class ImportsConfig(AppConfig):
    name = "commerce.imports"
    label = "imports"
    verbose_name = "Imports"
