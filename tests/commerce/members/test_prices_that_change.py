"""Plans whose price or interval changes after they were paid: what was paid counts as it was paid."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django_q.models import OrmQ

from commerce.members.models import Member, PaidPeriod, Plan
from commerce.members.services import (
    PLANS,
    cancel,
    choose_plan,
    confirm_payment,
    end_plan,
    plans,
    record_renewal,
    rejoin,
    save_plan,
)
from commerce.payments.models import Payment, Refund
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from tests import people

from .conftest import make_member, make_plan
from .test_paid_time import fail
from .test_paying import PAGE, Day, day, pay, state, subscribed, test_payments

__all__ = ["day", "test_payments"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def yearly(members_on: None) -> Plan:
    return make_plan("Patron", price_cents=9000, interval="year")


def confirmed(member: Member, plan: Plan) -> None:
    choose_plan(member=member, plan=plan)
    confirm_payment(member=member, user=people.alice())


@pytest.mark.parametrize("price_cents", [0, 9000, 18_000])
@pytest.mark.parametrize("paid", [subscribed, confirmed], ids=["online", "confirmed"])
def test_days_are_worth_what_was_paid_for_them(
    price_cents: int, paid: Callable[..., None], member: Member, plan: Plan, yearly: Plan, day: Day
) -> None:
    day("2026-01-15")
    paid(member, yearly)
    save_plan(values={"price_cents": price_cents}, plan=yearly)
    day("2026-01-16")
    choose_plan(member=member, plan=plan)
    pay(member)
    # A month, and 215 days for 364 days at 90.00 a year.
    assert state(member) == ("friend", "2026-09-19")


def test_each_period_has_its_own_price(member: Member, plan: Plan, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    save_plan(values={"price_cents": 2500}, plan=plan)
    day("2026-02-01")
    pay(member)
    assert state(member) == ("friend", "2026-03-15")
    choose_plan(member=member, plan=yearly)
    pay(member)
    # 28 days at 25.00 and 14 days at 12.50 a month are worth 118 days at 90.00 a year, 23 of them for the first month.
    assert state(member) == ("patron", "2027-05-30")
    first = Payment.objects.order_by("pk").first()
    assert first
    assert PaidPeriod.objects.get(payment_id=first.pk).days == 23


def test_a_refund_takes_a_period_of_the_interval_that_was_paid(member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    day("2026-02-10")
    pay(member)
    save_plan(values={"interval": "year", "price_cents": 12_000}, plan=plan)
    PLANS.refund(member, amount_cents=1250)
    assert state(member) == ("friend", "2026-02-15")
    fail(Refund.objects.get())
    assert state(member) == ("friend", "2026-03-15")
    day("2026-03-10")
    pay(member)
    assert state(member) == ("friend", "2027-03-15")


def test_a_refund_keeps_the_day_of_the_month(member: Member, plan: Plan, day: Day) -> None:
    ends = ["2026-02-28", "2026-03-31", "2026-04-30"]
    for today, end in zip(("2026-01-31", "2026-02-25", "2026-03-25"), ends, strict=True):
        day(today)
        pay(member) if member.plan_id else subscribed(member, plan)
        assert state(member) == ("friend", end)
    PLANS.refund(member, amount_cents=1250)
    assert state(member) == ("friend", "2026-03-31")
    fail(Refund.objects.get())
    assert state(member) == ("friend", "2026-04-30")


def test_a_renewal_after_carried_days_went_back_gives_a_whole_year(member: Member, plan: Plan, yearly: Plan, day: Day) -> None:
    day("2026-11-29")
    subscribed(member, plan)
    first = Payment.objects.get()
    choose_plan(member=member, plan=yearly)
    pay(member)
    assert state(member) == ("patron", "2028-01-18")
    Payment.objects.filter(pk=first.pk).update(paid_at="2030-01-01T00:00Z")
    PLANS.refund(member, amount_cents=1250)
    assert state(member) == ("patron", "2027-11-29")
    day("2027-11-20")
    pay(member)
    assert state(member) == ("patron", "2028-11-29")


def test_a_plan_that_is_paid_once_from_now_on_is_renewed_for_good(member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    save_plan(values={"interval": "none", "price_cents": 50_000}, plan=plan)
    day("2026-02-10")
    pay(member)
    assert state(member) == ("friend", None)
    cancel(member=member)
    rejoin(member=member)
    assert state(member) == ("friend", None)
    PLANS.refund(member, amount_cents=50_000)
    assert state(member) == (None, None)


def test_a_refund_of_an_earlier_time_with_the_plan_takes_nothing(member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, yearly)
    first = Payment.objects.get()
    end_plan(member=member, user=people.alice())
    day("2027-06-01")
    subscribed(member, yearly)
    Payment.objects.filter(pk=first.pk).update(paid_at="2030-01-01T00:00Z")
    PLANS.refund(member, amount_cents=9000)
    assert Refund.objects.get().payment == first
    assert state(member) == ("patron", "2028-06-01")


def test_the_history_says_until_when_a_renewal_is_paid(admin_client: Client, member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    day("2026-02-10")
    record_renewal(member=member, user=member.user)
    page: Any = admin_client.get(f"/admin/members/history/{member.pk}/")
    assert "Paid for the plan Friend until 2026-03-15" in page.content.decode()


def settled(payment: Payment) -> Payment:
    """The payment page is paid, whether it was closed meanwhile or not."""
    decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    return settle(payment_id=payment.pk)


@pytest.mark.parametrize(
    ("values", "until"),
    [
        ({"price_cents": 12_000}, "2027-01-15"),
        ({"price_cents": 9000, "interval": "month"}, "2027-01-15"),
        ({"price_cents": 12_000, "interval": "month"}, "2027-01-15"),
    ],
)
def test_money_that_arrives_at_the_price_that_was_asked_is_applied(
    values: dict[str, Any], until: str, member: Member, yearly: Plan, day: Day
) -> None:
    day("2026-01-15")
    choose_plan(member=member, plan=yearly)
    payment = start_payment(payable="plan", record_id=member.pk)
    save_plan(values=values, plan=yearly)
    assert not settled(payment).unapplied
    assert state(member) == ("patron", until)
    assert (PaidPeriod.objects.get().price_cents, PaidPeriod.objects.get().interval) == (9000, "year")


def test_a_renewal_is_applied_at_the_price_that_was_asked(member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    day("2026-02-10")
    payment = start_payment(payable="plan", record_id=member.pk)
    save_plan(values={"price_cents": 2500}, plan=plan)
    assert not settled(payment).unapplied
    assert state(member) == ("friend", "2026-03-15")


def test_money_beyond_a_lower_price_is_to_settle(member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    choose_plan(member=member, plan=yearly)
    payment = start_payment(payable="plan", record_id=member.pk)
    save_plan(values={"price_cents": 6000}, plan=yearly)
    settled(payment)
    assert state(member) == ("patron", "2027-01-15")
    assert [(each.amount_cents, bool(each.unapplied)) for each in Payment.objects.order_by("pk")] == [(6000, False), (3000, True)]


def test_less_than_was_asked_is_not_applied(member: Member, yearly: Plan) -> None:
    choose_plan(member=member, plan=yearly)
    payment = start_payment(payable="plan", record_id=member.pk)
    Payment.objects.filter(pk=payment.pk).update(amount_cents=5000)
    assert "can't be paid in part" in settled(payment).unapplied
    assert state(member) == (None, None)


def test_a_payment_that_began_without_terms_is_applied(member: Member, yearly: Plan, day: Day) -> None:
    day("2026-01-15")
    choose_plan(member=member, plan=yearly)
    payment = start_payment(payable="plan", record_id=member.pk)
    Payment.objects.filter(pk=payment.pk).update(purpose=f"plan:{yearly.pk}")
    assert not settled(payment).unapplied
    assert state(member) == ("patron", "2027-01-15")


def test_changing_the_price_closes_payment_pages(
    member: Member, plan: Plan, yearly: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "_BATCH_ROWS", 1)
    others = [make_member(f"{name}@example.com") for name in ("ann", "bob")]
    for each, wanted in ((member, yearly), (others[0], yearly), (others[1], plan)):
        choose_plan(member=each, plan=wanted)
        start_payment(payable="plan", record_id=each.pk)
    save_plan(values={"name": "Patron of the mill"}, plan=yearly)
    assert not OrmQ.objects.exists()
    save_plan(values={"price_cents": 12_000}, plan=yearly)
    # Opened after the change, and before the task.
    choose_plan(member=others[1], plan=yearly)
    start_payment(payable="plan", record_id=others[1].pk)
    while queued := OrmQ.objects.order_by("pk").first():
        queued.delete()
        assert queued.task["func"] == plans.TASK
        plans.close_pages(*queued.task["args"])
    assert [each.status for each in Payment.objects.order_by("pk")] == ["expired", "expired", "expired", "open"]
    assert start_payment(payable="plan", record_id=member.pk).amount_cents == 12_000


def test_a_plan_that_is_free_by_now_is_not_paid(signed_in: Client, member: Member, yearly: Plan) -> None:
    choose_plan(member=member, plan=yearly)
    save_plan(values={"price_cents": 0}, plan=yearly)
    assert "This plan is free now." in signed_in.post(f"{PAGE}pay/", follow=True).content.decode()
    signed_in.post(PAGE, {"plan": "patron"})
    assert state(member) == ("patron", None)
    member.refresh_from_db()
    assert member.requested_plan is None
