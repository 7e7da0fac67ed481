"""Jobs: reminders before terms end, the end of terms and of featured placements, and the next openings."""

from collections.abc import Collection
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core import batches
from cms_api.flags.selectors import site_timezone

from ..models import Listing
from ..types.listings import REMINDER_DAYS, ListingStatus
from ..types.terms import days_left
from . import notices
from .changed import invalidate_listings, lock_listing, set_opening

#: Hours are looked up this long before an opening ends, so that none is missing while the job waits.
LOOKUP_AHEAD = timedelta(minutes=10)
#: Records of one transaction.
BATCH = 200


def remind_owners() -> int:
    """Remind the owners of published listings whose term ends soon, and tell those whose term has ended; return how many mails.

    Each reminder is sent once for each term. A run that was late sends the latest one that is due, not all that were missed.
    """
    now, zone = timezone.now(), site_timezone()
    soon = now + timedelta(days=max(REMINDER_DAYS) + 1)
    ending = Listing.objects.filter(status=ListingStatus.PUBLISHED, ended_notice_at__isnull=True, owner__isnull=False)
    found = ending.filter(expires_at__lte=soon).filter(
        Q(reminded_days__isnull=True) | Q(reminded_days__gt=0) | Q(expires_at__lte=now)
    )
    return batches.each(found.order_by("expires_at", "id").values_list("pk", flat=True), lambda pk: _remind(pk, now, zone))


@transaction.atomic
def _remind(pk: int, now: datetime, zone: ZoneInfo) -> bool:
    listing = Listing.objects.select_for_update(no_key=True).filter(pk=pk, status=ListingStatus.PUBLISHED).first()
    if listing is None or listing.expires_at is None or listing.ended_notice_at is not None:
        return False
    if listing.expires_at <= now:
        listing.ended_notice_at = now
        listing.save(update_fields=["ended_notice_at"])
        if listing.published_at is not None and listing.expires_at <= listing.published_at:
            # It was published before its first term was paid: none has ended.
            return False
        log(instance=listing, action="directory.expire")
        invalidate_listings()
        return notices.send_ended(listing)
    left = days_left(listing.expires_at, now.astimezone(zone).date(), zone)
    due = min((days for days in REMINDER_DAYS if days >= left), default=None)
    if due is None or (listing.reminded_days is not None and listing.reminded_days <= due):
        return False
    listing.reminded_days = due
    listing.save(update_fields=["reminded_days"])
    return notices.send_ending(listing)


def end_featured() -> int:
    """End featured placements whose time is over; return how many."""
    over = Listing.objects.filter(featured_until__lte=timezone.now(), featured=True).order_by("pk")
    return batches.each(over.values_list("pk", flat=True), _end_featured)


@transaction.atomic
def _end_featured(pk: int) -> bool:
    listing = lock_listing(pk)
    if not listing.featured or listing.featured_until is None or listing.featured_until > timezone.now():
        return False
    listing.featured, listing.featured_until, listing.updated_at = False, None, timezone.now()
    listing.save(update_fields=["featured", "featured_until", "updated_at"])
    log(instance=listing, action="directory.stop_featuring")
    invalidate_listings()
    return True


def move_openings() -> int:
    """Store the next opening of listings whose current one ends; return how many have another one.

    Pages name the moment until which they are right, so they are not invalidated here.
    """
    now = timezone.now()
    has_hours = Q(hours__isnull=False) | ~Q(special_hours=[])
    # Those without an opening in the next weeks may get one.
    ended = Q(closes_at__lte=now + LOOKUP_AHEAD) | (Q(closes_at__isnull=True) & has_hours)
    with batches.Run() as run:
        ids = Listing.objects.filter(ended).order_by("pk").values_list("pk", flat=True)
        return run.each_batch(ids, lambda batch: _move_openings(batch, now), size=BATCH)


@transaction.atomic
def _move_openings(ids: Collection[int], now: datetime) -> int:
    found = Listing.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk")
    changed = [listing for listing in found if set_opening(listing, now)]
    Listing.objects.bulk_update(changed, ["opens_at", "closes_at"])
    return len(changed)
