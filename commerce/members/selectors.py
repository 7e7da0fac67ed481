"""Reads of plans and members."""

from datetime import date, timedelta
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone

from cms_api.accounts.selectors import find_confirmed_account
from cms_api.flags.selectors import site_timezone
from cms_api.http.signed_links import SignedLink
from cms_api.text.search import matching

from .models import Member, Plan
from .types import RENEWAL_OPENS, Interval, MemberStatus

#: Incremented with every change of a plan.
VERSION = "members"

#: The link to pay for a plan without signing in, in emails.
PAY_LINK = SignedLink("members.pay", view="membership_pay_link")

#: Relations shown with a member.
SHOWN = ("user", "plan", "requested_plan")


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
    if plan is None or plan.is_free or plan.interval == Interval.NONE or member.paid_until is None:
        return False
    return member.is_active and member.paid_until - timedelta(days=RENEWAL_OPENS) <= today()


def plans_ending_by(day: date) -> QuerySet[Member]:
    """Return active members whose plans are paid until a day, or an earlier one."""
    ending = Member.objects.filter(status=MemberStatus.ACTIVE, paid_until__lte=day, plan__price_cents__gt=0)
    return ending.select_related(*SHOWN).order_by("pk")
