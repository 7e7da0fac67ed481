"""Reads of donations."""

from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import ExtractYear
from django.urls import reverse
from django.utils import timezone

from cms_api.core.records import filter_given
from cms_api.flags.selectors import get_setting, site_timezone
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching
from commerce.common.selectors import placed_by
from commerce.common.types import email_key
from commerce.common.types.money import Money, payable_step
from commerce.payments.selectors import largest_payable, smallest_payable

from ..models import Donation, RecurringDonation
from ..types.donations import LARGEST_DONATION, RECURRING, Frequency
from ..types.fees import WHOLE_BASIS_POINTS, Fee, cover

#: The page after a donation, with its receipt, and the page on which a recurring one is changed. Donors get both by email.
DONATION_LINK = SignedLink("donations.donation", Donation, view="donation_thanks")
MANAGE_LINK = SignedLink("donations.recurring", RecurringDonation, view="donation_manage")


def donations(
    *,
    status: str | None = None,
    frequency: str | None = None,
    email: str | None = None,
    campaign_id: int | None = None,
    since: datetime | None = None,
    search: str = "",
) -> QuerySet[Donation]:
    """Return donations with their campaigns and fundraisers; `frequency` may be `recurring`, `since` is of their creation."""
    found = Donation.objects.select_related("campaign", "fundraiser")
    if status is not None:
        found = found.filter(status=status)
    if frequency is not None:
        found = of_frequency(found, frequency)
    found = filter_given(found, email=None if email is None else email_key(email), campaign=campaign_id, created_at__gte=since)
    return matching(found, search) if search.strip() else found


def of_frequency(found: QuerySet[Any], frequency: str) -> QuerySet[Any]:
    """Return those of a frequency, or the `recurring` ones."""
    if frequency == RECURRING:
        return found.filter(frequency__in=(Frequency.MONTHLY, Frequency.YEARLY))
    return found.filter(frequency=frequency)


def donations_of(user: Any) -> QuerySet[Donation]:
    """Return the donations of an account, and those of its confirmed address."""
    return placed_by(Donation.objects.select_related("campaign"), user)


def recurring_of(user: Any) -> QuerySet[RecurringDonation]:
    """Return the recurring donations of an account, and those of its confirmed address."""
    return placed_by(RecurringDonation.objects.select_related("campaign"), user)


def paid_in(year: int, *, email: str | None = None) -> QuerySet[Donation]:
    """Return the donations that were paid in a year on the site's clock, by date; those that were refunded too."""
    zone = site_timezone()
    first, last = (datetime(each, 1, 1, tzinfo=zone) for each in (year, year + 1))
    found = Donation.objects.select_related("campaign").filter(paid_at__gte=first, paid_at__lt=last)
    return (found if email is None else found.filter(email=email_key(email))).order_by("paid_at", "id")


def years_of(found: QuerySet[Donation]) -> list[int]:
    """Return the years on the site's clock in which some of the donations were paid, latest first (one statement)."""
    paid = found.filter(paid_at__isnull=False).annotate(year=ExtractYear("paid_at", tzinfo=site_timezone()))
    return list(paid.order_by("-year").values_list("year", flat=True).distinct())


def unpaid_renewal(recurring: RecurringDonation) -> Donation | None:
    """Return the latest donation of a recurring one if it waits for its payment."""
    latest = recurring.donations.order_by("-period", "-id").first()
    return latest if latest is not None and latest.is_unpaid else None


def donations_to_charge(now: datetime) -> QuerySet[Donation]:
    """Return the donations whose cards have to be charged, those first that have waited longest."""
    return Donation.objects.filter(charge_at__lte=now).order_by("charge_at", "id")


def fee_in_use(currency: str) -> Fee:
    """Return the fee that donors can cover; none if it is not offered.

    Its fixed amount is one of the site's currency, and none in any other, in which recurring donations may go on.
    """
    if not get_setting("donations.offer_fee_cover"):
        return Fee(0, 0)
    share = min(max(int(get_setting("donations.fee_basis_points")), 0), WHOLE_BASIS_POINTS // 2)
    fixed = int(get_setting("donations.fee_fixed_cents")) if currency == settings.SITE_CURRENCY else 0
    return Fee(share, max(fixed, 0))


def fee_cover(amount: Money) -> int:
    """Return what a donor who covers the fee pays beside an amount, in minor units of its currency."""
    return cover(amount.cents, fee_in_use(amount.currency), step=payable_step(amount.currency))


def cover_of(recurring: RecurringDonation, amount_cents: int) -> int:
    """Return what the donor of a recurring donation who covers the fee pays beside an amount: as now, beside the present one."""
    if recurring.fee_cover_cents and amount_cents == recurring.amount_cents:
        return recurring.fee_cover_cents
    return fee_cover(Money(amount_cents, recurring.currency))


def smallest_donation(currency: str) -> int:
    """Return the least amount that visitors can donate, in minor units. The setting is for the site's currency alone."""
    least = smallest_payable(currency)
    return max(int(get_setting("donations.minimum_cents")), least) if currency == settings.SITE_CURRENCY else least


def largest_charge(currency: str) -> int:
    """Return the largest amount of which a donation can be charged, in minor units."""
    return min(largest_payable(currency), LARGEST_DONATION)


def largest_donation(currency: str) -> int:
    """Return the largest amount that visitors can donate at once, in minor units. The setting is as that of the least."""
    most = largest_charge(currency)
    if currency != settings.SITE_CURRENCY:
        return most
    return min(max(int(get_setting("donations.maximum_cents")), smallest_donation(currency)), most)


def today() -> date:
    """Return the date on the site's clock."""
    return timezone.localdate(timezone=site_timezone())


def donation_url(pk: int) -> str:
    """Return the path of a donation's page in the admin."""
    return reverse("donations:inspect", args=[pk])


def recurring_url(pk: int) -> str:
    """Return the path of a recurring donation's page in the admin."""
    return reverse("recurring_donations:inspect", args=[pk])
