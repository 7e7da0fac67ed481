"""The listings of the demo as records of the RESO Web API."""

from datetime import datetime, timedelta
from typing import Any

from cms_api.core.demo import data_beside, pick

FEED = "Demo MLS"
#: The first key is `DM-1001`.
FIRST_KEY = 1001
#: Streets of further scales have higher numbers, and are this many thousandths of a degree away.
NUMBERS_APART, THOUSANDTHS_APART = 200, 3
HOST = "https://photos.example/"
#: Rooms that follow the front of a house.
ROOMS = ("living-room", "kitchen", "bedroom", "garden")

DATA = data_beside(__file__, "records.yaml")


def photos() -> dict[str, str]:
    """Return the names of drawings by the URLs of the photos."""
    fronts = {_front(place): f"house-{place + 1}" for place in range(len(DATA["listings"])) if not _is_land(place)}
    return {**fronts, **{f"{HOST}{room}.jpg": room for room in ROOMS}}


def key_of(number: int) -> str:
    return f"DM-{FIRST_KEY + number}"


def days_listed(number: int) -> int:
    """Return for how many days a listing has been on the market."""
    return int(pick(DATA["listings"], number)["days"]) + number // len(DATA["listings"]) % 30


def record_of(number: int, now: datetime) -> dict[str, Any]:
    """Return a listing as a record. Those of further scales have no photos."""
    further, place = divmod(number, len(DATA["listings"]))
    planned = DATA["listings"][place]
    city = next(each for each in DATA["cities"] if each["City"] == planned["City"])
    agent = next(each for each in DATA["agents"] if each["ListAgentMlsId"] == planned["agent"])
    shift, listed = THOUSANDTHS_APART * further / 1000, now - timedelta(days=days_listed(number))
    latitude = city["Latitude"] + 0.0011 * (place % 5) - shift
    longitude = city["Longitude"] + 0.0017 * (place % 7) + shift
    return {
        "ListingKey": key_of(number),
        **{name: value for name, value in planned.items() if name not in {"days", "agent"}},
        "ListPrice": planned["ListPrice"] + 1_000 * (further % 50) * (planned["ListPrice"] > 10_000),
        "StreetNumber": str(planned["StreetNumber"] + NUMBERS_APART * further),
        **city,
        "Country": "US",
        "Latitude": round(latitude, 6),
        "Longitude": round(longitude, 6),
        "InternetAddressDisplayYN": planned.get("InternetAddressDisplayYN", True),
        "InternetEntireListingDisplayYN": planned.get("InternetEntireListingDisplayYN", True),
        **agent,
        "OnMarketDate": listed.date().isoformat(),
        "ModificationTimestamp": (listed + (now - listed) * 3 / 5).isoformat(),
        "Media": [{"MediaURL": url, "Order": order} for order, url in enumerate(_urls(place))] if not further else [],
    }


def _is_land(place: int) -> bool:
    return bool(DATA["listings"][place]["PropertyType"] == "Land")


def _front(place: int) -> str:
    return f"{HOST}house-{place + 1}.jpg"


def _urls(place: int) -> list[str]:
    """Return the URLs of the photos: the front, and some rooms; of land the garden."""
    if _is_land(place):
        return [f"{HOST}garden.jpg"]
    count = 1 + (place * 2 + 3) % 4
    return [_front(place), *(f"{HOST}{pick(ROOMS, place + step)}.jpg" for step in range(count))]
