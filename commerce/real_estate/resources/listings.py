"""The wire shape of property listings."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.conf import settings
from rest_framework import serializers

from cms_api.http.serializers import CurrencyField, RecordResource
from cms_api.http.wire import instant, record
from commerce.common.resources import AddressResource, address

from ..models import Property
from ..selectors.listings import Photo, photos_of
from ..types.listings import PropertyStatus, property_path


class PropertyResource(RecordResource, AddressResource):
    """A property listing."""

    listing_key = serializers.CharField(help_text="The key of the multiple listing service.")
    slug = serializers.CharField()
    status = serializers.ChoiceField(PropertyStatus.values)
    property_type = serializers.CharField(allow_null=True)
    list_price = serializers.IntegerField(min_value=0, help_text="In whole units of the currency.")
    currency = CurrencyField()
    beds = serializers.IntegerField(allow_null=True)
    baths = serializers.FloatField(allow_null=True)
    sqft = serializers.IntegerField(allow_null=True, help_text="The living area in square feet.")
    lot_size = serializers.IntegerField(allow_null=True, help_text="The lot in square feet.")
    year_built = serializers.IntegerField(allow_null=True)
    street = serializers.CharField(allow_null=True, help_text="Null if the address may not be shown.")
    latitude = serializers.FloatField(allow_null=True)
    longitude = serializers.FloatField(allow_null=True)
    agent_mls_id = serializers.CharField(allow_null=True)
    agent_name = serializers.CharField(allow_null=True)
    office_mls_id = serializers.CharField(allow_null=True)
    office_name = serializers.CharField(allow_null=True)
    photos = serializers.ListField(child=serializers.URLField(), help_text="URLs in display order.")
    description = serializers.CharField(allow_null=True, help_text="Plain text.")
    on_market_date = serializers.DateField(allow_null=True)
    modified_at = serializers.DateTimeField(help_text="The feed's own modification stamp.")
    url = serializers.URLField()

    example = {
        "id": 512,
        "listing_key": "VT-4981207",
        "slug": "14-canal-street-brattleboro-vt-vt-4981207",
        "status": "active",
        "property_type": "Residential",
        "list_price": 489000,
        "currency": "usd",
        "beds": 3,
        "baths": 2.5,
        "sqft": 1840,
        "lot_size": 10890,
        "year_built": 1912,
        "street": "14 Canal Street",
        "street2": None,
        "city": "Brattleboro",
        "state": "VT",
        "postal_code": "05301",
        "country": "US",
        "latitude": 42.8509,
        "longitude": -72.5579,
        "agent_mls_id": "A1187",
        "agent_name": "Dana Reyes",
        "office_mls_id": "O204",
        "office_name": "Green Mountain Realty",
        "photos": ["https://example.com/media/media/2026/03/14-canal-street.jpg?v=4f1c9a"],
        "description": "A brick house by the canal, with a workshop in the garden.",
        "on_market_date": "2026-02-20",
        "modified_at": "2026-03-01T18:30:00+00:00",
        "url": "https://example.com/real-estate/listings/14-canal-street-brattleboro-vt-vt-4981207",
        "created_at": "2026-02-20T14:00:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


def listings(rows: Iterable[Property]) -> list[dict[str, Any]]:
    """Return listings read `with_photos` (one statement for the URLs of their photos)."""
    rows = list(rows)
    photos = photos_of(rows)
    return [_listing(row, photos[row.pk]) for row in rows]


def listing(row: Property) -> dict[str, Any]:
    """Return a listing read `with_photos`."""
    return listings([row])[0]


def _listing(row: Property, photos: list[Photo]) -> dict[str, Any]:
    return {
        **record(row),
        "listing_key": row.listing_key,
        "slug": row.slug,
        "status": row.status,
        "property_type": row.property_type or None,
        "list_price": row.list_price,
        "currency": row.currency,
        "beds": row.beds,
        "baths": _json_baths(row.baths),
        "sqft": row.sqft,
        "lot_size": row.lot_size,
        "year_built": row.year_built,
        **address(row),
        "latitude": row.latitude,
        "longitude": row.longitude,
        "agent_mls_id": row.agent_mls_id or None,
        "agent_name": row.agent_name or None,
        "office_mls_id": row.office_mls_id or None,
        "office_name": row.office_name or None,
        "photos": [absolute_url(photo) for photo in photos],
        "description": row.description or None,
        "on_market_date": row.on_market_date.isoformat() if row.on_market_date else None,
        "modified_at": instant(row.modified_at),
        "url": settings.BASE_URL + property_path(row.slug),
    }


def _json_baths(baths: Decimal | None) -> Any:
    """Return a number as JSON has it: whole if it is."""
    return None if baths is None else int(baths) if baths == int(baths) else float(baths)


def absolute_url(photo: Photo) -> str:
    return photo.url if "://" in photo.url else settings.BASE_URL + photo.url
