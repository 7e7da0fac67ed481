"""Days that a member has paid for: left, switched, refunded and kept through a cancellation."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from cms_api.core.errors import Invalid
from commerce.common.types.money import Money
from commerce.members.models import Member, Plan
from commerce.members.selectors import carried_days
from commerce.members.services import PLANS, cancel, change_plan, choose_plan, rejoin, save_plan
from commerce.members.services.renewals import check_renewals
from commerce.payments.models import Payment, Refund
from commerce.payments.services import store_payment
from commerce.payments.services.refunds import apply_refund, refund_rest
from commerce.payments.types import RefundOutcome, RefundStatus
from tests.confirming import button_of, post_twice

from .conftest import make_plan
from .test_paying import PAGE, Day, day, pay, state, subscribed, test_payments

__all__ = ["day", "test_payments"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def yearly(members_on: None) -> Plan:
    return make_plan("Patron", price_cents=9000, interval="year")


def test_a_paid_year_runs_to_its_end(signed_in: Client, member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    asked = signed_in.post(PAGE, {"plan": ""})
    page = asked.content.decode()
    assert "Patron is paid until January 15, 2027. You keep it until then." in page
    assert state(member) == ("patron", "2027-01-15")
    member.refresh_from_db()
    assert not member.is_ending
    signed_in.post(PAGE, {"plan": "", "confirmed": "1"})
    member.refresh_from_db()
    assert (state(member), member.is_ending) == (("patron", "2027-01-15"), True)
    assert "It isn't renewed" in signed_in.get(PAGE).content.decode()
    # Neither reminded, nor given days of grace.
    for today, plan in (("2027-01-14", "patron"), ("2027-01-15", "patron"), ("2027-01-16", None)):
        day(today)
        check_renewals()
        assert state(member)[0] == plan


def test_a_price_that_has_changed_since_it_was_shown_is_asked_for_again(
    signed_in: Client, member: Member, plan: Plan, yearly: Plan, day: Day
) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    asked = signed_in.post(PAGE, {"plan": "patron"}).content.decode()
    assert "Patron costs $90.00 a year, and starts when you pay." in asked
    terms = asked.partition('name="confirmed" value="')[2].partition('"')[0]
    save_plan(plan=yearly, values={"price_cents": 12_000})
    again = signed_in.post(PAGE, {"plan": "patron", "confirmed": terms}).content.decode()
    assert "Patron costs $120.00 a year" in again
    assert "The plan has changed in the meantime. Check it before you go on." in again
    member.refresh_from_db()
    assert member.requested_plan is None
    terms = again.partition('name="confirmed" value="')[2].partition('"')[0]
    assert signed_in.post(PAGE, {"plan": "patron", "confirmed": terms}).headers["Location"].startswith("/payments/")


def test_saving_the_page_of_a_plan_that_ends_does_not_keep_it(
    signed_in: Client, member: Member, plan: Plan, yearly: Plan, day: Day
) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    signed_in.post(PAGE, {"plan": "", "confirmed": "1"})
    assert '<input type="radio" name="plan" value="" checked>' in signed_in.get(PAGE).content.decode()
    assert '<input type="radio" name="plan" value="friend" checked>' in signed_in.get(f"{PAGE}?plan=friend").content.decode()
    signed_in.post(PAGE, {"plan": ""})
    member.refresh_from_db()
    assert member.is_ending


def test_a_plan_that_is_left_can_be_kept(signed_in: Client, member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    signed_in.post(PAGE, {"plan": "", "confirmed": "1"})
    signed_in.post(PAGE, {"plan": "patron"})
    member.refresh_from_db()
    assert (state(member), member.is_ending) == (("patron", "2027-01-15"), False)
    assert Payment.objects.count() == 1


def test_a_free_plan_follows_at_the_end(signed_in: Client, member: Member, yearly: Plan, day: Day) -> None:
    make_plan("Reader")
    day("2026-01-15")
    subscribed(member, yearly)
    signed_in.post(PAGE, {"plan": "reader", "confirmed": "1"})
    assert state(member) == ("patron", "2027-01-15")
    day("2027-01-16")
    check_renewals()
    assert state(member) == ("reader", None)


def test_days_that_are_left_of_a_month_are_added_to_the_year(
    signed_in: Client, member: Member, plan: Plan, yearly: Plan, day: Day
) -> None:
    day("2026-11-29")
    subscribed(member, plan)
    assert state(member) == ("friend", "2026-12-29")
    page = signed_in.post(PAGE, {"plan": "patron"}).content.decode()
    # 30 days at 12.50 a month, for 90.00 a year.
    assert "you get 50 more days of Patron" in page
    choose_plan(member=member, plan=yearly)
    pay(member)
    assert state(member) == ("patron", "2028-01-18")


def test_cancelling_and_rejoining_keeps_what_was_paid(member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    cancel(member=member)
    rejoin(member=member)
    assert state(member) == ("patron", "2027-01-15")


def test_staff_refund_a_plan(admin_client: Client, member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    path = f"/admin/members/refund/{member.pk}/"
    assert 'value="90.00"' in admin_client.get(path).content.decode()
    form: dict[str, Any] = {"amount_cents": "90.00", "most_cents": "9000", "reason": "Moved away"}
    assert button_of(admin_client.post(path, form)) == "Refund $90.00"
    assert (Refund.objects.count(), state(member)[0]) == (0, "patron")
    assert post_twice(admin_client, path, form).status_code == 302
    assert (Refund.objects.get().amount_cents, state(member)) == (9000, (None, None))


def test_the_refund_suggests_the_latest_payment(admin_client: Client, member: Member, plan: Plan, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    day("2026-01-16")
    subscribed(member, yearly)
    page = admin_client.get(f"/admin/members/refund/{member.pk}/").content.decode()
    assert 'value="90.00"' in page
    assert "Amount (at most $102.50)" in page


def test_a_refunded_renewal_takes_its_year_back(member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    day("2027-01-10")
    pay(member)
    assert state(member) == ("patron", "2028-01-15")
    PLANS.refund(member, amount_cents=9000)
    assert state(member) == ("patron", "2027-01-15")


def test_a_renewal_that_is_refunded_in_parts_takes_its_year_back_once(member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    day("2027-01-10")
    pay(member)
    with transaction.atomic():
        for cents in (4000, 5000):
            PLANS.refund(member, amount_cents=cents)
    assert [each.status for each in Refund.objects.all()] == ["succeeded", "succeeded"]
    assert state(member) == ("patron", "2027-01-15")


def test_a_refund_stays_within_one_currency(admin_client: Client, member: Member, yearly: Plan) -> None:
    """The prices of plans have been in dollars for a while."""
    about = {"payable": "plan", "record_id": member.pk, "method": "cash", "description": "Membership", "email": member.email}
    for days, amount in ((30, Money(3000, "eur")), (20, Money(2000, "usd")), (10, Money(1000, "eur"))):
        store_payment(amount=amount, paid_at=timezone.now() - timedelta(days=days), **about)
    path = f"/admin/members/refund/{member.pk}/"
    assert 'value="10.00"' in admin_client.get(path).content.decode()
    post_twice(admin_client, path, {"amount_cents": "40.00", "most_cents": "4000", "reason": ""})
    # The rest is in another currency, which comes next.
    assert "Amount (at most $20.00)" in admin_client.get(path).content.decode()
    with pytest.raises(Invalid):
        PLANS.refund(member, amount_cents=2001)
    PLANS.refund(member, amount_cents=2000)
    assert [(each.amount_cents, each.payment.currency) for each in Refund.objects.order_by("pk")] == [
        (1000, "eur"),
        (3000, "eur"),
        (2000, "usd"),
    ]


def test_a_refund_of_a_year_that_is_over_takes_nothing_from_the_next(member: Member, yearly: Plan, day: Day) -> None:
    day("2025-06-01")
    subscribed(member, yearly)
    first = Payment.objects.get()
    day("2026-05-30")
    pay(member)
    day("2026-12-01")
    with transaction.atomic():
        refund = refund_rest(first, reason="", user=None)
    assert state(member) == ("patron", "2027-06-01")
    fail(refund)
    assert state(member) == ("patron", "2027-06-01")


def test_carried_days_go_back_with_the_payment_that_they_come_from(member: Member, plan: Plan, yearly: Plan, day: Day) -> None:
    day("2026-11-29")
    subscribed(member, plan)
    choose_plan(member=member, plan=yearly)
    pay(member)
    # 50 days of Patron for the month of Friend.
    assert state(member) == ("patron", "2028-01-18")
    PLANS.refund(member, amount_cents=9000)
    assert state(member) == ("patron", "2027-01-18")
    PLANS.refund(member, amount_cents=1250)
    assert state(member) == (None, None)


def test_carried_days_alone_go_back(member: Member, plan: Plan, yearly: Plan, day: Day) -> None:
    day("2026-11-29")
    subscribed(member, plan)
    first = Payment.objects.get()
    choose_plan(member=member, plan=yearly)
    pay(member)
    # Refunded at the provider: the older payment alone.
    with transaction.atomic():
        refund = refund_rest(first, reason="", user=None)
    assert (refund.payment_id, state(member)) == (first.pk, ("patron", "2027-11-29"))
    fail(refund)
    assert state(member) == ("patron", "2028-01-18")


def test_days_that_are_carried_twice(member: Member, plan: Plan, yearly: Plan, day: Day) -> None:
    dear = make_plan("Donor", price_cents=18000, interval="year")
    day("2026-11-29")
    subscribed(member, plan)
    first = Payment.objects.get()
    for following in (yearly, dear):
        choose_plan(member=member, plan=following)
        pay(member)
    # 365 and 50 days of Patron are worth 207 of Donor, of which 25 were paid as Friend.
    assert state(member) == ("donor", "2028-06-23")
    with transaction.atomic():
        refund_rest(first, reason="", user=None)
    assert state(member) == ("donor", "2028-05-29")


def test_staff_let_a_paid_plan_run_to_its_end(admin_client: Client, member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    page = admin_client.post(f"/admin/members/change-plan/{member.pk}/", {"plan": ""}, follow=True).content.decode()
    assert "is paid, and runs until January 15, 2027." in page
    member.refresh_from_db()
    assert (state(member), member.is_ending) == (("patron", "2027-01-15"), True)
    admin_client.post(f"/admin/members/change-plan/{member.pk}/", {"plan": "patron"})
    member.refresh_from_db()
    assert (state(member), member.is_ending) == (("patron", "2027-01-15"), False)


def test_staff_carry_paid_days_to_another_plan(admin_client: Client, member: Member, plan: Plan, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    path = f"/admin/members/change-plan/{member.pk}/"
    page = admin_client.post(path, {"plan": "friend"}).content.decode()
    # 365 days at 90.00 a year, for 12.50 a month.
    assert "For the days that are left, they get 216 days of Friend, until August 19, 2026." in page
    assert state(member) == ("patron", "2027-01-15")
    admin_client.post(path, {"plan": "friend", "confirmed": "Change to Friend"})
    assert state(member) == ("friend", "2026-08-19")
    PLANS.refund(member, amount_cents=9000)
    assert state(member) == (None, None)


def test_staff_are_asked_before_days_are_lost_that_cannot_be_carried(
    admin_client: Client, member: Member, yearly: Plan, day: Day
) -> None:
    make_plan("Life", price_cents=50_000, interval="none")
    day("2026-01-15")
    subscribed(member, yearly)
    path = f"/admin/members/change-plan/{member.pk}/"
    page = admin_client.post(path, {"plan": "life"}).content.decode()
    assert "has paid Patron until January 15, 2027 and loses this time." in page
    assert "They get Life without an end date." in page
    assert state(member) == ("patron", "2027-01-15")
    post_twice(admin_client, path, {"plan": "life"})
    assert state(member) == ("life", None)


def test_staff_end_a_paid_plan_only_once_they_are_told_what_is_lost(
    admin_client: Client, member: Member, yearly: Plan, day: Day
) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    path = f"/admin/members/end-plan/{member.pk}/"
    assert "has paid Patron until January 15, 2027 and loses this time." in admin_client.get(path).content.decode()
    asked = admin_client.get(f"/admin/members/cancel/{member.pk}/").content.decode()
    assert "Patron is paid until January 15, 2027: nothing is refunded" in asked
    admin_client.post(path)
    assert state(member) == (None, None)
    assert "no plan any more" in admin_client.post(path, follow=True).content.decode()


def fail(refund: Refund | None) -> None:
    """The customer's bank sends a refund back that had succeeded."""
    assert refund is not None
    apply_refund(refund.pk, RefundOutcome(RefundStatus.FAILED, error="The account is closed."))


