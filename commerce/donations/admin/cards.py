"""The admin home's cards for donations, and the first step."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from wagtail.admin.utils import set_query_params
from wagtail.permissions import policy_registry

from cms_api.adminkit.cards import Card, Kind, Step, count_up_to_max
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Campaign, Donation, Fundraiser, RecurringDonation
from ..types.donations import FundraiserStatus, RecurringStatus

#: The days that the card of donations sums up.
SUMMED_DAYS = 30


def donations(request: HttpRequest) -> Iterator[Card]:
    """Donations of the last days, and recurring ones whose card was declined (two statements)."""
    if policy_registry.get_by_type(Donation).user_has_permission(request.user, "view"):
        since = timezone.now() - timedelta(days=SUMMED_DAYS)
        recent = Donation.objects.filter(paid_at__gte=since, currency=settings.SITE_CURRENCY)
        cents = Sum("amount_cents") + Sum("fee_cover_cents") - Sum("refunded_cents")
        found = recent.aggregate(number=Count("pk"), cents=cents)
        money = format_money(Money(found["cents"] or 0, settings.SITE_CURRENCY))
        number = found["number"]
        yield Card(
            f"Donations in the last {SUMMED_DAYS} days",
            reverse("donations:index"),
            Kind.FIGURE,
            text=f"{money} from {number} donation{'' if number == 1 else 's'}",
            icon="pick",
        )
    if policy_registry.get_by_type(RecurringDonation).user_has_permission(request.user, "change"):
        declined = RecurringDonation.objects.filter(status=RecurringStatus.PAST_DUE)
        yield Card(
            "Recurring donations with a declined card",
            set_query_params(reverse("recurring_donations:index"), {"status": RecurringStatus.PAST_DUE.value}),
            text="The donors have been emailed, and the cards will be charged again.",
            icon="warning",
            count=count_up_to_max(declined),
        )


def fundraisers(request: HttpRequest) -> Card | None:
    """Fundraisers that wait for somebody to approve them."""
    if not policy_registry.get_by_type(Fundraiser).user_has_permission(request.user, "change"):
        return None
    return Card(
        "Fundraisers awaiting approval",
        set_query_params(reverse("fundraisers:index"), {"status": FundraiserStatus.PENDING.value}),
        text="Publish or hide them.",
        icon="group",
        count=count_up_to_max(Fundraiser.objects.filter(status=FundraiserStatus.PENDING)),
    )


def add_campaign(request: HttpRequest) -> Step | None:
    if not policy_registry.get_by_type(Campaign).user_has_permission(request.user, "add"):
        return None
    text = "A goal, a story and suggested amounts."
    return Step("Add a campaign", reverse("campaigns:add"), text, done=Campaign.objects.exists(), order=65)
