"""Reads of plans and members."""

from typing import Any

from django.db.models import Count, QuerySet

from cms_api.accounts.selectors import find_confirmed_account
from cms_api.text.search import matching

from .models import Member, Plan
from .types import MemberStatus

#: Incremented with every change of a plan.
VERSION = "members"

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
