from django.apps import AppConfig


class FormsConfig(AppConfig):
    name = "cms_api.forms"
    label = "forms"
    verbose_name = "Forms"
