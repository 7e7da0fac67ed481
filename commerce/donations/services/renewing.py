"""The dates of recurring donations: each has a donation, written before the card is charged, and only once."""

import logging
import time
from datetime import date, timedelta

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.errors import Invalid
from commerce.payments.services import charge_saved_method

from ..models import Donation, RecurringDonation
from ..selectors.donations import donations_to_charge, today
from ..types.donations import PAYABLE
from .giving import GIFT
from .paying import charge_time, give_up_unpaid

logger = logging.getLogger(__name__)

#: Seconds that one run may take; the next one continues.
RUN_SECONDS = 30
#: After so long, a card whose outcome is not known is looked at again.
UNKNOWN_RETRY_AFTER = timedelta(hours=1)
#: Of the donations that are written or charged in a row.
BATCH_DONATIONS = 100


def renew_donations() -> None:
    """Write the donations whose dates have come, then charge their cards and those that were declined before. A periodic job."""
    ends = time.monotonic() + RUN_SECONDS
    for write_or_charge in (_write_next, _charge_next):
        for _ in range(BATCH_DONATIONS):
            if time.monotonic() > ends or not write_or_charge():
                break


def _write_next() -> bool:
    """Write one donation whose date has come; return False if there is none."""
    due = RecurringDonation.objects.filter(next_on__lte=today()).order_by("next_on", "pk").first()
    if due is not None:
        write_renewal(due.pk)
    return due is not None


@transaction.atomic
def write_renewal(pk: int) -> Donation | None:
    """Write the donation of a recurring one's next date, unless another process has, and move on to the date after it.

    Nobody is charged twice at once: where several dates have passed, as the site was down, only the last of them counts.
    """
    recurring = RecurringDonation.objects.select_for_update(of=("self",)).get(pk=pk)
    day: date | None = recurring.next_on
    if day is None or day > today():
        return None
    while (following := recurring.date_of(recurring.dates + 1)) is not None and following <= today():
        recurring.dates, day = recurring.dates + 1, following
    recurring.dates += 1
    recurring.next_on = recurring.date_of(recurring.dates)
    recurring.save(update_fields=["dates", "next_on"])
    # An earlier one that is still unpaid is not charged beside this one.
    give_up_unpaid(recurring)
    now = timezone.now()
    gift = {name: getattr(recurring, name) for name in GIFT}
    donation, is_new = Donation.objects.get_or_create(
        recurring=recurring, period=day, defaults={**gift, "charge_at": charge_time(day), "created_at": now, "updated_at": now}
    )
    if is_new:
        get_search_backend().add(donation)
    return donation


def _charge_next() -> bool:
    """Charge one donation that is due; return False if there is none."""
    donation = donations_to_charge(timezone.now()).select_related("recurring__method").first()
    if donation is not None:
        charge_donation(donation)
    return donation is not None


def charge_donation(donation: Donation) -> None:
    """Charge the card of a donation. It can be repeated: a charge whose outcome is not known is taken up again.

    Must not be called in a transaction.
    """
    recurring = donation.recurring
    same = Donation.objects.filter(pk=donation.pk, charge_at=donation.charge_at)
    # Until the outcome is known; whoever comes next finds another one to charge.
    if not same.update(charge_at=timezone.now() + UNKNOWN_RETRY_AFTER) or recurring is None or recurring.method is None:
        return
    try:
        charge_saved_method(payable=PAYABLE, record_id=donation.pk, method=recurring.method)
    except Invalid as refusal:
        logger.warning("The donation %s was not charged: %s", donation.pk, refusal.message)
