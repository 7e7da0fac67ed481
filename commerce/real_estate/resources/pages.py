"""Listings as the public pages show them: cards, maps, and metadata for search engines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone

from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.http import page_cache
from cms_api.text.excerpts import shorten
from commerce.common.resources.maps import AreaSearch, Map, Marker, map_of
from commerce.common.resources.pages import DESCRIPTION_LENGTH, Picture, absolute, meta
from commerce.common.types.places import Place

from ..models import Property
from ..selectors.listings import disclaimer, last_updated, price_text
from ..types.listings import VERSION, PropertyStatus, property_path
from .facts import contact_of, short_facts, status_label
from .photos import pictures_of

TITLE = "Real estate"
#: Pages with the time of the last import are made again after this, as an import without changes changes nothing else.
FRESH_FOR = timedelta(minutes=15)
#: schema.org's words for the state of an offer.
_AVAILABILITY = {PropertyStatus.ACTIVE: "InStock", PropertyStatus.PENDING: "LimitedAvailability", PropertyStatus.SOLD: "SoldOut"}


@dataclass(frozen=True)
class Card:
    """A listing in a list."""

    title: str
    url: str
    price: str
    status: str
    #: Whether the status is another one than that of most listings.
    is_marked: bool
    facts: Sequence[str]
    kind: str
    #: The firm, which rules of listing services want on every display.
    office: str
    picture: Picture | None
    drawing: int


@dataclass(frozen=True)
class Notice:
    """The disclaimer and the time of the last import, below listings."""

    disclaimer: str
    updated_at: datetime | None


def cache_listings() -> None:
    """Declare that the page being rendered shows listings, and is the same for everybody."""
    page_cache.depends_on(VERSION, FLAGS)


def notice() -> Notice:
    """Return the disclaimer and the time of the last import (one statement)."""
    page_cache.good_until(timezone.now() + FRESH_FOR)
    return Notice(disclaimer(), last_updated())


def make_cards(rows: Sequence[Property]) -> list[Card]:
    """Return cards of listings read `with_covers` (two statements)."""
    pictures = pictures_of(rows)
    return [_card(row, next(iter(pictures[row.pk]), None)) for row in rows]


def _card(row: Property, picture: Picture | None) -> Card:
    return Card(
        title=row.title,
        url=property_path(row.slug),
        price=price_text(row),
        status=status_label(row),
        is_marked=row.status != PropertyStatus.ACTIVE,
        facts=short_facts(row),
        kind=row.property_subtype or row.property_type,
        office=row.office_name,
        picture=picture,
        drawing=row.pk % 4,
    )


def marker_of(row: Property, *, is_own_page: bool = False) -> Marker | None:
    """Return the marker of a listing; None without coordinates, which are not stored where the address may not be shown."""
    if row.latitude is None or row.longitude is None:
        return None
    path = "" if is_own_page else property_path(row.slug)
    return Marker(Place(row.latitude, row.longitude), price_text(row), row.title, path)


def map_of_listings(rows: Iterable[Property], search: AreaSearch) -> Map | None:
    return map_of(filter(None, map(marker_of, rows)), label="Map of the listings on this page", search=search)


def map_of_listing(row: Property) -> Map | None:
    marker = marker_of(row, is_own_page=True)
    return map_of([marker] if marker else [], label=f"Map with {row.title}")


def list_meta(number: int, *, is_filtered: bool) -> meta.Meta:
    """Return the metadata of a page of the list. Searches are not indexed."""
    return meta.for_page(
        title=f"{TITLE}, page {number}" if number > 1 else TITLE,
        path=reverse("real_estate") + (f"?page={number}" if number > 1 else ""),
        unlisted=is_filtered,
    )


def listing_meta(row: Property, pictures: Sequence[Picture], above: Iterable[tuple[str, str]]) -> meta.Meta:
    found = meta.for_page(
        title=row.title,
        path=property_path(row.slug),
        description=row.description or ", ".join(short_facts(row)),
        above=above,
        modified=row.modified_at,
    )
    image = absolute(pictures[0].original) if pictures else ""
    return {**found, "image": image, "linked_data": [linked_listing(row, pictures), *found["linked_data"]]}


def linked_listing(row: Property, pictures: Sequence[Picture]) -> dict[str, Any]:
    """Return a listing as schema.org's RealEstateListing, without a place where the address may not be shown."""
    found = {
        "@context": "https://schema.org",
        "@type": "RealEstateListing",
        "name": row.title,
        "description": shorten(row.description, DESCRIPTION_LENGTH),
        "url": absolute(property_path(row.slug)),
        "image": [absolute(picture.original) for picture in pictures],
        "datePosted": row.on_market_date.isoformat() if row.on_market_date else "",
        "dateModified": row.modified_at.isoformat(),
        "offers": _linked_offer(row),
        "mainEntity": _linked_residence(row),
    }
    return {name: value for name, value in found.items() if value}


def _linked_offer(row: Property) -> dict[str, Any]:
    contact = contact_of(row)
    seller = {"@type": "RealEstateAgent", "name": contact.office, "telephone": contact.phone}
    availability = _AVAILABILITY.get(PropertyStatus(row.status), "")
    return {
        "@type": "Offer",
        **({"price": row.list_price, "priceCurrency": row.currency.upper()} if row.list_price else {}),
        **({"availability": f"https://schema.org/{availability}"} if availability else {}),
        **({"offeredBy": {name: text for name, text in seller.items() if text}} if contact.office else {}),
    }


def _linked_residence(row: Property) -> dict[str, Any]:
    is_located = row.shows_address and row.latitude is not None
    found = {
        # The numbers of rooms are those of an accommodation.
        "@type": ["Residence", "Accommodation"],
        "name": row.title,
        "accommodationCategory": row.property_subtype or row.property_type,
        "numberOfBedrooms": row.beds,
        "numberOfBathroomsTotal": int(row.baths) if row.baths is not None and row.baths == int(row.baths) else None,
        "floorSize": row.sqft and {"@type": "QuantitativeValue", "value": row.sqft, "unitCode": "FTK"},
        "yearBuilt": row.year_built,
        "address": _linked_address(row) if row.shows_address else None,
        "geo": is_located and {"@type": "GeoCoordinates", "latitude": row.latitude, "longitude": row.longitude},
    }
    return {name: value for name, value in found.items() if value}


def _linked_address(row: Property) -> dict[str, str] | None:
    lines = {
        "streetAddress": ", ".join(filter(None, [row.street, row.street2])),
        "addressLocality": row.city,
        "addressRegion": row.state,
        "postalCode": row.postal_code,
        "addressCountry": row.country,
    }
    given = {name: text for name, text in lines.items() if text}
    return {"@type": "PostalAddress", **given} if given else None
