"""Maps of places: their context, and the settings for the host of their tiles."""

import json

import pytest
from django.template.loader import render_to_string

from cms_api.flags.services import set_setting
from commerce.common.resources.maps import AreaSearch, Map, Marker, map_of, outside_url, tile_host
from commerce.common.types.places import Place

pytestmark = pytest.mark.django_db

BAKERY = Marker(Place(42.8509, -72.5579), 'Bread & "Butter"', "14 Canal Street, Brattleboro", "/directory/bread-butter")
CAFE = Marker(Place(42.9, -72.6), "Café </script><script>")


def shown(*markers: Marker) -> Map:
    found = map_of(markers, label="Map of bakeries")
    assert found is not None
    return found


def test_a_map_names_the_host_of_its_tiles_and_has_a_marker_for_each_place() -> None:
    found = shown(BAKERY, CAFE)
    assert (found.host, found.outside) == ("tile.openstreetmap.org", "")
    assert found.config["copyright"] == "https://www.openstreetmap.org/copyright"
    assert json.loads(found.config_json)["markers"][0] == {
        "latitude": 42.8509,
        "longitude": -72.5579,
        "title": 'Bread & "Butter"',
        "address": "14 Canal Street, Brattleboro",
        "path": "/directory/bread-butter",
    }


def test_a_single_place_has_a_link_for_visitors_without_scripts() -> None:
    expected = "https://www.openstreetmap.org/?mlat=42.850900&mlon=-72.557900#map=15/42.850900/-72.557900"
    assert shown(BAKERY).outside == outside_url(BAKERY.place) == expected


def test_texts_cannot_leave_the_attribute() -> None:
    html = render_to_string("components/map.html", {"map": shown(BAKERY, CAFE)})
    assert "<script" not in html
    assert "The map is loaded from tile.openstreetmap.org." in html


def test_without_a_place_there_is_no_map() -> None:
    assert map_of([], label="Map") is None
    assert not render_to_string("components/map.html", {"map": None}).strip()


@pytest.mark.parametrize(
    "tiles", ["", "https://tile.example.org/", "javascript:{z}{x}{y}", "https://[{z}/{x}/{y}", "{z}/{x}/{y}"]
)
def test_an_address_without_tiles_switches_maps_off(tiles: str) -> None:
    set_setting(key="maps.tiles", value=tiles)
    assert map_of([BAKERY], label="Map") is None


def test_other_tiles_have_their_own_attribution() -> None:
    set_setting(key="maps.tiles", value="https://{s}.tile.example.org/{z}/{x}/{y}.png?key=1")
    set_setting(key="maps.attribution", value="© Example")
    found = shown(BAKERY)
    assert (found.host, found.config["attribution"], found.config["copyright"]) == ("tile.example.org", "© Example", "")
    assert tile_host("http://localhost:9000/{z}/{x}/{y}") == "localhost"


def test_a_search_of_the_visible_part() -> None:
    assert "search" not in shown(BAKERY).config
    everywhere = map_of([BAKERY], label="Map", search=AreaSearch("/directory?box="))
    assert everywhere is not None
    assert everywhere.config["search"] == {"url": "/directory?box=", "box": ""}
    # A part without places is shown too: visitors move on from there.
    limited = map_of([], label="Map", search=AreaSearch("/directory?box=", "42,-73,43,-72"))
    assert limited is not None
    assert (limited.config["markers"], limited.config["search"]["box"]) == ([], "42,-73,43,-72")
    assert map_of([], label="Map", search=AreaSearch("/directory?box=")) is None
