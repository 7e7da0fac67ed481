"""Maps records with the names of the RESO Data Dictionary to the columns of listings.

The names below are an allow-list: records also have access codes, showing instructions, private remarks and owners, which must
never be stored, logged or shown. https://ddwiki.reso.org
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeVar

from cms_api.text.addresses import country_code
from commerce.common.types import MAX_EMAIL, MAX_LINE, MAX_NAME, MAX_PHONE

from .listings import (
    FIRST_YEAR,
    LAST_YEAR,
    MAX_AREA,
    MAX_DESCRIPTION,
    MAX_KEY,
    MAX_PHOTOS,
    MAX_PRICE,
    MAX_PROBLEM,
    MAX_ROOMS,
    MAX_STATUS,
    MAX_TEXT,
    MAX_URL,
    HiddenReason,
    PropertyStatus,
    RentPeriod,
    fold_key,
    is_rented,
)
from .values import (
    Unreadable,
    clean,
    read_area,
    read_baths,
    read_date,
    read_flag,
    read_line,
    read_moment,
    read_number,
    read_paragraphs,
    read_whole,
    read_words,
)

T = TypeVar("T")
D = TypeVar("D")

#: Statuses without spaces and case; None removes the listing.
STATUSES: Mapping[str, PropertyStatus | None] = {
    "active": PropertyStatus.ACTIVE,
    "activeundercontract": PropertyStatus.PENDING,
    "pending": PropertyStatus.PENDING,
    "closed": PropertyStatus.SOLD,
    "canceled": PropertyStatus.WITHDRAWN,
    "cancelled": PropertyStatus.WITHDRAWN,
    "expired": PropertyStatus.WITHDRAWN,
    "hold": PropertyStatus.WITHDRAWN,
    "withdrawn": PropertyStatus.WITHDRAWN,
    "comingsoon": PropertyStatus.ACTIVE,
    "delete": None,
    "incomplete": None,
}
COMING_SOON = "comingsoon"
#: Lines of text: our columns, their names in the order of preference, and their greatest lengths.
LINES: Mapping[str, tuple[tuple[str, ...], int]] = {
    "property_type": (("PropertyType",), MAX_TEXT),
    "property_subtype": (("PropertySubType",), MAX_TEXT),
    "city": (("City",), MAX_NAME),
    "state": (("StateOrProvince",), MAX_NAME),
    "postal_code": (("PostalCode",), 30),
    "agent_mls_id": (("ListAgentMlsId",), MAX_TEXT),
    "agent_name": (("ListAgentFullName",), MAX_LINE),
    "agent_phone": (("ListAgentDirectPhone", "ListAgentPreferredPhone"), MAX_PHONE),
    "agent_email": (("ListAgentEmail",), MAX_EMAIL),
    "office_mls_id": (("ListOfficeMlsId",), MAX_TEXT),
    "office_name": (("ListOfficeName",), MAX_LINE),
    "office_phone": (("ListOfficePhone",), MAX_PHONE),
    "office_email": (("ListOfficeEmail",), MAX_EMAIL),
}
_STREET = ("StreetNumber", "StreetDirPrefix", "StreetName", "StreetSuffix", "StreetSuffixModifier", "StreetDirSuffix")
#: Names of the keys, of which the first one with a value counts.
_KEYS = ("ListingKey", "ListingKeyNumeric")
_LETTERS = re.compile("[^a-z]")
#: A number of a house such as 12, 12A or 12-14, which "TBD" and "Lot 5" are not.
_HOUSE_NUMBER = re.compile(r"0*[1-9]\d*[a-z]?(\s*[-/]\s*\d+[a-z]?)?( 1/2)?", re.IGNORECASE | re.ASCII)
#: Lists of uses, of which one must be a display on the websites of others.
_USES, _DISPLAYED = ("MlgCanUse", "FeedTypes"), {"idx", "public"}
#: Statuses of media that are not shown.
_NO_MEDIA = {"deleted", "inactive", "incomplete", "rejected", "hidden", "expired", "pending"}
#: Parts of the names of property types that are for rent, and periods of a rent by their names in feeds.
_PERIODS: Mapping[str, str] = {
    **dict.fromkeys(("daily", "day", "nightly", "night"), RentPeriod.DAY),
    **dict.fromkeys(("weekly", "week"), RentPeriod.WEEK),
    **dict.fromkeys(("monthly", "month", "monthtomonth"), RentPeriod.MONTH),
    **dict.fromkeys(("annually", "annual", "yearly", "year"), RentPeriod.YEAR),
}


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings of a feed that the mapping of its records depends on."""

    currency: str
    country: str
    shows_coming_soon: bool = False
    #: Whether a record without a modification stamp is skipped.
    needs_stamp: bool = True


