"""Plans that are paid once, and have no end: left, switched, cancelled and refunded."""

import pytest
from django.db import transaction
from django.test import Client

from commerce.members.models import Member, Plan
from commerce.members.services import (
    PLANS,
    cancel,
    change_plan,
    choose_plan,
    confirm_payment,
    end_plan,
    rejoin,
    save_plan,
)
from commerce.members.services.renewals import check_renewals
from commerce.payments.models import Payment, Refund
from commerce.payments.services import request_refund
from commerce.payments.services.refunds import refund_rest
from tests import people

from .conftest import make_plan
from .test_paid_time import fail
from .test_paying import PAGE, Day, day, pay, state, subscribed, test_payments

__all__ = ["day", "test_payments"]

pytestmark = pytest.mark.django_db(transaction=True)

CHANGE = "/admin/members/change-plan/{}/"


@pytest.fixture
def life(members_on: None) -> Plan:
    return make_plan("Life", price_cents=50_000, interval="none")


def test_leaving_it_is_confirmed(signed_in: Client, member: Member, life: Plan) -> None:
    subscribed(member, life)
    page = signed_in.post(PAGE, {"plan": ""}).content.decode()
    assert "Life is paid once, and has no end. If you leave it, it ends now" in page
    assert "End plan now" in page
    assert state(member) == ("life", None)
    assert "Your plan has been changed." in signed_in.post(PAGE, {"plan": "", "confirmed": "1"}, follow=True).content.decode()
    assert state(member) == (None, None)


def test_a_free_plan_follows_at_once(signed_in: Client, member: Member, life: Plan) -> None:
    make_plan("Reader")
    subscribed(member, life)
    assert "Reader follows" in signed_in.post(PAGE, {"plan": "reader"}).content.decode()
    signed_in.post(PAGE, {"plan": "reader", "confirmed": "1"})
    assert state(member) == ("reader", None)


def test_switching_says_that_it_ends(signed_in: Client, member: Member, life: Plan, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, life)
    page = signed_in.post(PAGE, {"plan": "friend"}).content.decode()
    assert "Friend costs $12.50 a month. It starts when you pay, and Life ends then. Nothing is refunded" in page
    assert state(member) == ("life", None)
    assert signed_in.post(PAGE, {"plan": "friend", "confirmed": "$12.50 a month, 0"}).headers["Location"].startswith("/payments/")
    assert state(member) == ("life", None)
    pay(member)
    assert state(member) == ("friend", "2026-02-15")


