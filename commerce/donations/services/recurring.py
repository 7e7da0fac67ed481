"""Changes, pauses and ends recurring donations.

The link in a donor's emails may be in other hands: a raise takes effect once it is confirmed from the mailbox, and every change
is mailed with a link that undoes it.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid
from cms_api.core.locks import get_row
from commerce.common.selectors import format_money
from commerce.common.services.checks import is_whole, steps_refusal
from commerce.common.types.money import is_payable
from commerce.payments.services import close_payments_later

from ..models import RecurringDonation
from ..selectors.changes import AmountChange, amounts_of
from ..selectors.donations import cover_of, largest_charge, largest_donation, smallest_donation, unpaid_renewal
from ..types.donations import PAYABLE, Amounts, RecurringStatus
from . import notices
from .giving import amount_refusal, check_charge
from .paying import give_up_unpaid, go_on, pause


@dataclass(frozen=True, slots=True)
class Change:
    """A recurring donation after a change of its amount was asked for."""

    recurring: RecurringDonation
    #: The amounts that wait to be confirmed from the mailbox; None if they count already.
    asked: Amounts | None = None


@transaction.atomic
def change_amount(*, recurring: RecurringDonation, amount_cents: int, covers_fee: bool, user: Any = None) -> RecurringDonation:
    """Change what is charged from the next date on, as staff, and return it; see `_lower_unpaid`.

    Raises Invalid (`amount_cents`, `status`).
    """
    locked = _changeable(recurring)
    return _set_amounts(locked, _read_amounts(locked, amount_cents, covers_fee, most=largest_charge(locked.currency)), user)


@transaction.atomic
def ask_for_amount(*, recurring: RecurringDonation, amount_cents: int, covers_fee: bool) -> Change:
    """Change what is charged from the next date on, as its donor: a raise is mailed with a link that confirms it.

    Raises Invalid (`amount_cents`, `status`).
    """
    locked = _changeable(recurring)
    asked = _read_amounts(locked, amount_cents, covers_fee, most=max(largest_donation(locked.currency), locked.amount_cents))
    if asked == amounts_of(locked):
        return Change(locked)
    if asked.total_cents > locked.total_cents:
        notices.ask_to_confirm(locked, asked)
        return Change(locked, asked)
    return Change(_set_amounts(locked, asked))


@transaction.atomic
def apply_change(*, change: AmountChange) -> RecurringDonation:
    """Apply a change that a link in an email names. Raises Invalid (`status`) if it is over, or the amounts are others by now."""
    locked = _changeable(change.recurring)
    if amounts_of(locked) == change.to:
        return locked
    if amounts_of(locked) != change.former:
        raise Invalid({"status": "Your donation has been changed since we sent this link."})
    return _set_amounts(locked, change.to)


def _changeable(recurring: RecurringDonation) -> RecurringDonation:
    locked = _lock(recurring)
    if locked.status == RecurringStatus.CANCELLED:
        raise Invalid({"status": "This recurring donation has been cancelled."})
    return locked


def _read_amounts(recurring: RecurringDonation, amount_cents: int, covers_fee: bool, *, most: int) -> Amounts:
    currency = recurring.currency
    least = smallest_donation(currency)
    if not is_whole(amount_cents, least, most):
        raise Invalid({"amount_cents": amount_refusal(amount_cents, least, most, currency)})
    if not is_payable(amount_cents, currency):
        raise Invalid({"amount_cents": steps_refusal(currency)})
    amounts = Amounts(amount_cents, cover_of(recurring, amount_cents) if covers_fee else 0)
    check_charge(amounts, currency)
    return amounts


def _set_amounts(locked: RecurringDonation, amounts: Amounts, user: Any = None) -> RecurringDonation:
    former = amounts_of(locked)
    before = locked.total
    locked.amount_cents, locked.fee_cover_cents, locked.updated_at = amounts.amount_cents, amounts.fee_cover_cents, timezone.now()
    locked.save(update_fields=["amount_cents", "fee_cover_cents", "updated_at"])
    data = {"from": format_money(before), "to": format_money(locked.total)}
    log(instance=locked, action="donations.change_amount", user=user, data=data)
    if locked.total_cents < before.cents:
        _lower_unpaid(locked)
    if amounts != former:
        notices.send_changed(locked, _mailed_before(locked, former))
    return locked


def _lower_unpaid(locked: RecurringDonation) -> None:
    """Let a lower amount count for the latest date, too, if that is unpaid."""
    donation = unpaid_renewal(locked)
    if donation is None or donation.is_processing or donation.total_cents <= locked.total_cents:
        return
    donation.amount_cents, donation.fee_cover_cents = locked.amount_cents, locked.fee_cover_cents
    donation.updated_at = timezone.now()
    donation.save(update_fields=["amount_cents", "fee_cover_cents", "updated_at"])
    close_payments_later(payable=PAYABLE, record_id=donation.pk)


def _mailed_before(locked: RecurringDonation, former: Amounts) -> Amounts:
    """Return, and store, the amounts before all changes that the donor has not been sent yet."""
    known = locked.former_amount_cents, locked.former_fee_cover_cents
    if known[0] is not None and known[1] is not None and notices.is_change_unsent(locked):
        unsent = Amounts(known[0], known[1])
        former = former if unsent == amounts_of(locked) else unsent
    locked.former_amount_cents, locked.former_fee_cover_cents = former.amount_cents, former.fee_cover_cents
    locked.save(update_fields=["former_amount_cents", "former_fee_cover_cents"])
    return former


@transaction.atomic
def cancel_recurring(*, recurring: RecurringDonation, user: Any = None) -> bool:
    """Charge nothing any more, also what is unpaid; return False if it is cancelled already. Paid donations stay."""
    locked = _lock(recurring)
    if locked.status == RecurringStatus.CANCELLED:
        return False
    pause(locked, RecurringStatus.CANCELLED)
    locked.cancelled_at = locked.updated_at = timezone.now()
    locked.save()
    give_up_unpaid(locked)
    log(instance=locked, action="donations.cancel_recurring", user=user)
    notices.record_cancelled(locked)
    notices.send_cancelled(locked)
    return True


@transaction.atomic
def pause_recurring(*, recurring: RecurringDonation, user: Any = None) -> bool:
    """Charge nothing until staff resume it, not even what is unpaid; return False if it is not running."""
    locked = _lock(recurring)
    if not locked.is_running:
        return False
    pause(locked, by_staff=True)
    locked.updated_at = timezone.now()
    locked.save()
    give_up_unpaid(locked)
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


def _lock(recurring: RecurringDonation) -> RecurringDonation:
    return get_row(RecurringDonation.objects.select_for_update(of=("self",)).select_related("campaign"), recurring.pk)
