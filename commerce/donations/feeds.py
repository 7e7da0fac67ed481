"""Campaigns and fundraisers in the sitemap, in the footer of the site, and in the site's search."""

from collections.abc import Iterable, Mapping, Sequence

from django.contrib.sitemaps import Sitemap
from django.urls import reverse

from cms_api.core.module import FooterLink
from cms_api.http import page_cache
from cms_api.text.excerpts import join_texts
from cms_api.text.search import matching
from cms_api.text.site_search import RANKED_MATCHES, Candidate, Result

from .models import Campaign
from .resources.pages import TITLE
from .selectors.campaigns import public_fundraisers, visible_campaigns
from .selectors.links import campaign_path, fundraiser_path
from .types.donations import VERSION


class DonationsSitemap(Sitemap):
    """The page of all campaigns, and those of each campaign and fundraiser, oldest first."""

    def items(self) -> list[str]:
        page_cache.depends_on(VERSION)
        campaigns = map(campaign_path, visible_campaigns().order_by("created_at", "id"))
        return [reverse("donate"), *campaigns, *map(fundraiser_path, public_fundraisers().order_by("created_at", "id"))]

    def location(self, path: str) -> str:
        return path


def sections() -> dict[str, Sitemap]:
    return {"donations": DonationsSitemap()}


def footer_links() -> list[FooterLink]:
    return [FooterLink(TITLE, reverse("donate"))]


class CampaignSource:
    """Campaigns with a public page, for the site's search."""

    def candidates(self, text: str) -> Iterable[Candidate]:
        page_cache.depends_on(VERSION)
        rows = matching(visible_campaigns(), text).order_by("-created_at", "-id").values_list("pk", "name", "created_at")
        return [Candidate(*row) for row in rows[:RANKED_MATCHES]]

    def results(self, keys: Sequence[int]) -> Mapping[int, Result]:
        return {campaign.pk: _result(campaign) for campaign in visible_campaigns().filter(pk__in=keys)}


CAMPAIGNS = CampaignSource()


def _result(campaign: Campaign) -> Result:
    text = join_texts([campaign.summary, campaign.story])
    return Result(title=campaign.name, url=campaign_path(campaign), kind="Campaign", text=text)
