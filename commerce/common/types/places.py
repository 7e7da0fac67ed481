"""Places on the earth: distances, and the boxes around places that an index on coordinates can find. No database access."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, cos, degrees, pi, radians, sin, sqrt

#: The mean radius of the earth (IUGG).
RADIUS_KM = 6371.0088
KM_PER_MILE = 1.609344
#: Half of the way around the earth: no place is further away.
FARTHEST_KM = pi * RADIUS_KM


_DEGREES = re.compile(r"[-\u2212]?[0-9]{1,3}(?:[.,][0-9]{1,20})?", re.ASCII)


def read_degrees(text: str) -> float:
    """Return a coordinate with a point or a comma before its decimals; it has no groups of digits. Raises ValueError."""
    if not _DEGREES.fullmatch(text):
        raise ValueError("The text is no coordinate.")
    return float(text.replace(",", ".").replace("\u2212", "-"))


@dataclass(frozen=True, slots=True)
class Place:
    """Degrees; positive to the north and to the east."""

    latitude: float
    longitude: float

    @property
    def is_valid(self) -> bool:
        return -90 <= self.latitude <= 90 and -180 <= self.longitude <= 180


@dataclass(frozen=True, slots=True)
class Box:
    """An area between two parallels and, unless it crosses the antimeridian, between two meridians."""

    south: float
    north: float
    #: Ranges of longitudes, each from west to east: two where the antimeridian is inside.
    longitudes: Sequence[tuple[float, float]]

    def holds(self, place: Place) -> bool:
        is_inside = any(west <= place.longitude <= east for west, east in self.longitudes)
        return is_inside and self.south <= place.latitude <= self.north


def distance_km(one: Place, other: Place) -> float:
    """Return the great-circle distance by the haversine formula, which stays exact for small distances."""
    north, south = radians(one.latitude), radians(other.latitude)
    across = radians(other.longitude - one.longitude)
    square = sin((south - north) / 2) ** 2 + cos(north) * cos(south) * sin(across / 2) ** 2
    return 2 * RADIUS_KM * asin(min(1.0, sqrt(square)))


def box_around(center: Place, radius_km: float) -> Box:
    """Return a box that has every place within a radius; it also has some that are further away."""
    angle = radius_km / RADIUS_KM
    reach = degrees(angle)
    south, north = center.latitude - reach, center.latitude + reach
    if south <= -90 or north >= 90:
        # A pole is inside: so is every longitude.
        return Box(max(south, -90.0), min(north, 90.0), ((-180.0, 180.0),))
    across = degrees(asin(min(1.0, sin(angle) / cos(radians(center.latitude)))))
    return Box(south, north, _longitudes(center.longitude - across, center.longitude + across))


def box_between(south: float, west: float, north: float, east: float) -> Box:
    """Return the box of a map's view; one whose west is greater than its east crosses the antimeridian."""
    if east - west >= 360:
        return Box(south, north, ((-180.0, 180.0),))
    west, east = _wrap(west), _wrap(east)
    longitudes = ((west, east),) if west <= east else ((west, 180.0), (-180.0, east))
    return Box(south, north, longitudes)


def _longitudes(west: float, east: float) -> Sequence[tuple[float, float]]:
    # The antimeridian is at 180 and at -180 degrees.
    if west <= -180:
        return ((west + 360, 180.0), (-180.0, east))
    if east >= 180:
        return ((west, 180.0), (-180.0, east - 360))
    return ((west, east),)


def _wrap(longitude: float) -> float:
    return longitude if -180 <= longitude <= 180 else (longitude + 180) % 360 - 180
