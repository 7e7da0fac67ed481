"""Charges that were sent or begun, and that nobody wants any more by the time that Stripe answers again."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from cms_api.core.errors import Invalid
from commerce.donations.models import Donation, RecurringDonation
from commerce.donations.selectors.donations import DONATION_LINK, MANAGE_LINK
from commerce.donations.services import cancel_recurring, change_amount, pause_recurring, renew_donations, resume_recurring
from commerce.payments.models import Payment
from commerce.payments.services import settle
from commerce.payments.services.outcomes import apply_outcome
from commerce.payments.services.sweeping import sweep_payments
from commerce.payments.types import Outcome, PaymentStatus
from tests.commerce.payments.stripe_stub import StripeStub

from .builders import start
from .test_renewals import Clock, begin, charged, days, live, mails

pytestmark = pytest.mark.django_db
Commits = Callable[[], Any]

ENDINGS = {"cancelled": cancel_recurring, "paused": pause_recurring}


@pytest.fixture
def commits(django_capture_on_commit_callbacks: Any) -> Commits:
    """A block after which what waits for the commit is done."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def recurring(stub: StripeStub, clock: Clock) -> RecurringDonation:
    """A donation whose card is to be charged for the second time."""
    clock("2027-01-31 12:00")
    found = begin(stub)
    clock("2027-02-28 12:00")
    return found


def renew_during_an_outage(stub: StripeStub) -> Payment:
    """Try to charge the card, and let Stripe be back afterwards."""
    stub.is_down = True
    renew_donations()
    stub.is_down = False
    return Payment.objects.get(status="started")


def attempts() -> list[str]:
    """The statuses of all attempts but the first payment."""
    return list(Payment.objects.order_by("pk").values_list("status", flat=True))[1:]


def renewal(recurring: RecurringDonation) -> Donation:
    return recurring.donations.get(period="2027-02-28")


def amounts(stub: StripeStub) -> list[int]:
    """The amounts that stored cards were charged with."""
    return [intent["amount_received"] for intent in stub.intents.values() if "created" in intent]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_ended_donation_is_not_charged_after_an_outage(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation, ending: str
) -> None:
    renew_during_an_outage(stub)
    assert ENDINGS[ending](recurring=recurring)
    clock("2027-02-28 12:30")
    sweep_payments()
    live(clock, "2027-03-01", "2027-04-01")
    recurring.refresh_from_db()
    assert (recurring.status, recurring.next_on, charged(stub), attempts()) == (ending, None, [], ["expired"])
    assert (renewal(recurring).status, renewal(recurring).declines, mails("donation_declined")) == ("pending", 0, 0)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.both_databases
def test_a_charge_whose_answer_was_lost_counts_and_changes_nothing_else(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation, ending: str
) -> None:
    stub.loses_answers = 2
    renew_donations()
    assert ENDINGS[ending](recurring=recurring)
    stub._keys.clear()
    clock("2027-02-28 12:30")
    sweep_payments()
    live(clock, "2027-03-01", "2027-04-01")
    recurring.refresh_from_db()
    assert (charged(stub), days(recurring)) == (["2027-02-28"], ["2027-01-31", "2027-02-28"])
    assert (recurring.status, recurring.next_on) == (ending, None)


@pytest.mark.both_databases
def test_a_charge_that_arrives_late_is_found_once_more(stub: StripeStub, clock: Clock, recurring: RecurringDonation) -> None:
    """It reaches Stripe after the site has looked for it."""
    stub.loses_answers = 2
    renew_donations()
    on_its_way = dict(stub.intents)
    stub.intents.clear()
    cancel_recurring(recurring=recurring)
    clock("2027-02-28 12:30")
    sweep_payments()
    assert attempts() == ["expired"]
    stub.intents |= on_its_way
    clock("2027-02-28 19:30")
    sweep_payments()
    assert (attempts(), renewal(recurring).status) == (["succeeded"], "paid")


@pytest.mark.both_databases
def test_a_charge_that_never_arrived_is_looked_for_twice(stub: StripeStub, clock: Clock, recurring: RecurringDonation) -> None:
    renew_during_an_outage(stub)
    cancel_recurring(recurring=recurring)
    stub.requests.clear()
    for time in ("28 12:30", "28 12:40", "28 19:30", "28 20:30", "28 23:30"):
        clock(f"2027-02-{time}")
        sweep_payments()
    assert stub.requests == ["GET /v1/payment_intents"] * 2


