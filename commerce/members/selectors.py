"""Reads of plans and members."""

from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.utils import timezone

from cms_api.accounts.selectors import find_confirmed_account
from cms_api.flags.selectors import site_timezone
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching
from commerce.payments.selectors import refunds_of
from commerce.payments.types import RefundStatus

from .models import Member, PaidPeriod, Plan
from .types import PAYABLE, RENEWAL_OPENS_DAYS, MemberStatus, Rate

#: Incremented with every change of a plan.
VERSION = "members"

#: The link to pay for a plan without signing in, in emails.
PAY_LINK = SignedLink("members.pay", Member, view="membership_pay_link")

#: Relations shown with a member.
SHOWN = ("user", "plan", "requested_plan", "next_plan")


def members(*, search: str = "") -> QuerySet[Member]:
    """Return members; `search` matches word prefixes in name and email."""
    found = Member.objects.select_related(*SHOWN)
    return matching(found, search) if search.strip() else found


def find_member(email: str) -> Member | None:
    """Return the member with this confirmed address, ignoring case."""
    user = find_confirmed_account(email)
    return None if user is None else membership_of(user)


def membership_of(user: Any) -> Member | None:
    """Return an account's membership; None if it never joined."""
    return members().filter(user=user.pk).first()


def awaiting_payment() -> QuerySet[Member]:
    """Return active members whose plan waits for its payment."""
    return Member.objects.filter(status=MemberStatus.ACTIVE, requested_plan__isnull=False)


def offered_plans() -> QuerySet[Plan]:
    """Return the plans that can be chosen."""
    return Plan.objects.filter(enabled=True)


def counted_plans() -> QuerySet[Plan]:
    """Return all plans, annotated with the number of `members`."""
    return Plan.objects.annotate(member_count=Count("members"))


def today() -> date:
    """Return the current day in the site's time zone."""
    return timezone.localdate(timezone=site_timezone())


def can_renew(member: Member) -> bool:
    """Return whether the member's plan ends soon, or has ended and is kept for some days."""
    plan = member.plan
    if plan is None or plan.is_free or member.paid_until is None:
        return False
    opens = member.paid_until - timedelta(days=RENEWAL_OPENS_DAYS)
    return member.is_active and not member.is_ending and opens <= today()


def has_paid_time(member: Member | None) -> bool:
    """Return whether a member has paid for days to come, or once for a plan without an end; also after cancelling."""
    if member is None or member.plan is None:
        return False
    return member.billing_day is not None if member.paid_until is None else member.paid_until >= today()


def has_paid_days(member: Member) -> bool:
    """Return whether a member has paid for days to come, up to an end."""
    return member.paid_until is not None and has_paid_time(member)


def periods_left(member: Member) -> list[tuple[PaidPeriod, int]]:
    """Return the periods that a member's paid days are left of, the latest first, with how many; carried days were used first.

    Days of which no payment is known count at the price that the plan has now, as a period that is not stored.
    """
    if member.plan is None or member.paid_until is None or not has_paid_time(member):
        return []
    left, found = (member.paid_until - today()).days, []
    rows = PaidPeriod.objects.filter(member=member, plan=member.plan, is_taken=False, days__gt=0)
    rate = member.plan.rate
    unknown = PaidPeriod(
        member=member, plan=member.plan, price_cents=rate.cents, currency=rate.currency, interval=rate.interval, days=left
    )
    for period in [*rows.order_by("is_carried", "-pk"), unknown]:
        days = min(period.days or 0, left)
        if days:
            found.append((period, days))
        left -= days
    return found


def kept_shares(member: Member) -> dict[int | None, Fraction]:
    """Return the share that is left of each payment of a member from which something has gone back."""
    gone = refunds_of(PAYABLE, member.pk).filter(status=RefundStatus.SUCCEEDED).order_by()
    sums = gone.values_list("payment", "payment__amount_cents").annotate(Sum("amount_cents"))
    return {payment: 1 - Fraction(cents, paid) for payment, paid, cents in sums}


def carried_parts(member: Member, plan: Plan, rate: Rate) -> list[tuple[PaidPeriod, Fraction]]:
    """Return the periods that are left of a member's plan, with the days of another plan that they are worth at a rate.

    A payment that has gone back in part is worth what is left of it.
    """
    if member.plan_id == plan.pk:
        return []
    kept = kept_shares(member)
    return [
        (period, rate.days_for(days, period.rate) * kept.get(period.payment_id, Fraction(1)))
        for period, days in periods_left(member)
    ]


def carried_days(member: Member, plan: Plan) -> int:
    """Return the days of another plan that a member gets for the paid days that are left: for as much as they were worth."""
    return int(sum(days for _, days in carried_parts(member, plan, plan.rate)))


def plans_ending_by(day: date) -> QuerySet[Member]:
    """Return active members whose plans are paid until a day, or an earlier one."""
    ends = Q(plan__price_cents__gt=0) | Q(is_ending=True)
    ending = Member.objects.filter(ends, status=MemberStatus.ACTIVE, paid_until__lte=day)
    return ending.select_related(*SHOWN).order_by("pk")
