"""The content type `showcase`, which has a field of every type, and its items: rooms for hire."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from .library import Stock

FEATURES = ("Step-free", "Daylight", "Piano", "Kitchen", "Outdoors")


def _field(key: str, label: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"key": key, "label": label, "type": kind, **more}


def _options(*labels: str) -> list[dict[str, str]]:
    return [{"value": label.lower().replace(" ", "-"), "label": label} for label in labels]


TYPE: dict[str, Any] = {
    "name": "Space",
    "name_plural": "Spaces",
    "description": "Rooms for hire. This type has a field of every kind.",
    "icon": "home",
    "schema_type": "Place",
    "index_layout": "content-grid",
    "detail_layout": "content-wide",
    "fields": [
        _field("title", "Title", "text", required=True),
        _field("summary", "Summary", "textarea"),
        _field("description", "Description", "richtext_tiptap"),
        _field("next_viewing", "Next viewing", "datetime", facet=True),
        _field("capacity", "Capacity", "integer", help_text="Standing."),
        _field("ceiling_height", "Ceiling height in metres", "number"),
        _field("has_projector", "Projector", "boolean"),
        _field("floor", "Floor", "select", options=_options("Ground floor", "First floor", "Outside")),
        _field("layouts", "Layouts", "select", multiple=True, options=_options("Theatre", "Cabaret", "Boardroom", "Empty")),
        _field("noise", "Noise", "radio", options=_options("Quiet", "Lively", "Loud is fine")),
        _field("included", "Included", "checkbox", options=_options("Chairs", "Tables", "Sound system", "Tea and coffee")),
        _field("built_on", "Opened on", "date"),
        _field("doors_close", "Doors close at", "time"),
        _field("website", "Floor plan", "url"),
        _field("email", "Email", "email"),
        _field("phone", "Phone", "phone"),
        _field("color", "Door colour", "color"),
        _field("address", "Address", "address"),
        _field("hours", "Opening hours", "hours"),
        _field("plan", "View from the door", "image"),
        _field("gallery", "Gallery", "gallery"),
        _field("document", "Programme", "file"),
        _field("features", "Features", "taxonomy", multiple=True),
        _field("related_service", "How to book", "relation"),
        _field("related_posts", "Related posts", "relation", multiple=True),
    ],
}

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri")
_HOURS = {
    **{day: [{"open": "08:00", "close": "12:30"}, {"open": "13:30", "close": "22:00"}] for day in _WEEKDAYS},
    "sat": [{"open": "10:00", "close": "23:30"}],
    "sun": [],
}
_ADDRESS = {
    "street": "Millrace Arts",
    "street2": "4 Weir Lane",
    "city": "Harrowford",
    "postal_code": "HF2 7QD",
    "country": "United Kingdom",
    "latitude": 53.7251,
    "longitude": -1.8632,
}


_TUESDAY, _THURSDAY, _SATURDAY, _SUNDAY = 1, 3, 5, 6


def _in_weeks(weeks: int, weekday: int) -> str:
    """Return a day of a coming week."""
    today = timezone.now().date()
    return (today + timedelta(days=7 * weeks + weekday - today.weekday())).isoformat()


def items(media: Stock) -> list[dict[str, Any]]:
    """Return three rooms with every field filled in, and one with only a title."""
    return [
        _turbine_hall(media),
        _dye_studio(media),
        _weir_garden(media),
        {"slug": "porters-room", "days_ago": 240, "data": {"title": "The Porter's Room"}},
    ]


def _turbine_hall(media: Stock) -> dict[str, Any]:
    data = {
        "title": "The Turbine Hall",
        "summary": "A hall for two hundred with a sprung floor, a lighting rig and an echo that flatters everyone.",
        "description": "<p>The turbines left in 1974. What stayed is the height: nine metres of brick, with iron walkways on "
        "three sides "
        "and a window the size of a tennis court.</p><p>It suits concerts, dances, long dinners and anything that needs to be "
        "hung "
        "from something. The floor is sprung and level with the street, so that a grand piano can roll straight in.</p>"
        "<h2>Good to know</h2><ul><li>Blackout blinds take four minutes to close</li><li>There is a hearing loop</li>"
        "<li>Candles are welcome, confetti is not</li></ul>",
        "next_viewing": {"start": f"{_in_weeks(3, _TUESDAY)}T18:30", "end": f"{_in_weeks(3, _TUESDAY)}T20:00"},
        "capacity": 220,
        "ceiling_height": 9.25,
        "has_projector": True,
        "floor": "ground-floor",
        "layouts": ["theatre", "cabaret", "empty"],
        "noise": "loud-is-fine",
        "included": ["chairs", "tables", "sound-system"],
        "built_on": "1908-04-14",
        "doors_close": "23:30",
        "website": "https://example.org/spaces/turbine-hall",
        "email": "hire@example.org",
        "phone": "+44 1632 960 118",
        "color": "#2a3bd0",
        "address": _ADDRESS,
        "hours": _HOURS,
        "plan": media.path("roof"),
        "gallery": [media.path("studio"), media.path("workshop"), media.path("stage"), media.path("choir")],
        "document": media.document,
        "features": ["step-free", "piano"],
        "related_service": "room-hire",
        "related_posts": ["a-choir-for-people-who-cannot-sing", "light-rigging-for-beginners", "brass-on-the-loading-bay"],
    }
    return {"slug": "turbine-hall", "picture": "hall", "days_ago": 30, "data": data}


def _dye_studio(media: Stock) -> dict[str, Any]:
    data = {
        "title": "The Dye Studio",
        "summary": "Two long tables, six sinks and north light all day: a room where spills don't matter.",
        "description": "<p>Wool, cotton and the occasional wedding dress are dyed here with plants from the garden. When the "
        "vats are "
        "covered it makes a fine workshop for twenty-four.</p>",
        "next_viewing": {"start": _in_weeks(8, _SATURDAY), "end": _in_weeks(8, _SUNDAY), "all_day": True},
        "capacity": 24,
        "ceiling_height": 4,
        "has_projector": False,
        "floor": "first-floor",
        "layouts": ["boardroom"],
        "noise": "lively",
        "included": ["chairs", "tables", "tea-and-coffee"],
        "built_on": "2016-09-03",
        "doors_close": "21:00",
        "website": "https://example.org/spaces/dye-studio",
        "email": "studios@example.org",
        "phone": "01632 960 119 x4",
        "color": "#1d8f83",
        "address": {**_ADDRESS, "street2": "First floor, 4 Weir Lane"},
        "hours": _HOURS,
        "plan": media.path("studio"),
        "gallery": [media.path("loom"), media.path("workshop")],
        "document": media.document,
        "features": ["daylight", "kitchen"],
        "related_service": "studio-membership",
        "related_posts": ["learn-to-weave-in-a-weekend", "the-garden-behind-the-weir"],
    }
    return {"slug": "dye-studio", "picture": "street", "days_ago": 45, "data": data}


def _weir_garden(media: Stock) -> dict[str, Any]:
    data = {
        "title": "The Weir Garden",
        "summary": "A quarter of an acre of dye plants beside the water, with benches, a ramp and a hen.",
        "description": "<p>For picnics, small weddings and outdoor classes. There is a marquee for when it rains, and it will "
        "rain.</p>",
        "next_viewing": {
            "start": f"{_in_weeks(11, _TUESDAY)}T10:00",
            "end": f"{_in_weeks(11, _THURSDAY)}T16:00",
        },
        "capacity": 80,
        "ceiling_height": 2.8,
        "has_projector": False,
        "floor": "outside",
        "layouts": ["empty"],
        "noise": "quiet",
        "included": ["chairs"],
        "built_on": "2022-05-21",
        "doors_close": "20:30",
        "website": "https://example.org/spaces/weir-garden",
        "email": "garden@example.org",
        "phone": "+44 1632 960 120",
        "color": "#9fc29b",
        "address": {**_ADDRESS, "street2": "Behind 4 Weir Lane"},
        "hours": {**_HOURS, "sun": [{"open": "10:00", "close": "17:00"}]},
        "plan": media.path("garden"),
        "gallery": [media.path("garden"), media.path("moon"), media.path("river")],
        "document": media.document,
        "features": ["step-free", "daylight", "outdoors"],
        "related_service": "room-hire",
        "related_posts": ["the-garden-behind-the-weir", "night-walk-along-the-weir"],
    }
    return {"slug": "weir-garden", "picture": "mill", "days_ago": 70, "data": data}
