"""Purchases of terms and featured placements: paid once, extended from the right moment, and taken back by refunds."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.utils import timezone
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.flags.services import switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.crm.models import Activity, Contact
from commerce.directory.models import Listing, Purchase
from commerce.directory.services.purchasing import UNPAID_FOR, cancel_unpaid, start_purchase
from commerce.directory.services.saving import delete_listing, save_listing
from commerce.directory.services.statuses import archive_listing, feature_listing, publish_listing
from commerce.directory.types.terms import ENDLESS, PAYABLE, PlanKind
from commerce.payments.models import Payment
from commerce.payments.selectors import alternatives, payments_to_settle
from commerce.payments.services import (
    apply_unapplied,
    move_payment,
    refund_unapplied,
    request_refund,
    send_refund,
    settle,
)
from commerce.payments.services.refunds import apply_refund
from commerce.payments.types import PaymentStatus, RefundOutcome, RefundStatus
from tests.client import documented
from tests.commerce.payments.stripe_stub import StripeStub
from tests.commerce.shop.outcomes import emitted, kinds

from .builders import ENDED, buy, mails, make_ended, make_owner, make_plan, make_purchase, pay, press, reloaded, start, submit
from .conftest import Clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def listing(owner: Any) -> Listing:
    return make_ended(owner=owner)


def ends(listing: Listing) -> str:
    return f"{reloaded(listing).expires_at:%Y-%m-%d %H:%M}"


def again(purchase: Purchase) -> Purchase:
    purchase.refresh_from_db()
    return purchase


def refund(purchase: Purchase, cents: int) -> Any:
    """Give money back; test payments arrive at once."""
    (found,) = request_refund(payable=PAYABLE, record_id=purchase.pk, amount_cents=cents)
    return send_refund(refund_id=found.pk)


def fail(refund: Any) -> None:
    """Let the customer's bank send a refund back."""
    apply_refund(refund.pk, RefundOutcome(RefundStatus.FAILED, error="The account was closed."))


@pytest.mark.both_databases
def test_it_works(listing: Listing, owner: Any, clock: Clock) -> None:
    clock("2026-03-10 12:00")
    purchase = start_purchase(listing=listing, plan=make_plan(), user=owner)
    assert (purchase.status, purchase.email, purchase.listing_name) == ("pending", "noor@example.com", "Reyes Ceramics")
    payment = start(purchase)
    assert (payment.amount_cents, payment.description, payment.email) == (12_000, "One year: Reyes Ceramics", "noor@example.com")
    page = f"/accounts/listings/{listing.pk}/"
    assert (payment.return_path, payment.cancel_path) == (f"{page}?purchase={purchase.pk}", page)
    assert (kinds("directory"), reloaded(listing).expires_at) == ([], ENDED)
    press(payment)
    stored = again(purchase)
    assert (stored.status, stored.starts_at, stored.ends_at) == ("paid", timezone.now(), reloaded(listing).expires_at)
    assert (ends(listing), kinds("directory")) == ("2027-03-10 12:00", ["directory_listing.paid"])
    (mail,) = mails("listing_paid")
    assert (mail.recipient, "$120.00" in mail.text) == ("noor@example.com", True)
    assert "online until March 10, 2027" in mail.text


def test_the_event_is_as_documented(listing: Listing, clock: Clock) -> None:
    clock("2026-03-10 12:00")
    purchase = buy(listing, make_plan("Month at the top", kind="featured", months=1, price_cents=900))
    ((kind, data),) = emitted("directory")
    document = documented().document
    schema = document["webhooks"][kind]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]["data"]
    whole: Any = Registry().with_resource("urn:api", Resource(contents=document, specification=DRAFT202012))
    validator = Draft202012Validator(json.loads(json.dumps(schema).replace('"#/', '"urn:api#/')), registry=whole)
    assert not list(validator.iter_errors(data))
    assert list(validator.iter_errors({**data, "purchase": None}))
    assert (data["id"], data["slug"], data["featured"], data["expires_at"]) == (
        listing.pk,
        "reyes-ceramics",
        True,
        "2020-01-01T00:00:00+00:00",
    )
    assert data["purchase"] == {
        "id": purchase.pk,
        "kind": "featured",
        "amount_cents": 900,
        "currency": "usd",
        "expires_at": "2026-04-10T11:00:00+00:00",
        "paid_at": "2026-03-10T12:00:00+00:00",
    }


