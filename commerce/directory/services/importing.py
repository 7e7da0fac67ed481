"""Imports of listings from CSV files: a row with a slug changes the listing that has it, and others create listings."""

from collections.abc import Mapping, Sequence
from copy import copy
from datetime import date, datetime
from typing import Any

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message
from cms_api.core.module import Match, Outcome
from cms_api.fields.places import DAYS
from cms_api.flags.selectors import read_moment, site_formats
from commerce.common.services.slugs import check_slug
from commerce.common.types.places import read_degrees

from ..models import Category, Listing
from ..types.hours import read_week
from ..types.listings import ListingStatus
from ..types.typed_hours import periods_text, read_periods
from .categories import save_category
from .saving import assign, save_listing

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
#: Of listings without a slug, only those that are equal in these columns, where a row has them, are compared with it.
SAME = ("name", "street", "city", "state", "country", "phone")
YES, NO = {"1", "true", "yes", "y"}, {"0", "false", "no", "n"}


def read(cells: Mapping[str, str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row; columns that are empty are left out. Raises Invalid."""
    sent = {name: cell.strip() for name, cell in cells.items() if cell.strip()}
    errors = ErrorCollector()
    found: dict[str, Any] = {name: _one_line(name, sent[name]) for name in TEXTS if name in sent}
    with errors.under():
        if "slug" in sent:
            found["slug"] = check_slug(sent["slug"].lower())
        elif "name" not in sent:
            raise Invalid({"name": required_message("name")})
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


def _one_line(name: str, text: str) -> str:
    return text if name == "description" else " ".join(text.split())


def _moment(text: str) -> datetime:
    try:
        return read_moment(text, is_end=True)
    except (ValueError, OverflowError):
        example = site_formats().typed_day(date(2026, 12, 31))
        raise Invalid({"expires_at": f"The end of the term must be a date, as in {example} or 2026-12-31."}) from None


def _hours(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the hours of the days that a row has, such as `09:00-12:00, 13:00-18:00`; none for `closed`."""
    typed = {day: read_periods(sent[f"hours_{day}"]) for day in DAYS if f"hours_{day}" in sent}
    week = read_week(typed) or {}
    return {"hours": {day: week.get(day, []) for day in typed}} if typed else {}


def write(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[Outcome]:
    """Create or change listings, and the categories that are missing; return the outcome of each row. Raises Invalid."""
    known = {category.name.casefold(): category for category in Category.objects.all()}
    outcomes = []
    for row in rows:
        listing = _find(row)
        if listing and not _changes(listing, row):
            outcomes.append(Outcome.UNCHANGED)
            continue
        values = dict(row)
        if "categories" in values:
            values["categories"] = [_category(known, name) for name in values["categories"]]
        if listing is None:
            values.setdefault("status", ListingStatus.PUBLISHED)
        elif "hours" in values:
            values["hours"] = _merge_hours(listing, row)
        save_listing(values=values, listing=listing)
        outcomes.append(Outcome.of(created=listing is None, changed=True))
    return outcomes


def match(rows: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> list[Match | None]:
    """Return the listing that each row leads to, with what the row would change."""
    found = [(_find(row), row) for row in rows]
    return [Match(f"{listing.name} ({listing.slug})", _changes(listing, row)) if listing else None for listing, row in found]


def _find(row: Mapping[str, Any]) -> Listing | None:
    """Return the listing with the slug of a row, or for a row without one a listing that has all its values."""
    if "slug" in row:
        return Listing.objects.filter(slug=row["slug"]).first()
    same = Listing.objects.filter(**{name: row[name] for name in SAME if name in row}).order_by("pk")
    return next((listing for listing in same if not _changes(listing, row)), None)


def _changes(listing: Listing, row: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the text before and after a row, by column. The values are compared as they would be stored."""
    values = {**row, "hours": _merge_hours(listing, row)} if "hours" in row else row
    changed, errors = copy(listing), ErrorCollector()
    assign(errors, changed, values)
    columns = [name for name in (*TEXTS, "latitude", "longitude") if name in row]
    before = {name: getattr(listing, name) for name in columns}
    after = {name: row[name] if name in errors.errors else getattr(changed, name) for name in columns}
    for name in ("status", "featured", "expires_at"):
        if name in row:
            before[name], after[name] = getattr(listing, name), row[name]
    for day in row.get("hours", ()):
        before[day], after[day] = ((each.hours or {}).get(day, []) for each in (listing, changed))
    found = {name: (_as_text(before[name]), _as_text(after[name])) for name in before if before[name] != after[name]}
    if "categories" in row:
        own = list(listing.categories.values_list("name", flat=True))
        if {name.casefold() for name in own} != {name.casefold() for name in row["categories"]}:
            found["categories"] = "; ".join(own), "; ".join(row["categories"])
    return found


def _merge_hours(listing: Listing, row: Mapping[str, Any]) -> dict[str, Any]:
    return {**(listing.hours or {}), **row["hours"]}


def _as_text(value: Any) -> str:
    if isinstance(value, list):
        return periods_text(value) or "closed"
    return "" if value is None else str(value)


def _category(known: dict[str, Category], name: str) -> int:
    if name.casefold() not in known:
        known[name.casefold()] = save_category(values={"name": name})
    return known[name.casefold()].pk
