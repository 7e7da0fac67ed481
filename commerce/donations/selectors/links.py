"""The addresses of public pages."""

from django.urls import reverse

from cms_api.http.signed_links import SignedLink

from ..models import Campaign, Fundraiser

#: The page on which the organizer changes a fundraiser, which they get by email.
FUNDRAISER_LINK = SignedLink("donations.fundraiser", view="fundraiser_edit")


def campaign_path(campaign: Campaign | None) -> str:
    """Return the path of a campaign's page; for None, that of donations to the site itself."""
    return reverse("donate_to_campaign", args=[campaign.slug]) if campaign else reverse("donate")


def fundraiser_path(fundraiser: Fundraiser) -> str:
    return reverse("donate_to_fundraiser", args=[fundraiser.campaign.slug, fundraiser.slug])
