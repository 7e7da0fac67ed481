"""Emails about listings, and entries in the timelines of contacts."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from cms_api.accounts.selectors import confirmed_address
from cms_api.core.module import Block
from cms_api.flags.selectors import site_formats
from cms_api.mail.services import queue, queue_to_business
from cms_api.mail.types import Visitor
from commerce.common.selectors import format_money
from commerce.crm.services import record_customer
from commerce.crm.types import ActivityKind, NewActivity

from ..models import Claim, Listing, ListingChange, Purchase
from ..selectors.listings import admin_url
from ..types.listings import ChangeStatus, ClaimStatus
from ..types.terms import PlanKind

SOURCE = "directory"


def account_url(listing: Listing) -> str:
    """Return the address of the page on which the owner edits a listing."""
    return settings.BASE_URL + reverse("directory_account_listing", args=[listing.pk])


def public_url(listing: Listing) -> str:
    return settings.BASE_URL + reverse("directory_listing", args=[listing.slug])


def request_moderation(listing: Listing, reason: str) -> None:
    """Tell the business that it has to decide about a listing."""
    url = settings.BASE_URL + admin_url(listing.pk)
    link = Block(f"Look at the listing: {url}", f'<a href="{url}">Look at the listing</a>')
    queue_to_business(
        template="listing_moderation",
        context={"listing": listing.name, "reason": reason, "link": link},
    )


def send_published(listing: Listing) -> bool:
    """Tell the owner that a listing is online or, if its term must be paid first, that it is approved."""
    if listing.is_expired(timezone.now()):
        return _send_to_owner("listing_approved", listing, {"url": account_url(listing)})
    return _send_to_owner("listing_published", listing, {"url": public_url(listing)})


def send_declined(listing: Listing, reason: str) -> bool:
    """Tell the owner that a submission was not published."""
    return _send_to_owner("listing_declined", listing, {"reason": reason})


def send_change_decided(change: ListingChange) -> bool:
    outcome = "were published" if change.status == ChangeStatus.APPROVED else "were not published"
    more = {"outcome": outcome, "reason": change.reason, "url": public_url(change.listing)}
    return _send_to_owner("listing_change_decided", change.listing, more)


def send_claim_code(listing: Listing, code: str) -> None:
    """Send the code of a claim to the address that the listing has."""
    queue(template="listing_claim_code", to=[listing.email], context={"listing": listing.name, "code": code})


def send_claim_decided(claim: Claim) -> None:
    address = confirmed_address(claim.user)
    if not address:
        return
    is_approved = claim.status == ClaimStatus.APPROVED
    context = {
        "name": claim.user.first_name or "there",
        "listing": claim.listing.name,
        "outcome": "The listing is yours now." if is_approved else "We could not confirm that the listing is yours.",
        "reason": claim.reason,
        "url": account_url(claim.listing) if is_approved else public_url(claim.listing),
    }
    queue(template="listing_claim_decided", to=[address], context=context)


def send_ending(listing: Listing) -> bool:
    """Remind the owner to renew the term; return whether there is somebody to remind."""
    return _send_to_owner("listing_ending", listing, {"until": _day(listing.expires_at), "url": account_url(listing)})


def send_ended(listing: Listing) -> bool:
    return _send_to_owner("listing_ended", listing, {"url": account_url(listing)})


def send_paid(purchase: Purchase) -> None:
    """Confirm a payment to the buyer."""
    listing: Any = purchase.listing
    is_term = purchase.kind == PlanKind.TERM
    until = f"The listing is {'online' if is_term else 'featured'} until {_day(purchase.ends_at)}."
    if listing.published_at is None:
        until = "The time you paid for begins when we publish your listing."
    context = {
        "name": (purchase.buyer.first_name if purchase.buyer else "") or "there",
        "listing": listing.name,
        "plan": purchase.plan_name,
        "amount": format_money(purchase.total),
        "until": until,
        "url": account_url(listing),
    }
    queue(template="listing_paid", to=[purchase.email], context=context)


def record_paid(purchase: Purchase) -> None:
    """Create or fill in the buyer's contact while the CRM is on, and record the purchase in its timeline."""
    listing: Any = purchase.listing
    name = purchase.buyer.get_full_name() if purchase.buyer else ""
    summary = f"Paid {format_money(purchase.total)} for the listing {listing.name}"
    activity = NewActivity(ActivityKind.ORDER, summary, reference=f"listing_purchase:{purchase.pk}", link=admin_url(listing.pk))
    record_customer(email=purchase.email, name=name, source=SOURCE, activity=activity)


def forward_message(listing: Listing, *, name: str, email: str, message: str) -> None:
    """Send a visitor's message to the address of a listing, to be answered to the visitor.

    Unless its owner has confirmed that address, it may be anybody's, who never agreed to get messages.
    """
    context = {"listing": listing.name, "name": name, "email": email, "message": message, "url": public_url(listing)}
    owner = Visitor(listing.owner)
    queue(template="listing_message", to=[listing.email], context=context, reply_to=email, entered_by=owner)


def _send_to_owner(template: str, listing: Listing, more: Mapping[str, Any]) -> bool:
    """Write to the owner's confirmed address; return whether there is one."""
    address = confirmed_address(listing.owner) if listing.owner else ""
    if not address:
        return False
    name = listing.owner.first_name or "there"  # type: ignore[union-attr]
    queue(template=template, to=[address], context={"name": name, "listing": listing.name, **more})
    return True


def _day(moment: Any) -> str:
    return str(site_formats().date(moment))
