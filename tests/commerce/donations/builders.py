"""Campaigns and donations."""

from typing import Any

from commerce.donations.models import Campaign, Donation, Fundraiser
from commerce.donations.services import give, publish_fundraiser, save_campaign, save_fundraiser
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from tests.commerce.payments.stripe_stub import StripeStub


def make_campaign(name: str = "A kiln for the mill", **changes: Any) -> Campaign:
    return save_campaign(values={"name": name, "goal_cents": 1_000_000, "designations": ["Youth workshops"], **changes})


def make_fundraiser(campaign: Campaign, name: str = "Noor runs for the kiln", **changes: Any) -> Fundraiser:
    values = {"name": name, "organizer": "Noor de Vries", "email": "noor@example.com", "goal_cents": 50_000, **changes}
    fundraiser = save_fundraiser(values=values, campaign=campaign)
    publish_fundraiser(fundraiser=fundraiser)
    fundraiser.refresh_from_db()
    return fundraiser


def donor(**changes: Any) -> dict[str, Any]:
    """The values of a donation."""
    names = {"first_name": "Dana", "last_name": "Reyes", "email": "dana@example.com"}
    return {"amount_cents": 5000, "frequency": "once", **names, **changes}


def make_donation(campaign: Campaign | None = None, fundraiser: Fundraiser | None = None, **changes: Any) -> Donation:
    """A donation that waits for its payment."""
    return give(values=donor(**changes), campaign=campaign, fundraiser=fundraiser)


def start(donation: Donation) -> Payment:
    return start_payment(payable="donation", record_id=donation.pk)


def pay(donation: Donation, stub: StripeStub | None = None) -> Donation:
    """Pay a donation at the stand-in for Stripe, or by a test payment."""
    payment = start(donation)
    if stub is None:
        decide_test_payment(payment=payment, status=PaymentStatus.SUCCEEDED)
    else:
        stub.pay(payment.reference)
    settle(payment_id=payment.pk)
    donation.refresh_from_db()
    return donation


def paid_donation(campaign: Campaign | None = None, fundraiser: Fundraiser | None = None, **changes: Any) -> Donation:
    return pay(make_donation(campaign, fundraiser, **changes))
