"""Points in the admin: who has how many, and the ledger.

Loaded with Wagtail's hooks: so the audit log knows the action below wherever it is written.
"""

from typing import Any

from wagtail import hooks
from wagtail.admin.viewsets.model import ModelViewSetGroup
from wagtail.log_actions import LogFormatter

from .balances import BalanceViewSet
from .ledger import EntryViewSet


class LoyaltyGroup(ModelViewSetGroup):
    menu_label = "Loyalty"
    menu_icon = "pick"
    menu_order = 171
    items = (BalanceViewSet, EntryViewSet)


LOYALTY = LoyaltyGroup()


@hooks.register("register_log_actions")
def register_log_actions(actions: Any) -> None:
    @actions.register_action("loyalty.adjust")
    class Adjust(LogFormatter):
        label = "Adjust points"

        def format_message(self, entry: Any) -> str:
            return f"Adjusted by {entry.data['points']:+d} points: {entry.data['note']}"


__all__ = ["LOYALTY"]
