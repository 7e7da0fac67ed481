"""The filters of a search for listings, and how saved searches store them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django.db.models import F, Func, IntegerField

from .listings import MAX_AREA, MAX_PRICE, MAX_ROOMS, PropertyStatus

MAX_SEARCH_CHARACTERS = 200

#: Unknown numbers come last on every database. Written out, as SQLite uses no index for an expression with a parameter.
BEDS = Func(F("beds"), template="COALESCE(%(expressions)s, 0)", output_field=IntegerField())
#: Sort keys of public pages, with their labels and columns.
SORTS: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "newest": ("Newest", ("-listed_on", "-id")),
    "price": ("Price: low to high", ("list_price", "id")),
    "-price": ("Price: high to low", ("-list_price", "-id")),
    "beds": ("Most bedrooms", (BEDS.desc(), "-id")),
    "updated": ("Recently updated", ("-modified_at", "-id")),
}


@dataclass(frozen=True, slots=True)
class Box:
    """A part of the map, in degrees. It may cross the 180th meridian: `west` is then greater than `east`."""

    south: Decimal
    west: Decimal
    north: Decimal
    east: Decimal

    @classmethod
    def read(cls, text: str) -> "Box | None":
        """Return the box of `south,west,north,east`; None if it is none."""
        try:
            numbers = [Decimal(part) for part in text[:200].split(",")]
        except InvalidOperation:
            return None
        if len(numbers) != 4 or not all(number.is_finite() and abs(number) <= 180 for number in numbers):
            return None
        south, west, north, east = (round(number, 6) for number in numbers)
        return cls(south, west, north, east) if -90 <= south <= north <= 90 else None

    def __str__(self) -> str:
        return ",".join(f"{each:f}" for each in (self.south, self.west, self.north, self.east))


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """The conditions of a search; an empty value sets none. Limits are inclusive, prices in whole units."""

    #: None for every status, and on public pages for those on the market.
    status: str | None = None
    search: str | None = None
    city: str | None = None
    state: str | None = None
    postal_code: str | None = None
    property_type: str | None = None
    min_price: int | None = None
    max_price: int | None = None
    min_beds: int | None = None
    min_baths: int | Decimal | None = None
    min_sqft: int | None = None
    agent_mls_id: str | None = None
    #: Stamped by the feed at or after this.
    since: datetime | None = None
    box: Box | None = None

    @property
    def is_empty(self) -> bool:
        return all(getattr(self, each.name) is None for each in fields(self))


#: The filters that a saved search may have: its texts with their greatest lengths, and its numbers with their greatest values.
TEXTS: Mapping[str, int] = {"search": MAX_SEARCH_CHARACTERS, "city": 100, "state": 100, "postal_code": 30, "property_type": 100}
NUMBERS: Mapping[str, int] = {
    "min_price": MAX_PRICE,
    "max_price": MAX_PRICE,
    "min_beds": MAX_ROOMS,
    "min_baths": MAX_ROOMS,
    "min_sqft": MAX_AREA,
}


def stored_filter(given: SearchFilter) -> dict[str, Any]:
    """Return the values of a filter that a saved search stores: those that visitors can enter, and that are set."""
    found = {name: getattr(given, name) for name in (*TEXTS, *NUMBERS) if getattr(given, name) not in (None, "")}
    if "min_baths" in found:
        found["min_baths"] = str(found["min_baths"])
    if given.box is not None:
        found["box"] = str(given.box)
    if given.status in (PropertyStatus.ACTIVE, PropertyStatus.PENDING):
        found["status"] = str(given.status)
    return found


def read_filter(query: Mapping[str, Any]) -> SearchFilter:
    """Return the filter of stored or entered values, of which those that are invalid are left out."""
    found: dict[str, Any] = {}
    for name, longest in TEXTS.items():
        value = query.get(name)
        if isinstance(value, str) and (text := " ".join(value.replace("\0", " ").split())[:longest]):
            found[name] = text
    for name, highest in NUMBERS.items():
        number = _number(query.get(name), decimals=name == "min_baths")
        if number is not None and 0 < number <= highest:
            found[name] = number
    box = query.get("box")
    if isinstance(box, str):
        found["box"] = Box.read(box)
    if query.get("status") in (PropertyStatus.ACTIVE, PropertyStatus.PENDING):
        found["status"] = str(query["status"])
    return SearchFilter(**found)


def _number(value: Any, *, decimals: bool) -> int | Decimal | None:
    """Return a number of at most 15 digits; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        return None
    text = str(value).strip().replace(",", "")
    whole, _, part = text.partition(".")
    if not (whole.isascii() and whole.isdigit() and len(whole) <= 15):
        return None
    if not part:
        return int(whole)
    return Decimal(f"{whole}.{part}") if decimals and part.isascii() and part.isdigit() and len(part) <= 2 else None
