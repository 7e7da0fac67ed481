"""A purchase is paid or refunded while its listing changes: it gets another owner, or no longer ends."""

from typing import Any

import pytest

from cms_api.core.errors import Invalid
from commerce.directory.models import Listing, Plan, Purchase
from commerce.directory.services.claims import enter_code
from commerce.directory.services.purchasing import start_purchase
from commerce.directory.services.saving import save_listing
from commerce.directory.services.statuses import feature_listing
from commerce.directory.types.terms import NOT_OWNED
from commerce.payments.models import Payment
from commerce.payments.selectors import payments_to_settle
from commerce.payments.services import apply_unapplied, settle
from commerce.payments.types import PaymentStatus
from tests.commerce.payments.stripe_stub import BANK, StripeStub

from .builders import ENDED, buy, claimed, make_ended, make_owner, make_plan, make_purchase, press, reloaded, start
from .conftest import Clock
from .test_purchasing import again, fail, listing, refund

__all__ = ["listing"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def placement(db: None) -> Plan:
    return make_plan("Month at the top", kind="featured", months=1)


# Another owner.


@pytest.mark.both_databases
def test_money_of_a_former_owner_waits_for_a_person(listing: Listing, owner: Any) -> None:
    purchase = make_purchase(listing)
    payment = start(purchase)
    save_listing(listing=listing, values={"owner": make_owner("ruth@example.com", "Ruth")})
    press(payment)
    assert [each.unapplied for each in payments_to_settle()] == [NOT_OWNED]
    assert (again(purchase).status, reloaded(listing).expires_at) == ("pending", ENDED)
    with pytest.raises(Invalid) as refusal:
        start(purchase)
    assert refusal.value.errors == {"status": [NOT_OWNED]}
    # The listing was given away by mistake.
    save_listing(listing=reloaded(listing), values={"owner": owner})
    assert apply_unapplied(payment=Payment.objects.get())
    assert again(purchase).status == "paid"


@pytest.mark.parametrize("is_deleted", [False, True], ids=["no owner", "account deleted"])
def test_money_for_a_listing_without_an_owner_waits_for_a_person(listing: Listing, owner: Any, is_deleted: bool) -> None:
    purchase = make_purchase(listing)
    payment = start(purchase)
    if is_deleted:
        owner.delete()
    else:
        save_listing(listing=listing, values={"owner": None})
    press(payment)
    assert [each.unapplied for each in payments_to_settle()] == [NOT_OWNED]
    assert (again(purchase).status, reloaded(listing).expires_at) == ("pending", ENDED)


@pytest.mark.both_databases
@pytest.mark.parametrize("status", [PaymentStatus.SUCCEEDED, PaymentStatus.PROCESSING])
def test_the_next_owner_makes_a_purchase_of_their_own(listing: Listing, stub: StripeStub, status: PaymentStatus) -> None:
    """The former owner pays in the same moment, or has paid by a method that takes days."""
    plan, ruth = make_plan(), make_owner("ruth@example.com", "Ruth")
    former = make_purchase(listing, plan)
    payment = start(former)
    if status == PaymentStatus.PROCESSING:
        stub.pay(payment.reference, by=BANK)
        settle(payment_id=payment.pk)
        assert again(former).is_processing
    save_listing(listing=listing, values={"owner": ruth})
    own = start_purchase(listing=reloaded(listing), plan=plan, user=ruth)
    assert (again(former).status, former.is_processing, own.status, own.email) == ("cancelled", False, "pending", ruth.email)
    stub.arrive(payment.reference) if status == PaymentStatus.PROCESSING else stub.pay(payment.reference)
    settle(payment_id=payment.pk)
    assert [each.pk for each in payments_to_settle()] == [payment.pk]
    assert (again(former).status, again(own).status, reloaded(listing).expires_at) == ("cancelled", "pending", ENDED)


def test_the_payment_page_of_a_former_owner_is_closed(listing: Listing, django_capture_on_commit_callbacks: Any) -> None:
    payment = start(make_purchase(listing))
    with django_capture_on_commit_callbacks(execute=True):
        save_listing(listing=listing, values={"phone": "+1 802 555 0142"})
    payment.refresh_from_db()
    assert payment.status == "open"
    with django_capture_on_commit_callbacks(execute=True):
        save_listing(listing=reloaded(listing), values={"owner": make_owner("ruth@example.com", "Ruth")})
    payment.refresh_from_db()
    assert payment.status == "expired"


def test_the_page_of_a_deleted_account_is_closed_once_another_account_owns_the_listing(
    owner: Any, django_capture_on_commit_callbacks: Any
) -> None:
    listing = make_ended(owner=owner, email="hello@example.com")
    payment = start(make_purchase(listing))
    owner.delete()
    claim, code = claimed(reloaded(listing), make_owner("ruth@example.com", "Ruth"))
    with django_capture_on_commit_callbacks(execute=True):
        assert enter_code(claim=claim, code=code)
    payment.refresh_from_db()
    assert payment.status == "expired"


# No end any more.


@pytest.mark.both_databases
def test_a_placement_without_an_end_keeps_that_when_a_refund_fails(listing: Listing, placement: Plan, clock: Clock) -> None:
    clock("2026-06-01 12:00")
    purchase = buy(listing, placement)
    done = refund(purchase, 12_000)
    clock("2026-06-02 12:00")
    feature_listing(listing=listing, featured=True)
    clock("2026-06-03 12:00")
    fail(done)
    assert (again(purchase).status, reloaded(listing).featured, reloaded(listing).featured_until) == ("paid", True, None)


def test_a_term_without_an_end_keeps_that_when_a_refund_fails(listing: Listing, clock: Clock) -> None:
    clock("2026-06-01 12:00")
    purchase = buy(listing)
    done = refund(purchase, 12_000)
    save_listing(listing=reloaded(listing), values={"expires_at": None})
    fail(done)
    assert (again(purchase).status, reloaded(listing).expires_at) == ("paid", None)


@pytest.mark.parametrize("is_saved", [True, False], ids=["saved", "featured"])
def test_the_page_of_a_placement_is_closed_when_it_has_no_end(
    listing: Listing, placement: Plan, is_saved: bool, django_capture_on_commit_callbacks: Any
) -> None:
    payment, term = start(make_purchase(listing, placement)), start(make_purchase(listing))
    with django_capture_on_commit_callbacks(execute=True):
        if is_saved:
            save_listing(listing=listing, values={"featured": True})
        else:
            feature_listing(listing=listing, featured=True)
    for each in (payment, term):
        each.refresh_from_db()
    # The term can still be paid.
    assert (payment.status, term.status) == ("expired", "open")
    press(term)
    assert Purchase.objects.get(kind="term").status == "paid"


def test_the_page_of_a_term_is_closed_when_it_has_no_end(listing: Listing, django_capture_on_commit_callbacks: Any) -> None:
    payment = start(make_purchase(listing))
    with django_capture_on_commit_callbacks(execute=True):
        save_listing(listing=listing, values={"expires_at": None})
    payment.refresh_from_db()
    assert payment.status == "expired"
