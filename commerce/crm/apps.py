from django.apps import AppConfig


class CrmConfig(AppConfig):
    name = "commerce.crm"
    label = "crm"
    verbose_name = "CRM"
