"""The parts of emails about donations."""

from datetime import date

from cms_api.core.module import Block
from cms_api.flags.selectors import site_formats, site_timezone
from commerce.common.resources import sums_block
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Donation, RecurringDonation
from ..types.donations import Amounts, Frequency


def sums_of(donation: Donation | RecurringDonation) -> list[tuple[str, str]]:
    """Return the amounts of a donation, each with its label."""
    if not donation.fee_cover_cents:
        return [("Total", format_money(donation.total))]
    return [
        ("Donation", format_money(donation.amount)),
        ("Transaction fee covered", format_money(Money(donation.fee_cover_cents, donation.currency))),
        ("Total", format_money(donation.total)),
    ]


def summary(donation: Donation) -> Block:
    return sums_block([], sums_of(donation))


def purpose(donation: Donation | RecurringDonation) -> str:
    """Return what a donation is for: `A kiln for the mill, Youth workshops`; empty for the site itself."""
    campaign = donation.campaign.name if donation.campaign else ""
    return ", ".join(filter(None, (campaign, donation.designation)))


def tribute(donation: Donation | RecurringDonation) -> str:
    """Return `In memory of Alma Reyes`; empty without a tribute."""
    return f"{donation.get_tribute_type_display()} {donation.tribute_name}" if donation.tribute_type else ""


def rhythm(recurring: RecurringDonation, amounts: Amounts | None = None) -> str:
    """Return the amount and how often it is charged: `$50.00 a month`; or another amount that it had or may have."""
    every = "a month" if recurring.frequency == Frequency.MONTHLY else "a year"
    total = Money(amounts.total_cents, recurring.currency) if amounts else recurring.total
    return f"{format_money(total)} {every}"


def day(value: date | None) -> str:
    return site_formats().date(value) if value else ""


def paid_on(donation: Donation) -> str:
    """Return the date of the payment on the site's clock."""
    return day(donation.paid_at.astimezone(site_timezone()).date()) if donation.paid_at else ""


def salutation(donation: Donation | RecurringDonation) -> str:
    return donation.first_name or donation.name
