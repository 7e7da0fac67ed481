"""The search for listings: filters, facets, map, pages, and what hostile values do."""

import json
import re
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import set_setting
from commerce.real_estate.models import PropertyPhoto
from commerce.real_estate.resources.criteria import Criteria
from commerce.real_estate.types.areas import Area, area_text, read_area
from commerce.real_estate.types.searches import Box, SearchFilter
from commerce.real_estate.views import search
from tests.builders import make_image

from .builders import import_records, make_feed, make_property, record

pytestmark = pytest.mark.django_db


def html(client: Client, path: str = "/real-estate", status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, (path, answer.status_code)
    return unescape(answer.content.decode())


def titles(client: Client, query: str = "") -> list[str]:
    """The streets of the cards, in order."""
    page = html(client, f"/real-estate?{query}")
    return re.findall(r'<a href="/real-estate/listings/[^"]*">([^,<]*)', page)


def village() -> None:
    """Three listings in two states."""
    make_property(None, 1, StreetName="Canal", ListPrice=400_000, BedroomsTotal=3, OnMarketDate="2026-02-03")
    make_property(
        *(None, 2),
        StreetName="River",
        City="Keene",
        StateOrProvince="NH",
        PostalCode="03431",
        ListPrice=250_000,
        BedroomsTotal=None,
        BathroomsTotalInteger=1,
        PropertyType="Land",
        OnMarketDate="2026-02-02",
        Latitude=42.9337,
        Longitude=-72.2781,
    )
    make_property(
        *(None, 3),
        StreetName="Hill",
        ListPrice=900_000,
        BedroomsTotal=5,
        BathroomsTotalInteger=4,
        StandardStatus="Pending",
        OnMarketDate="2026-02-01",
        PublicRemarks="A farm with an orchard.",
    )


BOX = "42.000000,-73.000000,43.000000,-72.500000"
CANAL, RIVER, HILL = "101 Canal Street", "102 River Street", "103 Hill Street"


def test_it_works(client: Client) -> None:
    village()
    page = html(client)
    for words in (
        "3 listings",
        "$400,000",
        "3 beds",
        "2 baths",
        "1,840 sq ft",
        "Listed by Green Mountain Realty",
        "Save this search",
    ):
        assert words in page, words
    assert titles(client) == [CANAL, RIVER, HILL]
    assert re.findall(r'class="property-mark">([^<]*)<', page) == ["Pending"]


@pytest.mark.both_databases
def test_filters(client: Client) -> None:
    village()
    for query, expected in [
        ("min_price=300000", [CANAL, HILL]),
        ("max_price=400000", [CANAL, RIVER]),
        ("min_price=$300,000&max_price=500,000", [CANAL]),
        ("beds=3", [CANAL, HILL]),
        ("beds=4&baths=4", [HILL]),
        ("baths=1.5", [CANAL, HILL]),
        ("type=land", [RIVER]),
        ("area=brattleboro", [CANAL, HILL]),
        ("area=VT", [CANAL, HILL]),
        ("area=Keene,+nh", [RIVER]),
        ("area=03431", [RIVER]),
        ("area=Brattleboro,+VT+05301", [CANAL, HILL]),
        ("area=Keene,+VT", []),
        ("area=keene+nh", [RIVER]),
        ("area=Keene+VT", []),
        ("status=pending", [HILL]),
        ("status=active", [CANAL, RIVER]),
        ("q=orchard", [HILL]),
        ("box=42.8,-72.6,42.9,-72.5", [CANAL, HILL]),
        ("sort=price", [RIVER, CANAL, HILL]),
        ("sort=-price", [HILL, CANAL, RIVER]),
        ("sort=beds", [HILL, CANAL, RIVER]),
    ]:
        assert titles(client, query) == expected, query


def test_prices_are_read_as_the_country_writes_them(client: Client) -> None:
    village()
    set_setting(key="site.country", value="DE")
    assert titles(client, "min_price=300.000") == [CANAL, HILL]
    assert titles(client, "min_price=300.000,00+%24&max_price=500000") == [CANAL]
    assert titles(client, "min_price=3.00") == [CANAL, RIVER, HILL]


@pytest.mark.parametrize("area", ["B3H+1A1", "B3H1A1", "b3h+1a1", "Halifax,+NS+B3H1A1"])
def test_postal_codes_have_several_spellings(client: Client, area: str) -> None:
    place = {"City": "Halifax", "StateOrProvince": "NS", "Country": "CA"}
    make_property(None, 1, StreetName="Canal", PostalCode="B3H 1A1", **place)
    make_property(None, 2, StreetName="River", PostalCode="B3H1A1", **place)
    make_property(None, 3, StreetName="Hill", PostalCode="B3H 1A2", **place)
    assert sorted(titles(client, f"area={area}")) == [CANAL, RIVER]


def test_other_listings_are_never_found(client: Client) -> None:
    make_property(None, 1, StandardStatus="Closed")
    make_property(None, 2, StandardStatus="Withdrawn")
    make_property(None, 3, InternetEntireListingDisplayYN=False)
    assert titles(client) == []
    for status in ("sold", "withdrawn", "all"):
        assert titles(client, f"status={status}") == []
    assert "Nothing here yet" in html(client)
    assert "No listings found" in html(client, "/real-estate?beds=2")


def test_the_form_keeps_the_search(client: Client) -> None:
    village()
    page = html(
        client, "/real-estate?q=farm&area=brattleboro,vt&type=residential&min_price=1000&beds=4&baths=2&status=pending&sort=price"
    )
    for words in (
        *('name="q" value="farm"', 'name="area" value="brattleboro, vt"', 'name="min_price" value="1000"'),
        *('value="Residential" selected', 'value="4" selected', 'value="2" selected', 'value="pending" selected'),
        'value="price" selected',
    ):
        assert words in page, words
    assert '<meta name="robots" content="noindex, follow">' in page
    assert "noindex" not in html(client)


def test_hostile_values_are_left_out(client: Client) -> None:
    make_property()
    for query in [
        *("min_price=-1", "min_price=" + "9" * 40, "min_price=1e9", "beds=x", "baths=NaN", "baths=1.234", "beds=٣", "box=1,2,3"),
        *(
            "box=NaN,NaN,NaN,NaN",
            "box=91,0,92,1",
            "box=1e400,0,1,1",
            "status=x",
            "sort=x",
            "page=x",
            "page=-1",
            "page=" + "9" * 30,
        ),
        *(
            "q=%00",
            "area=%00",
            "type=%00",
            "q=%ED%A0%80",
            "area=%FF",
            "q=" + "a" * 5000,
            "area=" + "1" * 500,
            "area=,",
            "q=!!!",
            "sort=%00",
        ),
        *(
            "area=,,,",
            "area=" + quote("ß" * 400),
            "type=" + "x" * 300,
            "min_price=1&min_price=2",
            "box=",
            "box=,,,",
            "status=active%00",
        ),
    ]:
        html(client, f"/real-estate?{query}")
        html(client, f"/accounts/searches/new/?{query}")


@pytest.mark.both_databases
def test_facets_count_what_the_rest_of_the_search_finds(client: Client) -> None:
    village()
    page = html(client)
    assert re.findall(r'<option value="(\w+)">\w+ \((\d+)\)', page) == [("Residential", "2"), ("Land", "1")]
    assert re.findall(r'class="chip"[^>]*>(\w+)\xa0<[^(]*\((\d+)', page) == [("Brattleboro", "2"), ("Keene", "1")]
    pending = html(client, "/real-estate?status=pending&area=Keene")
    assert re.findall(r'<option value="(\w*)"[^>]*>\w+ \((\d+)\)', pending) == []
    assert re.findall(r'class="chip" href="([^"]*)"( aria-current="true")?>(\w+)\xa0<[^(]*\((\d+)', pending) == [
        ("/real-estate?area=Brattleboro&status=pending", "", "Brattleboro", "1"),
        ("/real-estate?area=Keene&status=pending", ' aria-current="true"', "Keene", "0"),
    ]


@pytest.mark.both_databases
def test_pages_keep_the_search(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PER_PAGE", 2)
    village()
    page = html(client, "/real-estate?sort=price")
    assert 'href="?sort=price&page=2"' in page
    assert titles(client, "sort=price&page=2") == [HILL]
    assert titles(client, "sort=price&page=99") == [HILL]


def maps(page: str) -> list[dict[str, Any]]:
    return [json.loads(found) for found in re.findall(r"data-map=\"(\{.*?\})\" data-map-label", page)]


def test_the_map_shows_the_page_and_searches_its_area(client: Client) -> None:
    village()
    make_property(None, 4, InternetAddressDisplayYN=False)
    [found] = maps(html(client, "/real-estate?type=residential&beds=3"))
    assert [each["title"] for each in found["markers"]] == ["$400,000", "$900,000"]
    assert found["search"] == {"url": "/real-estate?type=residential&beds=3&box=", "box": ""}
    limited = html(client, "/real-estate?box=42,-73,43,-72.5")
    assert maps(limited)[0]["search"] == {"url": "/real-estate?box=", "box": BOX}
    assert f'name="box" value="{BOX}"' in limited
    # A part without listings can be left on the map.
    assert maps(html(client, "/real-estate?box=1,1,2,2"))[0]["markers"] == []
    assert maps(html(client, "/real-estate?area=nowhere")) == []


def test_photos(client: Client) -> None:
    media = [{"MediaURL": f"https://photos.example.com/{name}.jpg", "Order": place} for place, name in enumerate("abc")]
    row = make_property(make_feed(copies_photos=False, photo_license="By contract"), 1, Media=media)
    assert re.findall(r'<img src="([^"]*)"', html(client)) == ["https://photos.example.com/a.jpg"]
    PropertyPhoto.objects.filter(listing=row).update(is_linked=False)
    PropertyPhoto.objects.filter(listing=row, position=1).update(image=make_image().pk)
    set_setting(key="site.name", value="Another name")
    [shown] = re.findall(r'<img src="([^"]*)"', html(client))
    assert shown.startswith("/media/")


@pytest.mark.both_databases
def test_the_number_of_statements_is_constant(client: Client) -> None:
    def statements(path: str) -> int:
        html(client, path)
        set_setting(key="real_estate.disclaimer", value=path)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            html(client, path)
        return len(captured)

    feed, image = make_feed(), make_image()
    media = [{"MediaURL": "https://photos.example.com/a.jpg"}, {"MediaURL": "https://photos.example.com/b.jpg"}]
    import_records(feed, record(1, Media=media))
    PropertyPhoto.objects.update(image=image.pk)
    query = "/real-estate?area=VT&q=canal&beds=1&sort=beds"
    few = statements("/real-estate"), statements(query)
    import_records(feed, *(record(number, Media=media, City=f"City {number}") for number in range(2, 20)))
    PropertyPhoto.objects.update(image=image.pk)
    assert (statements("/real-estate"), statements(query)) == few


def test_the_page_is_cached_until_listings_change(client: Client) -> None:
    make_property(None, 1)
    html(client)
    with CaptureQueriesContext(connection) as captured:
        html(client)
    assert len(captured) <= 1
    make_property(None, 2)
    assert "2 listings" in html(client)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Brattleboro", Area("Brattleboro")),
        ("  brattleboro ,  vt ", Area("brattleboro", "vt")),
        ("Brattleboro, VT 05301", Area("Brattleboro", "VT", "05301")),
        ("05301-1234", Area(postal_code="05301-1234")),
        ("v8n 1a1", Area(postal_code="V8N 1A1")),
        ("VT 05301", Area("VT", "", "05301")),
        ("29 Palms, CA", Area("29 Palms", "CA")),
        ("29 Palms", Area("29 Palms")),
        ("\0", Area()),
        (",", Area()),
    ],
)
def test_areas(text: str, expected: Area) -> None:
    assert read_area(text) == expected


def test_the_text_of_an_area_is_read_as_the_same_area() -> None:
    for wanted in (
        SearchFilter(city="Keene", state="NH", postal_code="03431"),
        SearchFilter(city="Keene"),
        SearchFilter(postal_code="1"),
    ):
        found = read_area(area_text(wanted))
        assert (found.city or None, found.state or None, found.postal_code or None) == (
            wanted.city,
            wanted.state,
            wanted.postal_code,
        )


@pytest.mark.both_databases
def test_a_search_has_an_address() -> None:
    wanted = SearchFilter(search="a&b", city="Keene", min_price=5, box=Box.read("1,2,3,4"))
    expected = "/real-estate?q=a%26b&area=Keene&min_price=5&box=1.000000,2.000000,3.000000,4.000000&sort=price"
    assert Criteria(wanted, "price").path == expected
    assert Criteria().path == "/real-estate"
