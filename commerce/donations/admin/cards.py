"""The admin home's cards for donations, and the first step."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Sum
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from wagtail.admin.utils import set_query_params

from cms_api.adminkit.cards import Card, Kind, Step, count_up_to_max
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Campaign, Donation, Fundraiser, RecurringDonation
from ..types.donations import FundraiserStatus, RecurringStatus

#: The days that the card of donations sums up.
SUMMED_DAYS = 30


def donations(request: HttpRequest) -> Card:
    """The donations of the last days."""
    since = timezone.now() - timedelta(days=SUMMED_DAYS)
    recent = Donation.objects.filter(paid_at__gte=since, currency=settings.SITE_CURRENCY)
    cents = Sum("amount_cents") + Sum("fee_cover_cents") - Sum("refunded_cents")
    found = recent.aggregate(number=Count("pk"), cents=cents)
    money = format_money(Money(found["cents"] or 0, settings.SITE_CURRENCY))
    number = found["number"]
    return Card(
        f"Donations in the last {SUMMED_DAYS} days",
        reverse("donations:index"),
        Kind.FIGURE,
        text=f"{money} from {number} donation{'' if number == 1 else 's'}",
        icon="pick",
    )


def declined_cards(request: HttpRequest) -> Card:
    """Recurring donations whose card was declined."""
    return Card(
        "Recurring donations with a declined card",
        set_query_params(reverse("recurring_donations:index"), {"status": RecurringStatus.PAST_DUE.value}),
        text="The donors have been emailed, and the cards will be charged again.",
        icon="warning",
        count=count_up_to_max(RecurringDonation.objects.filter(status=RecurringStatus.PAST_DUE)),
    )


def fundraisers(request: HttpRequest) -> Card:
    """Fundraisers that wait for somebody to approve them."""
    return Card(
        "Fundraisers awaiting approval",
        set_query_params(reverse("fundraisers:index"), {"status": FundraiserStatus.PENDING.value}),
        text="Publish or hide them.",
        icon="group",
        count=count_up_to_max(Fundraiser.objects.filter(status=FundraiserStatus.PENDING)),
    )


def add_campaign(request: HttpRequest) -> Step:
    text = "A goal, a story and suggested amounts."
    return Step("Add a campaign", reverse("campaigns:add"), text, done=Campaign.objects.exists(), order=65)