@dataclass(frozen=True, slots=True)
class Mapped:
    """A record that can be stored, or that says that its listing is gone."""

    key: str
    is_removed: bool
    columns: Mapping[str, Any]
    #: URLs in display order; None if the record does not say.
    photos: tuple[str, ...] | None
    fingerprint: str
    modified_at: datetime | None
    #: The reason for a price of None; a known listing keeps its price.
    price_problem: str = ""


class Notes(list[str]):
    """Why values of a record are left out: each costs itself, and not the record."""

    def attempt(self, read: Callable[..., T], default: D, *arguments: Any, **options: Any) -> T | D:
        """Return what a function reads, or the default with a note if it can't be read."""
        try:
            return read(*arguments, **options)
        except Unreadable as problem:
            self.append(str(problem))
            return default


class Skipped(Exception):
    """A record that is left out. The message names the field, never its value."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key, self.message = key, message


@dataclass(slots=True)
class Batch:
    """Records that were read: those that can be stored, and the keys and problems of the others.

    `notes` name values that were left out of records that can be stored.
    """

    mapped: list[Mapped] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)
    notes: list[dict[str, str]] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.mapped) + len(self.problems)

    @property
    def keys(self) -> set[str]:
        return {each.key for each in self.mapped} | {key for problem in self.problems if (key := problem["key"])}


def map_records(records: Iterable[Any], rules: Rules) -> Batch:
    """Map records one after the other. Of each, only what can be stored stays in memory."""
    batch = Batch()
    for record in records:
        try:
            notes = Notes()
            mapped = map_record(record, rules, notes)
            batch.mapped.append(mapped)
            batch.notes += [{"key": mapped.key, "message": f"{each} It was left out."[:MAX_PROBLEM]} for each in notes]
        except Skipped as skipped:
            batch.problems.append({"key": skipped.key, "message": skipped.message[:MAX_PROBLEM]})
    return batch


def map_record(record: Any, rules: Rules, notes: Notes | None = None) -> Mapped:
    """Return what a record says, and note the values that it is stored without. Raises Skipped."""
    if not isinstance(record, dict):
        raise Skipped("", "The record is no object.")
    key = read_key(record)
    if not key:
        raise Skipped("", "The ListingKey is missing.")
    try:
        return _map(record, key, rules, Notes() if notes is None else notes)
    except Unreadable as problem:
        raise Skipped(key, str(problem)) from None


def read_key(record: Any) -> str:
    """Return the key of a record; empty if it has none."""
    for name in _KEYS:
        value = record.get(name) if isinstance(record, dict) else None
        if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
            # Numeric keys may have a decimal that is 0.
            whole = isinstance(value, Decimal) and value == value.to_integral_value()
            key = clean(str(int(value) if whole else value)).strip()
            if 0 < len(key) <= MAX_KEY:
                return key
    return ""


def _map(record: dict[str, Any], key: str, rules: Rules, notes: Notes) -> Mapped:
    # A flag that can't be read neither removes nor shows the listing.
    can_view = notes.attempt(read_flag, None, record, "MlgCanView", True)
    if can_view is False:
        return _map_removed(key)
    standard = read_line(record, "StandardStatus", MAX_STATUS)
    folded = _LETTERS.sub("", standard.lower())
    if not folded:
        raise Unreadable("The StandardStatus is missing.")
    if folded not in STATUSES:
        raise Unreadable("The StandardStatus is unknown.")
    status = STATUSES[folded]
    if status is None:
        return _map_removed(key)
    modified_at = read_moment(record, "ModificationTimestamp")
    if modified_at is None and rules.needs_stamp:
        raise Unreadable("The ModificationTimestamp is missing.")
    hidden = HiddenReason.COMING_SOON if folded == COMING_SOON and not rules.shows_coming_soon else ""
    if can_view is None or not _may_be_displayed(record, notes):
        hidden = HiddenReason.NO_DISPLAY
    price, price_problem = _price(record, rules)
    columns = {
        "status": str(status),
        "standard_status": standard,
        "hidden_reason": str(hidden),
        "currency": rules.currency,
        "list_price": price,
        **_columns(record, rules, notes),
    }
    photos = _photos(record, notes)
    # Many servers sign the URLs of photos anew with every answer.
    by_stamp = columns["photos_changed_at"] is not None
    print_of = [*sorted(columns.items()), modified_at, photos is None if by_stamp else photos]
    return Mapped(key, False, columns, photos, _digest(repr(print_of)), modified_at, price_problem)


def _map_removed(key: str) -> Mapped:
    return Mapped(key, True, {}, None, "", None)


def _may_be_displayed(record: dict[str, Any], notes: Notes) -> bool:
    """Return whether the feed allows a listing to be shown on the internet; it does not where that can't be read."""
    if not notes.attempt(read_flag, False, record, "InternetEntireListingDisplayYN", True):
        return False
    uses = [notes.attempt(read_words, set(), record, name) for name in _USES]
    return all(each is None or each & _DISPLAYED for each in uses)


