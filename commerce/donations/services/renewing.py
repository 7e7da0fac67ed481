"""The dates of recurring donations: each has a donation, written before the card is charged, and only once."""

import logging
from datetime import date, timedelta

from django.db import transaction
from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core.batches import Run
from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row
from commerce.payments.services import charge_saved_method
from commerce.payments.types import PaymentStatus

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
#: Donations that one run writes, and that it charges.
BATCH_DONATIONS = 100


def renew_donations() -> None:
    """Write the donations whose dates have come, then charge their cards and those that were declined before. A periodic job."""
    due = RecurringDonation.objects.filter(next_on__lte=today()).order_by("next_on", "pk")
    with Run(RUN_SECONDS) as run:
        run.each(due.values_list("pk", flat=True), write_renewal, limit=BATCH_DONATIONS)
        to_charge = donations_to_charge(timezone.now()).values_list("pk", flat=True)
        run.each(to_charge, _charge, limit=BATCH_DONATIONS)


@transaction.atomic
def write_renewal(pk: int) -> Donation | None:
    """Write the donation of a recurring one's next date, unless another process has, and move on to the date after it.

    Nobody is charged twice at once: where several dates have passed, as the site was down, only the last of them counts.
    """
    recurring = get_row(RecurringDonation.objects.select_for_update(of=("self",)), pk)
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


def _charge(pk: int) -> None:
    donation = donations_to_charge(timezone.now()).filter(pk=pk).select_related("recurring__method").first()
    if donation is not None:
        charge_donation(donation)


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
        payment = charge_saved_method(payable=PAYABLE, record_id=donation.pk, method=recurring.method)
        if payment.status == PaymentStatus.SUCCEEDED:
            # Money that could not be used, as a lost site has charged another amount, waits for a person.
            Donation.objects.filter(pk=donation.pk, charge_at__isnull=False).update(charge_at=None)
    except Invalid as refusal:
        logger.warning("The donation %s was not charged: %s", donation.pk, refusal.message)
