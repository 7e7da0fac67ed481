"""Texts and facts that the pages of donations, recurring donations, campaigns and fundraisers share."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.urls import reverse

from commerce.common.admin.cells import link
from commerce.common.selectors import format_money
from commerce.common.types.money import Money
from commerce.crm.selectors import contact_page

from ..models import Campaign, Donation, Fundraiser
from ..resources import mails
from ..selectors.donations import donation_url
from ..types.donations import DonationStatus

DONATION_TONES = {
    DonationStatus.PENDING: "warning",
    DonationStatus.PAID: "positive",
    DonationStatus.FAILED: "critical",
}
#: Donations that the page of another record shows.
SHOWN_DONATIONS = 20


def format_raised(cause: Any) -> str:
    """Return how much a campaign or fundraiser has raised, whose progress is annotated: `$120.00 of $1,000.00`."""
    amounts = [Money(cents, settings.SITE_CURRENCY) for cents in (cause.raised_cents, cause.goal_cents) if cents is not None]
    return " of ".join(map(format_money, amounts))


def percent(cause: Any) -> str:
    """Return how much of its goal a campaign or fundraiser has raised; empty without a goal."""
    return f"{cause.raised_cents * 100 // cause.goal_cents}% of the goal" if cause.goal_cents else ""


def campaign_link(campaign: Campaign | None) -> str | None:
    return link(campaign, reverse("campaigns:edit", args=[campaign.pk])) if campaign else None


def fundraiser_link(fundraiser: Fundraiser | None) -> str | None:
    return link(fundraiser, reverse("fundraisers:inspect", args=[fundraiser.pk])) if fundraiser else None


def purpose_note(gift: Any) -> str:
    """Return the fundraiser and the designation of a donation, for the note below its campaign."""
    return " · ".join(filter(None, (gift.fundraiser.name if gift.fundraiser else "", gift.designation)))


def gift_facts(gift: Any) -> dict[str, Any]:
    """Return the facts about the donor and the purpose of a donation or recurring donation."""
    contact = contact_page(gift.email)
    return {
        "Campaign": campaign_link(gift.campaign),
        "Fundraiser": fundraiser_link(gift.fundraiser),
        "Designation": gift.designation or None,
        "Tribute": mails.tribute(gift) or None,
        "Message of the tribute": gift.tribute_message or None,
        "Email about the tribute": gift.tribute_email or None,
        "Donor": f"{gift.name} (anonymous in public)" if gift.is_anonymous else gift.name,
        "Email": gift.email,
        "Phone": gift.phone or None,
        "Address": ", ".join(gift.address_lines) or None,
        "Contact": link("Open in the CRM", contact) if contact else None,
        "Message": gift.message or None,
    }


def rows(donations: Iterable[Donation]) -> list[dict[str, Any]]:
    """Return donations as tables on the pages of other records show them."""
    return [
        {
            "name": each.name,
            "url": donation_url(each.pk),
            "number": each.number or "",
            "amount": format_money(each.total),
            "status": each.get_status_display(),
            "classname": f"records__tag--{tone}" if (tone := DONATION_TONES.get(DonationStatus(each.status))) else "",
            "created_at": each.created_at,
            "paid_at": each.paid_at,
        }
        for each in donations
    ]
