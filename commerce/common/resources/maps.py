"""Maps of places on public pages: the context of `components/map.html`, which needs `common/map.css` and `common/map.js`.

A map is drawn when a visitor asks for it: until then the browser requests nothing from the host of its tiles.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.templatetags.static import static

from cms_api.flags.selectors import VERSION as FLAGS
from cms_api.flags.selectors import get_setting
from cms_api.http import page_cache

from ..types.places import Place

#: Zoom of a map with a single place: its streets.
STREET_ZOOM = 15
#: The rights of its data, at https://www.openstreetmap.org.
OPEN_STREET_MAP = "OpenStreetMap"
_COPYRIGHT = "https://www.openstreetmap.org/copyright"


@dataclass(frozen=True, slots=True)
class Marker:
    """A place on a map; `path` is that of its page, empty where the map is on that page."""

    place: Place
    title: str
    #: In one line.
    address: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class AreaSearch:
    """A search that visitors can limit to the part of a map that they see; needs scripts."""

    #: The URL to which the script appends `south,west,north,east`.
    url: str
    #: The part that the present search is limited to, in the same form.
    box: str = ""


@dataclass(frozen=True, slots=True)
class Map:
    """A map, for its template."""

    label: str
    #: The host that the browser requests tiles from.
    host: str
    #: Read by `common/map.js`.
    config: dict[str, Any]
    #: The single place of the map at openstreetmap.org; empty if there are several.
    outside: str

    @property
    def config_json(self) -> str:
        """Return the data of the script, for an attribute."""
        return json.dumps(self.config, separators=(",", ":"))


def map_of(markers: Iterable[Marker], *, label: str, search: AreaSearch | None = None) -> Map | None:
    """Return a map with a marker for each place; None without a place, or if the site has no map.

    `label` says what it shows: "Map of bakeries". `search` adds a link that searches the visible part; a map that is already
    limited to one needs no place. The page depends on the settings of maps.
    """
    page_cache.depends_on(FLAGS)
    shown = list(markers)
    tiles = str(get_setting("maps.tiles")).strip()
    host = tile_host(tiles)
    if not host or not (shown or (search and search.box)):
        return None
    attribution = str(get_setting("maps.attribution")).strip()
    config = {
        "tiles": tiles,
        "attribution": attribution,
        "copyright": _COPYRIGHT if OPEN_STREET_MAP in attribution else "",
        "zoom": STREET_ZOOM,
        "script": static("js_lib_leaflet/leaflet.js"),
        "style": static("js_lib_leaflet/leaflet.css"),
        "icon": static("js_lib_leaflet/images/marker-icon.png"),
        "icon2x": static("js_lib_leaflet/images/marker-icon-2x.png"),
        "shadow": static("js_lib_leaflet/images/marker-shadow.png"),
        "markers": [_config_of(marker) for marker in shown],
    }
    if search is not None:
        config["search"] = {"url": search.url, "box": search.box}
    return Map(label, host, config, outside_url(shown[0].place) if len(shown) == 1 else "")


def tile_host(tiles: str) -> str:
    """Return the host of a tile address; empty unless it is an address with the numbers of a tile."""
    if not all(part in tiles for part in ("{z}", "{x}", "{y}")):
        return ""
    try:
        parts = urlsplit(tiles)
        name = parts.hostname or ""
    except ValueError:
        return ""
    # Tiles may be spread over several hosts: {s}.tile.example.org.
    return name.removeprefix("{s}.") if parts.scheme in {"http", "https"} else ""


def outside_url(place: Place) -> str:
    """Return the URL of a place at openstreetmap.org, for visitors without the map."""
    at = f"{place.latitude:.6f}", f"{place.longitude:.6f}"
    return f"https://www.openstreetmap.org/?mlat={at[0]}&mlon={at[1]}#map={STREET_ZOOM}/{at[0]}/{at[1]}"


def _config_of(marker: Marker) -> dict[str, Any]:
    return {
        "latitude": marker.place.latitude,
        "longitude": marker.place.longitude,
        "title": marker.title,
        "address": marker.address,
        "path": marker.path,
    }
