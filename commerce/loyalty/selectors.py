"""Reads of points."""

from typing import Any

from django.db.models import QuerySet

from cms_api.text.search import matching
from commerce.members.models import Member

from .models import PointsBalance, PointsEntry


def balance(member: Member) -> int:
    """Return a member's balance."""
    points = PointsBalance.objects.filter(member=member).values_list("points", flat=True).first()
    return points or 0


def balances() -> QuerySet[PointsBalance]:
    return PointsBalance.objects.select_related("member__user", "member__plan")


def entries() -> QuerySet[PointsEntry]:
    return PointsEntry.objects.select_related("member__user", "user")


def members_named(rows: QuerySet[Any], text: str) -> QuerySet[Any]:
    """Filter rows by member: each word of the text must be a prefix of a word in the member's name or email."""
    return matching(rows, text, model=Member, key="member_id")
