"""Campaigns and fundraisers in the admin."""

from cms_api.adminkit.columns import MomentColumn, RecordColumn
from cms_api.adminkit.viewset import RecordViewSet

from ..models import Campaign, Fundraiser


class CampaignViewSet(RecordViewSet):
    model = Campaign
    icon = "pick"
    menu_label = "Campaigns"
    menu_order = 30
    name = "campaigns"
    url_prefix = "donations/campaigns"
    pages = ("history",)
    list_display = (RecordColumn("name", label="Name"), MomentColumn("created_at", label="Created"))


class FundraiserViewSet(RecordViewSet):
    model = Fundraiser
    icon = "group"
    menu_label = "Fundraisers"
    menu_order = 40
    name = "fundraisers"
    url_prefix = "donations/fundraisers"
    pages = ("history",)
    list_display = (RecordColumn("name", label="Name"), MomentColumn("created_at", label="Created"))
