"""The page row that asks for donations."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from wagtail import blocks

from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http import page_cache
from cms_api.rows import RecordBlock, RowBlock, heading
from commerce.common.resources.pages import decoration
from commerce.payments.selectors import is_ready

from .models import Campaign
from .resources import pages
from .selectors.campaigns import amounts_of, progress_of, takes_donations, visible_campaigns
from .selectors.links import campaign_path, form_path
from .types.donations import VERSION


def listed_campaigns() -> list[tuple[str, str]]:
    """Return the campaigns as choices: id and name."""
    return [(str(pk), name) for pk, name in Campaign.objects.values_list("pk", "name")]


class DonateBlock(RowBlock):
    heading = heading()
    text = blocks.TextBlock(required=False, max_length=400, rows=3, help_text="Defaults to the summary of the campaign.")
    campaign = RecordBlock(choices=listed_campaigns, required=False, help_text="Defaults to donations without a campaign.")

    def present(self, value: Any) -> Mapping[str, Any] | None:
        """Return what the template describes; None if the campaign is not public any more."""
        page_cache.depends_on(VERSION, FLAGS)
        if not value["campaign"]:
            return self._present(value, None)
        campaign = visible_campaigns().filter(pk=value["campaign"]).first()
        if campaign is None:
            return None
        pages.lasts_until([campaign])
        about = {"thermometer": pages.thermometer_of(progress_of(campaign)), "picture": decoration(campaign, "half")}
        return {**self._present(value, campaign), **about}

    def _present(self, value: Any, campaign: Campaign | None) -> dict[str, Any]:
        is_open = takes_donations(campaign) and is_ready()
        path = form_path(campaign)
        return {
            "title": value["heading"] or (campaign.name if campaign else pages.TITLE),
            "text": value["text"] or (campaign.summary if campaign else ""),
            "cause_path": campaign_path(campaign),
            "more": "Read more" if campaign else "More ways to donate",
            "amounts": [
                (pages.amount_text(each), f"{path}?{urlencode({'amount': each.cents})}")
                for each in amounts_of(campaign)
                if is_open
            ],
        }

    def has_heading(self, value: Any) -> bool:
        """Return True: the row has a heading of its own by default."""
        return True

    class Meta:
        icon = "pick"
        label = "Donate"
        label_format = "{heading}"
        description = "Suggested amounts, and how much a campaign has raised."
        preview_value = {"heading": "", "text": "", "campaign": ""}
