"""Demo campaigns, donations and recurring donations: every status and kind, consistent, and the same on a second run."""

from collections import Counter
from typing import Any

from django.utils import timezone

from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Contact
from commerce.donations.demo import DATA, ONE_TIME_DONATIONS, load
from commerce.donations.models import Campaign, Donation, Fundraiser, RecurringDonation
from commerce.donations.selectors.campaigns import open_campaigns
from commerce.donations.selectors.donations import today, unpaid_renewal
from commerce.donations.services.housekeeping import fail_abandoned_donations
from commerce.donations.services.mailing import send_statements
from commerce.donations.services.renewing import renew_donations
from commerce.donations.types.donations import DonationStatus, Frequency, FundraiserStatus, RecurringStatus
from commerce.payments.models import Payment, Refund, SavedMethod
from commerce.payments.selectors import applied_payments, refunded_cents

TABLES = (Campaign, Fundraiser, RecurringDonation, Donation, Payment, Refund, SavedMethod)


def test_it_works(donations: None) -> None:
    switch_feature(name="crm", on=True)
    load(1, lambda count: None)
    check_numbers()
    check_consistency()
    before = rows()
    load(1, lambda count: None)
    assert rows() == before
    # Nobody hears of it, nor do the jobs change anything.
    renew_donations()
    fail_abandoned_donations()
    send_statements()
    assert rows() == before
    assert not OutgoingMail.objects.exists()
    assert not OutboxEvent.objects.exists()
    assert not Contact.objects.exists()
    # A larger scale adds to it.
    load(2, lambda count: None)
    assert Donation.objects.filter(email__startswith="donor").count() == 2 * ONE_TIME_DONATIONS
    assert RecurringDonation.objects.count() == 2 * len(DATA["recurring"])


def rows() -> list[Any]:
    return [list(table.objects.order_by("pk").values()) for table in TABLES]  # type: ignore[attr-defined]


def check_numbers() -> None:
    found = list(Donation.objects.select_related("recurring", "campaign"))
    for number in (Counter(each.status for each in found), Counter(each.frequency for each in found)):
        assert min(number.values()) >= 3
    assert {each.status for each in found} == set(DonationStatus)
    assert {each.frequency for each in found} == set(Frequency)
    for kind in (
        *(lambda each: each.campaign, lambda each: each.fundraiser_id, lambda each: each.designation),
        *(lambda each: each.tribute_type, lambda each: each.is_anonymous, lambda each: each.fee_cover_cents),
        *(lambda each: each.recurring, lambda each: each.is_renewal, lambda each: each.message, lambda each: each.street),
        lambda each: each.status == "paid" and each.refunded_cents,
    ):
        assert min(Counter(bool(kind(each)) for each in found).values()) >= 2
    assert {each.status for each in Fundraiser.objects.all()} == set(FundraiserStatus)
    assert (Campaign.objects.count(), open_campaigns().count()) == (4, 3)
    statuses = Counter(RecurringDonation.objects.values_list("status", flat=True))
    assert set(statuses) == set(RecurringStatus)
    assert min(statuses.values()) >= 3


def check_consistency() -> None:
    now = timezone.now()
    for each in Donation.objects.select_related("campaign"):
        arrived = sum(payment.amount_cents for payment in applied_payments("donation", each.pk))
        assert arrived == (each.total_cents if each.paid_at else 0)
        assert (each.paid_at is None) == (each.number is None) == each.is_unpaid
        assert each.refunded_cents == refunded_cents("donation", each.pk)
        assert each.created_at <= each.updated_at <= now
        ended = each.campaign.ends_on if each.campaign else None
        assert ended is None or each.created_at.date() <= ended
    for recurring in RecurringDonation.objects.all():
        periods = list(recurring.donations.filter(period__isnull=False).order_by("period").values_list("period", flat=True))
        assert periods == [recurring.date_of(number) for number in range(recurring.dates)]
        assert (recurring.next_on is not None) == recurring.is_running
        assert recurring.next_on is None or recurring.next_on > today()
        assert (recurring.cancelled_at is not None) == (recurring.status == "cancelled")
        assert bool(unpaid_renewal(recurring)) >= (recurring.status in {"pending", "past_due"})
    numbers = Donation.objects.filter(number__isnull=False).order_by("paid_at", "pk").values_list("number", flat=True)
    assert list(numbers) == [f"DON-{1001 + place}" for place in range(len(numbers))]
