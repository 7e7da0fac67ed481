"""Donations in the admin."""

from cms_api.adminkit.columns import MomentColumn, RecordColumn
from cms_api.adminkit.viewset import RecordViewSet

from ..models import Donation


class DonationViewSet(RecordViewSet):
    model = Donation
    icon = "pick"
    menu_label = "Donations"
    menu_order = 10
    name = "donations"
    pages = ("inspect", "history")
    list_display = (RecordColumn("name", label="Donor"), MomentColumn("created_at", label="Created"))