@pytest.mark.both_databases
def test_the_charge_is_ended_at_once_if_the_provider_answers(
    stub: StripeStub, recurring: RecurringDonation, commits: Commits
) -> None:
    renew_during_an_outage(stub)
    with commits():
        cancel_recurring(recurring=recurring)
    assert (attempts(), charged(stub)) == (["expired"], [])


def test_a_donation_that_is_resumed_goes_on_with_the_next_date(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation
) -> None:
    stub.is_down = True
    renew_donations()
    pause_recurring(recurring=recurring)
    clock("2027-03-05 12:00")
    resume_recurring(recurring=recurring)
    stub.is_down = False
    sweep_payments()
    live(clock, "2027-03-06", "2027-04-01")
    recurring.refresh_from_db()
    assert (recurring.status, charged(stub), days(recurring)) == ("active", ["2027-03-31"], ["2027-01-31", "2027-03-31"])


@pytest.mark.parametrize("first", [renew_donations, sweep_payments])
def test_an_outage_of_a_month_charges_one_date(stub: StripeStub, clock: Clock, first: Callable[[], None]) -> None:
    clock("2026-12-31 12:00")
    recurring = begin(stub)
    stub.is_down = True
    for day in ("2027-01-31", "2027-02-01", "2027-02-27"):
        clock(f"{day} 12:00")
        renew_donations()
        sweep_payments()
    clock("2027-02-28 12:00")
    renew_donations()
    stub.is_down = False
    for time in ("12:10", "13:10", "14:20"):
        clock(f"2027-02-28 {time}")
        first()
        renew_donations()
        sweep_payments()
    assert (charged(stub), days(recurring)) == (["2027-02-28"], ["2026-12-31", "2027-02-28"])
    assert recurring.donations.get(period="2027-01-31").status == "pending"


@pytest.mark.parametrize("takes_up", [sweep_payments, renew_donations])
@pytest.mark.both_databases
def test_a_lower_amount_counts_for_the_date_that_waits(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation, takes_up: Callable[[], None]
) -> None:
    renew_during_an_outage(stub)
    change_amount(recurring=recurring, amount_cents=1000, covers_fee=False)
    clock("2027-02-28 13:30")
    takes_up()
    clock("2027-02-28 15:00")
    renew_donations()
    assert (amounts(stub), renewal(recurring).status, renewal(recurring).total_cents) == ([1000], "paid", 1000)


@pytest.mark.both_databases
def test_a_lower_amount_counts_when_a_declined_card_is_charged_again(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation, commits: Commits
) -> None:
    stub.declines = "Your card has insufficient funds."
    renew_donations()
    page = start(renewal(recurring))
    with commits():
        change_amount(recurring=recurring, amount_cents=1000, covers_fee=False)
    page.refresh_from_db()
    assert page.status == "expired"
    stub.declines = ""
    live(clock, "2027-03-01", "2027-03-02")
    assert [cents for cents in amounts(stub) if cents] == [1000]


@pytest.mark.both_databases
def test_a_lower_amount_counts_for_a_date_that_is_paid_by_hand(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation
) -> None:
    stub.declines = "Your card has insufficient funds."
    live(clock, "2027-02-28", "2027-03-20")
    change_amount(recurring=recurring, amount_cents=1000, covers_fee=False)
    assert start(renewal(recurring)).amount_cents == 1000
    change_amount(recurring=recurring, amount_cents=2000, covers_fee=False)
    assert start(renewal(recurring)).amount_cents == 1000


@pytest.mark.both_databases
def test_a_higher_amount_counts_from_the_next_date(stub: StripeStub, clock: Clock, recurring: RecurringDonation) -> None:
    renew_during_an_outage(stub)
    change_amount(recurring=recurring, amount_cents=9000, covers_fee=False)
    clock("2027-02-28 12:30")
    sweep_payments()
    assert amounts(stub) == [5000]


