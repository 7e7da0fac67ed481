"""Listings over the API: list with every filter, retrieve by id, slug and key."""

import pytest

from commerce.real_estate.models import Property
from commerce.real_estate.resources.listings import PropertyResource
from tests.client import Api

from .builders import make_feed, make_property

pytestmark = pytest.mark.django_db
LIST = "/real-estate/listings"


def keys(api: Api, query: str = "") -> list[str]:
    return [row["listing_key"] for row in api.get(f"{LIST}?{query}").json()["data"]]


@pytest.mark.both_databases
def test_it_works(estate_api: Api) -> None:
    row = make_property(number=1, BathroomsTotalDecimal="2.5")
    found = estate_api.get(f"{LIST}/{row.pk}").json()["data"]
    assert found.keys() == PropertyResource.example.keys()
    assert (found["listing_key"], found["status"], found["list_price"], found["currency"]) == ("RE-1", "active", 400_001, "usd")
    assert (found["beds"], found["baths"], found["sqft"], found["latitude"]) == (3, 2.5, 1840, 42.8509)
    assert (found["street"], found["country"], found["on_market_date"]) == ("101 Canal Street", "US", "2026-02-20")
    assert found["modified_at"] == "2026-03-01T18:30:00+00:00"
    assert found["url"].endswith(f"/real-estate/listings/{row.slug}")
    assert estate_api.get(f"{LIST}/{row.slug}").json()["data"] == found
    assert estate_api.get(f"{LIST}/RE-1").json()["data"] == found
    assert estate_api.get(LIST).json()["data"] == [found]


def test_whole_baths(estate_api: Api) -> None:
    row = make_property(number=1)
    assert '"baths":2,' in estate_api.get(f"{LIST}/{row.pk}").content.decode()


def test_hidden_listings_are_unknown(estate_api: Api) -> None:
    row = make_property(number=1, InternetEntireListingDisplayYN=False)
    assert [estate_api.get(f"{LIST}/{each}").status_code for each in (row.pk, row.slug, "RE-1", "x", "9" * 30)] == [404] * 5
    assert keys(estate_api, "status=all") == []


def test_statuses(estate_api: Api) -> None:
    feed = make_feed()
    for number, status in enumerate(("Active", "Pending", "Closed", "Withdrawn"), start=1):
        make_property(feed, number, StandardStatus=status)
    assert keys(estate_api) == ["RE-1"]
    assert [keys(estate_api, f"status={each}") for each in ("active", "pending", "sold", "withdrawn")] == [
        ["RE-1"],
        ["RE-2"],
        ["RE-3"],
        ["RE-4"],
    ]
    assert keys(estate_api, "status=all") == ["RE-4", "RE-3", "RE-2", "RE-1"]


FILTERS = [
    ("city=BRATTLEBORO", ["RE-1"]),
    ("city=brattle", []),
    ("city=%20putney%20", ["RE-2"]),
    ("state=vt", ["RE-1"]),
    ("postal_code=05346", ["RE-2"]),
    ("postal_code=0534", []),
    ("property_type=LAND", ["RE-2"]),
    ("min_price=500000", ["RE-2"]),
    ("max_price=400001", ["RE-1"]),
    ("min_price=400001&max_price=500000", ["RE-2", "RE-1"]),
    ("min_beds=4", ["RE-2"]),
    ("min_baths=3", ["RE-2"]),
    ("min_baths=1.5", ["RE-2", "RE-1"]),
    ("min_baths=2.25", ["RE-2"]),
    ("agent_mls_id=B7", ["RE-2"]),
    ("agent_mls_id=b7", []),
    ("since=2026-03-02T10:00:00Z", ["RE-2"]),
    ("since=2026-03-03", []),
    ("since=2026-03-01", ["RE-2", "RE-1"]),
    ("city=putney&state=nh&min_beds=1", ["RE-2"]),
    ("sort=list_price", ["RE-1", "RE-2"]),
    ("sort=-list_price", ["RE-2", "RE-1"]),
    ("sort=on_market_date", ["RE-2", "RE-1"]),
    ("sort=created_at", ["RE-1", "RE-2"]),
    ("sort=updated_at", ["RE-1", "RE-2"]),
]


@pytest.mark.parametrize(("query", "expected"), FILTERS)
@pytest.mark.both_databases
def test_filters(estate_api: Api, query: str, expected: list[str]) -> None:
    feed = make_feed()
    make_property(feed, 1)
    other = {"City": "Putney", "StateOrProvince": "NH", "PostalCode": "05346", "PropertyType": "Land", "ListAgentMlsId": "B7"}
    size = {"ListPrice": 500_000, "BedroomsTotal": 5, "BathroomsTotalInteger": 3}
    make_property(feed, 2, **other, **size, ModificationTimestamp="2026-03-02T10:00:00Z", OnMarketDate="2026-01-01")
    assert keys(estate_api, query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "status=closed",
        "status=",
        "min_price=cheap",
        "min_price=-1",
        f"max_price={10**30}",
        "min_beds=1.5",
        "min_baths=1000",
        "since=yesterday",
        "since=9999-99-99",
        f"city={'x' * 101}",
        "city=%00",
        "postal_code=%ED%A0%80",
        "sort=beds",
        "cursor=%00",
        "page=0",
    ],
)
def test_malformed_filters(estate_api: Api, query: str) -> None:
    assert estate_api.get(f"{LIST}?{query}").status_code == 422


@pytest.mark.parametrize("sort", ["modified_at", "-list_price", "on_market_date", "created_at", "-updated_at"])
@pytest.mark.both_databases
def test_cursors(estate_api: Api, sort: str) -> None:
    feed = make_feed()
    for number in range(5):
        make_property(feed, number, OnMarketDate=None if number % 2 else "2026-01-01")
    path, found = f"{LIST}?per_page=2&cursor=&sort={sort}", []
    while path:
        answer = estate_api.get(path).json()
        found += [row["listing_key"] for row in answer["data"]]
        following = answer["links"]["next"]
        path = following.partition("/api/v1")[2] if following else ""
    assert sorted(found) == sorted(Property.objects.values_list("listing_key", flat=True))
