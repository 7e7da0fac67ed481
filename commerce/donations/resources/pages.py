"""Campaigns, fundraisers and donors as the public pages show them, and their metadata for search engines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from django.urls import reverse

from cms_api.flags.selectors import get_setting, site_formats, site_timezone
from cms_api.http import page_cache
from cms_api.text.excerpts import shorten
from commerce.common.resources.pages import Picture, absolute, decoration, image_of, meta, prefetch_images
from commerce.common.types.money import Money

from ..models import Campaign, Donation, Fundraiser, RecurringDonation
from ..selectors.campaigns import Progress, progress_by_id
from ..selectors.donations import today
from ..selectors.links import campaign_path, cause_path, fundraiser_path
from ..types.donations import DonationStatus, RecurringStatus

TITLE = "Donate"
SUMMARY_LENGTH = 160
ANONYMOUS = "Anonymous"


@dataclass(frozen=True)
class Thermometer:
    """How much has been raised, in words; `goal` is empty without one."""

    raised: str
    goal: str
    percent: int
    donations: int

    @property
    def filled(self) -> int:
        """Return how much of the bar is filled, in percent."""
        return min(self.percent, 100)


@dataclass(frozen=True)
class Card:
    """A campaign or fundraiser in a list; `organizer` is that of a fundraiser."""

    name: str
    organizer: str
    url: str
    summary: str
    picture: Picture | None
    #: The number of the drawing that replaces a missing picture.
    drawing: int
    thermometer: Thermometer


@dataclass(frozen=True)
class Donor:
    name: str
    message: str
    at: datetime | None


def amount_text(money: Money) -> str:
    """Return an amount without decimals if it has none: `$25`, `$12.50`."""
    amount = money.amount
    whole = amount.to_integral_value()
    return site_formats().money(whole if whole == amount else amount, money.currency)


def thermometer_of(progress: Progress) -> Thermometer:
    goal = amount_text(progress.goal) if progress.goal else ""
    return Thermometer(amount_text(progress.raised), goal, progress.percent, progress.donations)


def cards_of(causes: Sequence[Campaign | Fundraiser]) -> list[Card]:
    """Return cards of campaigns, or of fundraisers, with two statements for all of them."""
    prefetch_images(causes)
    progress = progress_by_id(causes)
    return [_card(each, thermometer_of(progress[each.pk])) for each in causes]


def _card(cause: Campaign | Fundraiser, thermometer: Thermometer) -> Card:
    is_campaign = isinstance(cause, Campaign)
    return Card(
        cause.name,
        "" if is_campaign else cause.organizer,
        campaign_path(cause) if is_campaign else fundraiser_path(cause),
        summary_of(cause),
        decoration(cause, "card"),
        cause.pk % 4,
        thermometer,
    )


def summary_of(cause: Campaign | Fundraiser) -> str:
    """Return one line about a cause."""
    own = cause.summary if isinstance(cause, Campaign) else ""
    return shorten(own or cause.story, SUMMARY_LENGTH)


def donors_of(donations: Sequence[Donation]) -> list[Donor]:
    """Return the donors as a page lists them; the amounts are nobody's business."""
    return [Donor(ANONYMOUS if each.is_anonymous else each.name, each.message, each.paid_at) for each in donations]


def lasts_until(campaigns: Sequence[Campaign]) -> None:
    """Declare that the page being rendered changes at midnight, if one of its campaigns ends some day."""
    day = today()
    if any(each.ends_on is not None and each.ends_on >= day for each in campaigns):
        page_cache.good_until(datetime.combine(day + timedelta(days=1), time(), tzinfo=site_timezone()))


def status_text(donation: Donation) -> str:
    """Return the status of a donation as its donor reads it."""
    if donation.is_processing:
        return "Payment on its way"
    if donation.status == DonationStatus.PENDING:
        return "Awaiting payment"
    if donation.status == DonationStatus.FAILED:
        return "Payment failed"
    if donation.status == DonationStatus.PAID and donation.refunded_cents:
        return "Partly refunded"
    return str(donation.get_status_display())


def recurring_status_text(recurring: RecurringDonation) -> str:
    if recurring.status == RecurringStatus.PENDING:
        return "Awaiting payment"
    return "Payment failed" if recurring.status == RecurringStatus.PAST_DUE else str(recurring.get_status_display())


def list_meta() -> meta.Meta:
    description = f"Make a donation to {get_setting('site.name')}."
    found = meta.for_page(title=TITLE, path=reverse("donate"), description=description)
    return {**found, "linked_data": [_donate_action(TITLE, description, reverse("donate")), *found["linked_data"]]}


def cause_meta(campaign: Campaign, fundraiser: Fundraiser | None = None, *, is_open: bool) -> meta.Meta:
    """Return the metadata of the page of a campaign or fundraiser; one that takes donations is a DonateAction of schema.org."""
    cause = fundraiser or campaign
    path = cause_path(campaign, fundraiser)
    above = [(TITLE, reverse("donate")), *([(campaign.name, campaign_path(campaign))] if fundraiser else [])]
    found = meta.for_page(
        title=cause.name,
        path=path,
        description=summary_of(cause),
        featured=image_of(cause),
        above=above,
        modified=cause.updated_at,
    )
    if not is_open:
        return found
    action = _donate_action(cause.name, summary_of(cause), path)
    if found["image"]:
        action["image"] = found["image"]
    return {**found, "linked_data": [action, *found["linked_data"]]}


def _donate_action(name: str, description: str, path: str) -> dict[str, Any]:
    found: Mapping[str, Any] = {
        "@context": "https://schema.org",
        "@type": "DonateAction",
        "name": name,
        "description": description,
        "target": absolute(path),
        "recipient": {"@type": "Organization", "@id": absolute("/#organization"), "name": str(get_setting("site.name") or "")},
    }
    return {key: value for key, value in found.items() if value}
