"""Categories, listings and their pictures."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import Q

from cms_api.text.indexed import IndexedText
from cms_api.text.search import fold, unique_words
from commerce.common.models import Address, CategoryBase
from commerce.common.types import MAX_EMAIL, MAX_PHONE, MAX_SLUG
from commerce.common.types.hours import Schedule
from commerce.common.types.places import Place

from ..types.hours import schedule
from ..types.listings import MAX_DESCRIPTION, MAX_NAME, MAX_SORT_CHARACTERS, MAX_URL, ListingStatus, sort_key


class Category(CategoryBase):
    """A category of listings."""


class Listing(IndexedText, Address):
    """A business, a place or an organisation in the directory."""

    name = models.CharField(max_length=MAX_NAME)
    slug = models.SlugField(max_length=MAX_SLUG, unique=True)
    description = models.TextField(max_length=MAX_DESCRIPTION, blank=True, default="")
    status = models.CharField(max_length=10, choices=ListingStatus.choices, default=ListingStatus.PENDING)
    featured = models.BooleanField(default=False)
    #: End of the featured placement; null if it has none.
    featured_until = models.DateTimeField(null=True, blank=True)
    #: End of the term; null if it has none. The status stays `published` after it.
    expires_at = models.DateTimeField(null=True, blank=True)
    categories = models.ManyToManyField(Category, blank=True, related_name="listings")
    logo = models.ForeignKey("media.Media", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    cover = models.ForeignKey("media.Media", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    #: By which a place is found; folded: without accents and capitals.
    city_key = models.CharField(max_length=MAX_NAME, blank=True, default="", editable=False)
    latitude = models.FloatField(null=True, blank=True)
    longitude = models.FloatField(null=True, blank=True)
    phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    #: Not shown on pages: visitors write to it with a form.
    email = models.EmailField(max_length=MAX_EMAIL, blank=True, default="")
    website = models.CharField(max_length=MAX_URL, blank=True, default="")
    #: The name of the zone of its hours.
    timezone = models.CharField("time zone", max_length=64)
    #: See `types.hours`; null if they are unknown.
    hours = models.JSONField(null=True, blank=True)
    special_hours = models.JSONField(default=list, blank=True)
    #: The current or the next opening: it is open from `opens_at` until `closes_at`. A job moves on to the next one.
    opens_at = models.DateTimeField(null=True, editable=False)
    closes_at = models.DateTimeField(null=True, editable=False)
    #: The site account that may edit it.
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    #: The days before the end of the term on which the owner was last reminded; null if not for this term.
    reminded_days = models.PositiveSmallIntegerField(null=True, editable=False)
    #: Whether the owner was told that the term has ended.
    ended_notice_at = models.DateTimeField(null=True, editable=False)
    published_at = models.DateTimeField(null=True, editable=False)
    #: By which lists are sorted; see `types.listings.sort_key`.
    sort_key = models.CharField(max_length=MAX_SORT_CHARACTERS, editable=False)
    created_at = models.DateTimeField(editable=False)
    updated_at = models.DateTimeField(editable=False)

    class Meta:
        ordering = ["sort_key", "id"]
        indexes = [
            models.Index("sort_key", "id", name="listing_by_name"),
            models.Index("created_at", "id", name="listing_by_creation"),
            models.Index("updated_at", "id", name="listing_by_change"),
            # With the end of the term, so that the live ones are counted without reading their rows.
            models.Index("status", "sort_key", "id", "expires_at", name="listing_by_status"),
            models.Index("featured", "sort_key", "id", name="listing_by_featured"),
            models.Index("owner", "sort_key", "id", name="listing_by_owner"),
            models.Index("latitude", "longitude", "id", name="listing_by_place", condition=Q(latitude__isnull=False)),
            models.Index("city_key", "id", name="listing_by_city", condition=Q(latitude__isnull=False)),
            models.Index("postal_code", "id", name="listing_by_postal_code", condition=Q(latitude__isnull=False)),
            # With the status, so that published ones past their end are counted without reading their rows.
            models.Index("expires_at", "id", "status", name="listing_by_term", condition=Q(expires_at__isnull=False)),
            models.Index("featured_until", "id", name="listing_featured_end", condition=Q(featured_until__isnull=False)),
            models.Index("closes_at", "opens_at", "id", name="listing_by_closing", condition=Q(closes_at__isnull=False)),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(latitude__isnull=True, longitude__isnull=True)
                # A comparison with null is null, which a check lets pass.
                | Q(latitude__isnull=False, longitude__isnull=False)
                & Q(latitude__gte=-90, latitude__lte=90, longitude__gte=-180, longitude__lte=180),
                name="listing_coordinates",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **named: Any) -> None:
        self.sort_key, self.city_key = sort_key(self.name, featured=self.featured), fold(self.city)[:MAX_NAME]
        if fields := named.get("update_fields"):
            named["update_fields"] = {*fields, "sort_key", "city_key"}
        super().save(*args, **named)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @property
    def schedule(self) -> Schedule:
        return schedule(self.hours, self.special_hours, self.zone)

    @property
    def has_hours(self) -> bool:
        return self.hours is not None or bool(self.special_hours)

    @property
    def place(self) -> Place | None:
        return None if self.latitude is None or self.longitude is None else Place(self.latitude, self.longitude)

    @property
    def is_published(self) -> bool:
        return self.status == ListingStatus.PUBLISHED

    def is_expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now

    def is_live(self, now: datetime) -> bool:
        """Return whether visitors see it: published, and its term has not ended."""
        return self.is_published and not self.is_expired(now)

    @property
    def search_text(self) -> str:
        place = f"{self.street} {self.city} {self.state} {self.postal_code}"
        names = " ".join(category.name for category in self.categories.all())
        return " ".join(unique_words(f"{self.name} {names} {place} {self.description}"))


class ListingPicture(models.Model):
    """A picture in the gallery of a listing."""

    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="pictures", db_index=False)
    media = models.ForeignKey("media.Media", on_delete=models.CASCADE, related_name="+")
    position = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        constraints = [models.UniqueConstraint("listing", "media", name="listing_picture_once")]

    def __str__(self) -> str:
        return f"{self.listing}, {self.position + 1}"