@pytest.mark.parametrize(
    ("now", "until", "months", "expected"),
    [
        ("2026-03-10 12:00", "2026-05-31 10:00", 1, "2026-06-30 10:00"),
        ("2026-03-10 12:00", "2026-03-10 11:59", 12, "2027-03-10 12:00"),
        ("2026-01-31 12:00", "", 1, "2026-02-28 12:00"),
        ("2028-01-31 12:00", "", 1, "2028-02-29 12:00"),
        ("2028-02-29 12:00", "", 12, "2029-02-28 12:00"),
        # An hour earlier by UTC: summer has begun in the site's zone.
        ("2026-03-10 12:00", "", 1, "2026-04-10 11:00"),
        # It is the first of February there.
        ("2026-01-31 23:30", "", 1, "2026-02-28 23:30"),
    ],
)
def test_the_end_of_a_term(listing: Listing, clock: Clock, now: str, until: str, months: int, expected: str) -> None:
    clock(now)
    if until:
        save_listing(listing=listing, values={"expires_at": datetime.fromisoformat(until).replace(tzinfo=UTC)})
    buy(listing, make_plan(months=months))
    assert ends(listing) == expected


def test_monthly_terms_from_the_last_of_january(listing: Listing, clock: Clock) -> None:
    clock("2027-01-31 12:00")
    plan = make_plan(months=1)
    bought, found = [], []
    for _ in range(4):
        bought.append(buy(listing, plan))
        found.append(ends(listing)[:10])
    assert found == ["2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"]
    # The last one goes back, and its refund fails.
    done = refund(bought[-1], plan.price_cents)
    assert ends(listing)[:10] == "2027-04-30"
    fail(done)
    assert ends(listing)[:10] == "2027-05-31"


def test_monthly_terms_that_were_paid_during_moderation(owner: Any, clock: Clock) -> None:
    clock("2027-01-30 12:00")
    plan = make_plan(months=1)
    listing = submit(owner)
    for _ in range(2):
        buy(listing, plan)
    clock("2027-01-31 12:00")
    publish_listing(listing=listing)
    assert ends(listing)[:10] == "2027-03-31"
    buy(listing, plan)
    assert ends(listing)[:10] == "2027-04-30"
    buy(listing, plan)
    assert ends(listing)[:10] == "2027-05-31"


def test_terms_and_placements_are_apart(listing: Listing, clock: Clock) -> None:
    clock("2026-06-01 12:00")
    term, placement = make_plan(), make_plan("Month at the top", kind="featured", months=1)
    first, second = make_purchase(listing, term), make_purchase(listing, placement)
    assert first != second
    pay(second)
    assert (reloaded(listing).expires_at, reloaded(listing).featured) == (ENDED, True)
    pay(first)
    buy(listing, placement)
    stored = reloaded(listing)
    assert (ends(listing), f"{stored.featured_until:%Y-%m-%d}") == ("2027-06-01 12:00", "2026-08-01")


def test_one_that_was_begun_is_continued(listing: Listing) -> None:
    plan = make_plan()
    purchase = make_purchase(listing, plan)
    payment = start(purchase)
    assert make_purchase(listing, plan) == purchase
    assert start(purchase) == payment


def test_another_plan_closes_the_payment_page(listing: Listing) -> None:
    purchase = make_purchase(listing)
    payment = start(purchase)
    other = make_purchase(listing, make_plan("Half a year", months=6, price_cents=7_000))
    payment.refresh_from_db()
    assert (other, payment.status) == (purchase, "expired")
    assert press(payment).status == "expired"
    assert (pay(other).months, Payment.objects.filter(status="succeeded").get().amount_cents) == (6, 7_000)


@pytest.mark.both_databases
def test_the_page_of_another_plan_that_is_paid_all_the_same(listing: Listing, stub: StripeStub) -> None:
    purchase = make_purchase(listing)
    payment = start(purchase)
    stub.pay(payment.reference)
    make_purchase(listing, make_plan("Half a year", months=6, price_cents=7_000))
    settle(payment_id=payment.pk)
    payment.refresh_from_db()
    assert (payment.status, bool(payment.unapplied), again(purchase).status) == ("succeeded", True, "pending")
    assert reloaded(listing).expires_at == ENDED


