"""Reminds members of the end of what they paid for, and ends plans that are not renewed. Runs as a periodic job."""

from datetime import timedelta

from django.db import transaction

from cms_api.core import batches
from commerce.payments.services import close_payments

from ..models import Member
from ..selectors import plans_ending_by, today
from ..types import GRACE_DAYS, PAYABLE, REMINDED_DAYS_BEFORE, Notice
from . import notices
from .payments import PLANS, close_later
from .periods import end_now


def check_renewals() -> None:
    """Remind members before and on the last day, and end plans some days after it."""
    batches.each(plans_ending_by(today() + timedelta(days=REMINDED_DAYS_BEFORE)), _check)


def _check(member: Member) -> None:
    if _choose_notice(member) > member.notice:
        remind(member=member)
    elif _is_over(member) and close_payments(payable=PAYABLE, record_id=member.pk):
        end_plan(member=member)


def _is_over(member: Member) -> bool:
    grace = 0 if member.is_ending else GRACE_DAYS
    return member.paid_until is not None and member.paid_until + timedelta(days=grace) < today()


def _choose_notice(member: Member) -> Notice:
    """Return the reminder that a member should have had by now; whoever leaves gets none."""
    if member.is_ending:
        return Notice.NONE
    left = (member.paid_until - today()).days if member.paid_until else REMINDED_DAYS_BEFORE + 1
    return Notice.ENDS if left <= 0 else Notice.SOON if left <= REMINDED_DAYS_BEFORE else Notice.NONE


@transaction.atomic
def remind(*, member: Member) -> bool:
    """Send the reminder that is due; return False if it was sent, or the plan was renewed, meanwhile."""
    locked = PLANS.lock(member.pk)
    if locked is None or not locked.is_active or locked.plan is None or _choose_notice(locked) <= locked.notice:
        return False
    locked.notice = _choose_notice(locked)
    locked.save(update_fields=["notice"])
    notices.send_ending(locked)
    return True


@transaction.atomic
def end_plan(*, member: Member) -> bool:
    """Remove a plan that was not renewed in time; return False if it was renewed meanwhile."""
    locked = PLANS.lock(member.pk)
    if locked is None or locked.plan is None or not _is_over(locked):
        return False
    end_now(locked)
    close_later(locked)
    return True
