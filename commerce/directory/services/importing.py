"""Imports of listings from CSV files: each row creates a listing, or changes the one with its slug."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.fields.places import DAYS
from cms_api.flags.selectors import read_moment, site_formats
from commerce.common.services.slugs import check_slug, derive_slug
from commerce.common.types.places import read_degrees

from ..models import Category, Listing
from ..types.hours import read_week
from ..types.listings import ListingStatus
from .categories import save_category
from .saving import save_listing

#: Columns that are taken as they are.
TEXTS = (
    "name",
    "description",
    "phone",
    "email",
    "website",
    "street",
    "street2",
    "city",
    "state",
    "postal_code",
    "country",
    "timezone",
)
YES, NO = {"1", "true", "yes", "y"}, {"0", "false", "no", "n"}


def read(cells: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row; columns that are empty are left out. Raises Invalid."""
    sent = {name: cell.strip() for name, cell in cells.items() if cell.strip()}
    errors = ErrorCollector()
    found: dict[str, Any] = {name: sent[name] for name in TEXTS if name in sent}
    with errors.under():
        found["slug"] = _slug(sent)
    for name in ("latitude", "longitude"):
        if name in sent:
            try:
                found[name] = read_degrees(sent[name])
            except ValueError:
                errors.add(name, f"The {name} must be a number of degrees such as 40.7128.")
    if "status" in sent:
        if sent["status"].lower() not in ListingStatus.values:
            errors.add("status", invalid_choice("status", ListingStatus.values))
        found["status"] = sent["status"].lower()
    if "featured" in sent:
        if sent["featured"].lower() not in YES | NO:
            errors.add("featured", "The featured column must be yes or no.")
        found["featured"] = sent["featured"].lower() in YES
    if "expires_at" in sent:
        with errors.under():
            found["expires_at"] = _moment(sent["expires_at"])
    if "categories" in sent:
        found["categories"] = [name for part in sent["categories"].split(";") if (name := part.strip())]
    with errors.under():
        found.update(_hours(sent))
    errors.raise_if_any()
    return found


def _slug(sent: Mapping[str, str]) -> str:
    if "slug" in sent:
        return check_slug(sent["slug"].lower())
    if "name" not in sent:
        raise Invalid({"name": required_message("name")})
    return derive_slug(sent["name"], "listing")


def _moment(text: str) -> datetime:
    try:
        return read_moment(text, is_end=True)
    except (ValueError, OverflowError):
        example = site_formats().typed_day(date(2026, 12, 31))
        raise Invalid({"expires_at": f"The end of the term must be a date, as in {example} or 2026-12-31."}) from None


def _hours(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the hours of the columns `mon` to `sun`, such as `09:00-12:00, 13:00-18:00`, if a row has any."""
    columns = [f"hours_{day}" for day in DAYS]
    if not any(column in sent for column in columns):
        return {}
    week = {}
    for day, column in zip(DAYS, columns, strict=True):
        parts = [part.strip() for part in sent.get(column, "").split(",") if part.strip()]
        week[day] = [
            {"open": opens.strip(), "close": closes.strip()} for opens, _, closes in (part.partition("-") for part in parts)
        ]
    return {"hours": read_week(week)}


def write(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[bool]:
    """Create or change listings, and the categories that are missing; return whether each row created one. Raises Invalid."""
    known = {category.name.casefold(): category for category in Category.objects.all()}
    made = []
    for row in rows:
        values = dict(row)
        listing = Listing.objects.filter(slug=values["slug"]).first()
        if "categories" in values:
            values["categories"] = [_category(known, name) for name in values["categories"]]
        if listing is None:
            values.setdefault("status", ListingStatus.PUBLISHED)
        save_listing(values=values, listing=listing)
        made.append(listing is None)
    return made


def _category(known: dict[str, Category], name: str) -> int:
    if name.casefold() not in known:
        known[name.casefold()] = save_category(values={"name": name})
    return known[name.casefold()].pk
