"""Reads of plans and members."""

from typing import Any

from django.db.models import Count, QuerySet

from cms_api.accounts.selectors import find_confirmed_account
from cms_api.text.search import matching

from .models import Member, Plan

#: Moves with every change of a plan.
VERSION = "members"

#: What a member is shown with.
SHOWN = ("user", "plan")


def members(*, search: str = "") -> QuerySet[Member]:
    """Members; `search` finds the beginnings of words in name and address."""
    found = Member.objects.select_related(*SHOWN)
    return matching(found, search) if search.strip() else found


def find_member(email: str) -> Member | None:
    """The member whose confirmed address this is, in any case."""
    user = find_confirmed_account(email)
    return None if user is None else membership_of(user)


def membership_of(user: Any) -> Member | None:
    """How an account stands; None where it never joined."""
    return members().filter(user=user.pk).first()


def offered_plans() -> QuerySet[Plan]:
    """Those that can be chosen."""
    return Plan.objects.filter(enabled=True)


def counted_plans() -> QuerySet[Plan]:
    """Every plan, with how many `members` have it."""
    return Plan.objects.annotate(member_count=Count("members"))
