"""The addresses of public pages."""

from django.urls import reverse

from cms_api.http.signed_links import SignedLink

from ..models import Campaign, Fundraiser

#: The page on which the organizer changes a fundraiser, which they get by email.
FUNDRAISER_LINK = SignedLink("donations.fundraiser", Fundraiser, view="fundraiser_edit")


def campaign_path(campaign: Campaign | None) -> str:
    """Return the path of a campaign's page; for None, that of donations to the site itself."""
    return reverse("donate_to_campaign", args=[campaign.slug]) if campaign else reverse("donate")


def fundraiser_path(fundraiser: Fundraiser) -> str:
    return reverse("donate_to_fundraiser", args=[fundraiser.campaign.slug, fundraiser.slug])


def cause_path(campaign: Campaign | None, fundraiser: Fundraiser | None = None) -> str:
    """Return the path of the page about a cause: a fundraiser, else a campaign, else the site itself."""
    return fundraiser_path(fundraiser) if fundraiser else campaign_path(campaign)


def form_path(campaign: Campaign | None, fundraiser: Fundraiser | None = None) -> str:
    """Return the path of the form for donations to a cause."""
    if campaign is None:
        return reverse("give")
    if fundraiser is None:
        return reverse("give_to_campaign", args=[campaign.slug])
    return reverse("give_to_fundraiser", args=[campaign.slug, fundraiser.slug])


def start_path(campaign: Campaign) -> str:
    """Return the path of the page on which supporters start a fundraiser for a campaign."""
    return reverse("fundraiser_start", args=[campaign.slug])
