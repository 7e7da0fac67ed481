from django.apps import AppConfig


class CommentsConfig(AppConfig):
    name = "cms_api.comments"
    label = "comments"
    verbose_name = "Comments"
