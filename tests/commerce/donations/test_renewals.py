"""A year and more of recurring donations: every date, declined cards, and a job that dies at the worst moment."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.donations.models import Donation, RecurringDonation
from commerce.donations.selectors.donations import donations_to_charge
from commerce.donations.services import (
    cancel_recurring,
    change_amount,
    pause_recurring,
    paying,
    renew_donations,
    resume_recurring,
)
from commerce.donations.services.renewing import write_renewal
from commerce.payments.models import Payment
from commerce.payments.services import settling
from commerce.payments.services.sweeping import sweep_payments
from tests.client import together
from tests.commerce.payments.stripe_stub import StripeStub

from .builders import make_donation, pay, start

pytestmark = pytest.mark.django_db
Clock = Callable[[str], None]


class Crash(BaseException):
    """The end of a process."""


def begin(stub: StripeStub, frequency: str = "monthly", **changes: Any) -> RecurringDonation:
    recurring = pay(make_donation(frequency=frequency, **changes), stub).recurring
    assert recurring is not None
    return recurring


def live(clock: Clock, first: str, last: str, *, run: Callable[[], None] = renew_donations) -> None:
    """Let the days pass, with a run in each morning."""
    day = date.fromisoformat(first)
    while day <= date.fromisoformat(last):
        clock(f"{day} 12:00")
        run()
        day += timedelta(days=1)


def days(recurring: RecurringDonation, status: str = "paid") -> list[str]:
    """The dates of its donations."""
    return [f"{day}" for day in recurring.donations.filter(status=status).order_by("period").values_list("period", flat=True)]


def charged(stub: StripeStub) -> list[str]:
    """The days on which the stored card was charged."""
    taken = [intent for intent in stub.intents.values() if intent.get("amount_received")]
    return [f"{datetime.fromtimestamp(intent['created']):%Y-%m-%d}" for intent in taken]


def mails(template: str) -> int:
    return OutgoingMail.objects.filter(template=template).count()


@pytest.mark.both_databases
def test_a_year_of_the_31st(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-31 12:00")
    recurring = begin(stub)
    live(clock, "2027-01-31", "2028-03-01")
    assert days(recurring) == [
        *["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30", "2027-07-31", "2027-08-31"],
        *["2027-09-30", "2027-10-31", "2027-11-30", "2027-12-31", "2028-01-31", "2028-02-29"],
    ]
    assert charged(stub) == days(recurring)[1:]
    assert OutboxEvent.objects.filter(kind="donation.received").count() == 14
    assert mails("donation_renewed") == 14
    numbers = Donation.objects.order_by("period").values_list("number", flat=True)
    assert list(numbers) == [f"DON-{1001 + place}" for place in range(14)]


def test_a_leap_day(stub: StripeStub, clock: Clock) -> None:
    clock("2028-02-29 12:00")
    recurring = begin(stub, "yearly")
    for year in range(2029, 2033):
        live(clock, f"{year}-02-26", f"{year}-03-02")
    assert days(recurring) == ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]
    assert charged(stub) == days(recurring)[1:]


def test_a_declined_card_is_charged_again_and_the_dates_stay(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-31 12:00")
    recurring = begin(stub)
    live(clock, "2027-02-01", "2027-02-27")
    stub.declines = "Your card has insufficient funds."
    live(clock, "2027-02-28", "2027-03-04")
    recurring.refresh_from_db()
    renewal = recurring.donations.get(period="2027-02-28")
    assert (recurring.status, renewal.status, renewal.declines) == ("past_due", "failed", 3)
    assert mails("donation_declined") == 1
    stub.declines = ""
    live(clock, "2027-03-05", "2027-05-01")
    recurring.refresh_from_db()
    assert (recurring.status, days(recurring)) == ("active", ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30"])
    # A day, three days and five days after its date it was declined, or not yet due; on the next one it was paid.
    assert charged(stub) == ["2027-03-05", "2027-03-31", "2027-04-30"]


@pytest.mark.both_databases
def test_a_card_that_is_always_declined_pauses_the_donation(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-15 12:00")
    recurring = begin(stub)
    stub.declines = "Your card has expired."
    live(clock, "2027-02-15", "2027-07-01")
    recurring.refresh_from_db()
    renewal = recurring.donations.get(status="failed")
    attempts = Payment.objects.filter(record_id=renewal.pk).order_by("pk").values_list("created_at__date", flat=True)
    assert [(day - date(2027, 2, 15)).days for day in attempts] == [0, 1, 3, 5, 8, 11, 14]
    assert (recurring.status, recurring.next_on, renewal.charge_at) == ("paused", None, None)
    assert (mails("donation_declined"), mails("donation_paused")) == (1, 1)
    assert charged(stub) == []


def test_paying_by_hand_settles_the_open_date_and_stores_the_new_card(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-15 12:00")
    recurring = begin(stub)
    before = recurring.method
    stub.declines = "Your card has expired."
    live(clock, "2027-02-15", "2027-03-10")
    renewal = recurring.donations.get(status="failed")
    pay(renewal, stub)
    recurring.refresh_from_db()
    assert (renewal.status, recurring.status, recurring.next_on) == ("paid", "active", date(2027, 3, 15))
    assert recurring.method != before
    stub.declines = ""
    live(clock, "2027-03-11", "2027-04-20")
    assert days(recurring) == ["2027-01-15", "2027-02-15", "2027-03-15", "2027-04-15"]
    assert charged(stub) == ["2027-03-15", "2027-04-15"]


def test_the_card_is_not_charged_while_somebody_pays_by_hand(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-15 12:00")
    recurring = begin(stub)
    stub.declines = "Your card has expired."
    live(clock, "2027-02-15", "2027-02-15")
    page = start(recurring.donations.get(status="failed"))
    stub.declines = ""
    stub.pay(page.reference)
    live(clock, "2027-02-16", "2027-02-20")
    assert days(recurring) == ["2027-01-15", "2027-02-15"]
    assert charged(stub) == []


def test_a_long_absence_charges_only_the_last_date(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-15 12:00")
    recurring = begin(stub)
    live(clock, "2027-06-20", "2027-07-20")
    assert days(recurring) == ["2027-01-15", "2027-06-15", "2027-07-15"]


def test_the_date_is_that_of_the_site(stub: StripeStub, clock: Clock) -> None:
    from cms_api.flags.services import set_setting

    set_setting(key="site.timezone", value="Pacific/Auckland")
    clock("2027-01-30 12:00")
    assert begin(stub).anchor == date(2027, 1, 31)


# A job that dies.


@pytest.mark.both_databases
def test_a_crash_between_charge_and_record(stub: StripeStub, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each month the job dies after the card was charged; the sweep or the next run finds out."""
    clock("2027-01-31 12:00")
    recurring = begin(stub)
    whole, crashes = settling.apply_outcome, []

    def apply_outcome(*args: Any, **kwargs: Any) -> Payment:
        if timezone.now() not in crashes:
            crashes.append(timezone.now())
            raise Crash
        return whole(*args, **kwargs)

    def run() -> None:
        try:
            renew_donations()
        except Crash:
            if len(crashes) % 2:
                clock(f"{timezone.now() + timedelta(minutes=5):%Y-%m-%d %H:%M}")
                crashes.append(timezone.now())
                sweep_payments()

    monkeypatch.setattr(settling, "apply_outcome", apply_outcome)
    live(clock, "2027-02-01", "2027-05-10", run=run)
    assert days(recurring)[-3:] == ["2027-02-28", "2027-03-31", "2027-04-30"]
    assert len(charged(stub)) == len(days(recurring)) - 1 == 3
    assert len(crashes) > 3


