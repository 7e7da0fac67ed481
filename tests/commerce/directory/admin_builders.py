"""Listings, changes, claims and purchases for tests of the admin, stored without emails."""

from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import timezone

from commerce.directory.models import Category, Claim, Listing, ListingChange, Plan, Purchase
from commerce.directory.services.categories import save_category, save_plan
from commerce.directory.services.saving import save_listing
from commerce.directory.types.terms import PAYABLE
from commerce.payments.services import store_payment
from commerce.payments.types import Method


def account(email: str = "dana@example.com", name: str = "Dana", last: str = "Reyes") -> Any:
    """A site account with a confirmed address."""
    user = get_user_model().objects.create_user(email, email, "x", first_name=name, last_name=last)
    EmailAddress.objects.create(user=user, email=email, verified=True, primary=True)
    return user


def category(name: str = "Crafts") -> Category:
    return save_category(values={"name": name})


def listing(name: str = "Reyes Ceramics", **values: Any) -> Listing:
    """A published listing."""
    return save_listing(values={"name": name, "status": "published", **values})


def submission(name: str = "Calder Yoga", **values: Any) -> Listing:
    return listing(name, status="pending", **values)


def change(of: Listing, **values: Any) -> ListingChange:
    return ListingChange.objects.create(listing=of, user=of.owner, values=values, created_at=timezone.now())


def claim(of: Listing, user: Any, **values: Any) -> Claim:
    given = {"method": "manual", "message": "It is mine.", "created_at": timezone.now(), **values}
    return Claim.objects.create(listing=of, user=user, **given)


def plan(name: str = "One year", **values: Any) -> Plan:
    return save_plan(values={"name": name, "kind": "term", "months": 12, "price_cents": 12_000, **values})


def purchase(of: Listing, bought: Plan, status: str = "pending", **values: Any) -> Purchase:
    """A purchase; one that is paid has its money."""
    now = timezone.now()
    given = {
        "listing_name": of.name,
        "plan_name": bought.name,
        "kind": bought.kind,
        "months": bought.months,
        "total_cents": bought.price_cents,
        "currency": settings.SITE_CURRENCY,
        "buyer": of.owner,
        "email": "dana@example.com",
        "paid_at": now if status == "paid" else None,
        "created_at": now,
        "updated_at": now,
        **values,
    }
    made = Purchase.objects.create(listing=of, plan=bought, status=status, **given)
    if status == "paid":
        more = {"description": "A term", "email": made.email}
        store_payment(payable=PAYABLE, record_id=made.pk, amount=made.total, method=Method.CHECK, paid_at=now, **more)
    return made


def reloaded(record: Any) -> Any:
    return type(record).objects.get(pk=record.pk)
