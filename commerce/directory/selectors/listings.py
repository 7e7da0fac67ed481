"""Reads of listings and their categories."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Avg, Count, Exists, F, FloatField, Min, OuterRef, Prefetch, Q, QuerySet, Value
from django.db.models.functions import ASin, Cos, Least, Power, Radians, Sin, Sqrt
from django.urls import reverse
from django.utils import timezone

from cms_api.core.counting import CountOf, count_by
from cms_api.http.found import remember
from cms_api.text.search import fold, matching
from commerce.common.selectors import find_with_slug
from commerce.common.types.places import RADIUS_KM, Box, Place, box_around
from commerce.common.types.postal_codes import spellings

from ..models import Category, Listing, ListingChange, ListingPicture, Purchase
from ..types.listings import ALL, LIVE, VERSION, ChangeStatus, ListingStatus
from ..types.terms import PlanKind, PurchaseStatus

#: Listings of a category that are counted for the list of categories.
MAX_CATEGORY_LISTINGS = 250

_COORDINATES = re.compile(r"\s*(-?\d{1,2}(?:\.\d{1,12})?)\s*,\s*(-?\d{1,3}(?:\.\d{1,12})?)\s*")


def live(now: datetime | None = None) -> Q:
    """Return the condition that visitors see a listing: published, and its term has not ended."""
    return Q(status=ListingStatus.PUBLISHED) & (Q(expires_at__isnull=True) | Q(expires_at__gt=now or timezone.now()))


def listings(
    *,
    status: str | None = None,
    category: str | None = None,
    featured: bool | None = None,
    member_id: int | None = None,
    are_few: bool = False,
) -> QuerySet[Listing]:
    """Return listings; `status` may also be `live` or `all`, `category` is a slug, and `member_id` the id of an account.

    See `in_category` for `are_few`.
    """
    found = Listing.objects.all()
    if status == LIVE:
        found = found.filter(live())
    elif status not in {None, ALL}:
        found = found.filter(status=status)
    if category is not None:
        found = found.filter(in_category(category, are_few=are_few))
    if featured is not None:
        # As a comparison: SQLite uses no index for `NOT featured`.
        found = found.filter(featured__in=[featured])
    return found if member_id is None else found.filter(owner=member_id)


def count_listings(
    *, status: str | None = None, category: str | None = None, featured: bool | None = None, member_id: int | None = None
) -> int:
    """Return the number of rows of `listings`, from an index wherever one knows it (one statement)."""
    is_any = featured is None and member_id is None
    if category is not None and status in {None, ALL} and is_any:
        return _members(category).count()
    if category is None and status == LIVE and is_any:
        others = Listing.objects.filter(status__in=[each for each in ListingStatus if each != ListingStatus.PUBLISHED])
        ended = Listing.objects.filter(status=ListingStatus.PUBLISHED, expires_at__lte=timezone.now())
        return count_by("{all} - {others} - {ended}", all=Listing.objects.all(), others=others, ended=ended)
    return listings(status=status, category=category, featured=featured, member_id=member_id, are_few=True).count()


def in_category(slug: str, *, are_few: bool = False) -> Q:
    """Return the condition that a listing is in a category; none is in an unknown one.

    The first rows of many in sort order are found by checking each; few rows, or their number, from those of the category.
    """
    members = _members(slug)
    return Q(pk__in=members.values("listing")) if are_few else Q(Exists(members.filter(listing=OuterRef("pk"))))


def _all_members() -> QuerySet[Any]:
    """Return a row for each category of each listing."""
    return Listing.categories.through.objects.all()


def _members(slug: str) -> QuerySet[Any]:
    """Return a row for each listing of a category, which the database looks up once."""
    return _all_members().filter(category=Category.objects.filter(slug=slug).values("pk")[:1])


def with_details(found: QuerySet[Listing]) -> QuerySet[Listing]:
    """Return the listings with their images and categories (one statement more, however many there are)."""
    return found.select_related("logo__mediaimage", "cover__mediaimage").prefetch_related("categories")


def with_pictures(found: QuerySet[Listing]) -> QuerySet[Listing]:
    pictures = ListingPicture.objects.select_related("media__mediaimage")
    return with_details(found).prefetch_related(Prefetch("pictures", pictures))


@dataclass(frozen=True)
class ListingFilter:
    """The filters of the public list."""

    search: str = ""
    #: The slug of a category.
    category: str = ""
    is_open: bool = False
    is_featured: bool = False
    #: A place, and how far away listings may be.
    near: Place | None = None
    radius_km: float = 25
    #: The view of a map.
    box: Box | None = None

    def queryset(self) -> QuerySet[Listing]:
        """Return live listings, featured ones first; those near a place by their `distance` in km, nearest first."""
        found = self.without_words()
        return matching(found, self.search) if self.search else found

    def without_words(self, *, are_few: bool = False) -> QuerySet[Listing]:
        """Return the same, whatever words the listings have. See `in_category` for `are_few`."""
        now = timezone.now()
        found = Listing.objects.filter(live(now))
        if self.category:
            # Those in a place are few enough to check each.
            is_in_place = self.near is not None or self.box is not None
            found = found.filter(in_category(self.category, are_few=are_few and not is_in_place))
        if self.is_open:
            found = found.filter(opens_at__lte=now, closes_at__gt=now)
        if self.is_featured:
            found = found.filter(featured=True)
        if self.box is not None:
            found = found.filter(inside(self.box))
        if self.near is None:
            return found.order_by("sort_key", "id")
        near = found.filter(inside(box_around(self.near, self.radius_km))).annotate(distance=distance_from(self.near))
        return near.filter(distance__lte=self.radius_km).order_by("distance", "id")


def inside(box: Box) -> Q:
    """Return the condition that a listing is in a box, for the index on coordinates."""
    across = Q()
    for west, east in box.longitudes:
        across |= Q(longitude__gte=west, longitude__lte=east)
    return Q(latitude__gte=box.south, latitude__lte=box.north) & across


def distance_from(place: Place) -> Any:
    """Return `commerce.common.types.places.distance_km` as an expression."""
    north, here = Radians(Value(place.latitude)), Radians(F("latitude"))
    across = Radians(F("longitude") - Value(place.longitude))
    square = Power(Sin((here - north) / 2.0), 2) + Cos(north) * Cos(here) * Power(Sin(across / 2.0), 2)
    one = Value(1.0, output_field=FloatField())
    return Value(2 * RADIUS_KM) * ASin(Least(one, Sqrt(square)), output_field=FloatField())


def find_place(text: str) -> Place | None:
    """Return the place that a visitor typed: coordinates such as `42.85, -72.56`, or a city or postal code of live listings.

    That of a city is the middle of its listings, so that no other service learns what people look for.
    """
    if typed := _COORDINATES.fullmatch(text):
        place = Place(float(typed[1]), float(typed[2]))
        return place if place.is_valid else None
    known = Listing.objects.filter(live(), latitude__isnull=False).order_by()
    words = text.strip() if text.isprintable() else ""
    city = fold(words)
    if not city:
        return None
    for condition in (Q(postal_code__in=spellings(words)), Q(city_key=city)):
        # Across the antimeridian the middle of a city would be wrong; no city lies there.
        middle = known.filter(condition).aggregate(latitude=Avg("latitude"), longitude=Avg("longitude"))
        if middle["latitude"] is not None:
            return Place(middle["latitude"], middle["longitude"])
    return None


def find_listing(reference: str) -> Listing | None:
    """Return a listing of any status, with details, by its id or its slug, which is never a number."""
    found: Listing | None = find_with_slug(with_details(Listing.objects.order_by()), reference)
    return found


def public_listing(slug: str) -> Listing | None:
    """Return a published listing, with pictures; its term may have ended."""
    return with_pictures(Listing.objects.order_by()).filter(slug=slug, status=ListingStatus.PUBLISHED).first()


def live_listings() -> QuerySet[Listing]:
    return Listing.objects.filter(live())


def listings_of(user: Any) -> QuerySet[Listing]:
    """Return the listings that an account owns, and how they stand."""
    return with_changes(Listing.objects.filter(owner=user.pk))


def with_changes(found: QuerySet[Listing]) -> QuerySet[Listing]:
    """Return the listings with `has_change` (one awaits moderation) and `was_paid` (a term was paid once)."""
    pending = ListingChange.objects.filter(listing=OuterRef("pk"), status=ChangeStatus.PENDING)
    paid = Purchase.objects.filter(listing=OuterRef("pk"), kind=PlanKind.TERM, status=PurchaseStatus.PAID)
    return found.annotate(has_change=Exists(pending), was_paid=Exists(paid))


def owned_listing(user: Any, pk: int) -> Listing | None:
    return with_changes(with_pictures(Listing.objects.filter(owner=user.pk, pk=pk))).first()


def shown_categories() -> Sequence[Category]:
    """Return the categories that have live listings, each with their number as `live_count`, at most MAX_CATEGORY_LISTINGS + 1.

    Counted once until one changes (one statement).
    """
    return remember(VERSION, "categories", _live_categories, until=partial(next_expiry, timezone.now()))


def _live_categories() -> list[Category]:
    now = timezone.now()
    lasting = Q(listing__expires_at__isnull=True) | Q(listing__expires_at__gt=now)
    members = _all_members().filter(lasting, listing__status=ListingStatus.PUBLISHED, category=OuterRef("pk"))
    counted = Category.objects.annotate(live_count=CountOf(members, MAX_CATEGORY_LISTINGS + 1))
    return [each for each in counted if each.live_count]


def counted_categories(found: QuerySet[Listing]) -> list[Category]:
    """Return the categories of some listings, each with the number of these as `live_count` (two statements)."""
    members = _all_members().filter(listing__in=found.order_by().values("pk")).order_by()
    counts = dict(members.values_list("category").annotate(number=Count("pk")))
    categories = list(Category.objects.filter(pk__in=counts))
    for category in categories:
        category.live_count = counts[category.pk]  # type: ignore[attr-defined]
    return categories


def next_expiry(now: datetime) -> datetime | None:
    """Return when the next term of a listing ends."""
    found: datetime | None = Listing.objects.filter(expires_at__gt=now).aggregate(next=Min("expires_at"))["next"]
    return found


def newest_listings() -> QuerySet[Listing]:
    return live_listings().order_by("-created_at", "-id")


def find_category(slug: str) -> Category | None:
    return Category.objects.filter(slug=slug).first()


def admin_url(pk: int) -> str:
    """Return the path of a listing's page in the admin."""
    return reverse("listings:inspect", args=[pk])
