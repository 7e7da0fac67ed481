"""Listings as the public pages show them: cards in lists, the parts of a listing's page, and metadata for search engines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.html import linebreaks, urlize
from django.utils.safestring import SafeString, mark_safe

from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import site_country, site_formats
from cms_api.http import page_cache
from cms_api.text.addresses import address_lines, country_code
from cms_api.text.excerpts import shorten
from commerce.common.resources.maps import Map, Marker, map_of
from commerce.common.resources.pages import DESCRIPTION_LENGTH, Picture, absolute, meta, picture, prefetch_renditions
from commerce.common.types.places import KM_PER_MILE

from ..models import Category, Listing
from ..selectors.listings import next_expiry
from ..types.listings import ADDRESS, VERSION
from .openings import Opening, linked_hours, opening_of

TITLE = "Directory"
SUMMARY_LENGTH = 140
#: Countries whose people measure distances in miles.
MILES = frozenset({"GB", "LR", "MM", "US"})


@dataclass(frozen=True)
class Card:
    """A listing in a list."""

    name: str
    url: str
    logo: Picture | None
    #: Shown in place of a missing logo.
    initial: str
    categories: str
    city: str
    #: Such as "1.2 km"; empty unless the list is of listings near a place.
    distance: str
    summary: str
    is_featured: bool
    opening: Opening | None


def path_of(listing: Listing) -> str:
    return reverse("directory_listing", args=[listing.slug])


def cache_listings() -> datetime:
    """Declare that the page being rendered shows listings, and is the same for everybody; return the present moment.

    It is made again when the next term of a listing ends.
    """
    page_cache.depends_on(VERSION, FLAGS)
    now = timezone.now()
    if expiry := next_expiry(now):
        page_cache.good_until(expiry)
    return now


def cache_listing(listing: Listing) -> None:
    """Declare that the page being rendered shows a listing, until its term ends."""
    page_cache.depends_on(VERSION, FLAGS)
    if listing.expires_at:
        page_cache.good_until(listing.expires_at)


def make_cards(listed: Sequence[Listing], now: datetime) -> list[Card]:
    """Return cards of listings read `with_details`; the renditions of all logos are read in one statement."""
    logos = {listing.pk: image for listing in listed if (image := getattr(listing.logo, "mediaimage", None))}
    prefetch_renditions(logos.values())
    return [_card(listing, logos.get(listing.pk), now) for listing in listed]


def _card(listing: Listing, logo: Any, now: datetime) -> Card:
    return Card(
        name=listing.name,
        url=path_of(listing),
        # No alternative text: the name beside it is enough for screen readers.
        logo=picture(logo, "logo", alt="") if logo else None,
        initial=listing.name[:1].upper(),
        categories=", ".join(category.name for category in listing.categories.all()),
        city=listing.city,
        distance=distance_text(getattr(listing, "distance", None)),
        summary=shorten(listing.description, SUMMARY_LENGTH),
        is_featured=listing.featured,
        opening=current_opening(listing, now),
    )


def current_opening(listing: Listing, now: datetime) -> Opening | None:
    """Return whether a listing is open, and have the page made again when that changes."""
    opening = opening_of(listing, now)
    if opening:
        page_cache.good_until(opening.until)
    return opening


def is_in_miles() -> bool:
    return site_country() in MILES


def unit_km() -> float:
    """Return the length of the site's unit of distances, in km."""
    return KM_PER_MILE if is_in_miles() else 1.0


def unit_name() -> str:
    return "mi" if is_in_miles() else "km"


def distance_text(km: float | None) -> str:
    """Return a distance in the site's unit; those below ten have a decimal."""
    if km is None:
        return ""
    value = km / unit_km()
    shown = site_formats().number(round(value, 1), decimals=1) if value < 9.95 else site_formats().number(round(value))
    return f"{shown} {unit_name()}"


def lines_of(listing: Listing) -> list[str]:
    """Return the lines of the address, as its country writes them; the country itself only if it is not the site's."""
    home = site_country()
    values = {name: getattr(listing, name) for name in ADDRESS}
    if country_code(listing.country) == home:
        values["country"] = ""
    return address_lines(values, home=home)


def marker_of(listing: Listing, *, is_own_page: bool = False) -> Marker | None:
    """Return the marker of a listing; None without coordinates."""
    place = listing.place
    if place is None:
        return None
    return Marker(place, listing.name, ", ".join(lines_of(listing)), "" if is_own_page else path_of(listing))


def map_of_listings(listings: Iterable[Listing], label: str) -> Map | None:
    return map_of(filter(None, map(marker_of, listings)), label=label)


