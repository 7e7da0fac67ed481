"""Demo listings of every status in several cities, with hours of every kind, plans, purchases, changes and claims.

Matched by slug, plans by name. No events are emitted and no emails sent. Owners are members of the demo, who may not be there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from wagtail.images import get_image_model

from cms_api.accounts.selectors import find_account
from cms_api.flags.selectors import site_timezone
from commerce.common.types.money import minor_units
from commerce.payments.services import store_payment
from commerce.payments.types import Method, ProviderName

from .models import Category, Claim, Listing, ListingChange, Plan, Purchase
from .services.categories import save_category, save_plan
from .services.changed import invalidate_listings
from .services.saving import save_listing
from .types.listings import ClaimMethod, ClaimStatus, ListingStatus
from .types.terms import PAYABLE, PlanKind, PurchaseStatus, extended

PUBLISHED, PENDING, ARCHIVED = ListingStatus
WEEKDAYS, ALL_WEEK = ("mon", "tue", "wed", "thu", "fri"), ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
#: Name, slug and description.
CATEGORIES = (
    ("Crafts", "crafts", "Potters, weavers, printers and woodworkers."),
    ("Food and drink", "food-and-drink", "Cafés, restaurants, bakeries and bars."),
    ("Places to stay", "places-to-stay", "Hotels, rooms and campsites."),
    ("Shops", "shops", "Independent shops."),
    ("Health", "health", "Practices, pharmacies and studios."),
    ("Culture", "culture", "Museums, stages and cinemas."),
)
#: Name, kind, months, price in units of the currency, and description.
YEAR, HALF, BESIDE = "One year", "Six months", "Featured for three months"
PLANS = (
    (YEAR, PlanKind.TERM, 12, 120, "Your listing is online for a year."),
    (HALF, PlanKind.TERM, 6, 70, "Your listing is online for half a year."),
    (BESIDE, PlanKind.FEATURED, 3, 45, "Your listing is shown before the others."),
)


@dataclass(frozen=True, slots=True)
class City:
    name: str
    state: str
    postal_code: str
    country: str
    latitude: float
    longitude: float
    timezone: str = "Europe/London"


HEBDEN = City("Hebden Bridge", "", "HX7 8AA", "GB", 53.7411, -2.0129)
HALIFAX = City("Halifax", "", "HX1 1RE", "GB", 53.7217, -1.8593)
LEEDS = City("Leeds", "", "LS1 4DY", "GB", 53.7997, -1.5492)
MANCHESTER = City("Manchester", "", "M1 1AE", "GB", 53.4794, -2.2453)
LISBON = City("Lisbon", "", "1100-148", "PT", 38.7139, -9.1394, "Europe/Lisbon")
BRATTLEBORO = City("Brattleboro", "VT", "05301", "US", 42.8509, -72.5579, "America/New_York")
SUVA = City("Suva", "", "", "FJ", -18.1416, 178.4419, "Pacific/Fiji")


def _days(days: tuple[str, ...], *hours: tuple[str, str]) -> dict[str, list[dict[str, str]]]:
    return {day: [{"open": opens, "close": closes} for opens, closes in hours] for day in days}


OFFICE = _days(WEEKDAYS, ("09:00", "17:00"))
LUNCH_BREAK = {**_days(WEEKDAYS, ("08:30", "12:30"), ("14:00", "18:00")), **_days(("sat",), ("09:00", "13:00"))}
AROUND_THE_CLOCK = _days(ALL_WEEK, ("00:00", "00:00"))
ACROSS_MIDNIGHT = {**_days(("wed", "thu", "sun"), ("17:00", "23:30")), **_days(("fri", "sat"), ("17:00", "02:00"))}
MEALS = _days(("tue", "wed", "thu", "fri", "sat", "sun"), ("08:00", "11:00"), ("12:00", "14:30"), ("18:00", "22:00"))
WEEKEND = _days(("sat", "sun"), ("10:00", "16:00"))


@dataclass(frozen=True, slots=True)
class Planned:
    """A listing of the demo; `term` is the number of days until its term ends, and None if it never does."""

    name: str
    description: str
    categories: tuple[str, ...]
    city: City
    street: str
    status: ListingStatus = PUBLISHED
    term: int | None = None
    featured: bool = False
    hours: Mapping[str, Any] | None = None
    has_special_days: bool = False
    #: The titles of images of the library, which may not be there: logo, cover and pictures.
    logo: str = ""
    cover: str = ""
    pictures: tuple[str, ...] = ()
    #: The number of a member of the demo.
    owner: int | None = None
    #: The plans that were bought.
    plans: tuple[str, ...] = ()


PLAN = (
    Planned(
        "Reyes Ceramics",
        "Stoneware for the table, thrown by hand and fired with gas.\n\nSeconds are sold on the first Saturday of the month.",
        ("crafts", "shops"),
        HEBDEN,
        "14 Canal Street",
        term=240,
        featured=True,
        hours=LUNCH_BREAK,
        has_special_days=True,
        logo="Tile wall",
        cover="Two shelves of pots",
        pictures=("Kiln glow", "Tool wall", "Studio wall"),
        owner=1,
        plans=(YEAR, BESIDE),
    ),
    Planned(
        "The Weir Café",
        "Breakfast, lunch and dinner beside the water.",
        ("food-and-drink",),
        HEBDEN,
        "2 Weir Lane",
        term=100,
        featured=True,
        hours=MEALS,
        has_special_days=True,
        cover="Weir garden",
        pictures=("River at dusk",),
        owner=2,
        plans=(HALF, BESIDE),
    ),
    Planned(
        "Night Chemist",
        "A pharmacy that never closes.",
        ("health", "shops"),
        LEEDS,
        "80 Boar Lane",
        featured=True,
        hours=AROUND_THE_CLOCK,
        logo="Brass and drums",
    ),
    Planned(
        "The Loom",
        "A bar in the old weaving shed, with music on Fridays.",
        ("food-and-drink", "culture"),
        MANCHESTER,
        "5 Weavers Row",
        term=12,
        hours=ACROSS_MIDNIGHT,
        has_special_days=True,
        logo="On the loom",
        cover="Stage lights",
        owner=3,
        plans=(HALF,),
    ),
    Planned(
        "Brandt Bookbinding",
        "Books bound, repaired and boxed.",
        ("crafts",),
        HALIFAX,
        "3 Piece Hall",
        term=2,
        hours=OFFICE,
        logo="Cut paper",
        owner=1,
        plans=(HALF,),
    ),
    Planned(
        "Turbine Hall",
        "Concerts, plays and films in a former power station.",
        ("culture",),
        LEEDS,
        "1 Turbine Square",
        hours=WEEKEND,
        has_special_days=True,
        cover="Turbine Hall",
        pictures=("Stage lights", "Voices"),
    ),
    Planned(
        "Casa do Rio",
        "Six rooms above the river. The reception is always open.",
        ("places-to-stay",),
        LISBON,
        "Rua do Rio 7",
        hours=AROUND_THE_CLOCK,
        cover="River at dusk",
    ),
    Planned(
        "Vermont Letterpress",
        "Cards and posters, printed one at a time.",
        ("crafts", "shops"),
        BRATTLEBORO,
        "22 Elliot Street",
        hours=OFFICE,
        logo="Two-colour print",
    ),
    Planned(
        "Coral Coast Divers",
        "Trips to the reef for beginners and old hands.",
        ("health",),
        SUVA,
        "9 Marine Drive",
        hours=LUNCH_BREAK,
        cover="Night walk",
    ),
    Planned(
        "Mill Instrument Repairs", "Guitars, violins and drums.", ("crafts",), HALIFAX, "12 Mill Yard", pictures=("Instruments",)
    ),
    Planned("Calder Yoga", "Classes for every age.", ("health",), HEBDEN, "8 Bridge Gate", PENDING, 0, hours=MEALS, owner=4),
    Planned(
        "Dye House Yarns",
        "Wool, dyed with plants.",
        ("shops", "crafts"),
        HALIFAX,
        "Dye House Yard",
        PENDING,
        0,
        hours=OFFICE,
        cover="Dye house yard",
        owner=2,
        plans=(YEAR,),
    ),
    Planned(
        "Moonlight Cinema", "Films under the sky.", ("culture",), MANCHESTER, "The Meadow", PENDING, 0, hours=WEEKEND, owner=5
    ),
    Planned("Nair Bakery", "Bread and cakes.", ("food-and-drink",), LEEDS, "40 Call Lane", PENDING, hours=LUNCH_BREAK),
    Planned("Old Mill Hostel", "Closed since the autumn.", ("places-to-stay",), HEBDEN, "The Mill", ARCHIVED, cover="The mill"),
    Planned("Hale Joinery", "Retired after forty years.", ("crafts",), HALIFAX, "6 Horton Street", ARCHIVED, 60, owner=3),
    Planned("Valley Records", "Moved to another town.", ("shops",), MANCHESTER, "19 Oldham Street", ARCHIVED, hours=OFFICE),
    Planned(
        "Saw-tooth Gallery",
        "Prints and paintings from the valley.",
        ("culture", "shops"),
        HEBDEN,
        "4 Roof Street",
        term=-9,
        hours=WEEKEND,
        cover="Saw-tooth roof",
        owner=1,
        plans=(HALF,),
    ),
    Planned(
        "Güneş Kitchen", "Supper clubs.", ("food-and-drink",), LEEDS, "77 Kirkgate", term=-40, hours=ACROSS_MIDNIGHT, owner=4
    ),
    Planned("Garden Rooms", "Two huts in an orchard.", ("places-to-stay",), HALIFAX, "Orchard Lane", term=-100),
)
#: What owners want to change, by the name of the listing.
CHANGES: Mapping[str, Mapping[str, Any]] = {
    "The Weir Café": {"name": "The Weir Café and Bakery"},
    "The Loom": {"street": "7 Weavers Row", "postal_code": "M1 2AB"},
    "Brandt Bookbinding": {"name": "Brandt & Daughter, Bookbinders", "latitude": 53.7219},
}
MESSAGE = "I run this place. You can reach me at the number of the listing, and my name is on the website."
#: Of members: the listing, the member, the status and the reason.
CLAIMS = (
    ("Turbine Hall", 5, ClaimStatus.PENDING, ""),
    ("Vermont Letterpress", 6, ClaimStatus.PENDING, ""),
    ("Casa do Rio", 4, ClaimStatus.PENDING, ""),
    ("Night Chemist", 3, ClaimStatus.REJECTED, "The pharmacy has told us that somebody else answers for it."),
)
#: Listings of further scales are this many degrees away from each other.
APART = 0.004


def load(scale: int, progress: Callable[[int], None]) -> None:
    """Create the records that are missing."""
    for position, (name, slug, description) in enumerate(CATEGORIES):
        if not Category.objects.filter(slug=slug).exists():
            save_category(values={"name": name, "slug": slug, "description": description, "position": position})
    for position, (name, kind, months, price, description) in enumerate(PLANS):
        if not Plan.objects.filter(name=name).exists():
            cents = minor_units(price, settings.SITE_CURRENCY)
            values = {"name": name, "kind": kind, "months": months, "price_cents": cents, "description": description}
            save_plan(values={**values, "position": position})
    slugs = [_slug(number) for number in range(len(PLAN) * scale)]
    known = set(Listing.objects.filter(slug__in=slugs).values_list("slug", flat=True))
    for number, slug in enumerate(slugs):
        if slug not in known:
            _make(number, slug, PLAN[number % len(PLAN)])
            progress(1)
    with transaction.atomic():
        invalidate_listings()


def _slug(number: int) -> str:
    place, round_number = number % len(PLAN), number // len(PLAN)
    return f"demo-listing-{place + 1}" + (f"-{round_number + 1}" if round_number else "")


def _member(number: int | None) -> Any:
    return find_account(f"member{number}@members.example") if number else None


def _picture(title: str) -> int | None:
    found = get_image_model().objects.filter(title=title).order_by("pk").first() if title else None
    return found.pk if found else None


@transaction.atomic
def _make(number: int, slug: str, planned: Planned) -> None:
    now, city, round_number = timezone.now(), planned.city, number // len(PLAN)
    owner = _member(planned.owner)
    place, shift = number % len(PLAN), number // len(PLAN) * APART
    values = {
        "name": planned.name + (f" {round_number + 1}" if round_number else ""),
        "slug": slug,
        "description": planned.description,
        "status": planned.status,
        "featured": planned.featured,
        "categories": list(Category.objects.filter(slug__in=planned.categories).values_list("pk", flat=True)),
        "street": planned.street,
        "city": city.name,
        "state": city.state,
        "postal_code": city.postal_code,
        "country": city.country,
        "latitude": city.latitude + place * 0.0007 - shift,
        "longitude": city.longitude + place * 0.0011 + shift,
        "phone": f"+44 1422 555 {100 + number % 900}",
        "email": f"hello@listing{number + 1}.example" if place % 4 != 3 else "",
        "website": f"https://listing{number + 1}.example" if place % 3 != 2 else "",
        "timezone": city.timezone,
        "hours": planned.hours,
        "special_hours": _special_days(now) if planned.has_special_days else [],
        "logo": _picture(planned.logo),
        "cover": _picture(planned.cover),
        "pictures": [pk for title in planned.pictures if (pk := _picture(title))],
        "owner": owner,
    }
    listing = save_listing(values=values)
    created = now - timedelta(days=20 + place * 17 % 200, hours=number % 9)
    if planned.status == PENDING:
        created = now - timedelta(days=place % 4, hours=2 + number % 9)
    listing.created_at = listing.updated_at = created
    listing.published_at = None if planned.status == PENDING else created + timedelta(hours=20)
    listing.expires_at = None if planned.term is None else now + timedelta(days=planned.term)
    if planned.status == PENDING and planned.term is not None:
        # Not paid for yet: its term ended when it was submitted.
        listing.expires_at = created
    if planned.status == PUBLISHED and planned.term is not None and planned.term < 0:
        # The owners have been told already.
        listing.ended_notice_at = now + timedelta(days=planned.term)
    if planned.term is not None and 0 < planned.term <= 14:
        listing.reminded_days = 14 if planned.term > 3 else 3
    listing.save()
    for name in planned.plans:
        _buy(listing, Plan.objects.filter(name=name).first(), owner, planned, number)
    if planned.name in CHANGES and owner:
        ListingChange.objects.create(
            listing=listing, user=owner, values=CHANGES[planned.name], created_at=now - timedelta(hours=30)
        )
    for name, member, status, reason in CLAIMS:
        if name == planned.name and (user := _member(member)):
            decided = None if status == ClaimStatus.PENDING else now - timedelta(days=3)
            state = {
                "status": status,
                "reason": reason,
                "decided_at": decided,
                "created_at": now - timedelta(days=5, hours=member),
            }
            Claim.objects.create(listing=listing, user=user, method=ClaimMethod.MANUAL, message=MESSAGE, **state)


def _special_days(now: datetime) -> list[dict[str, Any]]:
    """Return a day on which it is closed, and one with other hours."""
    today = now.astimezone(site_timezone()).date()
    return [
        {"date": today + timedelta(days=12), "hours": []},
        {"date": today + timedelta(days=19), "hours": [{"open": "10:00", "close": "14:00"}]},
    ]


def _buy(listing: Listing, plan: Plan | None, owner: Any, planned: Planned, number: int) -> None:
    """Store a paid purchase with its money; the period of a term ends when the listing's does."""
    if plan is None:
        return
    zone = site_timezone()
    if plan.kind == PlanKind.FEATURED:
        starts_at = timezone.now() - timedelta(days=11)
        ends_at = extended(None, plan.months, now=starts_at, zone=zone)
        listing.featured_until = ends_at
    elif planned.status == PENDING:
        # It begins with the publication.
        starts_at = listing.created_at + timedelta(minutes=12)
        ends_at = listing.expires_at = extended(None, plan.months, now=starts_at, zone=zone)
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
        amount_cents=plan.price_cents,
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
        amount=purchase.amount,
        method=Method.ONLINE,
        paid_at=starts_at,
        description=f"{plan.name}: {listing.name}",
        email=purchase.email,
        provider=ProviderName.OFFLINE,
    )
