from django.apps import AppConfig


class MediaConfig(AppConfig):
    name = "cms_api.media"
    label = "media"
    verbose_name = "Media"
