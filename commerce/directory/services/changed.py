"""The consequences of every change of a listing: its search entry, and the pages that show it."""

from datetime import datetime

from django.utils import timezone
from wagtail.search.backends import get_search_backend

from cms_api.core import versions
from cms_api.core.locks import lock_row
from commerce.common.types.spans import moment
from commerce.payments.services import close_payments_later

from ..models import Listing
from ..types.hours import next_opening
from ..types.listings import VERSION, ChangeStatus
from ..types.terms import PAYABLE, PurchaseStatus, sale_refusal


def lock_listing(pk: int) -> Listing:
    """Return a listing, locked: whatever changes one, or what belongs to it, takes this lock first. Raises NotFound."""
    return lock_row(Listing.objects.filter(pk=pk))


def index_listing(listing: Listing) -> None:
    """Update the search entry of a listing from its stored categories."""
    get_search_backend().add(Listing.objects.prefetch_related("categories").get(pk=listing.pk))


def invalidate_listings() -> None:
    """Invalidate the pages of the directory. Call it last: others wait for the transaction to end."""
    versions.bump(VERSION)


def close_purchases(listing: Listing, *, is_gone: bool = False) -> None:
    """Close the payment pages of a locked listing that are refused by now: all of them if it is about to be deleted."""
    for purchase in listing.purchases.filter(status=PurchaseStatus.PENDING):
        if is_gone or sale_refusal(listing, purchase.kind, purchase.buyer_id):
            close_payments_later(payable=PAYABLE, record_id=purchase.pk)


def end_changes_of_others(listing: Listing) -> None:
    """End the changes that a former owner of a locked listing has asked for, so that the present one does not answer for them."""
    others = listing.changes.filter(status=ChangeStatus.PENDING).exclude(user=listing.owner_id)
    others.update(status=ChangeStatus.REPLACED, decided_at=timezone.now())


def set_opening(listing: Listing, now: datetime | None = None) -> bool:
    """Set the current or next opening of a listing, unsaved; return whether it is another one."""
    span = next_opening(listing.schedule, now or timezone.now()) if listing.has_hours else None
    opening = (moment(span[0]), moment(span[1])) if span else (None, None)
    if (listing.opens_at, listing.closes_at) == opening:
        return False
    listing.opens_at, listing.closes_at = opening
    return True
