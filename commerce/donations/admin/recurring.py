"""Recurring donations in the admin."""

from cms_api.adminkit.columns import MomentColumn, RecordColumn
from cms_api.adminkit.viewset import RecordViewSet

from ..models import RecurringDonation


class RecurringDonationViewSet(RecordViewSet):
    model = RecurringDonation
    icon = "pick"
    menu_label = "Recurring donations"
    menu_order = 20
    name = "recurring_donations"
    url_prefix = "donations/recurring"
    pages = ("inspect", "history")
    list_display = (RecordColumn("name", label="Donor"), MomentColumn("created_at", label="Created"))
