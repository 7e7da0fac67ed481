"""Builders of the directory's records by their services, with the changes that a test needs."""

import itertools
import re
import time
from datetime import UTC, datetime
from typing import Any
from unittest import mock

from cms_api.accounts.services import create_member
from cms_api.auth.services import visitors
from cms_api.auth.services.visitors import Visit
from cms_api.mail.models import OutgoingMail
from commerce.directory.models import Category, Claim, Listing, Plan, Purchase
from commerce.directory.services.categories import save_category, save_plan
from commerce.directory.services.claims import claim_by_email
from commerce.directory.services.contacting import PURPOSE
from commerce.directory.services.purchasing import start_purchase
from commerce.directory.services.saving import save_listing
from commerce.directory.services.submitting import submit_listing
from commerce.directory.types.terms import PAYABLE
from commerce.payments.models import Payment
from commerce.payments.services import decide_test_payment, settle, start_payment
from commerce.payments.types import PaymentStatus
from tests.people import PASSWORD

_numbers = itertools.count(1)

ADDRESS = {"street": "14 Canal Street", "city": "Brattleboro", "state": "VT", "postal_code": "05301", "country": "US"}
#: Where that is.
HERE = {"latitude": 42.8509, "longitude": -72.5579}
#: The end of a term, before anything that tests do.
ENDED = datetime(2020, 1, 1, tzinfo=UTC)
#: Every day from nine to five.
DAILY = {day: [{"open": "09:00", "close": "17:00"}] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}


def make_owner(email: str = "noor@example.com", name: str = "Noor") -> Any:
    """A site account with a confirmed address."""
    return create_member(email=email, password=PASSWORD, name=name)


def make_category(name: str = "Crafts", **values: Any) -> Category:
    return save_category(values={"name": name, **values})


def make_listing(name: str = "Reyes Ceramics", **values: Any) -> Listing:
    """A published listing without a term."""
    return save_listing(values={"name": name, "status": "published", **values})


def make_ended(name: str = "Reyes Ceramics", **values: Any) -> Listing:
    """A published listing whose term has ended: it can be paid for."""
    return make_listing(name, expires_at=ENDED, **values)


def submit(owner: Any, name: str = "Noor's Bakery", **values: Any) -> Listing:
    """A listing of an account, which awaits moderation."""
    return submit_listing(user=owner, values={"name": name, **values})


def make_plan(name: str = "One year", **values: Any) -> Plan:
    return save_plan(values={"name": name, "kind": "term", "months": 12, "price_cents": 12_000, **values})


def make_purchase(listing: Listing, plan: Plan | None = None) -> Purchase:
    """A purchase by the owner of a listing, which waits for its payment."""
    return start_purchase(listing=listing, plan=plan or make_plan(), user=listing.owner)


def start(purchase: Purchase) -> Payment:
    return start_payment(payable=PAYABLE, record_id=purchase.pk)


def press(payment: Payment, status: PaymentStatus = PaymentStatus.SUCCEEDED) -> Payment:
    """Decide a test payment on its page."""
    decide_test_payment(payment=payment, status=status)
    return settle(payment_id=payment.pk)


def pay(purchase: Purchase) -> Purchase:
    press(start(purchase))
    purchase.refresh_from_db()
    return purchase


def buy(listing: Listing, plan: Plan | None = None) -> Purchase:
    """A paid purchase by the owner of a listing."""
    return pay(make_purchase(listing, plan))


def claimed(listing: Listing, user: Any, address: str = "") -> tuple[Claim, str]:
    """A claim by email, and the code that was sent; every claim comes from another address unless one is given."""
    claim = claim_by_email(listing=listing, user=user, address=address or an_address())
    found = re.search(r"\b\d{6}\b", mails("listing_claim_code")[-1].words.text)
    assert found
    return claim, found[0]


def an_address() -> str:
    """Another address of a visitor at each call."""
    number = next(_numbers)
    return f"10.{number // 65536}.{number // 256 % 256}.{number % 256}"


def visit(honeypot: str = "", *, seconds: int = 30, address: str = "") -> Visit:
    """A visitor who has read the contact form for some seconds."""
    with mock.patch("time.time", return_value=time.time() - seconds):
        stamp = visitors.stamp(PURPOSE)
    return Visit(address or an_address(), honeypot, stamp)


def reloaded(listing: Listing) -> Listing:
    return Listing.objects.get(pk=listing.pk)


def mails(template: str = "") -> list[OutgoingMail]:
    found = OutgoingMail.objects.order_by("pk")
    return list(found.filter(template=template) if template else found.filter(template__startswith="listing_"))


def sent() -> list[tuple[str, str]]:
    """The mails of the directory: template and recipient."""
    return [(mail.template, mail.recipient) for mail in mails()]
