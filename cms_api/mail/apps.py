from django.apps import AppConfig


class MailConfig(AppConfig):
    name = "cms_api.mail"
    label = "mail"
    verbose_name = "Mail"
