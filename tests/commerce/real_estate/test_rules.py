"""How records of the RESO Data Dictionary are read: tables of statuses, names and spellings, and any JSON at all."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commerce.real_estate.types.reso import Mapped, Rules, Skipped, map_record
from commerce.real_estate.types.searches import Box, SearchFilter, read_filter, stored_filter

from .builders import record

RULES = Rules("usd", "US")


def mapped(rules: Rules = RULES, **changes: Any) -> Mapped:
    return map_record(record(**changes), rules)


def columns(**changes: Any) -> dict[str, Any]:
    return dict(mapped(**changes).columns)


STATUSES = [
    ("Active", "active", ""),
    ("Active Under Contract", "pending", ""),
    ("ActiveUnderContract", "pending", ""),
    ("Pending", "pending", ""),
    ("Closed", "sold", ""),
    ("Canceled", "withdrawn", ""),
    ("Expired", "withdrawn", ""),
    ("Hold", "withdrawn", ""),
    ("withdrawn", "withdrawn", ""),
    ("Coming Soon", "active", "coming_soon"),
    ("ComingSoon", "active", "coming_soon"),
]


@pytest.mark.parametrize(("standard", "status", "hidden"), STATUSES)
def test_statuses(standard: str, status: str, hidden: str) -> None:
    found = columns(StandardStatus=standard)
    assert (found["status"], found["standard_status"], found["hidden_reason"]) == (status, standard, hidden)


@pytest.mark.parametrize("changes", [{"StandardStatus": "Delete"}, {"StandardStatus": "Incomplete"}, {"MlgCanView": False}])
def test_removed(changes: dict[str, Any]) -> None:
    assert mapped(**changes).is_removed


def test_coming_soon_may_be_allowed() -> None:
    assert mapped(Rules("usd", "US", shows_coming_soon=True), StandardStatus="Coming Soon").columns["hidden_reason"] == ""


VALUES: list[tuple[str, Any, str, Any]] = [
    ("ListPrice", "489,000.00", "list_price", 489_000),
    ("ListPrice", 489_000.4, "list_price", 489_000),
    ("ListPrice", 0, "list_price", 0),
    ("BedroomsTotal", "3", "beds", 3),
    ("BedroomsTotal", "", "beds", None),
    ("BathroomsTotalInteger", "2", "baths", Decimal("2.0")),
    ("BathroomsTotalDecimal", 2.5, "baths", Decimal("2.5")),
    ("BathroomsTotalDecimal", 2.25, "baths", Decimal("2.25")),
    ("LivingArea", "1,840.4", "sqft", 1840),
    ("LivingArea", 0, "sqft", None),
    ("YearBuilt", 0, "year_built", None),
    ("YearBuilt", "1912", "year_built", 1912),
    ("Country", "United States", "country", "US"),
    ("Country", None, "country", "US"),
    ("City", "  Brattle  boro ", "city", "Brattle boro"),
    ("City", "BRATTLEBORO", "city_key", "brattleboro"),
    ("OnMarketDate", "2026-02-20T00:00:00Z", "on_market_date", date(2026, 2, 20)),
    ("PhotosChangeTimestamp", "2026-02-20T10:00:00.1234567Z", "photos_changed_at", datetime(2026, 2, 20, 10, 0, 0, 123456, UTC)),
    ("UnitNumber", "4", "street2", "Unit 4"),
    ("UnitNumber", "Apt 4", "street2", "Apt 4"),
    ("InternetEntireListingDisplayYN", "N", "hidden_reason", "no_display"),
    ("InternetEntireListingDisplayYN", 0, "hidden_reason", "no_display"),
    ("InternetEntireListingDisplayYN", "true", "hidden_reason", ""),
]


@pytest.mark.parametrize(("name", "value", "column", "expected"), VALUES)
def test_values(name: str, value: Any, column: str, expected: Any) -> None:
    assert columns(**{name: value})[column] == expected


def test_baths_in_words() -> None:
    assert columns(BathroomsTotalInteger=None, BathroomsTotal="2.5 (2 full)")["baths"] == Decimal("2.5")
    assert columns(BathroomsTotalInteger=None, BathroomsTotal="some")["baths"] is None


AREAS: list[tuple[dict[str, Any], int | None]] = [
    ({"LotSizeAcres": "0.5"}, 21_780),
    ({"LotSizeArea": 2.5, "LotSizeUnits": "Acres"}, 108_900),
    ({"LotSizeArea": 1200, "LotSizeUnits": "Square Meters"}, 12_917),
    ({"LotSizeArea": "1.5", "LotSizeUnits": "Hectares"}, 161_459),
    ({"LotSizeArea": 7000, "LotSizeUnits": "SquareFeet"}, 7000),
    ({"LotSizeArea": 7000}, None),
    ({"LotSizeSquareFeet": 0, "LotSizeAcres": 1}, 43_560),
]


@pytest.mark.parametrize(("changes", "expected"), AREAS)
def test_lots(changes: dict[str, Any], expected: int | None) -> None:
    assert columns(**{"LotSizeSquareFeet": None, **changes})["lot_size"] == expected


def test_living_areas_in_other_units() -> None:
    assert columns(LivingArea=139.35, LivingAreaUnits="Square Meters")["sqft"] == 1500
    assert columns(LivingArea=1840, LivingAreaUnits="Square Feet")["sqft"] == 1840


def test_rents() -> None:
    lease = {"PropertyType": "Residential Lease"}
    assert columns()["price_period"] == ""
    assert columns(**lease)["price_period"] == "month"
    assert columns(**lease, LeaseAmountFrequency="Weekly")["price_period"] == "week"
    assert columns(**lease, LeaseAmountFrequency="Seasonal")["price_period"] == ""


def test_uses_that_a_feed_allows() -> None:
    for name in ("MlgCanUse", "FeedTypes"):
        found = [columns(**{name: uses})["hidden_reason"] for uses in (["VOW", "IDX"], "IDX,BO", None, ["VOW"], [], "BO")]
        assert found == ["", "", "", "no_display", "no_display", "no_display"]


def test_an_unparsed_address() -> None:
    whole = {"StreetName": None, "UnparsedAddress": "14 Canal Street, Brattleboro, VT 05301"}
    assert columns(**whole)["street"] == "14 Canal Street"
    assert columns(StreetDirPrefix="N")["street"] == "101 N Canal Street"


def test_an_address_that_may_not_be_shown() -> None:
    found = columns(InternetAddressDisplayYN="false", UnitNumber="4")
    shown = [found[name] for name in ("street", "street2", "latitude", "longitude", "address_key", "shows_address")]
    assert shown == ["", "", None, None, "", False]
    assert found["city"] == "Brattleboro"


def test_coordinates_of_nowhere() -> None:
    assert columns(Latitude=0, Longitude=0)["latitude"] is None
    assert columns(Latitude=42.8, Longitude=None)["latitude"] is None


def test_photos() -> None:
    media = [
        {"MediaURL": "https://photos.example.com/2.jpg", "Order": "2", "MediaCategory": "Photo"},
        {"MediaURL": "https://photos.example.com/1.jpg", "Order": 1},
        {"MediaURL": "https://photos.example.com/plan.pdf", "Order": 0, "MediaCategory": "Document"},
        {"MediaURL": "http://photos.example.com/3.jpg"},
        {"MediaURL": "javascript:alert(1)"},
        {"MediaURL": None},
        {"MediaURL": "https://photos.example.com/1.jpg", "Order": 9},
    ]
    assert mapped(Media=media).photos == ("https://photos.example.com/1.jpg", "https://photos.example.com/2.jpg")
    assert mapped().photos is None
    assert mapped(Media=[]).photos == ()
    assert (
        len(mapped(Media=[{"MediaURL": f"https://photos.example.com/{number}.jpg"} for number in range(80)]).photos or ()) == 50
    )


def test_photos_that_may_be_shown() -> None:
    media: list[dict[str, Any]] = [
        {"Permission": ["Private"]},
        {"Permission": "Office Only,Agent Only"},
        {"MediaStatus": "Deleted"},
        {"Permission": ["Public"], "MediaStatus": "Active", "Order": 5},
        {"Permission": "IDX", "Order": 4},
        {"Order": 6, "PreferredPhotoYN": True},
        {"Permission": 7},
    ]
    given = [{"MediaURL": f"https://a.example/{place}", **each} for place, each in enumerate(media)]
    assert mapped(Media=given).photos == ("https://a.example/5", "https://a.example/4", "https://a.example/3")


def test_the_fingerprint() -> None:
    first = mapped(PhotosChangeTimestamp="2026-01-01T00:00:00Z", Media=[{"MediaURL": "https://a.example/1?signed=1"}])
    again = mapped(PhotosChangeTimestamp="2026-01-01T00:00:00Z", Media=[{"MediaURL": "https://a.example/1?signed=2"}])
    moved = mapped(PhotosChangeTimestamp="2026-01-02T00:00:00Z", Media=[{"MediaURL": "https://a.example/1?signed=2"}])
    assert first.fingerprint == again.fingerprint != moved.fingerprint
    without = [mapped(Media=[{"MediaURL": f"https://a.example/{number}"}]).fingerprint for number in range(2)]
    assert without[0] != without[1]
    assert mapped(AccessCode="other").fingerprint == mapped().fingerprint


def test_the_key() -> None:
    assert mapped(ListingKey=None, ListingKeyNumeric=4711).key == "4711"
    with pytest.raises(Skipped):
        mapped(ListingKey="x" * 101)


def test_a_stamp_may_be_needed() -> None:
    with pytest.raises(Skipped, match="ModificationTimestamp"):
        mapped(ModificationTimestamp=None)
    assert mapped(Rules("usd", "US", needs_stamp=False), ModificationTimestamp=None).modified_at is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.decimals(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(name=st.sampled_from([*record(), "MlgCanView", "Media", "LotSizeAcres", "BathroomsTotal"]), value=_JSON)
def test_any_value_is_read_or_skipped(name: str, value: Any) -> None:
    try:
        found = map_record({**record(), name: value}, RULES)
    except Skipped:
        return
    for text in (each for each in found.columns.values() if isinstance(each, str)):
        assert "\0" not in text
        text.encode()


@given(_JSON)
def test_any_record_is_read_or_skipped(value: Any) -> None:
    with pytest.raises(Skipped):
        map_record(value, RULES)


def test_filters_are_stored() -> None:
    wanted = SearchFilter(
        status="active", search="canal", city="Brattleboro", min_price=5, min_baths=Decimal("2.5"), box=Box.read("1,2,3.5,4")
    )
    assert read_filter(stored_filter(wanted)) == wanted
    assert stored_filter(SearchFilter()) == {}


@given(st.dictionaries(st.sampled_from(["search", "city", "min_price", "min_baths", "box", "status"]), _JSON))
def test_any_filter_is_read(query: dict[str, Any]) -> None:
    assert read_filter(stored_filter(read_filter(query))) == read_filter(query)


@pytest.mark.parametrize("text", ["", "1,2,3", "a,b,c,d", "nan,1,2,3", "3,1,2,4", "1e9999,1,2,3", "-91,0,0,0", "1,2,3,4,5"])
def test_no_box(text: str) -> None:
    assert Box.read(text) is None
