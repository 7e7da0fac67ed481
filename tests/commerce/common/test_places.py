"""Distances on the earth, and the boxes in which places within a distance are looked for."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commerce.common.types.places import FARTHEST_KM, Place, box_around, box_between, distance_km

LONDON, PARIS, NEW_YORK = Place(51.5074, -0.1278), Place(48.8566, 2.3522), Place(40.7128, -74.0060)
NORTH, SOUTH = Place(90, 0), Place(-90, 0)

latitudes = st.floats(-90, 90) | st.sampled_from([-90.0, -89.999, 0.0, 89.999, 90.0])
longitudes = st.floats(-180, 180) | st.sampled_from([-180.0, -179.999, 0.0, 179.999, 180.0])
places = st.builds(Place, latitudes, longitudes)
#: Further than the computer's own error in a distance and a box.
ROUNDING_KM = 1e-6


@pytest.mark.parametrize(
    ("one", "other", "km"),
    [
        (LONDON, PARIS, 343.56),
        (LONDON, NEW_YORK, 5570.2),
        # Across the antimeridian.
        (Place(0, 179), Place(0, -179), 222.39),
        (NORTH, SOUTH, FARTHEST_KM),
        (NORTH, Place(0, 123.4), FARTHEST_KM / 2),
        (Place(0, 0), Place(0, 180), FARTHEST_KM),
        (Place(12, 180), Place(12, -180), 0),
        (Place(90, 10), Place(90, -120), 0),
        # One degree of a meridian, and eleven centimetres.
        (Place(10, 20), Place(11, 20), 111.195),
        (Place(10, 20), Place(10.000001, 20), 0.000111),
    ],
)
def test_known_distances(one: Place, other: Place, km: float) -> None:
    assert distance_km(one, other) == pytest.approx(km, rel=2e-3, abs=1e-6)


@given(places, places)
def test_distances_are_those_by_the_chord(one: Place, other: Place) -> None:
    """By another formula: the straight line through the earth."""

    def vector(place: Place) -> tuple[float, float, float]:
        north, east = math.radians(place.latitude), math.radians(place.longitude)
        return math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north)

    chord = math.dist(vector(one), vector(other))
    expected = FARTHEST_KM / math.pi * 2 * math.asin(min(1.0, chord / 2))
    assert distance_km(one, other) == pytest.approx(expected, abs=0.01)
    assert distance_km(one, other) == pytest.approx(distance_km(other, one), abs=1e-9)
    assert 0 <= distance_km(one, other) <= FARTHEST_KM


@given(places, places, st.floats(0, 21_000) | st.sampled_from([0.0, 1.0, 25.0, 500.0]))
def test_a_box_has_every_place_within_the_radius(center: Place, place: Place, radius: float) -> None:
    if distance_km(center, place) <= radius - ROUNDING_KM:
        assert box_around(center, radius).holds(place)


@given(places, st.floats(0, 2 * math.pi), st.floats(0.0001, 2000), st.floats(0, 0.9999))
def test_a_box_has_the_places_around_its_center(center: Place, bearing: float, radius: float, part: float) -> None:
    """Places that are reached from the center, as most pairs are far apart."""
    angle = part * radius * math.pi / FARTHEST_KM
    north = math.radians(center.latitude)
    sine = math.sin(north) * math.cos(angle) + math.cos(north) * math.sin(angle) * math.cos(bearing)
    latitude = math.asin(max(-1.0, min(1.0, sine)))
    across = math.sin(bearing) * math.sin(angle) * math.cos(north), math.cos(angle) - math.sin(north) * math.sin(latitude)
    longitude = center.longitude + math.degrees(math.atan2(*across))
    place = Place(math.degrees(latitude), (longitude + 180) % 360 - 180)
    if distance_km(center, place) <= radius:
        assert box_around(center, radius).holds(place)


@pytest.mark.parametrize("radius", [0, 1e-9, 1])
@pytest.mark.parametrize(("center", "place"), [(180.0, -180.0), (-180.0, 180.0), (180.0, 180.0), (-180.0, -180.0)])
def test_the_antimeridian_is_one_line(center: float, place: float, radius: float) -> None:
    assert box_around(Place(10, center), radius).holds(Place(10, place))


def test_a_box_is_not_much_larger_than_its_circle() -> None:
    box = box_around(LONDON, 25)
    (longitudes,) = box.longitudes
    assert distance_km(LONDON, Place(box.north, LONDON.longitude)) == pytest.approx(25)
    assert distance_km(LONDON, Place(LONDON.latitude, longitudes[1])) == pytest.approx(25, rel=0.01)
    assert not box.holds(PARIS)


@pytest.mark.parametrize("center", [NORTH, SOUTH, Place(89.9, 100), Place(-89.9, 100)])
def test_every_longitude_is_near_a_pole(center: Place) -> None:
    box = box_around(center, 50)
    assert box.longitudes == ((-180.0, 180.0),)
    assert (box.north == 90) != (box.south == -90)


def test_the_whole_earth_is_within_its_radius() -> None:
    box = box_around(LONDON, 30_000)
    assert (box.south, box.north, box.longitudes) == (-90, 90, ((-180.0, 180.0),))


@pytest.mark.parametrize(
    ("view", "longitudes"),
    [
        ((-10, -20, 10, 20), ((-20, 20),)),
        ((-10, 170, 10, -170), ((170, 180.0), (-180.0, -170))),
        # Maps that were moved around the earth count on.
        ((-10, 170, 10, 190), ((170, 180.0), (-180.0, -170))),
        ((-10, -190, 10, -170), ((170, 180.0), (-180.0, -170))),
        ((-10, 340, 10, 380), ((-20, 20),)),
        ((-10, -300, 10, 300), ((-180.0, 180.0),)),
        ((-10, -180, 10, 180), ((-180.0, 180.0),)),
    ],
)
def test_the_view_of_a_map(view: tuple[float, float, float, float], longitudes: tuple[tuple[float, float], ...]) -> None:
    box = box_between(*view)
    assert (box.south, box.north, box.longitudes) == (-10, 10, longitudes)


@pytest.mark.parametrize(
    ("place", "is_valid"),
    [(NORTH, True), (Place(-90, 180), True), (Place(90.1, 0), False), (Place(0, -180.1), False), (Place(math.nan, 0), False)],
)
def test_degrees_that_are_valid(place: Place, is_valid: bool) -> None:
    assert place.is_valid is is_valid
