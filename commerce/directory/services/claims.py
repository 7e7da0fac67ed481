"""Claims: an account shows that a listing is theirs, by a code sent to the listing's address, or by a message to staff."""

import secrets
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from wagtail.log_actions import log

from cms_api.auth.services import visitors
from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.core.locks import lock_row
from cms_api.core.not_found import NotFound
from commerce.common.services.checks import check_text
from commerce.common.types.codes import typed_code

from ..models import Claim, Listing
from ..types.listings import (
    CLAIM_CODE_LIFETIME,
    MAX_CODE_ATTEMPTS,
    MAX_MESSAGE,
    MAX_REASON,
    ClaimMethod,
    ClaimStatus,
)
from . import notices
from .changed import close_purchases, end_changes_of_others, invalidate_listings, lock_listing

#: Codes have this many digits.
DIGITS = 6
#: Codes that one account, or one visitor's address, can ask for in an hour.
CODES_PER_HOUR = 5
OWNED = "This listing has an owner already. Write to us if that is a mistake."


@transaction.atomic
def claim_by_email(*, listing: Listing, user: Any, address: str) -> Claim:
    """Send a code to the listing's own email address; the account that enters it owns the listing.

    A second request replaces the code. `address` is the visitor's, whose requests are limited. Raises Invalid (`listing`,
    `method`), NotFound, and TooManyAttempts.
    """
    visitors.limit(purpose="directory.claims", address=address, an_hour=CODES_PER_HOUR)
    visitors.limit(purpose="directory.claims.account", address=str(user.pk), an_hour=CODES_PER_HOUR)
    locked = _free(listing)
    if not locked.email:
        raise Invalid({"method": "This listing has no email address to which a code could be sent."})
    code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
    claim = _begin(locked, user, ClaimMethod.EMAIL)
    claim.code_digest, claim.attempts = _digest(claim, locked, code), 0
    claim.code_expires_at = timezone.now() + CLAIM_CODE_LIFETIME
    claim.save()
    notices.send_claim_code(locked, code)
    return claim


@transaction.atomic
def claim_by_message(*, listing: Listing, user: Any, message: str) -> Claim:
    """Ask staff for a listing. Raises Invalid (`listing`, `message`) and NotFound."""
    errors = ErrorCollector()
    if not isinstance(message, str) or not message.strip():
        errors.add("message", required_message("message"))
    else:
        check_text(errors, "message", message, MAX_MESSAGE)
    errors.raise_if_any()
    locked = _free(listing)
    claim = _begin(locked, user, ClaimMethod.MANUAL)
    claim.message, claim.code_digest, claim.code_expires_at = message.strip(), "", None
    claim.save()
    notices.request_moderation(locked, "Somebody claims to own it.")
    return claim


def _free(listing: Listing) -> Listing:
    locked = lock_listing(listing.pk)
    if locked.owner_id is not None:
        raise Invalid({"listing": OWNED})
    return locked


def _begin(listing: Listing, user: Any, method: ClaimMethod) -> Claim:
    """Return the pending claim of an account, a new one if there is none; the caller has locked the listing, and stores it."""
    found = Claim.objects.filter(listing=listing, user=user, status=ClaimStatus.PENDING).first()
    claim = found or Claim.objects.create(listing=listing, user=user, method=method, created_at=timezone.now())
    claim.method = method
    return claim


def _digest(claim: Claim, listing: Listing, code: str) -> str:
    """Return what is stored of a code. It counts for the address that it was sent to, which may be corrected meanwhile."""
    return salted_hmac("directory.claims", f"{claim.pk}:{listing.email}:{code}", algorithm="sha256").hexdigest()


def enter_code(*, claim: Claim, code: str) -> bool:
    """Give the listing to the account if the code is right; return False, and count the attempt, if it is not.

    Raises Invalid (`code`) once the code has expired, or after too many attempts; (`listing`) if somebody else owns the listing.
    """
    with transaction.atomic():
        listing, locked = _pending(claim)
        if locked is None or not locked.code_digest:
            raise NotFound
        is_over = locked.code_expires_at is None or locked.code_expires_at <= timezone.now()
        if is_over or locked.attempts >= MAX_CODE_ATTEMPTS:
            raise Invalid({"code": "This code can't be used any more. Ask for another one."})
        if listing.owner_id is not None:
            raise Invalid({"listing": OWNED})
        typed = typed_code(code).replace("-", "")
        is_right = constant_time_compare(locked.code_digest, _digest(locked, listing, typed))
        if is_right:
            _approve(locked, listing, user=None)
        else:
            locked.attempts += 1
            locked.save(update_fields=["attempts"])
    return is_right


@transaction.atomic
def approve_claim(*, claim: Claim, user: Any = None) -> bool:
    """Give the listing to the account; return False if the claim was decided. Raises Invalid (`listing`) if it has an owner."""
    listing, locked = _pending(claim)
    if locked is None:
        return False
    if listing.owner_id is not None:
        raise Invalid({"listing": OWNED})
    _approve(locked, listing, user=user)
    return True


@transaction.atomic
def reject_claim(*, claim: Claim, reason: str = "", user: Any = None) -> bool:
    """Reject a claim; return False if it was decided already."""
    listing, locked = _pending(claim)
    if locked is None:
        return False
    _decide(locked, ClaimStatus.REJECTED, reason)
    log(instance=listing, action="directory.reject_claim", user=user)
    notices.send_claim_decided(locked)
    return True


def _pending(claim: Claim) -> tuple[Listing, Claim | None]:
    """Return a claim and its listing, both locked; no claim if it was decided. Raises NotFound."""
    listing = lock_listing(claim.listing_id)
    locked = lock_row(Claim.objects.select_related("user").filter(pk=claim.pk))
    locked.listing = listing
    return listing, locked if locked.is_pending else None


def _approve(claim: Claim, listing: Listing, *, user: Any) -> None:
    now = timezone.now()
    listing.owner, listing.updated_at = claim.user, now
    listing.save(update_fields=["owner", "updated_at"])
    _decide(claim, ClaimStatus.APPROVED)
    log(instance=listing, action="directory.approve_claim", user=user or claim.user)
    others = Claim.objects.filter(listing=listing, status=ClaimStatus.PENDING)
    others.update(status=ClaimStatus.REJECTED, reason=OWNED, decided_at=now)
    notices.send_claim_decided(claim)
    end_changes_of_others(listing)
    close_purchases(listing)
    invalidate_listings()


def _decide(claim: Claim, status: ClaimStatus, reason: str = "") -> None:
    claim.status, claim.decided_at, claim.reason = status, timezone.now(), reason.strip()[:MAX_REASON]
    claim.code_digest = ""
    claim.save(update_fields=["status", "decided_at", "reason", "code_digest"])
