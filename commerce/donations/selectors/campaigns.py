"""Reads of campaigns and fundraisers, and of what they have raised."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Greatest, Least

from cms_api.flags.selectors import get_setting
from commerce.common.types.money import Money, minor_units

from ..models import Campaign, Donation, Fundraiser
from ..types.donations import DonationStatus, FundraiserStatus
from .donations import today

#: Suggested where a campaign names none, in whole units.
USUAL_AMOUNTS = (25, 50, 100, 250)
#: Donors that a page lists.
LISTED_DONORS = 10


@dataclass(frozen=True, slots=True)
class Progress:
    """How much a campaign or fundraiser has raised, without covered fees and without what went back."""

    raised: Money
    #: None for one without a goal.
    goal: Money | None
    donations: int

    @property
    def percent(self) -> int:
        """Return how much of the goal is reached, rounded down; it may be more than 100."""
        return self.raised.cents * 100 // self.goal.cents if self.goal else 0


def open_campaigns() -> QuerySet[Campaign]:
    """Return the campaigns that take donations now."""
    return visible_campaigns().filter(Q(ends_on=None) | Q(ends_on__gte=today()))


def visible_campaigns() -> QuerySet[Campaign]:
    """Return the campaigns with a public page, also those that have ended."""
    return Campaign.objects.filter(is_visible=True).select_related("image__mediaimage")


def public_fundraisers(campaign: Campaign | None = None) -> QuerySet[Fundraiser]:
    """Return the fundraisers with a public page, newest first."""
    shown = (FundraiserStatus.PUBLISHED, FundraiserStatus.ENDED)
    found = Fundraiser.objects.filter(status__in=shown, campaign__is_visible=True)
    found = found.select_related("campaign", "image__mediaimage")
    return found if campaign is None else found.filter(campaign=campaign)


def takes_donations(campaign: Campaign | None, fundraiser: Fundraiser | None = None) -> bool:
    """Return whether visitors can donate to a campaign or fundraiser now; None is the site itself."""
    if fundraiser is not None and fundraiser.status != FundraiserStatus.PUBLISHED:
        return False
    return campaign is None or (campaign.is_visible and not campaign.has_ended(today()))


def progress_of(cause: Campaign | Fundraiser) -> Progress:
    """Return the progress of a campaign or fundraiser (one statement)."""
    return progress_by_id([cause])[cause.pk]


def progress_by_id(causes: Iterable[Campaign | Fundraiser]) -> Mapping[int, Progress]:
    """Return the progress of several campaigns, or of several fundraisers, by their ids (one statement)."""
    all_of = list(causes)
    name = "fundraiser" if all_of and isinstance(all_of[0], Fundraiser) else "campaign"
    rows = (
        _select_paid()
        .filter(**{f"{name}__in": [each.pk for each in all_of]})
        .values(name)
        .annotate(raised=Sum(build_kept_cents()), number=Count("pk"))
        .order_by()
    )
    found: Mapping[Any, Any] = {row[name]: row for row in rows}
    nothing = {"raised": 0, "number": 0}
    return {each.pk: _progress(each, found.get(each.pk, nothing)) for each in all_of}


def with_progress(causes: QuerySet[Any]) -> QuerySet[Any]:
    """Annotate campaigns, or fundraisers, with the columns of their progress: `raised_cents` and `donation_count`."""
    name = "fundraiser" if causes.model is Fundraiser else "campaign"
    own = _select_paid().filter(**{name: OuterRef("pk")}).order_by().values(name)
    raised, number = own.annotate(value=Sum(build_kept_cents())).values("value"), own.annotate(value=Count("pk")).values("value")
    return causes.annotate(raised_cents=Coalesce(Subquery(raised), 0), donation_count=Coalesce(Subquery(number), 0))


def _progress(cause: Campaign | Fundraiser, row: Mapping[str, int]) -> Progress:
    currency = settings.SITE_CURRENCY
    goal = Money(cause.goal_cents, currency) if cause.goal_cents else None
    return Progress(Money(row["raised"], currency), goal, row["number"])


def build_kept_cents() -> Any:
    """Return the expression of `Donation.kept_cents`."""
    left = F("amount_cents") + F("fee_cover_cents") - F("refunded_cents")
    return Coalesce(Greatest(Least(F("amount_cents"), left), 0), 0)


def _select_paid() -> QuerySet[Donation]:
    return Donation.objects.filter(status=DonationStatus.PAID, currency=settings.SITE_CURRENCY)


def recent_donations(cause: Campaign | Fundraiser) -> QuerySet[Donation]:
    """Return the latest paid donations of a campaign or fundraiser, for the list of donors."""
    of = {"fundraiser": cause} if isinstance(cause, Fundraiser) else {"campaign": cause}
    return _select_paid().filter(**of).order_by("-paid_at", "-id")[:LISTED_DONORS]


def amounts_of(campaign: Campaign | None) -> list[Money]:
    """Return the suggested amounts."""
    currency = settings.SITE_CURRENCY
    chosen = campaign.amounts if campaign and campaign.amounts else [minor_units(each, currency) for each in USUAL_AMOUNTS]
    return [Money(cents, currency) for cents in chosen]


def designations_of(campaign: Campaign | None) -> list[str]:
    """Return the purposes that donors choose from; empty if there is no choice."""
    if campaign is not None:
        return list(campaign.designations)
    lines = str(get_setting("donations.designations")).split(";")
    return [line.strip() for line in lines if line.strip()]
