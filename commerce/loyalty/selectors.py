"""Reads of points."""

from typing import Any

from django.db.models import QuerySet

from cms_api.text.search import matching
from commerce.members.models import Member

from .models import PointsBalance, PointsEntry


def balance(member: Member) -> int:
    """How many points a member has."""
    held = PointsBalance.objects.filter(member=member).values_list("points", flat=True).first()
    return held or 0


def balances() -> QuerySet[PointsBalance]:
    return PointsBalance.objects.select_related("member__user", "member__plan")


def entries() -> QuerySet[PointsEntry]:
    return PointsEntry.objects.select_related("member__user", "user")


def of_members_named(rows: QuerySet[Any], text: str) -> QuerySet[Any]:
    """Those of members whose name or address holds, for every word of the text, a word that begins with it."""
    return matching(rows, text, model=Member, key="member_id")
