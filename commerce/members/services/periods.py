"""The time that was paid for: what each payment gives, and its end by the member's wish, on its last day, or with a refund."""

from datetime import date, timedelta
from fractions import Fraction
from math import ceil
from typing import Any

from django.utils import timezone
from wagtail.log_actions import log

from ..models import Member, PaidPeriod, Plan
from ..selectors import carried_parts, has_paid_time, kept_shares, periods_left, today
from ..types import Notice, Rate, shift_end
from . import notices

#: The columns of a plan that has been paid; see `Member`.
PERIOD = ("plan", "paid_until", "billing_day", "is_ending", "next_plan", "notice", "updated_at")


def set_plan(member: Member, plan: Plan | None, *, paid_until: date | None = None, billing_day: int | None = None) -> None:
    """Give a locked member a plan, or none, until a day; the caller stores `PERIOD`."""
    member.plan, member.paid_until, member.billing_day = plan, paid_until, billing_day
    member.is_ending, member.next_plan = False, None
    member.notice, member.updated_at = Notice.NONE, timezone.now()


def leave_at_end(member: Member, following: Plan | None, *, user: Any = None) -> None:
    """Let the plan of a locked member run to the end of what was paid for, followed by one without a price, or none."""
    member.is_ending, member.next_plan, member.requested_plan = True, following, None
    member.updated_at = timezone.now()
    member.save(update_fields=["is_ending", "next_plan", "requested_plan", "updated_at"])
    log(instance=member, action="members.leave_plan", user=user or member.user, data={"until": str(member.paid_until)})
    notices.record(member, f"Leaves the plan {member.plan} on {member.paid_until}")


def keep_plan(member: Member, *, user: Any = None) -> None:
    """Let a locked member keep the plan that was to end, and no longer ask for another one."""
    member.is_ending, member.next_plan, member.requested_plan, member.updated_at = False, None, None, timezone.now()
    member.save(update_fields=["is_ending", "next_plan", "requested_plan", "updated_at"])
    log(instance=member, action="members.keep_plan", user=user or member.user)
    notices.record(member, f"Keeps the plan {member.plan}")


def end_now(member: Member) -> None:
    """End the plan of a locked member, and begin the one that follows."""
    name, following = str(member.plan), member.next_plan if member.is_ending else None
    set_plan(member, following if following is not None and following.enabled else None)
    member.save(update_fields=PERIOD)
    log(instance=member, action="members.end_plan", data={"plan": name})
    if member.is_active:
        notices.record(member, f"The plan {name} ended")
        notices.send_ended(member, name)


def add_period(member: Member, plan: Plan, rate: Rate, *, start: date, until: date | None, payment: Any = None) -> None:
    """Store the time that a payment gives to a locked member, and its price."""
    PaidPeriod.objects.create(
        member=member,
        plan=plan,
        payment_id=payment.pk if payment is not None else None,
        price_cents=rate.cents,
        currency=rate.currency,
        interval=rate.interval,
        days=(until - start).days if until is not None else None,
    )


def carry(member: Member, plan: Plan, rate: Rate) -> int:
    """Return the days of a new plan that a locked member gets for what is left of the old one; they belong to its payments.

    Periods of an earlier time with the new plan are over: a refund of them takes nothing.
    """
    PaidPeriod.objects.filter(member=member, plan=plan, is_taken=False).delete()
    parts, kept = carried_parts(member, plan, rate), kept_shares(member)
    for period, days in parts:
        if int(days):
            period.plan, period.days, period.is_carried = plan, int(days), True
            # Rounded up, so that no day is lost when they are carried again.
            period.price_cents = ceil(rate.cents / kept.get(period.payment_id, Fraction(1)))
            period.currency, period.interval = rate.currency, rate.interval
            period.save()
    return int(sum(days for _, days in parts))


def take_back(member: Member, payment: Any) -> None:
    """Take the time back that a payment had paid for, all of which went back; a plan without time left ends.

    Of a plan that the member has changed since, the days are taken that were carried to the present one; a plan that the member
    has no longer is left alone otherwise. A period that is over takes nothing from those that were paid for after it, nor from
    a plan without an end, which staff have given or another payment has paid.
    """
    plan = member.plan
    period = PaidPeriod.objects.filter(member=member, plan=plan, payment_id=payment.pk, is_taken=False).first()
    if plan is None or period is None or not _is_from(member, period):
        return
    period.is_taken, period.former_until, period.former_billing_day = True, member.paid_until, member.billing_day
    period.save()
    _shift(member, period, -1)
    if member.paid_until is None or member.paid_until <= today():
        end_now(member)
        return
    member.updated_at = timezone.now()
    member.save(update_fields=["paid_until", "billing_day", "updated_at"])
    log(instance=member, action="members.shorten_plan", data={"plan": str(plan), "until": str(member.paid_until)})


def _is_from(member: Member, period: PaidPeriod) -> bool:
    """Return whether the time that a member has at present comes from a period of the same plan, alone or with others."""
    if member.paid_until is None or period.days is None:
        return member.paid_until is None and period.days is None and has_paid_time(member)
    left = [found for found, _ in periods_left(member)]
    return not left or period in left


def give_again(member: Member, payment: Any) -> None:
    """Give the time again that was taken back with a payment, as its money is here again: a refund has failed.

    A plan that has ended since begins again. Nothing is changed if that would be of no use, or if the member has another plan
    with a price, or has got the plan without an end: then another refund of the payment takes nothing.
    """
    taken = PaidPeriod.objects.filter(member=member, payment_id=payment.pk, is_taken=True)
    period = taken.select_related("plan").first()
    if period is None:
        return
    plan = period.plan
    if member.plan == plan and member.paid_until is not None and period.days is not None:
        _shift(member, period, 1)
        member.updated_at = timezone.now()
    elif member.is_active and _has_no_other(member, plan) and _is_to_come(period.former_until):
        set_plan(member, plan, paid_until=period.former_until, billing_day=period.former_billing_day)
    else:
        notices.record(member, f"A refund failed: the plan {plan} is paid, but has not been given again")
        return
    taken.update(is_taken=False)
    member.save(update_fields=PERIOD)
    log(instance=member, action="members.restore_plan", data={"plan": str(plan), "until": str(member.paid_until)})
    until = f" until {member.paid_until}" if member.paid_until else ""
    notices.record(member, f"A refund failed: the plan {plan} is paid{until}")


def _shift(member: Member, period: PaidPeriod, periods: int) -> None:
    """Move the end of what a locked member has paid for by a period, on or back; carried days move the day of renewals too."""
    if member.paid_until is None or period.days is None:
        return
    if period.is_carried:
        member.paid_until += timedelta(days=period.days * periods)
        member.billing_day = member.paid_until.day
    else:
        member.paid_until = shift_end(member.paid_until, period.interval, member.billing_day, periods=periods)


def _has_no_other(member: Member, plan: Plan) -> bool:
    """Return whether a member has nothing that would be lost with the beginning of a plan: not even that plan without an end."""
    return member.plan is None or (member.plan.is_free and member.plan != plan)


def _is_to_come(until: date | None) -> bool:
    return until is None or until > today()
