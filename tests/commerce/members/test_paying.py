"""Plans that members pay for: the first payment, renewals, reminders, and the end of plans that are not renewed."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.flags.services import set_setting, switch_feature
from commerce.crm.models import Activity
from commerce.members import selectors
from commerce.members.models import Member, Plan
from commerce.members.services import (
    cancel,
    change_plan,
    choose_plan,
    confirm_payment,
    decline_plan,
    end_plan,
    record_renewal,
    rejoin,
)
from commerce.members.services.renewals import check_renewals
from commerce.members.types import next_end
from commerce.payments.models import Payment
from commerce.payments.selectors import LINK
from commerce.payments.services import request_refund, settle, start_payment
from tests import people
from tests.accounts.signing_in import mails

from .conftest import make_member, make_plan

pytestmark = pytest.mark.django_db

PAGE = "/accounts/membership/"
Day = Callable[[str], None]


@pytest.fixture(autouse=True)
def test_payments(members_on: None) -> None:
    set_setting(key="payments.allow_test_payments", value=True)


@pytest.fixture
def day(monkeypatch: pytest.MonkeyPatch) -> Day:
    """Make it noon of a day, in the site's time zone."""

    def set_day(text: str) -> None:
        noon = datetime.combine(date.fromisoformat(text), datetime.min.time(), ZoneInfo("Europe/Paris")) + timedelta(hours=12)
        monkeypatch.setattr(timezone, "now", lambda: noon)

    return set_day


def pay(member: Member) -> Payment:
    payment = start_payment(payable="plan", record_id=member.pk)
    return press(payment)


def press(payment: Payment, decision: str = "pay") -> Payment:
    Client().post(payment.url, {"decision": decision})
    return settle(payment_id=payment.pk)


def state(member: Member) -> tuple[str | None, str | None]:
    member.refresh_from_db()
    return member.plan.slug if member.plan else None, str(member.paid_until) if member.paid_until else None


def subscribed(member: Member, plan: Plan) -> None:
    choose_plan(member=member, plan=plan)
    pay(member)


@pytest.mark.both_databases
def test_it_works(signed_in: Client, member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-31")
    answer = signed_in.post(PAGE, {"plan": "friend"})
    payment = Payment.objects.get()
    assert answer.headers["Location"] == f"/payments/{LINK.token(payment)}/pay"
    assert (payment.description, payment.amount_cents, payment.email) == ("Membership: Friend", 1250, "mia@example.com")
    page = signed_in.get(PAGE).content.decode()
    assert "Awaiting payment" in page
    assert "Pay now" in page
    assert "We'll contact you" not in page
    assert signed_in.post(f"{PAGE}pay/").headers["Location"] == answer.headers["Location"]
    press(payment)
    assert state(member) == ("friend", "2026-02-28")
    page = signed_in.get(PAGE).content.decode()
    assert "Paid until" in page
    assert "Pay now" not in page
    (mail,) = mails("member_plan_paid")
    assert "$12.50 for your plan, Friend" in mail.text
    assert "paid until February 28, 2026" in mail.text


@pytest.mark.parametrize(
    ("start", "interval", "ends"),
    [
        ("2026-01-31", "month", ["2026-02-28", "2026-03-31", "2026-04-30"]),
        ("2028-01-30", "month", ["2028-02-29", "2028-03-30"]),
        ("2028-02-29", "year", ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]),
        ("2026-12-15", "month", ["2027-01-15"]),
        ("2026-01-01", "none", [None]),
    ],
)
def test_ends_keep_the_day_of_the_month(start: str, interval: str, ends: list[str | None]) -> None:
    found: date | None = date.fromisoformat(start)
    for end in ends:
        assert found
        found = next_end(found, interval, int(start[-2:]))
        assert (str(found) if found else None) == end