def test_another_card_replaces_a_charge_that_was_not_sent(stub: StripeStub, clock: Clock, recurring: RecurringDonation) -> None:
    renew_during_an_outage(stub)
    page = start(renewal(recurring))
    assert (page.status, attempts(), charged(stub)) == ("open", ["expired", "open"], [])
    stub.pay(page.reference)
    settle(payment_id=page.pk)
    clock("2027-03-02 12:00")
    renew_donations()
    sweep_payments()
    assert (charged(stub), days(recurring)) == ([], ["2027-01-31", "2027-02-28"])
    assert renewal(recurring).declines == 0


def test_a_card_that_was_charged_is_not_charged_on_a_page_too(stub: StripeStub, recurring: RecurringDonation) -> None:
    stub.loses_answers = 2
    renew_donations()
    with pytest.raises(Invalid, match="already been paid"):
        start(renewal(recurring))
    assert (charged(stub), days(recurring)) == (["2027-02-28"], ["2027-01-31", "2027-02-28"])


@pytest.mark.both_databases
def test_a_charge_that_fails_after_its_donation_was_given_up_is_not_repeated(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation
) -> None:
    """Another process has sent it, and hears of the declined card after the next date has come."""
    sent = renew_during_an_outage(stub)
    clock("2027-03-31 12:00")
    renew_donations()
    apply_outcome(sent.pk, Outcome(PaymentStatus.FAILED, error="Your card was declined."))
    live(clock, "2027-04-01", "2027-04-20")
    recurring.refresh_from_db()
    assert (recurring.status, charged(stub), days(recurring)) == ("active", ["2027-03-31"], ["2027-01-31", "2027-03-31"])
    assert mails("donation_declined") == 0


# Payment pages.


@pytest.mark.parametrize("ending", ENDINGS)
def test_ending_a_donation_closes_its_payment_page(
    stub: StripeStub, recurring: RecurringDonation, commits: Commits, ending: str
) -> None:
    stub.declines = "Your card has expired."
    renew_donations()
    page = start(renewal(recurring))
    with commits():
        ENDINGS[ending](recurring=recurring)
    page.refresh_from_db()
    assert (page.status, stub.session(page.reference)["status"]) == ("expired", "expired")
    with pytest.raises(Invalid, match=ending):
        start(renewal(recurring))


def test_a_new_date_closes_the_payment_page_of_the_one_before(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation, commits: Commits
) -> None:
    stub.declines = "Your card has expired."
    renew_donations()
    clock("2027-03-31 11:00")
    page = start(renewal(recurring))
    stub.declines = ""
    clock("2027-03-31 12:00")
    with commits():
        renew_donations()
    page.refresh_from_db()
    assert (page.status, charged(stub)) == ("expired", ["2027-03-31"])


def test_money_that_arrives_during_a_pause_by_staff_resumes_nothing(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation
) -> None:
    stub.declines = "Your card has expired."
    renew_donations()
    stub.declines = ""
    page = start(renewal(recurring))
    stub.pay(page.reference)
    pause_recurring(recurring=recurring)
    settle(payment_id=page.pk)
    live(clock, "2027-03-01", "2027-04-01")
    recurring.refresh_from_db()
    assert (recurring.status, recurring.next_on, charged(stub)) == ("paused", None, [])
    assert days(recurring) == ["2027-01-31", "2027-02-28"]
    assert resume_recurring(recurring=recurring)
    recurring.refresh_from_db()
    assert (recurring.status, recurring.next_on, recurring.is_stopped) == ("active", date(2027, 4, 30), False)


def test_paying_resumes_a_donation_that_declined_cards_have_paused(
    stub: StripeStub, clock: Clock, recurring: RecurringDonation
) -> None:
    stub.declines = "Your card has expired."
    live(clock, "2027-02-28", "2027-03-20")
    recurring.refresh_from_db()
    assert recurring.status == "paused"
    page = start(renewal(recurring))
    stub.pay(page.reference)
    settle(payment_id=page.pk)
    recurring.refresh_from_db()
    assert (recurring.status, recurring.next_on) == ("active", date(2027, 3, 31))


def test_a_page_of_a_paused_donation_asks_to_get_in_touch(stub: StripeStub, recurring: RecurringDonation, client: Any) -> None:
    stub.declines = "Your card has expired."
    renew_donations()
    pause_recurring(recurring=recurring)
    for path in (MANAGE_LINK.path(recurring), DONATION_LINK.path(renewal(recurring))):
        page = client.get(path).content.decode()
        assert "paused. Contact us to resume it." in page
        assert "/pay" not in page
