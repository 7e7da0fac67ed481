"""Points in the admin: balances and the ledger."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions

from .balances import BalanceViewSet
from .ledger import EntryViewSet


class LoyaltyGroup(ModelViewSetGroup):
    menu_label = "Loyalty"
    menu_icon = "pick"
    items = (BalanceViewSet, EntryViewSet)


LOYALTY = LoyaltyGroup()

register_log_actions(
    {"loyalty.adjust": ("Adjust points", lambda data: f"Adjusted by {data['points']:+d} points: {data['note']}")}
)
