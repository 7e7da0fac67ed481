"""The CRM in the admin."""

from cms_api.adminkit.history import register_log_actions

from .companies import CompanyViewSet
from .contacts import ContactViewSet
from .rules import RuleViewSet

CONTACTS = ContactViewSet()
COMPANIES = CompanyViewSet()
RULES = RuleViewSet()

register_log_actions(
    {
        "crm.merge": (
            "Merge contacts",
            lambda data: f"Merged with {', '.join(data['merged'])}" if data.get("merged") else "Merged",
        )
    }
)
