"""The verbs of owners in their account: submit listings, change them, and archive them. Staff decide about what is moderated."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone
from wagtail.log_actions import log

from cms_api.core.errors import ErrorCollector, Invalid, TooManyAttempts
from cms_api.core.locks import get_row, lock_row
from cms_api.core.not_found import NotFound
from cms_api.flags.selectors import get_setting

from ..models import Category, Listing, ListingChange
from ..selectors.ownership import is_term_required
from ..types.listings import MAX_OWNED_LISTINGS, MAX_REASON, MODERATED, ChangeStatus, ListingStatus
from . import notices
from .changed import lock_listing
from .saving import assign, check_categories, lock_pictures, save_listing

DAY = timedelta(days=1)
#: The values that owners may set; the rest is for staff.
OWN = frozenset(
    {"name", "description", "categories", "phone", "email", "website", "timezone", "hours", "special_hours", "logo", "cover"}
    | {"pictures", *MODERATED}
)


@transaction.atomic
def submit_listing(*, user: Any, values: Mapping[str, Any]) -> Listing:
    """Create a listing of an account, which waits for moderation and, if a term can be bought, for its payment.

    Raises Invalid by path, and TooManyAttempts beyond the daily limit of submissions, or with `MAX_OWNED_LISTINGS` listings.
    """
    # Locked, so that submissions at the same time are counted.
    get_row(get_user_model()._default_manager.select_for_update(no_key=True), user.pk)
    now = timezone.now()
    own = Listing.objects.filter(owner=user.pk)
    if own.filter(created_at__gt=now - DAY).count() >= int(get_setting("directory.submissions_per_day")):
        raise TooManyAttempts
    if own.count() >= MAX_OWNED_LISTINGS:
        raise Invalid({"name": f"An account may have at most {MAX_OWNED_LISTINGS} listings."})
    sent = {name: value for name, value in values.items() if name in OWN}
    expires_at = now if is_term_required() else None
    state = {"status": ListingStatus.PENDING, "owner": user, "expires_at": expires_at}
    listing = save_listing(values={**sent, **state}, user=user)
    notices.request_moderation(listing, "A new listing was submitted.")
    return listing


@transaction.atomic
def change_own_listing(*, listing: Listing, user: Any, values: Mapping[str, Any]) -> ListingChange | None:
    """Change a listing for its owner; what is moderated is stored as a change for staff, and returned.

    It replaces a change that awaits moderation, which stays if nothing that is moderated is sent. A listing that was never
    published is changed at once, as it waits for moderation anyway. Raises Invalid by path, and NotFound unless the account owns
    the listing.
    """
    sent = {name: value for name, value in values.items() if name in OWN}
    lock_pictures(sent)
    locked = _lock_owned(listing.pk, user)
    if locked.published_at is None:
        save_listing(listing=locked, values=sent, user=user)
        return None
    wanted = _find_changes(locked, sent)
    save_listing(listing=locked, values={name: value for name, value in sent.items() if name not in MODERATED}, user=user)
    if sent.keys().isdisjoint(MODERATED):
        return None
    pending = ListingChange.objects.select_for_update().filter(listing=locked, status=ChangeStatus.PENDING).first()
    if pending is not None and pending.values == wanted:
        return pending
    if pending is not None:
        _decide(pending, ChangeStatus.REPLACED)
    if not wanted:
        return None
    change = ListingChange.objects.create(listing=locked, user=user, values=wanted, created_at=timezone.now())
    notices.request_moderation(locked, "The owner asks for changes to its name, categories or address.")
    return change


def _lock_owned(pk: int, user: Any) -> Listing:
    locked = lock_listing(pk)
    if user is None or locked.owner_id != user.pk:
        raise NotFound
    return locked


def _find_changes(listing: Listing, sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return the moderated values that differ from those of the listing, checked. Raises Invalid."""
    values = {name: value for name, value in sent.items() if name in MODERATED}
    tried, errors = Listing.objects.get(pk=listing.pk), ErrorCollector()
    assign(errors, tried, values)
    categories = check_categories(errors, values["categories"]) if "categories" in values else []
    errors.raise_if_any()
    wanted = {}
    for name in values:
        if name == "categories":
            ids = [category.pk for category in categories]
            if set(ids) != set(listing.categories.values_list("pk", flat=True)):
                wanted[name] = ids
        elif getattr(tried, name) != getattr(listing, name):
            wanted[name] = getattr(tried, name)
    return wanted


@transaction.atomic
def approve_change(*, change: ListingChange, user: Any = None) -> bool:
    """Apply a change to its listing; return False if it was decided already. Raises Invalid by path, and NotFound.

    Categories that have been deleted meanwhile are left out.
    """
    locked = _pending(change)
    if locked is None:
        return False
    values = dict(locked.values)
    if "categories" in values:
        left = set(Category.objects.filter(pk__in=values["categories"]).values_list("pk", flat=True))
        values["categories"] = [pk for pk in values["categories"] if pk in left]
    save_listing(listing=locked.listing, values=values, user=user)
    _decide(locked, ChangeStatus.APPROVED)
    log(instance=locked.listing, action="directory.approve_change", user=user)
    notices.send_change_decided(locked)
    return True


@transaction.atomic
def reject_change(*, change: ListingChange, reason: str = "", user: Any = None) -> bool:
    """Reject a change; its listing stays as it is. Return False if it was decided already. Raises NotFound."""
    locked = _pending(change)
    if locked is None:
        return False
    locked.reason = reason.strip()[:MAX_REASON]
    _decide(locked, ChangeStatus.REJECTED)
    log(instance=locked.listing, action="directory.reject_change", user=user)
    notices.send_change_decided(locked)
    return True


def _pending(change: ListingChange) -> ListingChange | None:
    """Return a change with its listing, both locked; None if it was decided."""
    listing = lock_listing(change.listing_id)
    locked = lock_row(ListingChange.objects.filter(pk=change.pk))
    locked.listing = listing
    return locked if locked.is_pending else None


def _decide(change: ListingChange, status: ChangeStatus) -> None:
    change.status, change.decided_at = status, timezone.now()
    change.save(update_fields=["status", "decided_at", "reason"])


@transaction.atomic
def archive_own_listing(*, listing: Listing, user: Any) -> bool:
    """Take a listing offline for its owner; return False if it is archived. Raises NotFound."""
    locked = _lock_owned(listing.pk, user)
    if locked.status == ListingStatus.ARCHIVED:
        return False
    save_listing(listing=locked, values={"status": ListingStatus.ARCHIVED}, user=user)
    return True
