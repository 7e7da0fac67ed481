"""A restored site does not charge a card for a date that the lost site has charged, and shows money that it knows nothing of."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.donations.models import Donation, RecurringDonation
from commerce.donations.services import renew_donations
from commerce.payments.admin.cards import to_settle
from commerce.payments.models import Payment
from commerce.payments.selectors import payments_to_settle
from commerce.payments.services import refund_unapplied, start_payment
from commerce.payments.services.sweeping import sweep_payments
from tests import people
from tests.commerce.donations.builders import make_donation, pay
from tests.commerce.payments.stripe_stub import SECRET_KEY, SIGNING_SECRET, StripeStub, sign

from .sites import Sites, run

Clock = Callable[[str], None]


@pytest.fixture
def archive(sites: Sites, tmp_path: Path) -> Path:
    switch_feature(name="donations", on=True)
    return tmp_path / "site.tar"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    def stop(wanted: str) -> None:
        now = datetime.fromisoformat(wanted).replace(tzinfo=UTC)
        monkeypatch.setattr(timezone, "now", lambda: now)

    return stop


@pytest.fixture
def stub(settings: Any, archive: Path) -> Iterator[StripeStub]:
    stub = StripeStub(clock=lambda: timezone.now().timestamp()).start()
    settings.STRIPE_SECRET_KEY, settings.STRIPE_API_BASE = SECRET_KEY, stub.url
    settings.STRIPE_WEBHOOK_SECRETS = [SIGNING_SECRET]
    set_setting(key="payments.provider", value="stripe")
    yield stub
    stub.stop()


def charged(stub: StripeStub) -> list[int]:
    """The amounts that were taken from stored cards."""
    return [intent["amount_received"] for intent in stub.intents.values() if intent.get("amount_received")]


def renewals() -> list[tuple[str, str]]:
    found = Donation.objects.exclude(period=None).order_by("period").values_list("period", "status")
    return [(day.isoformat(), status) for day, status in found][1:]


def begin(stub: StripeStub, archive: Path, clock: Clock) -> None:
    """A monthly donation since the 15th of January, and a backup of the day before the second date."""
    clock("2027-01-15 12:00")
    pay(make_donation(frequency="monthly"), stub)
    clock("2027-02-14 03:00")
    run("backup", str(archive))


def restore(sites: Sites, archive: Path) -> None:
    sites.use("second", migrated=False)
    run("restore", str(archive))


@pytest.mark.parametrize(
    ("moment", "forgets"), [("2027-02-15 20:00", False), ("2027-02-17 12:00", True), ("2027-03-14 12:00", True)]
)
def test_a_date_is_charged_once(sites: Sites, archive: Path, stub: StripeStub, clock: Clock, moment: str, forgets: bool) -> None:
    begin(stub, archive, clock)
    clock("2027-02-15 12:00")
    renew_donations()
    assert charged(stub) == [5000]
    clock(moment)
    restore(sites, archive)
    if forgets:
        stub._keys.clear()
    renew_donations()
    renew_donations()
    assert charged(stub) == [5000]
    assert renewals() == [("2027-02-15", "paid")]
    clock("2027-03-15 12:00")
    renew_donations()
    assert charged(stub) == [5000, 5000]
    assert renewals() == [("2027-02-15", "paid"), ("2027-03-15", "paid")]


def test_a_later_attempt_is_found(sites: Sites, archive: Path, stub: StripeStub, clock: Clock) -> None:
    """The card was declined first, and paid by the second attempt; the restored site knows of neither."""
    begin(stub, archive, clock)
    stub.declines = "Your card was declined."
    clock("2027-02-15 12:00")
    renew_donations()
    stub.declines = ""
    clock("2027-02-16 12:00")
    renew_donations()
    assert charged(stub) == [5000]
    clock("2027-02-18 12:00")
    restore(sites, archive)
    stub._keys.clear()
    renew_donations()
    assert charged(stub) == [5000]
    assert renewals() == [("2027-02-15", "paid")]
    assert not OutgoingMail.objects.filter(subject__icontains="declined").exists()


def test_a_declined_card_is_charged_again_in_a_restored_site(sites: Sites, archive: Path, stub: StripeStub, clock: Clock) -> None:
    begin(stub, archive, clock)
    stub.declines = "Your card was declined."
    clock("2027-02-15 12:00")
    renew_donations()
    stub.declines = ""
    clock("2027-02-15 20:00")
    restore(sites, archive)
    renew_donations()
    assert (charged(stub), renewals()) == ([], [("2027-02-15", "failed")])
    clock("2027-02-16 12:00")
    renew_donations()
    assert (charged(stub), renewals()) == ([5000], [("2027-02-15", "paid")])


@pytest.mark.parametrize("moment", ["2027-02-15 20:00", "2027-02-18 12:00"])
def test_another_amount_waits_for_a_person(sites: Sites, archive: Path, stub: StripeStub, clock: Clock, moment: str) -> None:
    """The donor had raised it since the backup."""
    begin(stub, archive, clock)
    RecurringDonation.objects.update(amount_cents=6000)
    clock("2027-02-15 12:00")
    renew_donations()
    assert charged(stub) == [6000]
    clock(moment)
    restore(sites, archive)
    for _ in range(3):
        renew_donations()
        clock(f"{timezone.now() + timedelta(hours=2):%Y-%m-%d %H:%M}")
    assert charged(stub) == [6000]
    (payment,) = payments_to_settle()
    assert payment.unapplied == "$60.00 arrived, but $50.00 was asked for."
    clock("2027-03-15 12:00")
    renew_donations()
    assert charged(stub) == [6000, 5000]


def send(message: dict[str, Any]) -> int:
    body = json.dumps(message).encode()
    answer = Client().post(
        "/payments/events/stripe", body, content_type="application/json", headers={"Stripe-Signature": sign(body)}
    )
    return answer.status_code


def test_money_for_a_payment_that_was_lost_is_shown(sites: Sites, archive: Path, stub: StripeStub) -> None:
    """The customer had opened the payment page before the site was lost, and paid after it was restored."""
    run("backup", str(archive))
    payment = start_payment(payable="donation", record_id=make_donation().pk)
    other = start_payment(payable="donation", record_id=make_donation().pk)
    key, pages = payment.external_key, [payment.reference, other.reference]
    restore(sites, archive)
    message = stub.pay(pages[0])
    assert send(message) == 200
    assert send(message) == 200
    assert send(stub.event("checkout.session.async_payment_succeeded", stub.session(pages[0]))) == 200
    # Nobody has paid this one.
    assert send(stub.expire(pages[1])) == 200
    (lost,) = Payment.objects.all()
    assert (lost.amount_cents, lost.currency, lost.email, lost.reference) == (5000, "usd", "dana@example.com", pages[0])
    assert (lost.external_key, lost.charge) == (key, stub.session(pages[0])["payment_intent"])
    assert list(payments_to_settle()) == [lost]
    assert Donation.objects.count() == 0
    alice = people.alice()
    card = to_settle(people.request_by(alice))
    assert card is not None
    assert card.count == 1
    client = Client()
    client.force_login(alice)
    page = client.get(f"/admin/payments/inspect/{lost.pk}/").content.decode()
    assert "It is for something that" in page
    assert "$50.00" in page
    assert "Apply payment" not in page
    refund = refund_unapplied(payment=lost)
    assert refund is not None
    assert [each["amount"] for each in stub.refunds.values()] == [5000]
    assert not payments_to_settle().exists()


def test_a_refund_that_was_made_before_it_is_shown(sites: Sites, archive: Path, stub: StripeStub) -> None:
    """Messages arrive in any order."""
    run("backup", str(archive))
    payment = start_payment(payable="donation", record_id=make_donation().pk)
    restore(sites, archive)
    message = stub.pay(payment.reference)
    send(stub.refund(stub.session(payment.reference)["payment_intent"], 5000))
    assert send(message) == 200
    assert Payment.objects.get().refunded_cents == 5000
    assert not payments_to_settle().exists()


def test_while_stripe_is_away_the_message_waits(sites: Sites, archive: Path, stub: StripeStub, clock: Clock) -> None:
    run("backup", str(archive))
    payment = start_payment(payable="donation", record_id=make_donation().pk)
    restore(sites, archive)
    message = stub.pay(payment.reference)
    stub.is_down = True
    assert send(message) == 200
    assert not Payment.objects.exists()
    stub.is_down = False
    clock(f"{timezone.now() + timedelta(hours=1):%Y-%m-%d %H:%M}")
    sweep_payments()
    assert payments_to_settle().count() == 1


def test_the_money_of_another_site_is_not_shown(sites: Sites, archive: Path, stub: StripeStub, settings: Any) -> None:
    """Several sites may have one account at Stripe."""
    run("backup", str(archive))
    payment = start_payment(payable="donation", record_id=make_donation().pk)
    restore(sites, archive)
    message = stub.pay(payment.reference)
    settings.BASE_URL = "https://other.example"
    assert send(message) == 200
    assert not Payment.objects.exists()