def _price(record: dict[str, Any], rules: Rules) -> tuple[int | None, str]:
    """Return the price, 0 if it is told on request; or None and the reason."""
    try:
        price = read_number(record, "ListPrice", MAX_PRICE, currency=rules.currency)
    except Unreadable as problem:
        return None, str(problem)
    return (None, "The ListPrice is missing.") if price is None else (int(price.to_integral_value()), "")


def _columns(record: dict[str, Any], rules: Rules, notes: Notes) -> dict[str, Any]:
    found: dict[str, Any] = {
        column: next(filter(None, (notes.attempt(read_line, "", record, name, longest) for name in names)), "")
        for column, (names, longest) in LINES.items()
    }
    year = notes.attempt(read_number, None, record, "YearBuilt", LAST_YEAR)
    country = notes.attempt(read_line, "", record, "Country", MAX_NAME)
    found |= {
        "price_period": _rent_period(record, found["property_type"], notes),
        "beds": notes.attempt(read_whole, None, record, "BedroomsTotal", MAX_ROOMS),
        "baths": notes.attempt(read_baths, None, record, MAX_ROOMS),
        "sqft": notes.attempt(read_area, None, record, "LivingArea", "LivingAreaUnits", MAX_AREA, "squarefeet"),
        "lot_size": _lot_size(record, notes),
        "year_built": int(year) if year is not None and year >= FIRST_YEAR else None,
        "country": country_code(country) or country or rules.country,
        "description": notes.attempt(read_paragraphs, "", record, "PublicRemarks", MAX_DESCRIPTION),
        "on_market_date": notes.attempt(read_date, None, record, "OnMarketDate"),
        "photos_changed_at": notes.attempt(read_moment, None, record, "PhotosChangeTimestamp"),
    }
    # In capitals, as searches compare them.
    found["postal_code"] = found["postal_code"].upper()
    for column in ("city", "state", "property_type"):
        found[f"{column}_key"] = fold_key(found[column])
    return found | _place(record, found, notes)


def _rent_period(record: dict[str, Any], property_type: str, notes: Notes) -> str:
    """Return the period of a rent, a month if the feed does not say; empty for what is sold."""
    if not is_rented(fold_key(property_type)):
        return ""
    frequency = notes.attempt(read_line, "", record, "LeaseAmountFrequency", MAX_TEXT)
    return str(_PERIODS.get(_LETTERS.sub("", frequency.lower()), "") if frequency else RentPeriod.MONTH)


def _lot_size(record: dict[str, Any], notes: Notes) -> int | None:
    """Return the size of the lot in square feet, from the first of its fields that has one."""
    fields = (("LotSizeSquareFeet", "", "squarefeet"), ("LotSizeAcres", "", "acres"), ("LotSizeArea", "LotSizeUnits", ""))
    sizes = (notes.attempt(read_area, None, record, name, units, MAX_AREA, unit) for name, units, unit in fields)
    return next(filter(None, sizes), None)


