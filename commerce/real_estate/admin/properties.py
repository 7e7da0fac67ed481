"""Listings in the admin: a list, and a page with all that is stored of one. The feed is their source, so nothing is edited."""

from collections.abc import Iterable
from typing import Any

import django_filters
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from wagtail.admin.ui.tables import Column
from wagtail.admin.widgets.button import BaseButton, Button
from wagtail.images import get_image_model

from cms_api.adminkit import filters
from cms_api.adminkit.columns import MomentColumn, NotedColumn, RecordColumn, StatusColumn
from cms_api.adminkit.viewset import RecordViewSet
from cms_api.text.search import matching
from commerce.common.admin.cells import day, link, paragraphs
from commerce.common.resources.pages import KINDS, picture, prefetch_renditions
from commerce.common.types.amounts import NumberField

from ..models import Feed, Property, PropertyPhoto
from ..selectors.listings import all_properties, known_property_types, price_text
from ..selectors.searches import inquiries
from ..types.listings import MAX_PRICE, HiddenReason, PropertyStatus, fold_key, property_path
from .words import hidden_note, photo_state, short_hidden_note, tone

TILE = "tile"
#: The value of the filter for listings that visitors see.
SHOWN = "shown"
#: Inquiries on the page of a listing.
SHOWN_INQUIRIES = 20


def by_visibility(found: QuerySet[Property], name: str, value: str) -> QuerySet[Property]:
    return found.filter(is_shown=True) if value == SHOWN else found.filter(hidden_reason=value)


def by_city(found: QuerySet[Property], name: str, value: str) -> QuerySet[Property]:
    return found.none() if "\0" in value else found.filter(city_key=fold_key(value))


class PriceFilter(django_filters.Filter):
    field_class = NumberField


def price_filter(label: str, lookup: str) -> PriceFilter:
    return PriceFilter(field_name="list_price", lookup_expr=lookup, label=label, highest=MAX_PRICE, decimals=0)


def thumbnail(listing: Any) -> SafeString | str:
    """Return the first photo as an image; empty if it is not copied."""
    image = next((photo.image.mediaimage for photo in listing.first_photos if photo.image_id and not photo.is_linked), None)
    shown = picture(image, TILE, alt="") if image is not None else None
    if shown is None:
        return ""
    markup = '<img src="{}" srcset="{}" sizes="60px" alt="" width="60" height="45" loading="lazy">'
    return format_html(markup, shown.src, shown.srcset)


def rooms(listing: Property) -> str:
    """Return the type with the rooms, as notes below it."""
    beds = f"{listing.beds:,} bd" if listing.beds is not None else ""
    baths = f"{listing.baths_text} ba" if listing.baths is not None else ""
    return " · ".join(filter(None, (beds, baths)))