@pytest.mark.both_databases
def test_it_is_paid_once(listing: Listing) -> None:
    purchase = buy(listing)
    until = reloaded(listing).expires_at
    with pytest.raises(Invalid, match="already been paid"):
        start(purchase)
    settle(payment_id=Payment.objects.get().pk)
    assert (reloaded(listing).expires_at, kinds("directory")) == (until, ["directory_listing.paid"])


@pytest.mark.both_databases
def test_a_payment_that_takes_days(listing: Listing, owner: Any) -> None:
    plan = make_plan()
    purchase = make_purchase(listing, plan)
    payment = press(start(purchase), PaymentStatus.PROCESSING)
    assert again(purchase).is_processing
    with pytest.raises(Invalid, match="on its way"):
        start_purchase(listing=listing, plan=plan, user=owner)
    Payment.objects.update(provider_state={"status": "failed"})
    settle(payment_id=payment.pk)
    assert (again(purchase).is_processing, again(purchase).status) == (False, "pending")
    assert pay(purchase).status == "paid"


@pytest.mark.both_databases
def test_what_cannot_be_bought(listing: Listing, owner: Any) -> None:
    off, plan = make_plan(enabled=False), make_plan()
    for user in (make_owner("ruth@example.com"),):
        with pytest.raises(NotFound):
            start_purchase(listing=listing, plan=plan, user=user)
    with pytest.raises(Invalid) as refusal:
        start_purchase(listing=listing, plan=off, user=owner)
    assert list(refusal.value.errors) == ["plan"]
    EmailAddress.objects.filter(user=owner).update(verified=False)
    with pytest.raises(Invalid, match="Confirm your email"):
        start_purchase(listing=listing, plan=plan, user=owner)
    EmailAddress.objects.filter(user=owner).update(verified=True)
    archive_listing(listing=listing)
    with pytest.raises(Invalid, match="archived"):
        start_purchase(listing=listing, plan=plan, user=owner)
    assert not Purchase.objects.exists()


def test_paid_during_moderation(owner: Any, clock: Clock) -> None:
    clock("2026-03-10 12:00")
    plan = make_plan()
    listing = submit(owner)
    buy(listing, plan)
    clock("2026-03-20 12:00")
    publish_listing(listing=listing)
    assert (ends(listing), reloaded(listing).is_live(timezone.now())) == ("2027-03-20 12:00", True)
    buy(listing, plan)
    assert ends(listing) == "2028-03-20 12:00"


def test_money_for_an_archived_listing_is_unapplied(listing: Listing) -> None:
    purchase = make_purchase(listing)
    payment = start(purchase)
    archive_listing(listing=listing)
    press(payment)
    payment.refresh_from_db()
    assert (list(payments_to_settle()), reloaded(listing).expires_at, kinds("directory")) == ([payment], ENDED, [])
    with pytest.raises(Invalid):
        apply_unapplied(payment=payment)
    publish_listing(listing=listing)
    assert apply_unapplied(payment=payment)
    assert again(purchase).status == "paid"


def test_an_archived_listing_has_no_payment_page(listing: Listing) -> None:
    purchase = make_purchase(listing)
    archive_listing(listing=listing)
    with pytest.raises(Invalid, match="archived"):
        start(purchase)


@pytest.mark.both_databases
def test_money_for_a_deleted_listing_is_unapplied(listing: Listing, owner: Any) -> None:
    plan = make_plan()
    purchase = make_purchase(listing, plan)
    payment = start(purchase)
    delete_listing(listing=reloaded(listing))
    press(payment)
    payment.refresh_from_db()
    assert (list(payments_to_settle()), again(purchase).status) == ([payment], "pending")
    with pytest.raises(Invalid, match="deleted"):
        start(purchase)
    other = make_purchase(make_ended("Kiln", owner=owner), plan)
    assert move_payment(payment=payment, record_id=other.pk)
    assert again(other).status == "paid"


@pytest.mark.both_databases
def test_unapplied_money_can_be_used_for_another_plan(listing: Listing) -> None:
    purchase = make_purchase(listing, make_plan())
    payment = start(purchase)
    archive_listing(listing=listing)
    press(payment)
    publish_listing(listing=reloaded(listing))
    Purchase.objects.update(status="cancelled")
    other = make_purchase(listing, make_plan("Month at the top", kind="featured", months=1, price_cents=12_000))
    payment.refresh_from_db()
    assert [pk for pk, _ in alternatives(payment)] == [other.pk]
    assert move_payment(payment=payment, record_id=other.pk)
    assert (again(other).status, reloaded(listing).featured) == ("paid", True)


