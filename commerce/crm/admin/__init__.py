"""The CRM in the admin. Loaded with Wagtail's hooks: so the audit log knows the action below wherever it is written."""

from typing import Any

from wagtail import hooks
from wagtail.admin.viewsets.model import ModelViewSetGroup
from wagtail.log_actions import LogFormatter

from . import bulk  # noqa: F401  (registered as it is imported)
from .companies import CompanyViewSet
from .contacts import ContactViewSet
from .rules import RuleViewSet


class CrmGroup(ModelViewSetGroup):
    menu_label = "CRM"
    menu_icon = "group"
    menu_order = 165
    items = (ContactViewSet, CompanyViewSet, RuleViewSet)


CRM = CrmGroup()


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    actions.register_action("crm.merge")(Merging)


class Merging(LogFormatter):
    """Says with whom."""

    label = "Merge contacts"

    def format_message(self, log_entry: Any) -> str:
        merged = (log_entry.data or {}).get("merged", [])
        return f"Merged with {', '.join(merged)}" if merged else "Merged"


__all__ = ["CRM"]