def _place(record: dict[str, Any], found: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the street and the coordinates, or nothing of them if they may not be shown."""
    hidden = {"shows_address": False, "street": "", "street2": "", "latitude": None, "longitude": None, "address_key": ""}
    if not notes.attempt(read_flag, False, record, "InternetAddressDisplayYN", True):
        return hidden
    number, street = _street(record, found["city"], notes)
    unit = notes.attempt(read_line, "", record, "UnitNumber", 50)
    latitude = notes.attempt(read_number, None, record, "Latitude", 90, lowest=-90, has_thousandths=True)
    longitude = notes.attempt(read_number, None, record, "Longitude", 180, lowest=-180, has_thousandths=True)
    # Feeds write unknown coordinates as 0, 0.
    is_known = latitude is not None and longitude is not None and (latitude or longitude)
    return {
        "shows_address": True,
        "street": street,
        "street2": f"Unit {unit}" if unit.isalnum() and len(unit) <= 10 else unit,
        "latitude": round(float(latitude), 6) if is_known and latitude is not None else None,
        "longitude": round(float(longitude), 6) if is_known and longitude is not None else None,
        "address_key": _address_key(street, unit, found) if _HOUSE_NUMBER.fullmatch(number) else "",
    }


def _street(record: dict[str, Any], city: str, notes: Notes) -> tuple[str, str]:
    """Return the number of the house, and the street with it. An unparsed address may also have the unit and the city."""
    parts = [notes.attempt(read_line, "", record, name, MAX_LINE) for name in _STREET]
    if parts[_STREET.index("StreetName")]:
        return parts[0], " ".join(filter(None, parts))[:MAX_LINE]
    whole = notes.attempt(read_line, "", record, "UnparsedAddress", MAX_LINE)
    end = whole.casefold().find(f", {city.casefold()}") if city else -1
    street = whole[:end] if end > 0 else whole
    return street.partition(" ")[0].rstrip(","), street


def _address_key(street: str, unit: str, found: Mapping[str, Any]) -> str:
    """Return the same text for all listings of a place that are offered in the same way, such as for rent."""
    place = found["postal_code"] or found["city"]
    return _digest(repr([fold_key(part) for part in (street, unit, place, found["property_type"])])) if place else ""


def _photos(record: dict[str, Any], notes: Notes) -> tuple[str, ...] | None:
    """Return the URLs of photos that may be shown, the preferred one first; None if the record does not name its media."""
    media = record.get("Media")
    if media is None:
        return None
    if not isinstance(media, list):
        notes.append("The Media is no list.")
        return None
    known = len(notes)
    found: list[tuple[bool, Decimal, int, str]] = []
    for place, each in enumerate(media[: 10 * MAX_PHOTOS]):
        if not isinstance(each, dict):
            notes.append("The Media is no list of objects.")
            continue
        url = each.get("MediaURL")
        if isinstance(url, str) and _is_address(url.strip()) and _is_public_photo(each, notes):
            order = notes.attempt(read_number, None, each, "Order", 10**9)
            is_preferred = notes.attempt(read_flag, False, each, "PreferredPhotoYN", False)
            found.append((not is_preferred, order if order is not None else Decimal(10**9), place, url.strip()))
    if not found and len(notes) > known:
        return None
    # The same file twice is shown once.
    return tuple(dict.fromkeys(url for *_, url in sorted(found)))[:MAX_PHOTOS]


def _is_public_photo(media: dict[str, Any], notes: Notes) -> bool:
    """Return whether a file is a photo that may be shown; it may not where that can't be read."""
    category = notes.attempt(read_line, "unknown", media, "MediaCategory", MAX_TEXT)
    status = notes.attempt(read_line, "hidden", media, "MediaStatus", MAX_TEXT)
    permission = notes.attempt(read_words, set(), media, "Permission")
    return (
        category.lower() in {"", "photo"}
        and _LETTERS.sub("", status.lower()) not in _NO_MEDIA
        and (permission is None or bool(permission & _DISPLAYED))
    )


def _is_address(url: str) -> bool:
    """Return whether it may be an address of a photo; its host is checked when it is fetched."""
    return url.startswith("https://") and len(url) <= MAX_URL and url.isprintable() and " " not in url


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