# Refunds.


def test_a_refund_in_part_changes_no_term(listing: Listing, clock: Clock) -> None:
    clock("2026-06-01 12:00")
    purchase = buy(listing)
    refund(purchase, 5_000)
    assert (again(purchase).status, purchase.refunded_cents, ends(listing)) == ("paid", 5_000, "2027-06-01 12:00")
    refund(purchase, 7_000)
    assert (again(purchase).status, purchase.refunded_cents, ends(listing)) == ("refunded", 12_000, "2026-06-01 12:00")
    assert not reloaded(listing).is_live(timezone.now())


def test_a_refund_takes_its_period_off_the_end(listing: Listing, clock: Clock) -> None:
    clock("2026-06-01 12:00")
    plan = make_plan()
    first, _ = buy(listing, plan), buy(listing, plan)
    assert ends(listing) == "2028-06-01 12:00"
    clock("2026-09-01 12:00")
    done = refund(first, 12_000)
    # A year of 366 days is not the one that was paid for first.
    assert ends(listing) == "2027-06-02 12:00"
    fail(done)
    assert (again(first).status, first.refunded_cents, ends(listing)) == ("paid", 0, "2028-06-01 12:00")


@pytest.mark.both_databases
def test_a_refund_that_fails_gives_back_what_was_taken(listing: Listing, clock: Clock) -> None:
    """Half of the term had passed: the listing ended with the refund, and has its own end again."""
    clock("2026-06-01 12:00")
    purchase = buy(listing)
    clock("2026-12-01 12:00")
    done = refund(purchase, 12_000)
    assert ends(listing) == "2026-12-01 12:00"
    clock("2026-12-10 12:00")
    fail(done)
    assert (ends(listing), again(purchase).ends_at) == ("2027-06-01 12:00", reloaded(listing).expires_at)
    # And once more.
    refund(purchase, 12_000)
    assert ends(listing) == "2026-12-10 12:00"


@pytest.mark.both_databases
def test_a_refund_after_the_end_changes_nothing(listing: Listing, clock: Clock) -> None:
    clock("2026-06-01 12:00")
    purchase = buy(listing)
    Listing.objects.update(ended_notice_at=timezone.now())
    clock("2027-07-01 12:00")
    refund(purchase, 12_000)
    assert (again(purchase).status, ends(listing)) == ("refunded", "2027-06-01 12:00")
    # The owner was told already.
    assert reloaded(listing).ended_notice_at


def test_a_refund_of_a_period_that_is_over_takes_nothing_from_the_next(listing: Listing, clock: Clock) -> None:
    clock("2025-06-01 12:00")
    first = buy(listing)
    clock("2026-05-01 12:00")
    buy(listing)
    clock("2026-12-01 12:00")
    done = refund(first, 12_000)
    assert (again(first).status, ends(listing)) == ("refunded", "2027-06-01 12:00")
    fail(done)
    assert (again(first).status, ends(listing)) == ("paid", "2027-06-01 12:00")


def test_a_refunded_placement_ends(listing: Listing, clock: Clock) -> None:
    clock("2026-06-01 12:00")
    purchase = buy(listing, make_plan("Month at the top", kind="featured", months=1))
    done = refund(purchase, 12_000)
    assert (reloaded(listing).featured, reloaded(listing).expires_at) == (False, ENDED)
    fail(done)
    assert (reloaded(listing).featured, f"{reloaded(listing).featured_until:%Y-%m-%d}") == (True, "2026-07-01")


def test_a_listing_that_never_ends_keeps_that(listing: Listing) -> None:
    purchase = buy(listing)
    save_listing(listing=listing, values={"expires_at": None})
    fail(refund(purchase, 12_000))
    assert (again(purchase).status, reloaded(listing).expires_at) == ("paid", None)


@pytest.mark.both_databases
def test_a_refund_after_the_listing_was_deleted(listing: Listing) -> None:
    purchase = buy(listing)
    delete_listing(listing=reloaded(listing))
    refund(purchase, 12_000)
    assert again(purchase).status == "refunded"


