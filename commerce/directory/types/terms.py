"""Paid terms and featured placement: kinds, statuses and periods. No database access."""

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.relativedelta import relativedelta
from django.db.models import TextChoices

from .listings import ListingStatus

#: The name of the payable, as payments store it.
PAYABLE = "listing_purchase"

MAX_PLAN_NAME = 100
MAX_PLAN_DESCRIPTION = 500
MAX_MONTHS = 60


class PlanKind(TextChoices):
    """The purpose of a purchase: how long a listing is shown, or how long it is shown before the others."""

    TERM = "term", "Term"
    FEATURED = "featured", "Featured placement"


#: The column of a listing that a kind of purchase extends.
COLUMNS = {PlanKind.TERM: "expires_at", PlanKind.FEATURED: "featured_until"}


#: Why nothing is sold for a listing.
DELETED = "This listing has been deleted."
ARCHIVED = "This listing is archived. Write to us to have it listed again."
NOT_OWNED = "This listing no longer belongs to the account that began to pay for it."
#: The same for one that never ends, or is featured without an end: a purchase would limit that to a period.
ENDLESS = {
    PlanKind.TERM: "This listing never ends already: no term has to be paid.",
    PlanKind.FEATURED: "This listing is featured without an end already: no placement has to be paid.",
}


class PurchaseStatus(TextChoices):
    PENDING = "pending", "Pending"
    PAID = "paid", "Paid"
    CANCELLED = "cancelled", "Cancelled"
    REFUNDED = "refunded", "Refunded"


def extend(until: datetime | None, months: int, *, now: datetime, zone: ZoneInfo, day: int | None = None) -> datetime:
    """Return the end of a period that is extended: from its end, or from now if that has passed.

    Months are those of the calendar in the site's zone, so that a year that begins on 29 February ends on the 28th. `day` is the
    day of the month of the first of several periods in a row: after 31 January and 28 February comes 31 March.
    """
    start = max(now, until) if until else now
    local = start.astimezone(zone).replace(tzinfo=None) + relativedelta(months=months, day=day)
    return local.replace(tzinfo=zone).astimezone(UTC)


def is_endless(listing: Any, kind: str) -> bool:
    """Return whether a listing has without an end what a plan of a kind is for."""
    is_featured = kind == PlanKind.FEATURED
    return getattr(listing, COLUMNS[PlanKind(kind)]) is None and (listing.featured or not is_featured)


def sale_refusal(listing: Any, kind: str, buyer_id: int | None) -> str:
    """Return why an account cannot pay for a plan of a kind for a listing, None once it is deleted; empty if it can."""
    if listing is None:
        return DELETED
    if listing.status == ListingStatus.ARCHIVED:
        return ARCHIVED
    if buyer_id is None or listing.owner_id != buyer_id:
        return NOT_OWNED
    return ENDLESS[PlanKind(kind)] if is_endless(listing, kind) else ""


def days_left(until: datetime, today: date, zone: ZoneInfo) -> int:
    """Return the days until a period ends, by the calendar: 0 on the day of the end."""
    return (until.astimezone(zone).date() - today).days
