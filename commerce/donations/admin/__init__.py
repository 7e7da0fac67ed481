"""Donations in the admin."""

from wagtail.admin.viewsets.model import ModelViewSetGroup

from cms_api.adminkit.history import register_log_actions
from commerce.common.admin.cells import logged_amount
from commerce.sales.admin import register_sale_actions

from .campaigns import CampaignViewSet
from .donations import DonationViewSet
from .fundraisers import FundraiserViewSet
from .recurring import RecurringDonationViewSet


class DonationsGroup(ModelViewSetGroup):
    menu_label = "Donations"
    menu_icon = "pick"
    items = (DonationViewSet, RecurringDonationViewSet, CampaignViewSet, FundraiserViewSet)


DONATIONS = DonationsGroup()


register_sale_actions("donations")
register_log_actions(
    {
        "donations.paid": ("Pay", lambda data: f"Paid {logged_amount(data)}"),
        "donations.declined": ("Decline", lambda data: f"The card was declined: {data['reason']}"),
        "donations.send_receipt": ("Send receipt", "The receipt was sent again"),
        "donations.change_amount": ("Change amount", lambda data: f"Amount changed from {data['from']} to {data['to']}"),
        "donations.cancel_recurring": ("Cancel", "Cancelled"),
        "donations.pause_recurring": ("Pause", "Paused"),
        "donations.paused_after_declines": ("Pause", "Paused: the card was declined too often"),
        "donations.resume_recurring": ("Resume", "Resumed"),
        "donations.publish_fundraiser": ("Publish", "Published"),
        "donations.end_fundraiser": ("End", "Ended"),
        "donations.hide_fundraiser": ("Hide", "Hidden"),
    }
)
