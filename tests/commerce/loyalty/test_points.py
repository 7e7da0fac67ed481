"""Points are given once, spent while there are any, and always the sum of the ledger."""

import random
import threading
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting, switch_feature
from commerce.loyalty.models import PointsBalance, PointsEntry
from commerce.loyalty.selectors import balance
from commerce.loyalty.services import adjust, award, award_by_email, award_review_bonus, spend
from commerce.loyalty.types import MAX_POINTS
from commerce.members.models import Member
from commerce.members.services import cancel, rejoin
from tests import people
from tests.client import together

from .conftest import all_is_in_line, make_member, points

pytestmark = pytest.mark.django_db


@pytest.mark.both_databases
def test_it_works(member: Member) -> None:
    assert points(member) == 0
    assert award(member=member, points=100, reason="order", reference="order:1")
    assert not award(member=member, points=100, reason="order", reference="order:1")
    assert spend(member=member, points=30, reason="discount", reference="order:2")
    assert not spend(member=member, points=30, reason="discount", reference="order:2")
    assert points(member) == 70
    with pytest.raises(Invalid, match="Not enough"):
        spend(member=member, points=71, reason="discount")
    assert points(member) == 70
    assert PointsEntry.objects.count() == 2


def test_without_a_reference_it_happens_each_time(member: Member) -> None:
    for _ in range(2):
        award(member=member, points=5, reason="order")
    assert points(member) == 10


@pytest.mark.both_databases
def test_a_reference_counts_for_its_reason_and_member(member: Member) -> None:
    other = make_member("other@example.com")
    assert award(member=member, points=5, reason="order", reference="1")
    assert award(member=member, points=5, reason="review", reference="1")
    assert award(member=other, points=5, reason="order", reference="1")
    assert (points(member), points(other)) == (10, 5)


@pytest.mark.parametrize("number", [0, -1, MAX_POINTS + 1, 10**30])
def test_what_is_no_number_of_points_is_refused(number: int, member: Member) -> None:
    for move in (award, spend):
        with pytest.raises(Invalid):
            move(member=member, points=number, reason="order")
    assert not PointsEntry.objects.exists()


def test_who_has_cancelled_keeps_points_and_gets_no_more(member: Member) -> None:
    award(member=member, points=5, reason="order")
    cancel(member=member)
    assert not award(member=member, points=5, reason="order", reference="late")
    assert points(member) == 5
    rejoin(member=member)
    assert award(member=member, points=5, reason="order", reference="late")


def test_by_hand_with_a_note(member: Member) -> None:
    alice = people.alice()
    adjust(member=member, points=20, note=" For the\n lost parcel ", user=alice)
    adjust(member=member, points=-5, note="Counted twice", user=alice)
    assert points(member) == 15
    entry = PointsEntry.objects.last()
    assert entry
    assert (entry.note, entry.user, entry.reason) == ("For the lost parcel", alice, "adjustment")
    for number, note in ((-16, "Too many"), (0, "None"), (1, ""), (1, "x" * 301), (1, "\0")):
        with pytest.raises(Invalid):
            adjust(member=member, points=number, note=note, user=alice)
    assert points(member) == 15


def test_by_address(member: Member) -> None:
    assert award_by_email(email=" MIA@example.com", points=5, reason="order", reference="1")
    assert not award_by_email(email="nobody@example.com", points=5, reason="order", reference="1")
    switch_feature(name="loyalty", on=False)
    assert not award_by_email(email="mia@example.com", points=5, reason="order", reference="2")
    assert points(member) == 5


@pytest.mark.both_databases
def test_a_review_brings_its_bonus_once(member: Member) -> None:
    assert award_review_bonus(email="Mia@example.com", review_id=7)
    assert not award_review_bonus(email="mia@example.com", review_id=7)
    assert points(member) == 50
    set_setting(key="loyalty.review_bonus_points", value=80)
    assert award_review_bonus(email="mia@example.com", review_id=8)
    for off in (0, -5):
        set_setting(key="loyalty.review_bonus_points", value=off)
        assert not award_review_bonus(email="mia@example.com", review_id=9)
    assert points(member) == 130


@pytest.mark.both_databases
def test_a_bonus_for_joining_is_given_once() -> None:
    assert points(make_member("early@example.com")) == 0
    set_setting(key="loyalty.signup_bonus_points", value=100)
    member = make_member("mia@example.com")
    cancel(member=member)
    rejoin(member=member)
    assert points(member) == 100
    switch_feature(name="loyalty", on=False)
    assert balance(make_member("late@example.com")) == 0


@pytest.mark.both_databases
def test_the_database_keeps_no_debt(member: Member) -> None:
    award(member=member, points=5, reason="order")
    with pytest.raises(IntegrityError), transaction.atomic():
        PointsBalance.objects.update(points=-1)
    with pytest.raises(IntegrityError), transaction.atomic():
        PointsEntry.objects.update(points=0)


@pytest.mark.django_db(transaction=True)
def test_twenty_who_award_one_bonus_at_once(member: Member) -> None:
    assert sum(together(lambda number: award_review_bonus(email="mia@example.com", review_id=7), 20)) == 1
    assert points(member) == 50


@pytest.mark.django_db(transaction=True)
def test_control_looking_before_writing_loses_the_race(member: Member) -> None:
    """The same callers without the service's help: all find no entry, and all but one are refused by the database."""
    looked = threading.Barrier(10)
    values: dict[str, Any] = {"member": member, "points": 50, "reason": "review", "reference": "review:7"}

    def look_and_write(number: int) -> int:
        assert not PointsEntry.objects.filter(**values).exists()
        looked.wait(20)
        try:
            PointsEntry.objects.create(**values, created_at=timezone.now())
        except IntegrityError:
            return 1
        return 0

    assert sum(together(look_and_write, 10)) == 9


@pytest.mark.django_db(transaction=True)
def test_of_twenty_who_spend_the_last_points_one_does(member: Member) -> None:
    award(member=member, points=50, reason="order")

    def try_to(number: int) -> bool:
        try:
            return spend(member=member, points=50, reason="discount", reference=f"order:{number}")
        except Invalid:
            return False

    assert sum(together(try_to, 20)) == 1
    assert points(member) == 0
    assert PointsEntry.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_control_reading_the_balance_first_would_make_debts(member: Member) -> None:
    """The same spenders without the condition: all find enough, and all but one are refused by the database."""
    looked = threading.Barrier(10)
    award(member=member, points=50, reason="order")

    def look_and_spend(number: int) -> int:
        assert balance(member) == 50
        looked.wait(20)
        try:
            PointsBalance.objects.filter(member=member).update(points=F("points") - 50)
        except IntegrityError:
            return 1
        return 0

    assert sum(together(look_and_spend, 10)) == 9


@pytest.mark.django_db(transaction=True)
def test_whatever_comes_at_once_balances_are_the_sums() -> None:
    members = [make_member(f"m{number}@example.com") for number in range(3)]

    def trade(number: int) -> int:
        chance, refused = random.Random(number), 0
        for _ in range(15):
            member, amount = chance.choice(members), chance.randint(1, 40)
            move: Any = chance.choice([award, award, spend])
            try:
                move(member=member, points=amount, reason="order", reference=chance.choice(["", f"o:{amount}"]))
            except Invalid:
                refused += 1
        return refused

    together(trade, 6)
    assert PointsEntry.objects.count() > 20
    assert all_is_in_line()
