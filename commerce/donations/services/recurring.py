"""Changes, pauses and ends recurring donations."""

from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from commerce.common.selectors import format_money
from commerce.common.services.checks import is_whole
from commerce.common.types.money import Money

from ..models import RecurringDonation
from ..selectors.donations import fee_in_use, smallest_donation
from ..types.donations import LARGEST_DONATION, RecurringStatus
from ..types.fees import cover
from . import notices
from .paying import go_on, pause


@transaction.atomic
def change_amount(*, recurring: RecurringDonation, amount_cents: int, covers_fee: bool, user: Any = None) -> RecurringDonation:
    """Change what is charged from the next date on, and return it. Raises Invalid (`amount_cents`, `status`)."""
    locked = _lock(recurring)
    if locked.status == RecurringStatus.CANCELLED:
        raise Invalid({"status": "This recurring donation has been cancelled."})
    if not is_whole(amount_cents, smallest_donation(), LARGEST_DONATION):
        least = format_money(Money(smallest_donation(), locked.currency))
        raise Invalid({"amount_cents": f"Enter an amount of at least {least}."})
    before = locked.total
    locked.amount_cents, locked.updated_at = amount_cents, timezone.now()
    locked.fee_cover_cents = cover(amount_cents, fee_in_use()) if covers_fee else 0
    locked.save(update_fields=["amount_cents", "fee_cover_cents", "updated_at"])
    data = {"from": format_money(before), "to": format_money(locked.total)}
    log(instance=locked, action="donations.change_amount", user=user, data=data)
    return locked


@transaction.atomic
def cancel_recurring(*, recurring: RecurringDonation, user: Any = None) -> bool:
    """Charge nothing any more, also what is unpaid; return False if it is cancelled already. Paid donations stay."""
    locked = _lock(recurring)
    if locked.status == RecurringStatus.CANCELLED:
        return False
    pause(locked, RecurringStatus.CANCELLED)
    locked.cancelled_at = locked.updated_at = timezone.now()
    locked.save()
    _stop_charging(locked)
    log(instance=locked, action="donations.cancel_recurring", user=user)
    notices.record_cancelled(locked)
    notices.send_cancelled(locked)
    return True


@transaction.atomic
def pause_recurring(*, recurring: RecurringDonation, user: Any = None) -> bool:
    """Charge nothing until somebody resumes it; return False if it is not running."""
    locked = _lock(recurring)
    if not locked.is_running:
        return False
    pause(locked)
    locked.updated_at = timezone.now()
    locked.save()
    _stop_charging(locked)
    log(instance=locked, action="donations.pause_recurring", user=user)
    return True


@transaction.atomic
def resume_recurring(*, recurring: RecurringDonation, user: Any = None) -> bool:
    """Go on from the next date that is not over; return False if it is running. Raises Invalid (`status`) if it cannot."""
    locked = _lock(recurring)
    if locked.is_running:
        return False
    if locked.status != RecurringStatus.PAUSED or locked.method_id is None:
        raise Invalid({"status": "Only a paused donation with a stored card can be resumed."})
    go_on(locked)
    locked.updated_at = timezone.now()
    locked.save()
    log(instance=locked, action="donations.resume_recurring", user=user)
    return True


def _stop_charging(recurring: RecurringDonation) -> None:
    recurring.donations.filter(charge_at__isnull=False).update(charge_at=None)


def _lock(recurring: RecurringDonation) -> RecurringDonation:
    return RecurringDonation.objects.select_for_update(of=("self",)).select_related("campaign").get(pk=recurring.pk)
