"""Demo listings of every status in several cities, with hours of every kind, plans, purchases, changes and claims.

Matched by slug, plans by name. No events are emitted and no emails sent. Owners are members of the demo, who may not be there.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from wagtail.images import get_image_model

from cms_api.accounts.selectors import find_account
from cms_api.core.demo import data_beside, missing, pick
from cms_api.flags.selectors import site_timezone
from commerce.common.services.slugs import derive_slug
from commerce.payments.services import store_payment
from commerce.payments.types import Method, ProviderName

from .models import Category, Claim, Listing, ListingChange, Plan, Purchase
from .services.categories import save_category, save_plan
from .services.changed import invalidate_listings
from .services.saving import save_listing
from .types.listings import ClaimMethod, ClaimStatus, ListingStatus
from .types.terms import PAYABLE, PlanKind, PurchaseStatus, extend

DATA = data_beside(__file__)
PUBLISHED, PENDING, _ = ListingStatus
#: Listings of further scales are this many degrees away from each other.
DEGREES_APART = 0.004


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    for position, row in missing(DATA["categories"], Category.objects, "slug"):
        save_category(values={**row, "position": position})
    for position, row in missing(DATA["plans"], Plan.objects, "name"):
        save_plan(values={**row, "position": position})
    slugs = [_slug(number) for number in range(len(DATA["listings"]) * scale)]
    known = set(Listing.objects.filter(slug__in=slugs).values_list("slug", flat=True))
    for number, slug in enumerate(slugs):
        if slug not in known:
            _make(number, slug, {"status": PUBLISHED, **pick(DATA["listings"], number)})
            progress(1)
    with transaction.atomic():
        invalidate_listings()


def _slug(number: int) -> str:
    return derive_slug(_name(number), "listing")


def _name(number: int) -> str:
    round_number, place = divmod(number, len(DATA["listings"]))
    return str(DATA["listings"][place]["name"]) + (f" {round_number + 1}" if round_number else "")


def _member(number: int | None) -> Any:
    return find_account(f"member{number}@members.example") if number else None


def _picture(title: str) -> int | None:
    found = get_image_model().objects.filter(title=title).order_by("pk").first() if title else None
    return found.pk if found else None


@transaction.atomic
def _make(number: int, slug: str, row: Mapping[str, Any]) -> None:
    now, city, owner = timezone.now(), DATA["cities"][row["city"]], _member(row.get("owner"))
    status, term = row["status"], row.get("term_days")
    round_number, place = divmod(number, len(DATA["listings"]))
    shift = round_number * DEGREES_APART
    values = {
        **row,
        **city,
        "name": _name(number),
        "slug": slug,
        "categories": list(Category.objects.filter(slug__in=row["categories"]).values_list("pk", flat=True)),
        "latitude": city["latitude"] + place * 0.0007 - shift,
        "longitude": city["longitude"] + place * 0.0011 + shift,
        "phone": f"+44 1422 555 {100 + number % 900}",
        "email": f"hello@listing{number + 1}.example" if place % 4 != 3 else "",
        "website": f"https://listing{number + 1}.example" if place % 3 != 2 else "",
        "hours": DATA["hours"][row["hours"]] if "hours" in row else None,
        "special_hours": _special_days(now) if row.get("has_special_days") else [],
        "logo": _picture(row.get("logo", "")),
        "cover": _picture(row.get("cover", "")),
        "pictures": [pk for title in row.get("pictures", ()) if (pk := _picture(title))],
        "owner": owner,
    }
    listing = save_listing(values=values)
    created = now - timedelta(days=20 + place * 17 % 200, hours=number % 9)
    if status == PENDING:
        created = now - timedelta(days=place % 4, hours=2 + number % 9)
    listing.created_at = listing.updated_at = created
    listing.published_at = None if status == PENDING else created + timedelta(hours=20)
    listing.expires_at = None if term is None else now + timedelta(days=term)
    if status == PENDING and term is not None:
        # Not paid for yet: its term ended when it was submitted.
        listing.expires_at = created
    if status == PUBLISHED and term is not None and term < 0:
        # The owners have been notified already.
        listing.ended_notice_at = now + timedelta(days=term)
    if term is not None and 0 < term <= 14:
        listing.reminded_days = 14 if term > 3 else 3
    listing.save()
    for name in row.get("plans", ()):
        _buy(listing, Plan.objects.filter(name=name).first(), owner, number)
    if "change" in row and owner:
        ListingChange.objects.create(listing=listing, user=owner, values=row["change"], created_at=now - timedelta(hours=30))
    for claim in row.get("claims", ()):
        if user := _member(claim["member"]):
            _claim(listing, user, **claim)


def _claim(listing: Listing, user: Any, *, member: int, status: str, reason: str = "") -> None:
    now = timezone.now()
    Claim.objects.create(
        listing=listing,
        user=user,
        method=ClaimMethod.MANUAL,
        message=DATA["claim_message"],
        status=status,
        reason=reason,
        decided_at=None if status == ClaimStatus.PENDING else now - timedelta(days=3),
        created_at=now - timedelta(days=5, hours=member),
    )


def _special_days(now: datetime) -> list[dict[str, Any]]:
    today = now.astimezone(site_timezone()).date()
    return [{"date": today + timedelta(days=row["days"]), "hours": row["hours"]} for row in DATA["special_hours"]]


def _buy(listing: Listing, plan: Plan | None, owner: Any, number: int) -> None:
    """Store a paid purchase with its money; the period of a term ends when the listing's does."""
    if plan is None:
        return
    zone = site_timezone()
    if plan.kind == PlanKind.FEATURED:
        starts_at = timezone.now() - timedelta(days=11)
        ends_at = extend(None, plan.months, now=starts_at, zone=zone)
        listing.featured_until = ends_at
    elif listing.status == PENDING:
        # It begins with the publication.
        starts_at = listing.created_at + timedelta(minutes=12)
        ends_at = listing.expires_at = extend(None, plan.months, now=starts_at, zone=zone)
    else:
        ends_at = listing.expires_at or timezone.now()
        starts_at = ends_at - timedelta(days=plan.months * 30)
        listing.created_at = listing.updated_at = min(listing.created_at, starts_at - timedelta(hours=2))
        listing.published_at = starts_at
    listing.save()
    purchase = Purchase.objects.create(
        listing=listing,
        listing_name=listing.name,
        plan=plan,
        plan_name=plan.name,
        kind=plan.kind,
        months=plan.months,
        total_cents=plan.price_cents,
        currency=plan.currency,
        status=PurchaseStatus.PAID,
        buyer=owner,
        email=owner.email if owner else f"owner{number + 1}@listings.example",
        starts_at=starts_at,
        ends_at=ends_at,
        paid_at=starts_at,
        created_at=starts_at - timedelta(minutes=9),
        updated_at=starts_at,
    )
    store_payment(
        payable=PAYABLE,
        record_id=purchase.pk,
        amount=purchase.total,
        method=Method.ONLINE,
        paid_at=starts_at,
        description=f"{plan.name}: {listing.name}",
        email=purchase.email,
        provider=ProviderName.OFFLINE,
    )
