"""Many at once: limits hold, guesses are counted, and what is paid extends a term once."""

import threading
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cms_api.core.errors import Invalid, TooManyAttempts
from cms_api.core.not_found import NotFound
from cms_api.flags.services import set_setting
from commerce.directory.models import Claim, Listing, ListingChange, Purchase
from commerce.directory.services import claims, purchasing, submitting
from commerce.directory.services.claims import enter_code
from commerce.directory.services.purchasing import PURCHASES, start_purchase
from commerce.directory.services.statuses import archive_listing, publish_listing
from commerce.directory.services.submitting import approve_change, change_own_listing, submit_listing
from commerce.directory.services.terms import remind_owners
from commerce.directory.types.listings import MAX_CODE_ATTEMPTS
from commerce.payments.models import Payment
from commerce.payments.selectors import LINK
from commerce.payments.services import settle
from commerce.payments.types import ProviderError
from tests.client import together
from tests.commerce.payments.conftest import send
from tests.commerce.payments.stripe_stub import StripeStub
from tests.commerce.shop.outcomes import kinds, outcome
from tests.unprotected import meet_before, without_transactions

from .builders import (
    claimed,
    mails,
    make_ended,
    make_listing,
    make_owner,
    make_plan,
    make_purchase,
    press,
    reloaded,
    start,
    submit,
)

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 6


def result(work: Any) -> str:
    """The outcome of something that may also be refused as too much."""
    try:
        return outcome(work)
    except TooManyAttempts:
        return "too many"


# Submissions.


def test_it_works(owner: Any) -> None:
    """Twenty submissions at a limit of three."""
    set_setting(key="directory.submissions_per_day", value=3)
    found = together(lambda number: result(lambda: submit(owner, f"Listing {number}")), 20)
    assert Counter(found) == {"done": 3, "too many": 17}
    assert Listing.objects.count() == 3