@pytest.mark.parametrize("forgets", [False, True])
def test_an_answer_that_is_lost(stub: StripeStub, clock: Clock, forgets: bool) -> None:
    """Also for so long that Stripe forgets the idempotency key."""
    clock("2027-01-31 12:00")
    recurring = begin(stub)
    clock("2027-02-28 12:00")
    stub.loses_answers = 2
    renew_donations()
    assert (charged(stub), days(recurring)) == (["2027-02-28"], ["2027-01-31"])
    if forgets:
        stub._keys.clear()
    clock("2027-03-02 12:00")
    renew_donations()
    assert (charged(stub), days(recurring)) == (["2027-02-28"], ["2027-01-31", "2027-02-28"])


@pytest.mark.both_databases
@pytest.mark.parametrize("is_named", [True, False])
def test_the_row_of_the_attempt_is_lost(stub: StripeStub, clock: Clock, is_named: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is lost, and so is what was written before the charge. Only by the name of the date is it found."""
    if not is_named:
        monkeypatch.setattr(paying, "_occasion", lambda donation: None)
    clock("2027-01-31 12:00")
    recurring = begin(stub)
    clock("2027-02-28 12:00")
    stub.loses_answers = 2
    renew_donations()
    Payment.objects.filter(status="started").delete()
    clock("2027-03-02 12:00")
    renew_donations()
    assert len(charged(stub)) == (1 if is_named else 2)
    assert days(recurring) == ["2027-01-31", "2027-02-28"]


@pytest.mark.both_databases
def test_a_crash_after_the_date_was_written(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-31 12:00")
    recurring = begin(stub)
    clock("2027-02-28 12:00")
    write_renewal(recurring.pk)
    assert write_renewal(recurring.pk) is None
    renew_donations()
    assert days(recurring) == ["2027-01-31", "2027-02-28"]


@pytest.mark.django_db(transaction=True)
def test_ten_jobs_at_once(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-31 12:00")
    recurring = begin(stub)
    clock("2027-02-28 12:00")
    stub.delay = 0.02
    together(lambda _: renew_donations(), 10)
    assert charged(stub) == ["2027-02-28"]
    assert days(recurring) == ["2027-01-31", "2027-02-28"]


# Changes by people.


def test_cancelling_charges_nothing_more(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-15 12:00")
    recurring = begin(stub)
    stub.declines = "Your card has expired."
    live(clock, "2027-02-15", "2027-02-16")
    assert cancel_recurring(recurring=recurring)
    assert not cancel_recurring(recurring=recurring)
    stub.declines = ""
    live(clock, "2027-02-17", "2027-04-20")
    recurring.refresh_from_db()
    assert (recurring.status, days(recurring), charged(stub)) == ("cancelled", ["2027-01-15"], [])
    assert mails("donation_cancelled") == 1


def test_a_pause_skips_its_dates(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-31 12:00")
    recurring = begin(stub)
    assert pause_recurring(recurring=recurring)
    live(clock, "2027-02-01", "2027-04-15")
    assert resume_recurring(recurring=recurring)
    live(clock, "2027-04-16", "2027-06-01")
    assert days(recurring) == ["2027-01-31", "2027-04-30", "2027-05-31"]


@pytest.mark.both_databases
def test_another_amount_counts_from_the_next_date(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-31 12:00")
    recurring = begin(stub, covers_fee=True)
    assert (recurring.amount_cents, recurring.fee_cover_cents) == (5000, 181)
    change_amount(recurring=recurring, amount_cents=8000, covers_fee=False)
    live(clock, "2027-02-01", "2027-03-01")
    renewal = recurring.donations.get(period="2027-02-28")
    assert (renewal.amount_cents, renewal.fee_cover_cents, renewal.status) == (8000, 0, "paid")


@pytest.mark.both_databases
def test_a_first_donation_that_is_not_paid_begins_nothing(stub: StripeStub, clock: Clock) -> None:
    clock("2027-01-31 12:00")
    donation = make_donation(frequency="monthly")
    live(clock, "2027-01-31", "2027-04-01")
    donation.refresh_from_db()
    assert donation.recurring is not None
    assert (donation.recurring.status, donation.recurring.next_on) == ("pending", None)
    assert not donations_to_charge(timezone.now()).exists()
