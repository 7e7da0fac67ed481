"""Moves listings from one status to another, and makes them featured."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import Invalid, invalid_choice
from cms_api.flags.selectors import site_timezone

from ..models import Listing, Purchase
from ..types.listings import MAX_REASON, ListingStatus
from ..types.terms import COLUMNS, PlanKind, PurchaseStatus, extend, is_endless
from . import notices
from .changed import close_purchases, invalidate_listings, lock_listing

_ACTIONS = {
    ListingStatus.PUBLISHED: "directory.publish",
    ListingStatus.PENDING: "directory.unpublish",
    ListingStatus.ARCHIVED: "directory.archive",
}


@transaction.atomic
def set_status(
    *, listing: Listing, status: str | None = None, featured: bool | None = None, reason: str = "", user: Any = None
) -> bool:
    """Publish a listing, put it back in moderation, or archive it; return whether anything changed.

    With `featured`, it is shown before the others, or not any more. The owner is told when it is published for the first time
    and, with the `reason`, when it is archived instead. Raises Invalid (`status`) and NotFound.
    """
    if status is not None and status not in ListingStatus.values:
        raise Invalid({"status": invalid_choice("status", ListingStatus.values)})
    locked, now = lock_listing(listing.pk), timezone.now()
    before = locked.status
    is_other = status not in {None, before}
    is_moved = featured is not None and featured != locked.featured
    if not is_other and not is_moved:
        return False
    was_published = locked.published_at is not None
    locked.status, locked.updated_at = status or before, now
    if is_moved:
        locked.featured = bool(featured)
        locked.featured_until = kept_end(locked, now) if featured else None
    if locked.is_published and not was_published:
        locked.published_at = now
        begin_terms(locked, now, kinds=[PlanKind.TERM] if featured is False else PlanKind)
    locked.save()
    if is_other:
        log(instance=locked, action=_ACTIONS[ListingStatus(locked.status)], user=user)
        if locked.is_published and not was_published:
            notices.send_published(locked)
        elif locked.status == ListingStatus.ARCHIVED and before == ListingStatus.PENDING and not was_published:
            notices.send_declined(locked, reason[:MAX_REASON])
    if is_moved:
        log(instance=locked, action="directory.feature" if featured else "directory.stop_featuring", user=user)
    close_purchases(locked)
    invalidate_listings()
    return True


def publish_listing(*, listing: Listing, user: Any = None) -> bool:
    return set_status(listing=listing, status=ListingStatus.PUBLISHED, user=user)


def archive_listing(*, listing: Listing, reason: str = "", user: Any = None) -> bool:
    return set_status(listing=listing, status=ListingStatus.ARCHIVED, reason=reason, user=user)


def feature_listing(*, listing: Listing, featured: bool, user: Any = None) -> bool:
    return set_status(listing=listing, featured=featured, user=user)


def kept_end(listing: Listing, now: datetime) -> datetime | None:
    """Return the end of a listing's featured placement unless it has passed: one that is featured again would end at once."""
    return listing.featured_until if listing.featured_until and listing.featured_until > now else None


def begin_terms(listing: Listing, now: datetime, *, kinds: Iterable[PlanKind]) -> None:
    """Let what was paid during moderation begin with the publication, unsaved.

    A listing without an end of a kind stays without one, and a later end than that stays, with its purchases, as it is.
    """
    for kind in kinds:
        paid = list(listing.purchases.filter(kind=kind, status=PurchaseStatus.PAID).order_by("paid_at", "id"))
        end = getattr(listing, COLUMNS[kind])
        until = None if is_endless(listing, kind) else _in_a_row(paid, now)
        if until is None or (end is not None and end >= until):
            continue
        for purchase in paid:
            purchase.save(update_fields=["starts_at", "ends_at", "updated_at"])
        setattr(listing, COLUMNS[kind], until)
        listing.featured = listing.featured or kind == PlanKind.FEATURED


def _in_a_row(purchases: Iterable[Purchase], now: datetime) -> datetime | None:
    """Let periods follow each other from now on, unsaved; return the end of the last one."""
    until: datetime | None = None
    zone = site_timezone()
    day = now.astimezone(zone).day
    for purchase in purchases:
        purchase.starts_at = until or now
        purchase.ends_at = until = extend(until, purchase.months, now=now, zone=zone, day=day)
        purchase.updated_at = now
    return until