def test_control_without_the_lock_more_are_submitted(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    set_setting(key="directory.submissions_per_day", value=1)
    without_transactions(monkeypatch)
    meet_before(monkeypatch, submitting, "save_listing", threads=THREADS)
    together(lambda number: submit_listing(user=owner, values={"name": f"Listing {number}"}), THREADS)
    assert Listing.objects.count() == THREADS


def test_listings_of_the_same_name_get_slugs_of_their_own() -> None:
    together(lambda number: make_listing("Kiln"), 10)
    assert len(set(Listing.objects.values_list("slug", flat=True))) == 10


def test_one_change_awaits_moderation(owner: Any) -> None:
    listing = make_listing(owner=owner)
    together(lambda number: change_own_listing(listing=listing, user=owner, values={"name": f"Kiln {number}"}), 10)
    assert Counter(ListingChange.objects.values_list("status", flat=True)) == {"pending": 1, "replaced": 9}
    change = ListingChange.objects.get(status="pending")
    assert sum(together(lambda number: approve_change(change=change), 10)) == 1
    assert len(mails("listing_change_decided")) == 1


# Claims.


def test_fifty_guesses_count_exactly(owner: Any) -> None:
    claim, code = claimed(make_listing(email="hello@example.com"), owner)
    wrong = f"{(int(code) + 1) % 10**6:06}"
    found = together(lambda number: result(lambda: enter_code(claim=claim, code=wrong)), 50)
    assert Counter(found) == {"done": MAX_CODE_ATTEMPTS, "code": 50 - MAX_CODE_ATTEMPTS}
    assert Claim.objects.get().attempts == MAX_CODE_ATTEMPTS


def test_control_without_the_lock_guesses_are_not_counted(owner: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    claim, _ = claimed(make_listing(email="hello@example.com"), owner)
    threads = MAX_CODE_ATTEMPTS + 1
    without_transactions(monkeypatch)
    meet_before(monkeypatch, claims, "_digest", threads=threads)
    found = together(lambda number: result(lambda: enter_code(claim=claim, code="x")), threads)
    assert (Counter(found), Claim.objects.get().attempts < threads) == ({"done": threads}, True)


def test_one_of_many_claims_wins() -> None:
    listing = make_listing(email="hello@example.com")
    made = [claimed(listing, make_owner(f"ruth-{number}@example.com")) for number in range(8)]

    def enter(number: int) -> bool:
        claim, code = made[number]
        try:
            return enter_code(claim=claim, code=code)
        except (Invalid, NotFound):
            return False

    assert sum(together(enter, 8)) == 1
    claim = Claim.objects.get(status="approved")
    assert (reloaded(listing).owner, Claim.objects.filter(status="rejected").count()) == (claim.user, 7)
    assert len(mails("listing_claim_decided")) == 1


# Payments.


@pytest.fixture
def purchase(owner: Any) -> Purchase:
    return make_purchase(make_ended(owner=owner))


def months(purchase: Purchase) -> int:
    """The whole months for which the listing is paid."""
    assert purchase.listing
    until, now = reloaded(purchase.listing).expires_at, timezone.now()
    return round((until - now).days / 30.4) if until and until > now else 0


@pytest.fixture
def message(stub: StripeStub, purchase: Purchase) -> dict[str, Any]:
    """Stripe's message that a purchase is paid."""
    return stub.pay(start(purchase).reference)


def test_the_same_message_twenty_times_extends_once(message: dict[str, Any], purchase: Purchase) -> None:
    answers = together(lambda number: send(message).status_code, 20)
    assert set(answers) == {200}
    purchase.refresh_from_db()
    assert (purchase.status, months(purchase), kinds("directory")) == ("paid", 12, ["directory_listing.paid"])
    assert len(mails("listing_paid")) == 1


def test_messages_and_the_return_page_at_once_extend_once(message: dict[str, Any], purchase: Purchase) -> None:
    payment = Payment.objects.get()

    def ask_provider() -> None:
        # On a busy machine, not all of them get to ask the provider in time.
        with suppress(ProviderError):
            settle(payment_id=payment.pk)

    ways = (
        lambda: send(message),
        lambda: send({**message, "id": "evt_again"}),
        lambda: Client().get(LINK.path(payment)),
        ask_provider,
    )
    together(lambda number: ways[number % 4](), 20)
    assert (months(purchase), kinds("directory")) == (12, ["directory_listing.paid"])


def test_control_without_the_guard_each_message_extends(purchase: Purchase) -> None:
    """The same extension, whose callers do not ask whether the purchase is paid."""
    payment = press(start(purchase))
    looked = threading.Barrier(THREADS)

    def apply(number: int) -> None:
        found = Purchase.objects.get(pk=purchase.pk)
        looked.wait(20)
        with purchasing.transaction.atomic():
            locked = PURCHASES.lock(purchase.pk)
            assert locked
            assert locked.listing
            found.listing = locked.listing
            assert PURCHASES.become_paid(found, payment)

    together(apply, THREADS)
    assert months(purchase) == 12 * (THREADS + 1)
    assert kinds("directory") == ["directory_listing.paid"] * (THREADS + 1)


def test_many_who_buy_the_same_have_one_purchase(owner: Any) -> None:
    listing, plan = make_ended(owner=owner), make_plan()
    found = together(lambda number: start_purchase(listing=listing, plan=plan, user=owner).pk, 10)
    assert (len(set(found)), Purchase.objects.count()) == (1, 1)


def test_paying_and_publishing_at_once(owner: Any) -> None:
    """Whichever comes first, the whole term is there."""
    plan = make_plan()
    for number in range(4):
        listing = submit(owner, f"Listing {number}")
        payment = start(made := make_purchase(listing, plan))
        works = (partial(press, payment), partial(publish_listing, listing=listing))
        together(lambda number, works=works: works[number](), 2)
        assert (reloaded(listing).status, months(made)) == ("published", 12)


def test_paying_and_archiving_at_once(owner: Any) -> None:
    """The money is applied or waits for a person; it is never lost."""
    plan = make_plan()
    for number in range(4):
        listing = make_ended(f"Listing {number}", owner=owner)
        payment = start(made := make_purchase(listing, plan))
        works = (partial(press, payment), partial(archive_listing, listing=listing))
        together(lambda number, works=works: works[number](), 2)
        payment.refresh_from_db()
        made.refresh_from_db()
        if payment.status == "expired":
            # The page was closed before the press, which took no money.
            assert (made.status, payment.unapplied) == ("pending", "")
        else:
            assert (made.status == "paid") is not bool(payment.unapplied)
        assert months(made) == (12 if made.status == "paid" else 0)


def test_five_jobs_remind_once(owner: Any) -> None:
    make_listing(owner=owner, expires_at=timezone.now())
    make_listing("Kiln", owner=owner, expires_at=timezone.now() + timedelta(days=3))
    Listing.objects.update(published_at=timezone.now() - timedelta(days=365))
    assert sum(together(lambda number: remind_owners(), 5)) == 2
    assert Counter(mail.template for mail in mails()) == {"listing_ended": 1, "listing_ending": 1}