class PropertyViewSet(RecordViewSet):
    model = Property
    icon = "home"
    menu_label = "Property listings"
    menu_order = 10
    name = "property_listings"
    url_prefix = "real-estate/listings"
    pages = ("inspect",)
    inspect_template_name = "real_estate_admin/property.html"
    index_results_template_name = "real_estate_admin/properties.html"
    ordering = ("-modified_at", "-id")
    list_display = (
        Column("photo", label="Photo", accessor=thumbnail),
        RecordColumn("title", label="Address"),
        Column("list_price", label="Price", accessor=price_text, sort_key="list_price"),
        StatusColumn("status", label="Status", tone=tone, note=short_hidden_note),
        NotedColumn("property_type", label="Type", note=rooms),
        Column("city", label="City"),
        NotedColumn("feed", label="Feed", width="13%", note=lambda each: each.listing_key),
        MomentColumn("modified_at", label="Modified"),
    )
    filters = {
        "status": filters.choice(PropertyStatus.choices),
        "property_type": filters.choice(known_property_types, label="Type", field_name="property_type_key"),
        "city": filters.text("City", method=by_city),
        "min_price": price_filter("Lowest price", "gte"),
        "max_price": price_filter("Highest price", "lte"),
        "feed": filters.record(Feed.objects.all()),
        "visibility": filters.choice(
            [(SHOWN, "Shown"), *((each.value, f"Hidden: {each.label}") for each in HiddenReason)],
            label="Visibility",
            method=by_visibility,
        ),
        "modified_at": filters.date_range("Modified"),
    }
    search = matching
    search_order = 198
    csv = {
        "Listing key": "listing_key",
        "Feed": "feed.name",
        "Status": "status",
        "Status in the feed": "standard_status",
        "Hidden": "hidden_reason",
        "Type": "property_type",
        "Subtype": "property_subtype",
        "Price": "list_price",
        "Currency": "currency",
        "Bedrooms": "beds",
        "Bathrooms": "baths_text",
        "Living area (sq ft)": "sqft",
        "Lot (sq ft)": "lot_size",
        "Year built": "year_built",
        "Street": "street",
        "Unit": "street2",
        "City": "city",
        "State or region": "state",
        "Postal code": "postal_code",
        "Country": "country",
        "Latitude": "latitude",
        "Longitude": "longitude",
        "Agent": "agent_name",
        "Agent's MLS ID": "agent_mls_id",
        "Office": "office_name",
        "Office's MLS ID": "office_mls_id",
        "On the market": "on_market_date",
        "Modified": "modified_at",
        "Slug": "slug",
    }

    def records(self) -> QuerySet[Property]:
        first = PropertyPhoto.objects.filter(position=0).select_related("image__mediaimage")
        renditions = get_image_model().get_rendition_model().objects.filter(filter_spec__in=KINDS[TILE])
        return all_properties().prefetch_related(
            Prefetch("photos", first, to_attr="first_photos"),
            Prefetch("first_photos__image__mediaimage__renditions", renditions, to_attr="prefetched_renditions"),
        )

    def record_buttons(self, record: Property, user: Any) -> list[BaseButton]:
        if not record.is_shown:
            return []
        return [Button("View page", url=property_path(record.slug), icon_name="view", priority=12)]

    def facts(self, record: Property) -> dict[str, Any]:
        return {
            "Status": record.get_status_display(),
            "Status in the feed": record.standard_status,
            "Visibility": hidden_note(record) or "Shown",
            "Price": price_text(record),
            "Currency": record.currency.upper(),
            "Type": " · ".join(filter(None, (record.property_type, record.property_subtype))) or None,
            "Bedrooms": _number(record.beds),
            "Bathrooms": record.baths_text or None,
            "Living area": _area(record.sqft),
            "Lot": _area(record.lot_size),
            "Year built": record.year_built and str(record.year_built),
            "Address": ", ".join(record.address_lines) or None,
            "Street": None if record.shows_address else "Not stored: the feed does not allow it to be shown.",
            "Coordinates": f"{record.latitude:.6f}, {record.longitude:.6f}" if record.latitude is not None else None,
            "On the market": day(record.on_market_date) or None,
            "Agent": _contact(record, "agent"),
            "Office": _contact(record, "office"),
            "Description": paragraphs(record.description),
            "Feed": link(record.feed, reverse("property_feeds:inspect", args=[record.feed_id])),
            "Listing key": record.listing_key,
            "Slug": record.slug,
            "Modified in the feed": record.modified_at,
            "Photos changed in the feed": record.photos_changed_at,
            "Last became active": record.activated_at,
            "First imported": record.created_at,
            "Last changed by an import": record.updated_at,
        }

    def inspect_context(self, record: Property, request: HttpRequest) -> dict[str, Any]:
        found = list(inquiries().filter(listing=record.pk)[: SHOWN_INQUIRIES + 1])
        return {
            "photos": _photos(record.photos.select_related("image__mediaimage")),
            "inquiries": [
                (reverse("property_inquiries:inspect", args=[inquiry.pk]), inquiry) for inquiry in found[:SHOWN_INQUIRIES]
            ],
            "has_more_inquiries": len(found) > SHOWN_INQUIRIES,
        }


def _number(value: int | None) -> str | None:
    return None if value is None else f"{value:,}"


def _area(value: int | None) -> str | None:
    return None if value is None else f"{value:,} sq ft"


def _contact(record: Property, name: str) -> str | None:
    """Return the name, MLS id, phone and email of the agent or the office."""
    mls_id = getattr(record, f"{name}_mls_id")
    parts = (
        getattr(record, f"{name}_name"),
        f"MLS ID {mls_id}" if mls_id else "",
        getattr(record, f"{name}_phone"),
        getattr(record, f"{name}_email"),
    )
    return " · ".join(filter(None, parts)) or None


def _photos(found: Iterable[PropertyPhoto]) -> list[dict[str, Any]]:
    """Return the photos with their thumbnails (one statement for these) and how far they are copied."""
    photos = list(found)
    images = {photo.pk: photo.image.mediaimage for photo in photos if photo.image is not None}
    prefetch_renditions(images.values())
    return [
        {
            "number": photo.position + 1,
            "url": photo.url,
            "state": photo_state(photo),
            "due_at": photo.next_attempt_at,
            "picture": picture(images[photo.pk], TILE, alt=f"Photo {photo.position + 1}") if photo.pk in images else None,
            "edit_url": reverse("wagtailimages:edit", args=[photo.image_id]) if photo.image_id else "",
        }
        for photo in photos
    ]
