"""Property listings and their photos."""

from django.db import models
from django.db.models import F, Q

from cms_api.core.leases import Retried
from cms_api.text.indexed import IndexedText
from cms_api.text.search import unique_words
from commerce.common.models import Address
from commerce.common.types import MAX_EMAIL, MAX_LINE, MAX_NAME, MAX_PHONE, MAX_SLUG

from ..types import listings as types
from ..types.listings import (
    MAX_DESCRIPTION,
    MAX_KEY,
    MAX_STATUS,
    MAX_TEXT,
    MAX_URL,
    HiddenReason,
    PropertyStatus,
    RentPeriod,
    property_title,
)
from ..types.searches import BEDS
from .feeds import Feed

SHOWN = Q(is_shown=True)
#: On a column of its own, as databases do not use an index for a list of statuses.
ON_MARKET = Q(is_on_market=True)
#: Columns of the indexes of searches: the default order of pages, and filters that name no place or type.
IN_ORDER = ("listed_on", "id")
FILTERED = ("status", "list_price", "beds", "baths")


class Property(IndexedText, Address):
    """A listing of a feed. Nobody edits it: the feed is its source."""

    feed = models.ForeignKey(Feed, on_delete=models.CASCADE, related_name="properties", db_index=False)
    listing_key = models.CharField(max_length=MAX_KEY)
    #: Kept for life, unless the address may no longer be shown.
    slug = models.SlugField(max_length=MAX_SLUG, unique=True)
    status = models.CharField(max_length=10, choices=PropertyStatus.choices)
    #: As the feed says it.
    standard_status = models.CharField(max_length=MAX_STATUS)
    property_type = models.CharField(max_length=MAX_TEXT, blank=True, default="")
    property_subtype = models.CharField(max_length=MAX_TEXT, blank=True, default="")
    #: In whole units of the currency; 0 if it is told on request.
    list_price = models.BigIntegerField()
    #: The period of a rent; empty for what is sold, and for others.
    price_period = models.CharField(max_length=5, choices=RentPeriod.choices, blank=True, default="")
    currency = models.CharField(max_length=3)
    beds = models.PositiveSmallIntegerField(null=True)
    baths = models.DecimalField(max_digits=5, decimal_places=2, null=True)
    #: Living area and lot in square feet.
    sqft = models.PositiveBigIntegerField("living area", null=True)
    lot_size = models.PositiveBigIntegerField(null=True)
    year_built = models.PositiveSmallIntegerField(null=True)
    #: `types.listings.fold_key` of what filters compare.
    city_key = models.CharField(max_length=2 * MAX_NAME)
    state_key = models.CharField(max_length=2 * MAX_NAME)
    property_type_key = models.CharField(max_length=2 * MAX_TEXT)
    #: The same for listings of the same place; empty where that cannot be known.
    address_key = models.CharField(max_length=40, blank=True, default="")
    latitude = models.FloatField(null=True)
    longitude = models.FloatField(null=True)
    agent_mls_id = models.CharField(max_length=MAX_TEXT, blank=True, default="")
    agent_name = models.CharField(max_length=MAX_LINE, blank=True, default="")
    agent_phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    agent_email = models.CharField(max_length=MAX_EMAIL, blank=True, default="")
    office_mls_id = models.CharField(max_length=MAX_TEXT, blank=True, default="")
    office_name = models.CharField(max_length=MAX_LINE, blank=True, default="")
    office_phone = models.CharField(max_length=MAX_PHONE, blank=True, default="")
    office_email = models.CharField(max_length=MAX_EMAIL, blank=True, default="")
    #: Plain text.
    description = models.TextField(max_length=MAX_DESCRIPTION, blank=True, default="")
    on_market_date = models.DateField(null=True)
    #: The day on the market, or the day of its import if that is not known: sorted by.
    listed_on = models.DateField()
    #: The feed's own stamp.
    modified_at = models.DateTimeField()
    photos_changed_at = models.DateTimeField(null=True)
    #: When it last became active: news for saved searches.
    activated_at = models.DateTimeField(null=True)
    #: Whether it may be public, by the API and on the site.
    is_shown = models.BooleanField(default=True)
    #: Whether visitors can search it: it may be shown, and its status is one of `types.listings.ON_MARKET`.
    is_on_market = models.BooleanField(default=True)
    hidden_reason = models.CharField(max_length=20, choices=HiddenReason.choices, blank=True, default="")
    #: Without it, the street and the coordinates are not stored at all.
    shows_address = models.BooleanField(default=True)
    #: A digest of the values from the feed; a record with the same one is not written.
    fingerprint = models.CharField(max_length=40)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name = "property listing"
        # The feed adds, changes and deletes them.
        default_permissions = ("view",)
        ordering = ["-modified_at", "-id"]
        indexes = [
            models.Index("modified_at", "id", name="property_by_modification", condition=SHOWN),
            models.Index("created_at", "id", name="property_by_creation", condition=SHOWN),
            models.Index("updated_at", "id", name="property_by_change", condition=SHOWN),
            models.Index("status", "modified_at", "id", name="property_by_status", condition=SHOWN),
            models.Index("status", "list_price", "id", name="property_by_price", condition=SHOWN),
            models.Index("status", "created_at", "id", name="property_status_created", condition=SHOWN),
            models.Index("status", "updated_at", "id", name="property_status_changed", condition=SHOWN),
            models.Index("status", "listed_on", "id", name="property_status_listed", condition=SHOWN),
            models.Index("city_key", "status", "modified_at", "id", name="property_by_city", condition=SHOWN),
            models.Index("state_key", "status", "modified_at", "id", name="property_by_state", condition=SHOWN),
            models.Index("postal_code", "status", "modified_at", "id", name="property_by_postal_code", condition=SHOWN),
            models.Index("property_type_key", "status", "modified_at", "id", name="property_by_type", condition=SHOWN),
            models.Index("agent_mls_id", "status", "modified_at", "id", name="property_by_agent", condition=SHOWN),
            models.Index("city_key", "modified_at", "id", name="property_city_modified", condition=SHOWN),
            models.Index("state_key", "modified_at", "id", name="property_state_modified", condition=SHOWN),
            models.Index("postal_code", "modified_at", "id", name="property_postal_modified", condition=SHOWN),
            models.Index("property_type_key", "modified_at", "id", name="property_type_modified", condition=SHOWN),
            models.Index("listed_on", "id", name="property_market_listed", condition=ON_MARKET),
            models.Index("list_price", "id", name="property_market_price", condition=ON_MARKET),
            models.Index("modified_at", "id", name="property_market_modified", condition=ON_MARKET),
            # With the columns of the other filters, so that only the rows of matches are read.
            models.Index(
                "city_key",
                *IN_ORDER,
                "state_key",
                "property_type_key",
                *FILTERED,
                name="property_market_by_city",
                condition=ON_MARKET,
            ),
            models.Index(
                "state_key", *IN_ORDER, "property_type_key", *FILTERED, name="property_market_by_state", condition=ON_MARKET
            ),
            models.Index(
                "postal_code", *IN_ORDER, "property_type_key", *FILTERED, name="property_market_by_postal", condition=ON_MARKET
            ),
            models.Index("property_type_key", *IN_ORDER, *FILTERED, name="property_market_by_type", condition=ON_MARKET),
            models.Index(*IN_ORDER, *FILTERED, "latitude", "longitude", name="property_market_search", condition=ON_MARKET),
            models.Index(BEDS.desc(), F("id").desc(), name="property_market_beds", condition=ON_MARKET),
            models.Index("latitude", "longitude", name="property_market_place", condition=ON_MARKET),
            models.Index("activated_at", "id", name="property_activated", condition=ON_MARKET),
            # Those that may not be shown are few: taken off the number of all.
            models.Index("id", name="property_hidden", condition=Q(is_shown=False)),
            # For the admin, which also lists what is hidden, and for re-listings.
            models.Index("modified_at", "id", name="property_all_by_modification"),
            models.Index("feed", "modified_at", "id", name="property_of_feed"),
            models.Index("listing_key", "id", name="property_by_key"),
            models.Index("feed", "address_key", name="property_of_address", condition=~Q(address_key="")),
        ]
        constraints = [
            models.UniqueConstraint("feed", "listing_key", name="property_once"),
            models.CheckConstraint(condition=Q(list_price__gte=0), name="property_price_not_negative"),
            models.CheckConstraint(
                condition=Q(is_shown=True, hidden_reason="") | (Q(is_shown=False) & ~Q(hidden_reason="")),
                name="property_hidden_reason",
            ),
            models.CheckConstraint(
                condition=Q(is_on_market=False) | Q(is_shown=True, status__in=[str(each) for each in types.ON_MARKET]),
                name="property_on_market",
            ),
            models.CheckConstraint(
                condition=Q(shows_address=True) | Q(street="", street2="", latitude=None, longitude=None),
                name="property_hides_address",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def title(self) -> str:
        street = " ".join(part for part in (self.street, self.street2) if part)
        return property_title(street, self.city, self.state, self.postal_code, self.listing_key)

    @property
    def baths_text(self) -> str:
        """Return the number of bathrooms as pages write it: whole, or with decimals; empty if it is not known."""
        return "" if self.baths is None else f"{self.baths.normalize():f}"

    @property
    def search_text(self) -> str:
        parts = (
            *(self.listing_key, self.street, self.street2, self.city, self.state, self.postal_code),
            *(self.property_type, self.property_subtype, self.agent_name, self.office_name, self.description),
        )
        return " ".join(unique_words(" ".join(parts)))


class PropertyPhoto(Retried):
    """A photo of a listing, copied by the module's queue.

    Without a listing it is the copy of a former photo, which is deleted from the library if nothing else uses it.
    """

    listing = models.ForeignKey(Property, null=True, on_delete=models.CASCADE, related_name="photos", db_index=False)
    position = models.PositiveIntegerField(default=0)
    #: Its address at the source.
    url = models.CharField(max_length=MAX_URL)
    #: The copy in the library.
    image = models.ForeignKey("media.Media", null=True, on_delete=models.SET_NULL, related_name="+")
    #: A digest of the file that was copied.
    digest = models.CharField(max_length=40, blank=True, default="")
    #: Whether pages show it from its source instead of a copy.
    is_linked = models.BooleanField(default=False)

    REACHES_PEOPLE = False

    class Meta:
        default_permissions = ()
        ordering = ["position", "id"]
        indexes = [
            models.Index("next_attempt_at", "id", name="property_photo_due", condition=Q(next_attempt_at__isnull=False)),
            models.Index("id", name="property_photo_stray", condition=Q(listing=None)),
        ]
        constraints = [models.UniqueConstraint("listing", "position", name="property_photo_once")]

    def __str__(self) -> str:
        return f"{self.listing}, photo {self.position + 1}" if self.listing else "Former photo"
