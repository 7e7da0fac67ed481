"""The wire shape of products."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from rest_framework import serializers

from cms_api.http.serializers import CentsField, CurrencyField, RecordResource, Resource
from cms_api.http.wire import record
from cms_api.media.selectors import address, address_version
from commerce.common.resources import SluggedResource

from ..models import Product, ProductPicture, ProductVariant
from ..types.products import ProductStatus


class ProductOptionResource(Resource):
    """Something that customers choose, such as the size."""

    name = serializers.CharField()
    values_ = serializers.ListField(child=serializers.CharField())


class ProductVariantResource(Resource):
    """A product in one combination of its options."""

    id = serializers.IntegerField()
    sku = serializers.CharField(allow_null=True)
    name = serializers.CharField(allow_null=True, help_text="Null for the only variant of a product without options.")
    values_ = serializers.ListField(child=serializers.CharField(), help_text="In the order of the product's options.")
    price_cents = CentsField()
    compare_at_price_cents = CentsField(allow_null=True, help_text="The price before a reduction, in minor units.")
    stock = serializers.IntegerField(min_value=0, allow_null=True, help_text="How many can be sold; null if not counted.")


class ProductResource(RecordResource):
    """A product of the shop. Its price is that of the cheapest variant."""

    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(allow_null=True, help_text="HTML.")
    sku = serializers.CharField(allow_null=True, help_text="That of the first variant.")
    status = serializers.ChoiceField(tuple(ProductStatus.values))
    category = SluggedResource(allow_null=True)
    price_cents = CentsField()
    compare_at_price_cents = CentsField(allow_null=True, help_text="The price before a reduction, in minor units.")
    currency = CurrencyField()
    stock = serializers.IntegerField(min_value=0, allow_null=True, help_text="Of all variants; null if one is not counted.")
    images = serializers.ListField(child=serializers.URLField())
    featured_image = serializers.URLField(allow_null=True, help_text="The first of the images.")
    url = serializers.URLField(help_text="The product's page.")
    options = ProductOptionResource(many=True)
    variants = ProductVariantResource(many=True)

    example = {
        "id": 7,
        "slug": "stoneware-mug",
        "name": "Stoneware mug",
        "description": "<p>Thrown and glazed in our studio.</p>",
        "sku": "MUG-GREY",
        "status": "published",
        "category": {"id": 2, "name": "Ceramics", "slug": "ceramics"},
        "price_cents": 2400,
        "compare_at_price_cents": None,
        "currency": "usd",
        "stock": 17,
        "images": ["http://localhost:8000/media/media/2026/03/mug.jpg?v=8c1f0a3b2d"],
        "featured_image": "http://localhost:8000/media/media/2026/03/mug.jpg?v=8c1f0a3b2d",
        "url": "http://localhost:8000/shop/products/stoneware-mug",
        "options": [{"name": "Glaze", "values": ["Grey", "Blue"]}],
        "variants": [
            {
                "id": 31,
                "sku": "MUG-GREY",
                "name": "Grey",
                "values": ["Grey"],
                "price_cents": 2400,
                "compare_at_price_cents": None,
                "stock": 12,
            },
            {
                "id": 32,
                "sku": "MUG-BLUE",
                "name": "Blue",
                "values": ["Blue"],
                "price_cents": 2600,
                "compare_at_price_cents": None,
                "stock": 5,
            },
        ],
        "created_at": "2026-03-01T18:30:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }


def product(row: Product) -> dict[str, Any]:
    """Return a product read `with_details`."""
    variants = list(row.variants.all())
    images = [_image_url(picture) for picture in row.pictures.all()]
    return {
        **record(row),
        "slug": row.slug,
        "name": row.name,
        "description": row.description or None,
        "sku": (variants[0].sku if variants else "") or None,
        "status": row.status,
        "category": {"id": row.category.pk, "name": row.category.name, "slug": row.category.slug} if row.category else None,
        "price_cents": row.price_cents,
        "compare_at_price_cents": row.compare_at_price_cents,
        "currency": row.currency,
        "stock": total_stock(variants),
        "images": images,
        "featured_image": images[0] if images else None,
        "url": settings.BASE_URL + reverse("shop_product", args=[row.slug]),
        "options": row.options,
        "variants": [_variant(variant) for variant in variants],
    }


def total_stock(variants: list[ProductVariant]) -> int | None:
    """Return how many can be sold at present; None if there is no limit."""
    counted = [variant.available for variant in variants]
    return None if None in counted else sum(filter(None, counted))


def _variant(row: ProductVariant) -> dict[str, Any]:
    return {
        "id": row.pk,
        "sku": row.sku or None,
        "name": row.name or None,
        "values": row.values,
        "price_cents": row.price_cents,
        "compare_at_price_cents": row.compare_at_price_cents,
        "stock": row.available,
    }


def _image_url(picture: ProductPicture) -> str:
    media = picture.media
    return settings.BASE_URL + address(media.path or "", version=address_version(media.pk, media.updated_at))