def test_a_refund_that_fails_gives_the_time_again(member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-31")
    subscribed(member, yearly)
    day("2027-01-30")
    pay(member)
    with transaction.atomic():
        for cents in (4000, 5000):
            PLANS.refund(member, amount_cents=cents)
    assert state(member) == ("patron", "2027-01-31")
    fail(Refund.objects.first())
    assert state(member) == ("patron", "2028-01-31")
    # Nothing is left to be given.
    fail(Refund.objects.last())
    assert state(member) == ("patron", "2028-01-31")
    PLANS.refund(member, amount_cents=9000)
    assert state(member) == ("patron", "2027-01-31")


def test_a_plan_that_ended_with_its_refund_begins_again(member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    PLANS.refund(member, amount_cents=9000)
    assert state(member) == (None, None)
    day("2026-01-20")
    fail(Refund.objects.get())
    assert state(member) == ("patron", "2027-01-15")


@pytest.mark.parametrize("ends", ["cancelled", "over", "another"])
def test_a_plan_is_not_given_again_to_members_who_have_no_use_for_it(ends: str, member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    PLANS.refund(member, amount_cents=9000)
    if ends == "cancelled":
        cancel(member=member)
    elif ends == "over":
        day("2027-01-20")
    else:
        subscribed(member, make_plan("Friend", price_cents=100, interval="year"))
    before = state(member)
    fail(Refund.objects.get())
    assert state(member) == before


@pytest.mark.both_databases
def test_days_are_carried_for_what_is_left_of_a_payment(member: Member, plan: Plan, yearly: Plan, day: Day) -> None:
    """Of 90.00 for a year, 89.99 went back: not even an hour of Friend."""
    day("2026-01-15")
    subscribed(member, yearly)
    first = Payment.objects.get()
    PLANS.refund(member, amount_cents=8999)
    assert (state(member), carried_days(member, plan)) == (("patron", "2027-01-15"), 0)
    subscribed(member, plan)
    assert state(member) == ("friend", "2026-02-15")
    with transaction.atomic():
        refund_rest(first, reason="", user=None)
    assert state(member) == ("friend", "2026-02-15")


def test_days_that_are_carried_again_lose_what_went_back_once(member: Member, plan: Plan, yearly: Plan, day: Day) -> None:
    family = make_plan("Family", price_cents=2500, interval="month")
    day("2026-01-15")
    subscribed(member, yearly)
    PLANS.refund(member, amount_cents=4500)
    # 45.00 are 108 days at 12.50 a month, or 54 at 25.00.
    for following, until in ((plan, "2026-05-03"), (family, "2026-03-10"), (plan, "2026-05-03")):
        change_plan(member=member, plan=following)
        assert state(member) == (following.slug, until)
    # Half of what was left goes back, and counts when days are carried next.
    PLANS.refund(member, amount_cents=2250)
    assert state(member) == ("friend", "2026-05-03")
    change_plan(member=member, plan=family)
    assert state(member) == ("family", "2026-02-11")
    PLANS.refund(member, amount_cents=2250)
    assert state(member) == (None, None)


def test_a_refund_that_never_succeeded_gives_nothing(member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    payment = Payment.objects.get()
    now = payment.created_at
    Payment.objects.update(refunded_cents=9000)
    fail(Refund.objects.create(payment=payment, amount_cents=9000, created_at=now, updated_at=now))
    assert state(member) == ("patron", "2027-01-15")


@pytest.mark.parametrize("is_kept", [False, True], ids=["left again", "kept"])
def test_another_plan_is_no_longer_asked_for(member: Member, yearly: Plan, day: Day, is_kept: bool) -> None:
    family = make_plan("Family", price_cents=12000, interval="year")
    day("2026-01-15")
    subscribed(member, yearly)
    for plan in (None, family, yearly if is_kept else None):
        choose_plan(member=member, plan=plan)
    member.refresh_from_db()
    assert (member.requested_plan, member.is_ending, state(member)[0]) == (None, not is_kept, "patron")
