"""Taking donations: what is stored, refused, emitted and sent."""

from typing import Any

import pytest

from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from cms_api.webhooks.models import OutboxEvent
from commerce.crm.models import Activity, Contact
from commerce.donations.models import Donation, RecurringDonation
from commerce.donations.selectors.campaigns import progress_of
from commerce.donations.selectors.donations import paid_in
from commerce.donations.services import (
    DONATIONS,
    give,
    publish_fundraiser,
    record_donation,
    save_campaign,
    save_fundraiser,
    start_fundraiser,
)
from commerce.donations.services.housekeeping import fail_abandoned_donations
from commerce.donations.types.fees import Fee, cover
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, send_refund, settle, start_payment
from commerce.payments.types import PaymentStatus

from .builders import donor, make_campaign, make_donation, make_fundraiser, paid_donation, pay, start

pytestmark = pytest.mark.django_db
ADDRESS = {"street": "14 Canal Street", "city": "Brattleboro", "state": "VT", "postal_code": "05301", "country": "US"}
TRIBUTE = {"type": "memory", "name": "Alma Reyes", "message": "She taught us.", "email": "ruth@example.com"}


def mails() -> list[tuple[str, str]]:
    return list(OutgoingMail.objects.order_by("pk").values_list("template", "recipient"))


@pytest.mark.both_databases
def test_it_works() -> None:
    campaign = make_campaign()
    more = {"designation": "Youth workshops", "tribute": TRIBUTE, "address": ADDRESS, "message": "Keep on.", "covers_fee": True}
    donation = make_donation(campaign, **more)
    assert (donation.status, donation.total_cents, donation.number) == ("pending", 5181, None)
    assert not OutboxEvent.objects.exists()
    pay(donation)
    assert (donation.status, donation.number, donation.city) == ("paid", "DON-1001", "Brattleboro")
    assert [event.kind for event in OutboxEvent.objects.all()] == ["donation.received"]
    assert mails() == [("donation_received", "dana@example.com"), ("donation_tribute", "ruth@example.com")]
    receipt = OutgoingMail.objects.get(template="donation_received")
    assert receipt.attachments.get().name == "DON-1001.pdf"
    assert "$51.81" in receipt.text
    tribute = OutgoingMail.objects.get(template="donation_tribute").text
    assert "Dana Reyes" in tribute
    assert "In memory of Alma Reyes" in tribute
    assert "$" not in tribute


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"amount_cents": 99}, "amount_cents"),
        ({"amount_cents": 10**12}, "amount_cents"),
        ({"amount_cents": True}, "amount_cents"),
        ({"amount_cents": "5000"}, "amount_cents"),
        ({"frequency": "daily"}, "frequency"),
        ({"email": "dana"}, "email"),
        ({"first_name": "", "last_name": ""}, "last_name"),
        ({"last_name": "R" * 101}, "last_name"),
        ({"phone": "1\n2"}, "phone"),
        ({"message": "m" * 1001}, "message"),
        ({"designation": "Another"}, "designation"),
        ({"tribute": {"type": "praise", "name": "Alma"}}, "tribute.type"),
        ({"tribute": {"type": "honor", "name": ""}}, "tribute.name"),
        ({"tribute": {"type": "honor", "name": "Alma", "email": "x"}}, "tribute.email"),
        ({"address": {**ADDRESS, "postal_code": "abc"}}, "address.postal_code"),
    ],
)
def test_input_that_is_refused(changes: dict[str, Any], path: str) -> None:
    with pytest.raises(Invalid) as refusal:
        make_donation(make_campaign(), **changes)
    assert list(refusal.value.errors) == [path]
    assert not Donation.objects.exists()
    assert not RecurringDonation.objects.exists()


def test_a_campaign_that_has_ended_takes_nothing() -> None:
    campaign = make_campaign(ends_on=None)
    fundraiser = make_fundraiser(campaign)
    save_campaign(values={"is_visible": False}, campaign=campaign)
    campaign.refresh_from_db()
    for of in ({"campaign": campaign}, {"fundraiser": fundraiser}):
        with pytest.raises(Invalid, match="any more"):
            give(values=donor(), **of)


def test_without_a_provider_nothing_is_stored() -> None:
    set_setting(key="payments.allow_test_payments", value=False)
    with pytest.raises(Invalid, match="aren't available"):
        make_donation()


@pytest.mark.parametrize(
    ("amount", "fee", "more"),
    [(5000, Fee(290, 30), 181), (100, Fee(290, 30), 34), (5000, Fee(0, 0), 0), (5000, Fee(250, 0), 129), (1, Fee(0, 25), 25)],
)
def test_the_cover_leaves_the_amount(amount: int, fee: Fee, more: int) -> None:
    assert cover(amount, fee) == more
    total = amount + more
    assert total * (10_000 - fee.basis_points) >= (amount + fee.fixed_cents) * 10_000
    if more:
        assert (total - 1) * (10_000 - fee.basis_points) < (amount + fee.fixed_cents) * 10_000


def test_the_fee_is_not_covered_unless_it_is_offered() -> None:
    set_setting(key="donations.offer_fee_cover", value=False)
    assert make_donation(covers_fee=True).fee_cover_cents == 0


