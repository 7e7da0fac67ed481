"""Every test of points has them switched on, and a member."""

from typing import Any

import pytest
from django.db.models import Sum

from cms_api.accounts.services import create_member
from cms_api.flags.services import switch_feature
from commerce.loyalty.models import PointsBalance, PointsEntry
from commerce.loyalty.selectors import balance
from commerce.members.models import Member
from tests.people import PASSWORD


@pytest.fixture(autouse=True)
def loyalty_on(db: None) -> None:
    switch_feature(name="loyalty", on=True)


@pytest.fixture
def member(loyalty_on: None) -> Member:
    return make_member("mia@example.com", "Mia Sand")


def make_member(email: str, name: str = "") -> Member:
    return Member.objects.select_related("user").get(user=create_member(email=email, password=PASSWORD, name=name))


def points(member: Member) -> int:
    """The balance, which is the sum of the entries."""
    total: Any = PointsEntry.objects.filter(member=member).aggregate(total=Sum("points"))["total"]
    assert balance(member) == (total or 0)
    return balance(member)


def all_is_in_line() -> bool:
    """Whether every balance is the sum of its member's entries, and every member with entries has one."""
    sums = PointsEntry.objects.order_by().values_list("member").annotate(total=Sum("points"))
    return dict(sums) == dict(PointsBalance.objects.values_list("member", "points"))
