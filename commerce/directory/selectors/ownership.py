"""Reads of claims, changes, plans and purchases."""

from typing import Any

from django.db.models import QuerySet

from ..models import Claim, ListingChange, Plan, Purchase
from ..types.listings import ChangeStatus, ClaimStatus
from ..types.terms import PlanKind, PurchaseStatus


def claims(*, status: str | None = None) -> QuerySet[Claim]:
    found = Claim.objects.select_related("listing", "user")
    return found if status is None else found.filter(status=status)


def pending_claims() -> QuerySet[Claim]:
    """Return the claims that staff decide about."""
    return claims(status=ClaimStatus.PENDING).filter(code_digest="")


def changes(*, status: str | None = None) -> QuerySet[ListingChange]:
    found = ListingChange.objects.select_related("listing", "user")
    return found if status is None else found.filter(status=status)


def pending_change(listing_id: int) -> ListingChange | None:
    return changes(status=ChangeStatus.PENDING).filter(listing=listing_id).first()


def plans() -> QuerySet[Plan]:
    return Plan.objects.all()


def offered_plans(kind: str | None = None) -> QuerySet[Plan]:
    """Return the plans that can be bought."""
    found = Plan.objects.filter(enabled=True)
    return found if kind is None else found.filter(kind=kind)


def is_term_required() -> bool:
    """Return whether a listing that somebody submits must be paid for: as soon as a term can be bought."""
    return offered_plans(PlanKind.TERM).exists()


def purchases(*, status: str | None = None) -> QuerySet[Purchase]:
    found = Purchase.objects.select_related("listing", "plan", "buyer")
    return found if status is None else found.filter(status=status)


def purchases_of(listing_id: int) -> QuerySet[Purchase]:
    """Return what was paid for a listing, or is on its way, latest first."""
    return purchases().filter(listing=listing_id).exclude(status=PurchaseStatus.CANCELLED)


def bought_by(user: Any, listing_id: int) -> QuerySet[Purchase]:
    """Return all that an account has begun to pay for a listing."""
    return Purchase.objects.filter(buyer=user.pk, listing=listing_id)


def owned_purchase(user: Any, pk: int) -> Purchase | None:
    return purchases().filter(buyer=user.pk, pk=pk).first()


def pending_claim(user: Any, listing_id: int) -> Claim | None:
    """Return the claim of a listing by an account that is not decided."""
    return Claim.objects.filter(listing=listing_id, user=user.pk, status=ClaimStatus.PENDING).first()