def test_renewing_goes_on_from_the_end(signed_in: Client, member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-31")
    subscribed(member, plan)
    assert "Renew Friend" not in signed_in.get(PAGE).content.decode()
    assert "nothing to pay" in signed_in.post(f"{PAGE}pay/", follow=True).content.decode()
    day("2026-02-20")
    assert "Renew Friend" in signed_in.get(PAGE).content.decode()
    pay(member)
    assert state(member) == ("friend", "2026-03-31")
    day("2026-04-05")
    pay(member)
    assert state(member) == ("friend", "2026-04-30")


def test_members_are_reminded_and_then_the_plan_ends(member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    for today, sent in (("2026-02-07", 0), ("2026-02-08", 1), ("2026-02-14", 1), ("2026-02-15", 2), ("2026-02-22", 2)):
        day(today)
        check_renewals()
        check_renewals()
        assert len(mails("member_plan_ending")) == sent
        assert state(member) == ("friend", "2026-02-15")
    day("2026-02-23")
    check_renewals()
    check_renewals()
    assert state(member) == (None, None)
    assert len(mails("member_plan_ended")) == 1
    assert member.is_active


def test_the_link_of_the_reminder_leads_to_paying(member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    day("2026-02-10")
    check_renewals()
    (mail,) = mails("member_plan_ending")
    path = selectors.PAY_LINK.path(member)
    assert f"http://testserver{path}" in mail.text
    visitor = Client()
    page = visitor.get(path)
    assert "Friend, $12.50 a month" in page.content.decode()
    assert "no-store" in page.headers["Cache-Control"]
    assert Payment.objects.count() == 1
    answer = visitor.post(path)
    assert answer.status_code == 303
    press(Payment.objects.latest("pk"))
    assert state(member) == ("friend", "2026-03-15")
    assert "nothing to pay" in visitor.get(path).content.decode()
    assert visitor.post(path).status_code == 422


def test_a_plan_does_not_end_while_its_payment_is_on_its_way(member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    day("2026-02-20")
    payment = start_payment(payable="plan", record_id=member.pk)
    Payment.objects.filter(pk=payment.pk).update(provider_state={"status": "processing"}, status="processing")
    day("2026-02-25")
    for _ in range(2):
        check_renewals()
        assert state(member) == ("friend", "2026-02-15")
    Payment.objects.filter(pk=payment.pk).update(provider_state={"status": "succeeded"})
    check_renewals()
    assert state(member) == ("friend", "2026-03-15")


def test_money_of_a_member_who_has_cancelled_is_unapplied(member: Member, plan: Plan) -> None:
    choose_plan(member=member, plan=plan)
    payment = start_payment(payable="plan", record_id=member.pk)
    cancel(member=member)
    assert press(payment).unapplied
    assert state(member)[0] is None


def test_money_for_another_plan_than_the_one_asked_for_is_unapplied(member: Member, plan: Plan) -> None:
    choose_plan(member=member, plan=plan)
    payment = start_payment(payable="plan", record_id=member.pk)
    choose_plan(member=member, plan=make_plan("Patron", price_cents=1250, interval="month"))
    assert press(payment).unapplied
    assert state(member)[0] is None


@pytest.mark.both_databases
def test_paying_a_renewal_twice_is_unapplied(member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    day("2026-02-10")
    first = start_payment(payable="plan", record_id=member.pk)
    Payment.objects.filter(pk=first.pk).update(status="expired")
    pay(member)
    assert press(first).unapplied
    assert state(member) == ("friend", "2026-03-15")


@pytest.mark.parametrize("end", [decline_plan, confirm_payment], ids=["declined", "confirmed"])
def test_staff_who_decide_close_the_payment_page(
    end: Any, member: Member, plan: Plan, django_capture_on_commit_callbacks: Any, day: Day
) -> None:
    day("2026-01-15")
    choose_plan(member=member, plan=plan)
    payment = start_payment(payable="plan", record_id=member.pk)
    with django_capture_on_commit_callbacks(execute=True):
        assert end(member=member, user=people.alice())
    payment.refresh_from_db()
    assert payment.status == "expired"
    assert state(member) == (("friend", "2026-02-15") if end is confirm_payment else (None, None))


def test_staff_record_renewals(member: Member, plan: Plan, day: Day, sign_in: Callable[[Any], Client]) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    alice = people.alice()
    assert not record_renewal(member=member, user=alice)
    day("2026-02-15")
    admin_client = sign_in(alice)
    assert "Record renewal" in admin_client.get(f"/admin/members/inspect/{member.pk}/").content.decode()
    admin_client.post(f"/admin/members/record-renewal/{member.pk}/")
    assert state(member) == ("friend", "2026-03-15")
    assert "March 15, 2026" in admin_client.get(f"/admin/members/inspect/{member.pk}/").content.decode()


def test_a_plan_that_staff_give_does_not_end(member: Member, plan: Plan) -> None:
    change_plan(member=member, plan=plan, user=people.alice())
    assert state(member) == ("friend", None)
    check_renewals()
    assert state(member) == ("friend", None)


def test_reinstating_after_the_end_gives_the_plan_without_one(member: Member, plan: Plan, day: Day) -> None:
    day("2026-01-15")
    subscribed(member, plan)
    cancel(member=member)
    day("2026-01-20")
    rejoin(member=member, user=people.alice())
    assert state(member) == ("friend", "2026-02-15")
    cancel(member=member)
    day("2026-06-01")
    rejoin(member=member, user=people.alice())
    assert state(member) == ("friend", None)
    cancel(member=member)
    rejoin(member=member)
    assert state(member) == (None, None)


@pytest.mark.both_databases
def test_coming_back_forgets_that_the_plan_was_to_end(signed_in: Client, member: Member, plan: Plan, day: Day) -> None:
    for user, slug in ((people.alice(), "friend"), (None, None)):
        day("2026-01-15")
        change_plan(member=member, plan=None)
        end_plan(member=member, user=None)
        subscribed(member, plan)
        signed_in.post(PAGE, {"plan": "", "confirmed": "1"})
        cancel(member=member)
        day("2026-06-01")
        rejoin(member=member, user=user)
        assert state(member) == (slug, None)
        page = signed_in.get(PAGE).content.decode()
        assert re.findall(r'name="plan" value="([^"]*)" checked', page) == [slug or ""]
        assert choose_plan(member=member, plan=plan if slug else None) == "unchanged"


def test_a_refund_of_all_that_was_paid_ends_the_plan(plan: Plan, django_capture_on_commit_callbacks: Any) -> None:
    switch_feature(name="crm", on=True)
    member = make_member("zoe@example.com", "Zoe Quill")
    subscribed(member, plan)
    for cents, slug in ((250, "friend"), (1000, None)):
        with django_capture_on_commit_callbacks(execute=True):
            request_refund(payable="plan", record_id=member.pk, amount_cents=cents)
        assert state(member)[0] == slug
    last = Activity.objects.filter(kind="membership").order_by("-pk").values_list("summary", flat=True)[:3]
    assert list(last) == [
        "The plan Friend ended",
        "Membership: Friend: $10.00 refunded",
        "Membership: Friend: $2.50 refunded",
    ]


def test_a_declined_payment_leaves_the_plan_waiting(signed_in: Client, member: Member, plan: Plan) -> None:
    signed_in.post(PAGE, {"plan": "friend"})
    assert press(Payment.objects.get(), "decline").status == "failed"
    member.refresh_from_db()
    assert member.requested_plan == plan
    assert signed_in.post(f"{PAGE}pay/").status_code == 302
    assert Payment.objects.count() == 2


def test_a_plan_that_is_no_longer_offered_cannot_be_paid(signed_in: Client, member: Member, plan: Plan) -> None:
    choose_plan(member=member, plan=plan)
    Plan.objects.update(enabled=False)
    assert "no longer offered" in signed_in.post(f"{PAGE}pay/", follow=True).content.decode()
    assert not Payment.objects.exists()


def test_guests_and_strangers_pay_for_nobody(client: Client, sign_in: Callable[[Any], Client]) -> None:
    assert client.post(f"{PAGE}pay/").headers["Location"].startswith("/accounts/login/")
    assert sign_in(people.charlie()).post(f"{PAGE}pay/").headers["Location"] == PAGE
    assert not Payment.objects.exists()
