"""Donations in any state, stored without their payments pages and emails, for tests of the admin."""

from typing import Any

from django.conf import settings
from django.utils import timezone

from commerce.donations.models import Donation, RecurringDonation
from commerce.donations.selectors.donations import today
from commerce.donations.types.donations import DonationStatus, Frequency, RecurringStatus
from commerce.payments.services import save_method, store_payment
from commerce.payments.types import Method, ProviderName, StoredMethod

DONOR = {"first_name": "Dana", "last_name": "Reyes", "email": "dana@example.com", "amount_cents": 5000}


def stored(status: str = DonationStatus.PAID, **changes: Any) -> Donation:
    """A donation, with its money if it is paid."""
    now = timezone.now()
    paid = {} if status in {"pending", "failed"} else {"paid_at": now, "number": f"DON-{1001 + Donation.objects.count()}"}
    values = {**DONOR, "currency": settings.SITE_CURRENCY, "created_at": now, "updated_at": now, **paid, **changes}
    donation = Donation.objects.create(**values, status=status)
    if donation.paid_at:
        store_payment(
            payable="donation",
            record_id=donation.pk,
            amount=donation.total,
            method=Method.CHECK,
            paid_at=donation.paid_at,
            description="Donation",
            email=donation.email,
        )
    return donation


def stored_recurring(status: str = RecurringStatus.ACTIVE, **changes: Any) -> RecurringDonation:
    """A monthly donation that began today."""
    now = timezone.now()
    card = {"method": save_method(ProviderName.OFFLINE, StoredMethod("card", label="Visa •••• 4242"))}
    began = {} if status == RecurringStatus.PENDING else {"anchor": today(), "dates": 1, **card}
    values = {**DONOR, "currency": settings.SITE_CURRENCY, "frequency": Frequency.MONTHLY, "created_at": now, "updated_at": now}
    recurring = RecurringDonation(**{**values, **began, **changes}, status=status)
    recurring.next_on = recurring.date_of(1) if recurring.is_running else None
    recurring.save()
    return recurring
