"""Ends donations that nobody has paid."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from cms_api.core import batches
from commerce.payments.selectors import live_payment

from ..models import Donation
from ..types.donations import PAYABLE, DonationStatus
from .paying import DONATIONS

#: Payment pages live for a day.
CANCEL_AFTER = timedelta(hours=25)
DONATIONS_PER_RUN = 500


def fail_abandoned_donations() -> None:
    """Mark donations as failed whose payment was never started. A periodic job."""
    waiting = Donation.objects.filter(status=DonationStatus.PENDING, created_at__lt=timezone.now() - CANCEL_AFTER, charge_at=None)
    batches.each(waiting.order_by("pk").values_list("pk", flat=True), _fail, limit=DONATIONS_PER_RUN)


@transaction.atomic
def _fail(pk: int) -> None:
    donation = DONATIONS.lock(pk)
    if donation is None or donation.status != DonationStatus.PENDING or live_payment(PAYABLE, pk) is not None:
        return
    donation.status, donation.updated_at = DonationStatus.FAILED, timezone.now()
    donation.save(update_fields=["status", "updated_at"])
