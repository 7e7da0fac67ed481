from django.apps import AppConfig


class ContentConfig(AppConfig):
    name = "cms_api.content"
    label = "content"
    verbose_name = "Content"
