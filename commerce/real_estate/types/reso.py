"""Maps records with the names of the RESO Data Dictionary to the columns of listings.

The names below are an allow-list: records also have access codes, showing instructions, private remarks and owners, which must
never be stored, logged or shown. https://ddwiki.reso.org
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

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
    fold_key,
)
from .values import (
    Unreadable,
    clean,
    read_baths,
    read_date,
    read_flag,
    read_line,
    read_moment,
    read_number,
    read_paragraphs,
    read_rounded,
    read_whole,
)

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
_STREET = ("StreetNumber", "StreetDirPrefix", "StreetName", "StreetSuffix")
#: Names of the keys, of which the first one with a value counts.
_KEYS = ("ListingKey", "ListingKeyNumeric")
_ACRE = 43_560
_LETTERS = re.compile("[^a-z]")
_STREET_NUMBER = re.compile("[1-9]")


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


class Skipped(Exception):
    """A record that is left out. The message names the field, never its value."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key, self.message = key, message


@dataclass(slots=True)
class Batch:
    """Records that were read: those that can be stored, and the keys and problems of the others."""

    mapped: list[Mapped] = field(default_factory=list)
    problems: list[dict[str, str]] = field(default_factory=list)

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
            batch.mapped.append(map_record(record, rules))
        except Skipped as skipped:
            batch.problems.append({"key": skipped.key, "message": skipped.message[:MAX_PROBLEM]})
    return batch


def map_record(record: Any, rules: Rules) -> Mapped:
    """Return what a record says. Raises Skipped."""
    if not isinstance(record, dict):
        raise Skipped("", "The record is no object.")
    key = read_key(record)
    if not key:
        raise Skipped("", "The ListingKey is missing.")
    try:
        return _map(record, key, rules)
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


def _map(record: dict[str, Any], key: str, rules: Rules) -> Mapped:
    if not read_flag(record, "MlgCanView", True):
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
    hidden = _hidden_reason(record, is_coming_soon=folded == COMING_SOON, rules=rules)
    columns = {
        "status": str(status),
        "standard_status": standard,
        "hidden_reason": str(hidden),
        "currency": rules.currency,
        **_columns(record, rules),
    }
    photos = _photos(record)
    # Many servers sign the URLs of photos anew with every answer.
    by_stamp = columns["photos_changed_at"] is not None
    print_of = [*sorted(columns.items()), modified_at, photos is None if by_stamp else photos]
    return Mapped(key, False, columns, photos, _digest(repr(print_of)), modified_at)


def _map_removed(key: str) -> Mapped:
    return Mapped(key, True, {}, None, "", None)


def _hidden_reason(record: dict[str, Any], *, is_coming_soon: bool, rules: Rules) -> str:
    if not read_flag(record, "InternetEntireListingDisplayYN", True):
        return HiddenReason.NO_DISPLAY
    return HiddenReason.COMING_SOON if is_coming_soon and not rules.shows_coming_soon else ""


def _columns(record: dict[str, Any], rules: Rules) -> dict[str, Any]:
    found: dict[str, Any] = {
        column: next(filter(None, (read_line(record, name, longest) for name in names)), "")
        for column, (names, longest) in LINES.items()
    }
    price = read_number(record, "ListPrice", MAX_PRICE, currency=rules.currency)
    if price is None:
        raise Unreadable("The ListPrice is missing.")
    lot = read_rounded(record, "LotSizeSquareFeet", MAX_AREA)
    year = read_number(record, "YearBuilt", LAST_YEAR)
    country = read_line(record, "Country", MAX_NAME)
    found |= {
        "list_price": int(price.to_integral_value()),
        "beds": read_whole(record, "BedroomsTotal", MAX_ROOMS),
        "baths": read_baths(record, MAX_ROOMS),
        "sqft": read_rounded(record, "LivingArea", MAX_AREA),
        "lot_size": lot or read_rounded(record, "LotSizeAcres", MAX_AREA // _ACRE, times=_ACRE, has_thousandths=True),
        "year_built": int(year) if year is not None and year >= FIRST_YEAR else None,
        "country": country_code(country) or country or rules.country,
        "description": read_paragraphs(record, "PublicRemarks", MAX_DESCRIPTION),
        "on_market_date": read_date(record, "OnMarketDate"),
        "photos_changed_at": read_moment(record, "PhotosChangeTimestamp"),
    }
    for column in ("city", "state", "property_type"):
        found[f"{column}_key"] = fold_key(found[column])
    return found | _place(record, found)


def _place(record: dict[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the street and the coordinates, or nothing of them if they may not be shown."""
    street, unit = _street(record, found["city"]), read_line(record, "UnitNumber", 50)
    latitude, longitude = (
        read_number(record, "Latitude", 90, lowest=-90, has_thousandths=True),
        read_number(record, "Longitude", 180, lowest=-180, has_thousandths=True),
    )
    if not read_flag(record, "InternetAddressDisplayYN", True):
        return {"shows_address": False, "street": "", "street2": "", "latitude": None, "longitude": None, "address_key": ""}
    # Feeds write unknown coordinates as 0, 0.
    is_known = latitude is not None and longitude is not None and (latitude or longitude)
    return {
        "shows_address": True,
        "street": street,
        "street2": f"Unit {unit}" if unit.isalnum() and len(unit) <= 10 else unit,
        "latitude": round(float(latitude), 6) if is_known and latitude is not None else None,
        "longitude": round(float(longitude), 6) if is_known and longitude is not None else None,
        "address_key": _address_key(street, unit, found),
    }


def _street(record: dict[str, Any], city: str) -> str:
    """Return the street with the number. An unparsed address may also have the unit and the city."""
    if read_line(record, "StreetName", MAX_LINE):
        parts = (read_line(record, name, MAX_LINE) for name in _STREET)
        return " ".join(filter(None, parts))[:MAX_LINE]
    whole = read_line(record, "UnparsedAddress", MAX_LINE)
    end = whole.casefold().find(f", {city.casefold()}") if city else -1
    return whole[:end] if end > 0 else whole


def _address_key(street: str, unit: str, found: Mapping[str, Any]) -> str:
    """Return the same text for all listings of a place that are offered in the same way, such as for rent.

    It is empty if the street has no number: many pieces of land are in the same road.
    """
    place = found["postal_code"] or found["city"]
    if not _STREET_NUMBER.search(street) or not place:
        return ""
    return _digest(repr([fold_key(part) for part in (street, unit, place, found["property_type"])]))


def _photos(record: dict[str, Any]) -> tuple[str, ...] | None:
    """Return the URLs of photos in their order; None if the record does not name its media."""
    media = record.get("Media")
    if media is None:
        return None
    if not isinstance(media, list):
        raise Unreadable("The Media is no list.")
    found: list[tuple[Decimal, int, str]] = []
    for place, each in enumerate(media[: 10 * MAX_PHOTOS]):
        if not isinstance(each, dict):
            raise Unreadable("The Media is no list of objects.")
        category = read_line(each, "MediaCategory", MAX_TEXT)
        url = each.get("MediaURL")
        if category.lower() in {"", "photo"} and isinstance(url, str) and _is_address(url.strip()):
            order = read_number(each, "Order", 10**9)
            found.append((order if order is not None else Decimal(10**9), place, url.strip()))
    # The same file twice is shown once.
    return tuple(dict.fromkeys(url for _, _, url in sorted(found)))[:MAX_PHOTOS]


def _is_address(url: str) -> bool:
    """Return whether it may be an address of a photo; its host is checked when it is fetched."""
    return url.startswith("https://") and len(url) <= MAX_URL and url.isprintable() and " " not in url


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
