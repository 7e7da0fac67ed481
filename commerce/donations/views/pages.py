"""The pages of campaigns and fundraisers. They are cached: nothing on them depends on the visitor."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from cms_api.core.not_found import found_or_404
from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http import page_cache
from commerce.common.resources.pages import decoration
from commerce.payments.selectors import is_ready

from ..models import Campaign, Fundraiser
from ..resources import pages
from ..selectors.campaigns import (
    open_campaigns,
    progress_of,
    public_fundraisers,
    recent_donations,
    takes_donations,
    visible_campaigns,
)
from ..selectors.links import campaign_path, form_path, start_path
from ..types.donations import VERSION
from .forms import AmountForm

#: Fundraisers on the page of a campaign, the newest ones.
SHOWN_FUNDRAISERS = 60


@require_safe
def show_causes(request: HttpRequest) -> HttpResponse:
    """The campaigns that take donations, and the donation to the site itself."""
    _cache()
    campaigns = list(open_campaigns())
    pages.lasts_until(campaigns)
    shown = {"cards": pages.cards_of(campaigns), "meta": pages.list_meta(), **_giving(None)}
    return render(request, "donations/causes.html", shown)


@require_safe
def show_campaign(request: HttpRequest, campaign: str) -> HttpResponse:
    _cache()
    found, _ = cause_or_404(campaign)
    assert found is not None
    fundraisers = list(public_fundraisers(found)[:SHOWN_FUNDRAISERS])
    shown = {**_cause(found), "fundraisers": pages.cards_of(fundraisers)}
    if found.has_fundraisers and takes_donations(found):
        shown["start_path"] = start_path(found)
    return render(request, "donations/cause.html", shown)


@require_safe
def show_fundraiser(request: HttpRequest, campaign: str, fundraiser: str) -> HttpResponse:
    _cache()
    found, collecting = cause_or_404(campaign, fundraiser)
    assert found is not None
    return render(request, "donations/cause.html", _cause(found, collecting))


def cause_or_404(campaign: str | None, fundraiser: str | None = None) -> tuple[Campaign | None, Fundraiser | None]:
    """Return the public campaign and fundraiser with these slugs; None for those not named."""
    if campaign is None:
        return None, None
    found = found_or_404(visible_campaigns().filter(slug=campaign).first())
    if fundraiser is None:
        return found, None
    collecting = found_or_404(public_fundraisers(found).filter(slug=fundraiser).first())
    return found, collecting


def _cache() -> None:
    page_cache.enable()
    page_cache.depends_on(VERSION, FLAGS)


def _cause(campaign: Campaign, fundraiser: Fundraiser | None = None) -> dict[str, Any]:
    """Return what the pages of campaigns and of fundraisers show."""
    pages.lasts_until([campaign])
    cause = fundraiser or campaign
    is_open = takes_donations(campaign, fundraiser)
    return {
        "campaign": campaign,
        "campaign_path": campaign_path(campaign),
        "fundraiser": fundraiser,
        "cause": cause,
        "picture": decoration(cause, "half") or (decoration(campaign, "half") if fundraiser else None),
        "thermometer": pages.thermometer_of(progress_of(cause)),
        "donors": pages.donors_of(list(recent_donations(cause))) if campaign.shows_donors else [],
        "is_open": is_open,
        "meta": pages.cause_meta(campaign, fundraiser, is_open=is_open),
        **(_giving(campaign, fundraiser) if is_open else {}),
    }


def _giving(campaign: Campaign | None, fundraiser: Fundraiser | None = None) -> dict[str, Any]:
    """Return the choice of an amount, with which the form begins."""
    return {"form": AmountForm(campaign), "form_path": form_path(campaign, fundraiser), "can_give": is_ready()}
