"""Cost of lists and pages among few and many listings of the directory: `python -m benchmarks.directory`.

On SQLite or, with --postgresql or DATABASE_URL, on databases of its own there.
"""

import sys
from datetime import UTC, date, datetime, timedelta
from typing import Any

from .growth import CHANGED, OLDEST_DAYS, RENDERED, Growth, compare
from .visitors import arguments

#: How much more CPU a list may take among fifty times as many listings.
MAX_CPU_RATIO = 1.5
MANY_LISTINGS = 50_000
#: In each category there are enough featured listings for a page, also in the small set.
CATEGORIES, MEMBERS = 10, 50
#: Listings of a city: those near a place are as many in either set. A listing is in the same city in both.
CITY_LISTINGS = 50
BATCH_LISTINGS = 1_000
#: Statuses of 100 successive listings, and how many of them are featured, have a term, and are past its end.
STATUSES = ("published",) * 92 + ("pending",) * 3 + ("archived",) * 5
FEATURED_PERCENT, WITH_TERM_PERCENT, EXPIRED_PERCENT = 15, 60, 10
WORDS = ("Walnut", "Linen", "Copper", "Stone", "Willow", "Ash", "Slate", "Wool")
TRADES = ("Bakery", "Ceramics", "Books", "Garage", "Studio", "Clinic", "Kitchen", "Garden", "Press", "Tailors")
#: In as many listings of either set.
RARE = "Zephyr"
#: In every eighth listing, and in every listing.
FREQUENT, COMMON = "Stone", "year"
#: Those with hours are always open, whenever this is run.
HOURS = {day: [{"open": "00:00", "close": "00:00"}] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
#: The first city.
LATITUDE, LONGITUDE = 42.85, -72.56
NEAR = f"{LATITUDE},{LONGITUDE}"

LIST = "/api/v1/directory/listings"
CATEGORY = "/directory/category/category-5"
PAGES = {
    "": "/directory",
    "page 10": "/directory?page=10",
    "page 30": "/directory?page=30",
    "category": CATEGORY,
    "rare word": f"/directory?q={RARE}",
    "frequent word": f"/directory?q={FREQUENT}",
    "word of all": f"/directory?q={COMMON}",
    "frequent word, in a category": f"{CATEGORY}?q={FREQUENT}",
    "frequent word, near": f"/directory?q={FREQUENT}&near={NEAR}",
    "near": f"/directory?near={NEAR}&radius=25",
    "near a city": "/directory?near=City+0&radius=25",
    "near a postal code": "/directory?near=10000&radius=25",
    "near, in a category": f"{CATEGORY}?near={NEAR}&radius=25",
    "near, open now": f"/directory?near={NEAR}&open=1",
    "open now": "/directory?open=1",
    "open now, in a category": f"{CATEGORY}?open=1",
    "featured": "/directory?featured=1",
    "featured, in a category": f"{CATEGORY}?featured=1",
    "all filters": f"{CATEGORY}?q={COMMON}&near={NEAR}&open=1&featured=1",
}
#: Each is requested by its number of the page, and with a cursor.
LISTS = {
    "": "",
    **{f"status={status}": f"status={status}" for status in ("published", "live", "pending", "archived")},
    "category": "category=category-5",
    "category, live": "category=category-5&status=live",
    "category, featured": "category=category-5&featured=true",
    "category, sort=-created_at": "category=category-5&sort=-created_at",
    "featured": "featured=true",
    "not featured": "featured=false",
    "featured, live": "featured=true&status=live",
    "featured, sort=-updated_at": "featured=true&sort=-updated_at",
    "live, sort=-created_at": "status=live&sort=-created_at",
    "pending, sort=updated_at": "status=pending&sort=updated_at",
    "member_id": "member_id=1",
    "rare word": f"search={RARE}",
    "frequent word": f"search={FREQUENT}",
    "frequent word, live": f"search={FREQUENT}&status=live",
    "frequent word, category": f"search={FREQUENT}&category=category-5",
    "sort=-created_at": "sort=-created_at",
    "sort=updated_at": "sort=updated_at",
}
PATHS = {
    **{f"directory: {name or 'all'}, {RENDERED}": path for name, path in PAGES.items()},
    f"directory, {RENDERED} {CHANGED}": "/directory",
    f"directory: category, {RENDERED} {CHANGED}": CATEGORY,
    "directory, cached": "/directory",
    f"search of the site: word of all, {RENDERED}": f"/search?q={COMMON}",
    f"page of a listing, {RENDERED}": "/directory/listing-7",
    "page of a listing, cached": "/directory/listing-7",
    **{f"API: {name or 'all'}": f"{LIST}?{query}" for name, query in LISTS.items()},
    **{f"API: {name or 'all'}, cursor": f"{LIST}?{query}&cursor=" for name, query in LISTS.items()},
    f"API: all {CHANGED}": LIST,
    f"API: live {CHANGED}": f"{LIST}?status=live",
    f"API: category {CHANGED}": f"{LIST}?category=category-5",
    "API: one listing": f"{LIST}/listing-7",
    "admin: listings": "/admin/listings/",
}


def main() -> int:
    options = arguments("python -m benchmarks.directory", __doc__, "lists", "places")
    if "--many" not in " ".join(sys.argv):
        options.many = MANY_LISTINGS
    site = ("directory",), "directory:read"
    missed = False
    if "places" in options.case:
        functions = {"listings near a place": near, "listings in a map's view": in_view, "place of a city": city}
        missed |= compare(Growth("listings", fill, *site, {}, MAX_CPU_RATIO, functions), options)
    if "lists" in options.case:
        missed |= compare(Growth("listings", fill, *site, PATHS, MAX_CPU_RATIO), options)
    return 1 if missed else 0


def near() -> list[Any]:
    """Return the first page of the listings near the first city."""
    from commerce.common.types.places import Place
    from commerce.directory.selectors.listings import ListingFilter, with_details

    found = ListingFilter(near=Place(LATITUDE, LONGITUDE), radius_km=25).queryset()
    return list(with_details(found)[:24])


def in_view() -> list[Any]:
    """Return the listings that a map of the first city shows."""
    from commerce.common.types.places import box_between
    from commerce.directory.selectors.listings import ListingFilter

    box = box_between(LATITUDE - 0.2, LONGITUDE - 0.2, LATITUDE + 0.2, LONGITUDE + 0.2)
    return list(ListingFilter(box=box).queryset()[:100])


def city() -> Any:
    """Return the middle of the first city."""
    from commerce.directory.selectors.listings import find_place

    return find_place("city 0")


def fill(total: int) -> None:
    """Create listings in bulk, with their categories and search entries."""
    from django.contrib.auth import get_user_model
    from django.db import transaction
    from django.utils import timezone
    from wagtail.search.backends import get_search_backend

    from commerce.directory.models import Listing
    from commerce.directory.services.categories import save_category

    now = timezone.now()
    categories = [save_category(values={"name": f"Category {number}"}).pk for number in range(CATEGORIES)]
    users: Any = get_user_model().objects
    owners = [user.pk for user in users.bulk_create(users.model(username=f"owner-{number}") for number in range(MEMBERS))]
    # As many in either set, spread over all of it.
    owned, rare = max(1, total // 500), max(1, total // 20)
    through = Listing.categories.through
    for start in range(0, total, BATCH_LISTINGS):
        numbers = range(start, min(start + BATCH_LISTINGS, total))
        rows = [
            a_listing(number, owners[number // owned % MEMBERS] if number % owned == 0 else None, number % rare == 0, now)
            for number in numbers
        ]
        with transaction.atomic():
            made = Listing.objects.bulk_create(rows)
            through.objects.bulk_create(
                through(listing_id=row.pk, category_id=categories[place % CATEGORIES])
                for number, row in zip(numbers, made, strict=True)
                for place in (number, number * 7 + 1)
                if place == number or place % CATEGORIES != number % CATEGORIES
            )
            ids = [row.pk for row in made]
            get_search_backend().add_bulk(Listing, list(Listing.objects.filter(pk__in=ids).prefetch_related("categories")))


def a_listing(number: int, owner: int | None, is_rare: bool, now: datetime) -> Any:
    """Return an unsaved listing, as `save_listing` would store it."""
    from cms_api.text.search import fold
    from commerce.directory.models import Listing
    from commerce.directory.services.changed import set_opening
    from commerce.directory.types.listings import sort_key

    mixed = (number * 37 + number // 100) % 100
    name = f"{WORDS[number * 7 % len(WORDS)]} {TRADES[number * 3 % len(TRADES)]}{f' {RARE}' if is_rare else ''} {number}"
    is_featured, town = mixed < FEATURED_PERCENT, number // CITY_LISTINGS
    row = Listing(
        name=name,
        slug=f"listing-{number}",
        description="Open all year. " * 10,
        status="published" if number == 7 else STATUSES[(mixed + 13) % 100],
        featured=is_featured,
        expires_at=end_of_term(number, mixed, now),
        street=f"{1 + number % 90} Canal Street",
        city=f"City {town}",
        postal_code=f"{10_000 + town}",
        country="US",
        city_key=fold(f"City {town}"),
        **coordinates(number, town),
        phone="+1 802 555 0142",
        email="hello@example.com",
        website="https://example.com",
        timezone="America/New_York",
        hours=HOURS if number % 3 else None,
        owner_id=owner,
        published_at=now,
        sort_key=sort_key(name, featured=is_featured),
        created_at=now - timedelta(minutes=number * 7919 % (OLDEST_DAYS * 24 * 60)),
        updated_at=now - timedelta(minutes=number * 104_729 % (OLDEST_DAYS * 24 * 60)),
    )
    set_opening(row, now)
    return row


def end_of_term(number: int, mixed: int, now: datetime) -> datetime | None:
    """Return the end of a listing's term, which some have, and which is over for some of them."""
    if mixed >= WITH_TERM_PERCENT or number == 7:
        return None
    today = datetime.combine(date(now.year, now.month, now.day), now.time(), UTC)
    return today + timedelta(days=-30 if FEATURED_PERCENT <= mixed < FEATURED_PERCENT + EXPIRED_PERCENT else 10 + number % 350)


def coordinates(number: int, town: int) -> dict[str, float]:
    """Return the place of a listing: near the middle of its city; the cities are far from each other."""
    south, west = divmod(town, 60)
    step = number % CITY_LISTINGS / CITY_LISTINGS / 10
    return {
        "latitude": LATITUDE - south * 2 % 120 + step - 0.05,
        "longitude": (LONGITUDE + west * 5 + 180) % 360 - 180 + (step * 7 % 0.1) - 0.05,
    }


if __name__ == "__main__":
    sys.exit(main())