def test_switching_to_it_says_that_days_are_lost(signed_in: Client, member: Member, life: Plan, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    page = signed_in.post(PAGE, {"plan": "life"}).content.decode()
    assert "Friend ends then. The days that are left are not refunded." in page
    choose_plan(member=member, plan=life)
    pay(member)
    assert state(member) == ("life", None)


def test_rejoining_gives_it_back(signed_in: Client, member: Member, life: Plan) -> None:
    subscribed(member, life)
    assert "you get it back whenever you rejoin" in signed_in.get(f"{PAGE}cancel/").content.decode()
    cancel(member=member)
    Plan.objects.update(enabled=False)
    assert "Life is paid once" in signed_in.post(PAGE, {"plan": ""}).content.decode()
    member.refresh_from_db()
    assert not member.is_active
    signed_in.post(PAGE, {"plan": "life"})
    assert (state(member), member.is_active) == (("life", None), True)


def test_a_payment_that_staff_confirm_counts_too(member: Member, life: Plan) -> None:
    choose_plan(member=member, plan=life)
    confirm_payment(member=member, user=people.alice())
    cancel(member=member)
    rejoin(member=member)
    assert state(member) == ("life", None)


def test_a_plan_that_staff_give_is_not_paid(signed_in: Client, member: Member, life: Plan) -> None:
    change_plan(member=member, plan=life, user=people.alice())
    signed_in.post(PAGE, {"plan": ""})
    assert state(member) == (None, None)
    change_plan(member=member, plan=life, user=people.alice())
    cancel(member=member)
    rejoin(member=member)
    assert state(member) == (None, None)


def test_its_refund_ends_it(member: Member, life: Plan) -> None:
    subscribed(member, life)
    PLANS.refund(member, amount_cents=50_000)
    assert state(member) == (None, None)


def refund_whole(payment: Payment) -> Refund:
    with transaction.atomic():
        return refund_rest(payment, reason="", user=None)


@pytest.mark.both_databases
def test_a_plan_that_staff_have_given_again_outlives_refunds_of_what_was_paid(member: Member, life: Plan) -> None:
    subscribed(member, life)
    payment = Payment.objects.get()
    refund = refund_whole(payment)
    change_plan(member=member, plan=life, user=people.alice())
    fail(refund)
    assert state(member) == ("life", None)
    payment.refresh_from_db()
    refund = refund_whole(payment)
    assert state(member) == ("life", None)
    fail(refund)
    assert state(member) == ("life", None)


def test_a_plan_that_is_paid_again_outlives_refunds_of_what_was_paid_before(member: Member, life: Plan) -> None:
    subscribed(member, life)
    first = Payment.objects.get()
    refund = refund_whole(first)
    subscribed(member, life)
    fail(refund)
    first.refresh_from_db()
    refund_whole(first)
    assert state(member) == ("life", None)
    PLANS.refund(member, amount_cents=50_000)
    assert state(member) == (None, None)


def test_a_plan_that_staff_reinstate_outlives_the_refund_of_a_year_that_was_over(member: Member, day: Day) -> None:
    yearly = make_plan("Patron", price_cents=9000, interval="year")
    day("2025-01-15")
    subscribed(member, yearly)
    day("2025-12-01")
    cancel(member=member)
    day("2026-03-01")
    rejoin(member=member, user=people.alice())
    assert state(member) == ("patron", None)
    refund_whole(Payment.objects.get())
    assert state(member) == ("patron", None)


def test_a_plan_that_was_renewed_for_good_outlives_the_refund_of_a_month(member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    first = Payment.objects.get()
    save_plan(values={"interval": "none", "price_cents": 50_000}, plan=plan)
    day("2026-02-10")
    pay(member)
    refund = refund_whole(first)
    assert state(member) == ("friend", None)
    fail(refund)
    assert state(member) == ("friend", None)


def test_a_plan_that_is_free_by_now_gets_no_end_when_a_refund_fails(member: Member, day: Day) -> None:
    yearly = make_plan("Patron", price_cents=9000, interval="year")
    day("2026-01-15")
    subscribed(member, yearly)
    refund = refund_whole(Payment.objects.get())
    save_plan(values={"price_cents": 0}, plan=yearly)
    change_plan(member=member, plan=yearly)
    fail(refund)
    assert state(member) == ("patron", None)


def test_another_refund_does_not_begin_a_plan_that_was_not_given_again(member: Member, plan: Plan, life: Plan, day: Day) -> None:
    """A refund fails while the member pays for another plan; later, a part of the money goes back."""
    day("2026-01-15")
    subscribed(member, life)
    payment = Payment.objects.get()
    refund = refund_whole(payment)
    subscribed(member, plan)
    fail(refund)
    assert state(member) == ("friend", "2026-02-15")
    end_plan(member=member, user=people.alice())
    payment.refresh_from_db()
    with transaction.atomic():
        request_refund(payable="plan", record_id=member.pk, amount_cents=2250)
    assert [each.status for each in payment.refunds.order_by("pk")][1:] == ["succeeded"]
    assert state(member) == (None, None)


def test_staff_are_asked_before_it_ends(admin_client: Client, member: Member, life: Plan) -> None:
    subscribed(member, life)
    asked = admin_client.get(f"/admin/members/end-plan/{member.pk}/").content.decode()
    assert "has paid Life once, without an end, and loses it" in asked
    asked = admin_client.get(f"/admin/members/cancel/{member.pk}/").content.decode()
    assert "Life is paid once: nothing is refunded, and the plan comes back if they rejoin." in asked
    page = admin_client.post(CHANGE.format(member.pk), {"plan": ""}, follow=True).content.decode()
    assert "has paid Life once, without an end, and loses it" in page
    assert state(member) == ("life", None)
    admin_client.post(CHANGE.format(member.pk), {"plan": "", "confirmed": "End Life"})
    assert state(member) == (None, None)


@pytest.mark.parametrize("chosen", ["", "friend"])
def test_a_plan_that_has_become_free_runs_to_the_end_of_what_was_paid(
    chosen: str, signed_in: Client, member: Member, plan: Plan, day: Day
) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    Plan.objects.update(price_cents=0)
    signed_in.post(PAGE, {"plan": chosen, "confirmed": "1"})
    day("2026-02-16")
    check_renewals()
    assert state(member)[0] == (chosen or None)