@pytest.mark.both_databases
def test_money_that_was_never_applied_does_not_count(listing: Listing, clock: Clock) -> None:
    """A second payment for the same purchase goes back: the first one still stands."""
    clock("2026-06-01 12:00")
    purchase = make_purchase(listing)
    second = start(purchase)
    Payment.objects.update(status=PaymentStatus.EXPIRED, provider_state={"status": "succeeded"})
    pay(purchase)
    settle(payment_id=second.pk)
    second.refresh_from_db()
    assert second.unapplied
    back = refund_unapplied(payment=second)
    assert back
    send_refund(refund_id=back.pk)
    refund(purchase, 1_000)
    assert (again(purchase).status, purchase.refunded_cents, ends(listing)) == ("paid", 1_000, "2027-06-01 12:00")


# Purchases that nobody pays, and the CRM.


@pytest.mark.both_databases
def test_what_nobody_pays_is_cancelled(listing: Listing, clock: Clock) -> None:
    clock("2026-03-01 12:00")
    plan = make_plan()
    purchase = make_purchase(listing, plan)
    payment = start(purchase)
    on_its_way = make_purchase(make_ended("Kiln", owner=listing.owner), plan)
    press(start(on_its_way), PaymentStatus.PROCESSING)
    clock("2026-03-08 12:00")
    assert cancel_unpaid() == 0
    clock("2026-03-08 12:01")
    assert (cancel_unpaid(), cancel_unpaid(), UNPAID_FOR) == (1, 0, timedelta(days=7))
    payment.refresh_from_db()
    assert (again(purchase).status, payment.status, again(on_its_way).status) == ("cancelled", "expired", "pending")
    assert make_purchase(listing, plan) != purchase


def test_what_was_paid_in_the_last_moment_is_not_cancelled(listing: Listing, clock: Clock, stub: StripeStub) -> None:
    clock("2026-03-01 12:00")
    purchase = make_purchase(listing)
    clock("2026-03-08 12:00")
    payment = start(purchase)
    stub.pay(payment.reference)
    clock("2026-03-08 12:01")
    assert cancel_unpaid() == 0
    assert again(purchase).status == "paid"


@pytest.mark.both_databases
def test_the_buyer_becomes_a_contact(listing: Listing) -> None:
    buy(listing)
    assert not Contact.objects.exists()
    switch_feature(name="crm", on=True)
    buy(listing)
    contact = Contact.objects.get(email="noor@example.com")
    assert contact.source == "directory"
    assert "Paid $120.00 for the listing Reyes Ceramics" in Activity.objects.values_list("summary", flat=True)
    assert OutgoingMail.objects.filter(template="listing_paid").count() == 2


def test_a_placement_without_an_end_is_not_limited(listing: Listing) -> None:
    """Staff feature a listing for ever, before its owner buys a placement, or while the payment page is open."""
    placement = make_plan("Month at the top", kind="featured", months=1)
    payment = start(make_purchase(listing, placement))
    feature_listing(listing=listing, featured=True)
    press(payment)
    assert [each.unapplied for each in payments_to_settle()] == [ENDLESS[PlanKind.FEATURED]]
    assert (reloaded(listing).featured, reloaded(listing).featured_until) == (True, None)
    with pytest.raises(Invalid) as refusal:
        make_purchase(listing, placement)
    assert refusal.value.errors == {"plan": [ENDLESS[PlanKind.FEATURED]]}


@pytest.mark.both_databases
def test_a_term_without_an_end_is_not_limited(listing: Listing) -> None:
    """Staff let a listing never end while its owner pays for a term: the money waits for a person."""
    plan = make_plan()
    payment = start(make_purchase(listing, plan))
    save_listing(listing=listing, values={"expires_at": None})
    press(payment)
    assert [each.unapplied for each in payments_to_settle()] == [ENDLESS[PlanKind.TERM]]
    assert (reloaded(listing).expires_at, kinds("directory")) == (None, [])
    with pytest.raises(Invalid) as page:
        start(Purchase.objects.get())
    assert page.value.errors == {"status": [ENDLESS[PlanKind.TERM]]}
    with pytest.raises(Invalid) as refusal:
        make_purchase(listing, plan)
    assert refusal.value.errors == {"plan": [ENDLESS[PlanKind.TERM]]}
    # It ends after all: the money is used.
    save_listing(listing=listing, values={"expires_at": ENDED})
    assert apply_unapplied(payment=Payment.objects.get())
    assert Purchase.objects.get().status == "paid"
