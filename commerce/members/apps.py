from django.apps import AppConfig


class MembersConfig(AppConfig):
    name = "commerce.members"
    label = "members"
    verbose_name = "Members"
