"""The wire shapes of directory listings."""

from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, RecordResource, Resource
from commerce.common.resources import AddressResource, SluggedResource


class OpeningHoursResource(Resource):
    """Opening and closing time, on a 24-hour clock."""

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
    status = serializers.ChoiceField(("published", "pending", "archived"))
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
    kind = serializers.ChoiceField(("term", "featured"))
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