@pytest.mark.both_databases
def test_progress_counts_what_is_kept_of_amounts() -> None:
    campaign = make_campaign()
    fundraiser = make_fundraiser(campaign)
    paid_donation(campaign, covers_fee=True)
    second = paid_donation(None, fundraiser, amount_cents=2000)
    make_donation(campaign)
    paid_donation()
    assert second.campaign == campaign
    assert (progress_of(campaign).raised.cents, progress_of(campaign).donations) == (7000, 2)
    assert (progress_of(fundraiser).raised.cents, progress_of(fundraiser).percent) == (2000, 4)
    refund(second, 500)
    assert progress_of(fundraiser).raised.cents == 1500
    refund(second, 1500)
    second.refresh_from_db()
    assert (second.status, progress_of(fundraiser).raised.cents, progress_of(fundraiser).donations) == ("refunded", 0, 0)


def refund(donation: Donation, cents: int | None = None) -> None:
    for each in DONATIONS.refund(donation, amount_cents=cents):
        send_refund(refund_id=each.pk)


def test_a_refund_is_marked_and_told() -> None:
    donation = paid_donation()
    refund(donation)
    donation.refresh_from_db()
    assert (donation.status, donation.refunded_cents) == ("refunded", 5000)
    assert ("donation_refunded", "dana@example.com") in mails()
    with pytest.raises(Invalid, match="Only a paid donation"):
        refund(donation)
    assert donation.paid_at is not None
    assert list(paid_in(donation.paid_at.year, email="DANA@example.com")) == [donation]


def test_a_payment_page_that_is_given_up_can_be_opened_again() -> None:
    donation = make_donation()
    payment = start(donation)
    decide_test_payment(payment=payment, status=PaymentStatus.FAILED)
    settle(payment_id=payment.pk)
    donation.refresh_from_db()
    assert donation.status == "failed"
    assert pay(donation).status == "paid"


@pytest.mark.both_databases
def test_a_donation_is_paid_once() -> None:
    donation = paid_donation()
    with pytest.raises(Invalid, match="already been paid"):
        start_payment(payable="donation", record_id=donation.pk)


@pytest.mark.both_databases
def test_a_donation_whose_payment_never_began_fails_after_a_day(clock: Any) -> None:
    clock("2027-01-31 12:00")
    donation = make_donation()
    fail_abandoned_donations()
    donation.refresh_from_db()
    assert donation.status == "pending"
    clock("2027-02-01 14:00")
    fail_abandoned_donations()
    donation.refresh_from_db()
    assert donation.status == "failed"


def test_a_check_is_recorded_by_staff() -> None:
    donation = record_donation(values=donor(method="check", reference="1042", covers_fee=True), campaign=make_campaign())
    assert (donation.status, donation.number, donation.fee_cover_cents) == ("paid", "DON-1001", 0)
    assert Payment.objects.get().typed_reference == "1042"
    with pytest.raises(Invalid, match="method"):
        record_donation(values=donor(method="card"))
    assert Donation.objects.count() == 1


def test_the_donor_becomes_a_contact() -> None:
    switch_feature(name="crm", on=True)
    paid_donation(make_campaign(), address=ADDRESS)
    contact = Contact.objects.get(email="dana@example.com")
    assert (contact.source, contact.city) == ("donation", "Brattleboro")
    assert "Donated $50.00 for A kiln for the mill" in Activity.objects.values_list("summary", flat=True)


def test_an_anonymous_donor_is_not_named_to_others() -> None:
    paid_donation(anonymous=True, tribute=TRIBUTE)
    assert "Dana" not in OutgoingMail.objects.get(template="donation_tribute").text


# Campaigns and fundraisers.


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"name": ""}, "name"),
        ({"goal_cents": 0}, "goal_cents"),
        ({"amounts": [1000, 1000]}, "amounts"),
        ({"amounts": [True]}, "amounts"),
        ({"designations": [""]}, "designations"),
        ({"designations": ["x"] * 13}, "designations"),
        ({"slug": "42"}, "slug"),
        ({"position": -1}, "position"),
    ],
)
def test_campaigns_that_are_refused(values: dict[str, Any], path: str) -> None:
    with pytest.raises(Invalid) as refusal:
        make_campaign(**values)
    assert list(refusal.value.errors) == [path]


def test_a_fundraiser_is_approved_first() -> None:
    campaign = make_campaign(has_fundraisers=True)
    values = {"name": "Noor runs", "organizer": "Noor", "email": "NOOR@example.com"}
    fundraiser = start_fundraiser(values=values, campaign=campaign)
    assert (fundraiser.status, fundraiser.email, mails()) == ("pending", "noor@example.com", [])
    with pytest.raises(Invalid):
        give(values=donor(), fundraiser=fundraiser)
    assert publish_fundraiser(fundraiser=fundraiser)
    assert not publish_fundraiser(fundraiser=fundraiser)
    assert mails() == [("fundraiser_published", "noor@example.com")]
    set_setting(key="donations.approve_fundraisers", value=False)
    assert start_fundraiser(values=values, campaign=campaign).status == "published"


def test_a_campaign_without_fundraisers_takes_none() -> None:
    with pytest.raises(Invalid, match="can't be started"):
        start_fundraiser(values={"name": "Noor runs"}, campaign=make_campaign())
    with pytest.raises(Invalid, match="campaign"):
        save_fundraiser(values={"name": "Noor runs", "organizer": "Noor", "email": "noor@example.com"})
