"""The CRM in the admin."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .companies import CompanyViewSet
from .contacts import ContactViewSet
from .rules import RuleViewSet


class CrmGroup(ModelViewSetGroup):
    menu_label = "CRM"
    menu_icon = "group"
    menu_order = 165
    items = (ContactViewSet, CompanyViewSet, RuleViewSet)


CRM = CrmGroup()

register_log_actions(
    {
        "crm.merge": (
            "Merge contacts",
            lambda data: f"Merged with {', '.join(data['merged'])}" if data.get("merged") else "Merged",
        )
    }
)

__all__ = ["CRM"]
