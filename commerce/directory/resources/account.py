"""How listings, purchases and changes are described to their owners."""

from datetime import datetime
from typing import Any

from cms_api.flags.selectors import site_formats, site_timezone
from cms_api.text.addresses import country_name
from commerce.common.resources.pages import Picture, picture, prefetch_renditions
from commerce.common.selectors import format_money
from commerce.common.types.money import Money

from ..models import Category, Listing, ListingChange, Purchase
from ..types.listings import ListingStatus
from ..types.terms import PurchaseStatus

#: The moderated parts, with their labels.
LABELS = {
    "name": "Name",
    "categories": "Categories",
    "street": "Address",
    "street2": "Apartment, suite, etc.",
    "city": "City",
    "state": "State or region",
    "postal_code": "Postal code",
    "country": "Country",
    "latitude": "Latitude",
    "longitude": "Longitude",
}


def day_of(moment: datetime) -> str:
    """Return the day of a moment, in the site's zone."""
    return str(site_formats().date(moment.astimezone(site_timezone())))


def standing(listing: Any, now: datetime) -> str:
    """Return in a few words whether visitors see a listing; `selectors.listings.with_changes` has read it."""
    if listing.status == ListingStatus.ARCHIVED:
        return "Archived"
    if listing.status == ListingStatus.PENDING:
        return "Awaiting moderation"
    if listing.is_expired(now):
        return f"Ended on {day_of(listing.expires_at)}" if listing.was_paid else "Awaiting payment"
    return f"Online until {day_of(listing.expires_at)}" if listing.expires_at else "Online"


def changed_parts(listing: Listing, change: ListingChange) -> list[tuple[str, str, str]]:
    """Return what a change asks for: the label of each part, its text now and then."""
    names = dict(Category.objects.filter(pk__in=change.values.get("categories", ())).values_list("pk", "name"))

    def words(name: str, value: Any) -> str:
        if name == "categories":
            return ", ".join(names[pk] for pk in value if pk in names)
        return country_name(value) if name == "country" else "" if value is None else str(value)

    now = {**vars(listing), "categories": ()}
    # A database may store the values in another order.
    wanted = [(name, change.values[name]) for name in LABELS if name in change.values]
    found = [(name, words(name, now[name]), words(name, value)) for name, value in wanted]
    current = ", ".join(category.name for category in listing.categories.all())
    return [(LABELS[name], current if name == "categories" else old, new) for name, old, new in found]


def purchase_status(purchase: Purchase) -> str:
    """Return in a few words whether a purchase has been paid, and for which days."""
    if purchase.status == PurchaseStatus.REFUNDED:
        return "Refunded"
    if purchase.status != PurchaseStatus.PAID:
        return "Payment on its way" if purchase.is_processing else "Not paid"
    back = f", {format_money(Money(purchase.refunded_cents, purchase.currency))} refunded" if purchase.refunded_cents else ""
    if purchase.starts_at is None or purchase.ends_at is None:
        return f"Paid{back}"
    return f"Paid, {day_of(purchase.starts_at)} to {day_of(purchase.ends_at)}{back}"


def purchase_row(purchase: Purchase) -> tuple[str, str, datetime, str]:
    return purchase.plan_name, format_money(purchase.total), purchase.created_at, purchase_status(purchase)


def pictures_of(listing: Listing) -> tuple[dict[str, Picture], list[tuple[int, Picture]]]:
    """Return logo and cover by name, and the pictures of the gallery with their ids; without those whose files are missing."""
    single = {"logo": listing.logo, "cover": listing.cover}
    rows: list[Any] = list(listing.pictures.all())
    prefetch_renditions(filter(None, map(_image, (*single.values(), *(row.media for row in rows)))))
    images = {name: found for name, media in single.items() if (found := _picture(media, "logo" if name == "logo" else "tile"))}
    return images, [(row.media_id, found) for row in rows if (found := _picture(row.media, "tile"))]


def _image(media: Any) -> Any:
    return getattr(media, "mediaimage", None)


def _picture(media: Any, kind: str) -> Picture | None:
    image = _image(media)
    return picture(image, kind) if image else None


def mask(email: str) -> str:
    """Return an address that its owner recognizes and nobody else learns: `h•••@example.com`."""
    name, _, host = email.rpartition("@")
    return f"{name[:1]}•••@{host}"
