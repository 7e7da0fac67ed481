"""Directory listings over the API and in webhook events."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, FlagInput, InputSerializer, RecordResource, Resource
from cms_api.http.wire import instant, record
from cms_api.media.selectors import address as media_address
from cms_api.media.selectors import address_version
from commerce.common.resources import AddressResource, SluggedResource, address

from ..models import Listing, Purchase
from ..types.listings import ListingStatus
from ..types.terms import PlanKind


class OpeningHoursResource(Resource):
    """Opening and closing time, on a 24-hour clock. Hours that do not close after they open close on the next day."""

    open = serializers.CharField()
    close = serializers.CharField()


class WeekResource(Resource):
    """Opening hours by day; a day without any is closed."""

    mon = OpeningHoursResource(many=True)
    tue = OpeningHoursResource(many=True)
    wed = OpeningHoursResource(many=True)
    thu = OpeningHoursResource(many=True)
    fri = OpeningHoursResource(many=True)
    sat = OpeningHoursResource(many=True)
    sun = OpeningHoursResource(many=True)

    example = {
        **{day: [{"open": "09:00", "close": "17:00"}] for day in ("mon", "tue", "wed", "thu", "fri")},
        "sat": [],
        "sun": [],
    }


class DirectoryListingResource(RecordResource, AddressResource):
    """A business in the directory."""

    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(tuple(ListingStatus.values))
    featured = serializers.BooleanField(help_text="Whether the listing is shown before the others.")
    expires_at = serializers.DateTimeField(allow_null=True, help_text="End of the term; null if it never ends.")
    categories = SluggedResource(many=True)
    logo_url = serializers.URLField(allow_null=True)
    cover_url = serializers.URLField(allow_null=True)
    latitude = serializers.FloatField(allow_null=True)
    longitude = serializers.FloatField(allow_null=True)
    phone = serializers.CharField(allow_null=True)
    email = serializers.EmailField(allow_null=True)
    website = serializers.URLField(allow_null=True)
    hours = WeekResource(allow_null=True)
    member_id = serializers.IntegerField(allow_null=True, help_text="The member who owns the listing.")
    url = serializers.URLField()

    example = {
        "id": 36,
        "slug": "reyes-ceramics",
        "name": "Reyes Ceramics",
        "description": "Stoneware for the table, thrown by hand.",
        "status": "published",
        "featured": True,
        "expires_at": "2027-03-01T00:00:00+00:00",
        "categories": [{"id": 8, "name": "Crafts", "slug": "crafts"}],
        "logo_url": "https://example.com/media/2026/03/reyes-logo.png?v=4f1c9a",
        "cover_url": None,
        "street": "14 Canal Street",
        "street2": None,
        "city": "Brattleboro",
        "state": "VT",
        "postal_code": "05301",
        "country": "US",
        "latitude": 42.8509,
        "longitude": -72.5579,
        "phone": "+1 802 555 0142",
        "email": "hello@example.com",
        "website": "https://example.com",
        "hours": WeekResource.example,
        "member_id": 12,
        "url": "https://example.com/directory/reyes-ceramics",
        "created_at": "2025-02-27T11:00:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


class ListingPurchaseResource(Resource):
    """A purchase for a listing."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(tuple(PlanKind.values))
    amount_cents = CentsField()
    currency = CurrencyField()
    expires_at = serializers.DateTimeField(allow_null=True, help_text="End of the purchased period; null if it never ends.")
    paid_at = serializers.DateTimeField()


class PaidDirectoryListingResource(DirectoryListingResource):
    """A directory listing with the purchase just made for it."""

    purchase = ListingPurchaseResource()

    example = {
        **DirectoryListingResource.example,
        "purchase": {
            "id": 140,
            "kind": "term",
            "amount_cents": 12000,
            "currency": "usd",
            "expires_at": "2027-03-01T00:00:00+00:00",
            "paid_at": "2026-03-01T18:30:00+00:00",
        },
    }


class ListingStatusInput(InputSerializer):
    """The status that a listing gets."""

    status = serializers.ChoiceField(tuple(ListingStatus.values))
    featured = FlagInput(required=False, help_text="Whether it is shown before the others; unchanged if it is not sent.")

    example = {"status": "published", "featured": True}


def listing(row: Listing) -> dict[str, Any]:
    """Return a listing read `with_details`."""
    return {
        **record(row),
        "slug": row.slug,
        "name": row.name,
        "description": row.description or None,
        "status": row.status,
        "featured": row.featured,
        "expires_at": instant(row.expires_at),
        "categories": [{"id": each.pk, "name": each.name, "slug": each.slug} for each in row.categories.all()],
        "logo_url": _image_url(row.logo),
        "cover_url": _image_url(row.cover),
        **address(row),
        "latitude": row.latitude,
        "longitude": row.longitude,
        "phone": row.phone or None,
        "email": row.email or None,
        "website": row.website or None,
        "hours": row.hours,
        "member_id": row.owner_id,
        "url": settings.BASE_URL + reverse("directory_listing", args=[row.slug]),
    }


def paid_listing(purchase: Purchase) -> dict[str, Any]:
    """Return the listing that was just paid for, with the purchase."""
    found: Any = purchase.listing
    return {
        **listing(found),
        "purchase": {
            "id": purchase.pk,
            "kind": purchase.kind,
            "amount_cents": purchase.total_cents,
            "currency": purchase.currency,
            "expires_at": instant(purchase.ends_at),
            "paid_at": instant(purchase.paid_at),
        },
    }


def _image_url(media: Any) -> str | None:
    if media is None:
        return None
    return settings.BASE_URL + media_address(media.path or "", version=address_version(media.pk, media.updated_at))