def map_of_listing(listing: Listing) -> Map | None:
    marker = marker_of(listing, is_own_page=True)
    return map_of([marker] if marker else [], label=f"Map with {listing.name}")


def images_of(listing: Listing) -> list[Any]:
    """Return the library images of a listing's gallery, read `with_pictures`, in order."""
    found = (getattr(each.media, "mediaimage", None) for each in listing.pictures.all())
    return [image for image in found if image is not None]


@dataclass(frozen=True)
class Pictures:
    """The pictures of a listing's page."""

    cover: Picture | None
    logo: Picture | None
    gallery: Sequence[Picture]


def pictures_of(listing: Listing) -> Pictures:
    cover, logo = (getattr(each, "mediaimage", None) for each in (listing.cover, listing.logo))
    gallery = images_of(listing)
    prefetch_renditions(filter(None, [cover, logo, *gallery]))
    return Pictures(
        cover=picture(cover, "hero") if cover else None,
        logo=picture(logo, "logo", alt="") if logo else None,
        gallery=[each for image in gallery if (each := picture(image, "tile"))],
    )


def description_html(text: str) -> SafeString:
    """Return a description as paragraphs; search engines give its links no weight."""
    # Quotes of the text itself are escaped, so that only the attributes are replaced.
    linked = urlize(text, nofollow=True, autoescape=True).replace('rel="nofollow"', 'rel="nofollow ugc noopener"')
    return mark_safe(linebreaks(linked))  # urlize has escaped the text


def phone_url(phone: str) -> str:
    """Return the `tel:` URL of a phone number; empty if it has no digits."""
    digits = "".join(character for character in phone if character in "0123456789")
    return f"tel:{'+' if phone.strip().startswith('+') else ''}{digits}" if digits else ""


def website_name(website: str) -> str:
    """Return a website's URL without what everybody knows of it: "example.com/menu"."""
    return website.partition("://")[2].removeprefix("www.").rstrip("/") or website


def trail_of(listing: Listing) -> list[tuple[str, str]]:
    """Return the pages above a listing: title and path."""
    above = [(TITLE, reverse("directory"))]
    categories = list(listing.categories.all())
    if categories:
        above.append((categories[0].name, reverse("directory_category", args=[categories[0].slug])))
    return above


def list_meta(category: Category | None, number: int, *, is_filtered: bool) -> meta.Meta:
    """Return the metadata of a page of the list. Filtered lists are not indexed."""
    title = category.name if category else TITLE
    path = reverse("directory_category", args=[category.slug]) if category else reverse("directory")
    return meta.for_page(
        title=f"{title}, page {number}" if number > 1 else title,
        path=path + (f"?page={number}" if number > 1 else ""),
        description=category.description if category else "",
        above=[(TITLE, reverse("directory"))] if category else (),
        unlisted=is_filtered,
    )


def listing_meta(listing: Listing, now: datetime) -> meta.Meta:
    covers = (getattr(each, "mediaimage", None) for each in (listing.cover, listing.logo))
    found = meta.for_page(
        title=listing.name,
        path=path_of(listing),
        description=listing.description,
        featured=next(filter(None, covers), None),
        above=trail_of(listing),
        modified=listing.updated_at,
    )
    return {**found, "linked_data": [linked_listing(listing, now), *found["linked_data"]]}


def linked_listing(listing: Listing, now: datetime) -> dict[str, Any]:
    """Return a listing as schema.org's LocalBusiness. Says only what the page shows: not its email address."""
    images = (getattr(each, "mediaimage", None) for each in (listing.cover, listing.logo))
    pictures = [shown for image in images if image and (shown := picture(image, "social"))]
    place = listing.place
    found = {
        "@context": "https://schema.org",
        "@type": "LocalBusiness",
        "name": listing.name,
        "description": shorten(listing.description, DESCRIPTION_LENGTH),
        "url": absolute(path_of(listing)),
        "sameAs": listing.website,
        "image": [absolute(each.src) for each in pictures],
        "telephone": listing.phone,
        "address": _linked_address(listing),
        "geo": place and {"@type": "GeoCoordinates", "latitude": place.latitude, "longitude": place.longitude},
        "openingHoursSpecification": linked_hours(listing, now.astimezone(listing.zone).date()),
    }
    return {name: value for name, value in found.items() if value}


def _linked_address(listing: Listing) -> dict[str, str] | None:
    lines = {
        "streetAddress": ", ".join(filter(None, [listing.street, listing.street2])),
        "addressLocality": listing.city,
        "addressRegion": listing.state,
        "postalCode": listing.postal_code,
        "addressCountry": listing.country,
    }
    given = {name: text for name, text in lines.items() if text}
    return {"@type": "PostalAddress", **given} if given else None
