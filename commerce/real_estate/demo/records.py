"""The listings of the demo as records of the RESO Web API, and its inquiries."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

FEED = "Demo MLS"
SEARCH = "Houses in Brattleboro"
#: The first key is `DM-1001`.
FIRST_KEY = 1001
#: Streets of further scales have higher numbers, and are this many thousandths of a degree away.
NUMBERS_APART, THOUSANDTHS_APART = 200, 3
HOST = "https://photos.example/"


@dataclass(frozen=True)
class City:
    name: str
    state: str
    postal_code: str
    latitude: float
    longitude: float


BRATTLEBORO = City("Brattleboro", "VT", "05301", latitude=42.8509, longitude=-72.5579)
PUTNEY = City("Putney", "VT", "05346", latitude=42.9748, longitude=-72.5218)
BURLINGTON = City("Burlington", "VT", "05401", latitude=44.4759, longitude=-73.2121)
KEENE = City("Keene", "NH", "03431", latitude=42.9337, longitude=-72.2781)
GREENFIELD = City("Greenfield", "MA", "01301", latitude=42.5876, longitude=-72.5995)

HOUSE = ("Residential", "Single Family Residence")
CONDO = ("Residential", "Condominium")
TOWNHOUSE = ("Residential", "Townhouse")
RENTAL = ("Residential Lease", "Apartment")
LAND = ("Land", "Unimproved Land")
SHOP = ("Commercial Sale", "Mixed Use")


@dataclass(frozen=True)
class Planned:
    """A listing. `days` is how long it has been on the market."""

    status: str
    kind: tuple[str, str]
    price: int
    number: int
    street: str
    city: City
    beds: int | None
    #: Text where it has a decimal.
    baths: int | str | None
    area: int | None
    lot: int | None
    year: int | None
    days: int
    agent: int
    text: str
    shows_address: bool = True
    is_displayed: bool = True


# fmt: off
PLAN = (
    Planned("Active", HOUSE, 489_000, 14, "Canal Street", BRATTLEBORO, 3, "2.5", 1840, 10_890, 1912, 6, 0,
            "A brick house by the canal, with a workshop in the garden.\n\nThe kitchen was rebuilt in 2021; the stove and the "
            "oak floors are from the first owners. The station is ten minutes away on foot."),
    Planned("Active", HOUSE, 625_000, 88, "Orchard Hill Road", PUTNEY, 4, 3, 2610, 130_680, 1988, 2, 1,
            "Light on every side, three acres with apple trees, and a barn that is large enough for a studio."),
    Planned("Active", CONDO, 315_000, 20, "Battery Street", BURLINGTON, 2, 1, 980, None, 2006, 11, 2,
            "On the third floor, with a view of the lake from both rooms. An elevator, a bicycle room and one parking space."),
    Planned("Active", TOWNHOUSE, 398_000, 7, "Mill Row", KEENE, 3, "1.5", 1460, 2_180, 1974, 19, 0,
            "The end of a row of six, with a walled garden that faces south. New windows and a heat pump."),
    Planned("Active", RENTAL, 1_950, 41, "Main Street", BRATTLEBORO, 1, 1, 640, None, 1926, 4, 3,
            "Above a bookshop in the middle of town. Heat and hot water are included. Pets by agreement."),
    Planned("Active", LAND, 142_000, 310, "Ridge Road", PUTNEY, None, None, None, 483_516, None, 47, 1,
            "Eleven acres of meadow and maple, with a well, a driveway and a permit for a house of four bedrooms."),
    Planned("Active", SHOP, 749_000, 112, "Elliot Street", BRATTLEBORO, None, 2, 3900, 5_660, 1899, 64, 3,
            "A shop on the ground floor and two apartments above it, all of them let."),
    Planned("Active", HOUSE, 872_000, 5, "Lakeview Terrace", BURLINGTON, 5, "3.5", 3280, 14_810, 2015, 9, 2,
            "The owners ask for discretion: the address is given to visitors who make an appointment.", shows_address=False),
    Planned("Active", HOUSE, 279_000, 63, "Federal Street", GREENFIELD, 2, 1, 1120, 6_970, 1948, 1, 4,
            "A small house on a quiet street, all on one floor, with a porch for the evening sun."),
    Planned("Active", CONDO, 259_500, 9, "Elm Court", KEENE, 1, 1, 720, None, 1999, 26, 0,
            "The provider does not allow this one on the internet.", is_displayed=False),
    Planned("Pending", HOUSE, 439_000, 27, "Chapin Street", BRATTLEBORO, 3, 2, 1690, 8_710, 1936, 33, 1,
            "A shingled house with a sleeping porch, two fireplaces and a large cellar."),
    Planned("Active Under Contract", CONDO, 335_000, 150, "College Street", BURLINGTON, 2, 2, 1040, None, 2011, 28, 2,
            "A corner apartment with a balcony, two blocks from the university. Offers are still accepted."),
    Planned("Pending", TOWNHOUSE, 362_000, 18, "Mill Row", KEENE, 3, 2, 1390, 1_960, 1974, 41, 0,
            "Freshly painted, with a garage and a wood stove."),
    Planned("Pending", HOUSE, 248_000, 205, "Silver Street", GREENFIELD, 3, 1, 1280, 11_330, 1955, 22, 4,
            "A sound house that has been in one family since it was built."),
    Planned("Closed", HOUSE, 512_000, 3, "Kimball Hill", PUTNEY, 4, 2, 2240, 87_120, 1820, 140, 1,
            "A farmhouse with its first beams, five minutes from the village."),
    Planned("Closed", HOUSE, 455_000, 72, "Western Avenue", BRATTLEBORO, 3, 2, 1760, 9_150, 1928, 118, 0,
            "A bungalow with built-in cupboards and a garden of old roses."),
    Planned("Closed", CONDO, 289_000, 44, "Pine Street", BURLINGTON, 1, 1, 760, None, 2009, 96, 2,
            "A loft in a former brush factory."),
    Planned("Closed", HOUSE, 231_000, 16, "Abbott Street", GREENFIELD, 2, 1, 1010, 5_230, 1941, 101, 4,
            "A first house with a new roof."),
    Planned("Withdrawn", HOUSE, 558_000, 91, "Court Street", KEENE, 4, "2.5", 2380, 12_200, 1903, 75, 0,
            "A Victorian with a tower. The owners have decided to stay."),
    Planned("Expired", LAND, 88_000, 502, "Hickory Ridge Road", PUTNEY, None, None, None, 217_800, None, 380, 1,
            "Five acres of woods on a town road."),
    Planned("Canceled", SHOP, 410_000, 30, "Chapman Street", GREENFIELD, None, 1, 2450, 4_360, 1962, 88, 4,
            "A former bakery with its ovens."),
)
#: MLS id, name, phone and email; the offices of the same place.
AGENTS = (
    ("A1187", "Dana Reyes", "+1 802 555 0142", "dana@greenmountain.example"),
    ("A1204", "Tom Hale", "+1 802 555 0167", "tom@greenmountain.example"),
    ("A2051", "Priya Nair", "+1 802 555 0190", "priya@lakeside.example"),
    ("A1240", "Ruth Adeyemi", "+1 802 555 0118", "ruth@greenmountain.example"),
    ("A3317", "Lena Brandt", "+1 413 555 0125", "lena@valleyhomes.example"),
)
OFFICES = (
    ("O204", "Green Mountain Realty", "+1 802 555 0100", "hello@greenmountain.example"),
    ("O204", "Green Mountain Realty", "+1 802 555 0100", "hello@greenmountain.example"),
    ("O310", "Lakeside Properties", "+1 802 555 0180", "hello@lakeside.example"),
    ("O204", "Green Mountain Realty", "+1 802 555 0100", "hello@greenmountain.example"),
    ("O415", "Valley Homes", "+1 413 555 0120", "hello@valleyhomes.example"),
)
#: Rooms that follow the front of a house, by the URLs of their photos.
ROOMS = ("living-room", "kitchen", "bedroom", "garden")
#: The place in PLAN, the name, phone and message, and why it is spam, if it is.
INQUIRIES = (
    (0, "Noor de Vries", "+1 802 555 0177", "Can we see the house on Saturday afternoon? We're two, and come by train.", ""),
    (2, "Ömer Güneş", "", "Is the parking space in the garage, and what are the monthly fees?", ""),
    (1, "Ines Moreau", "+1 802 555 0133", "Does the barn have water and electricity?", ""),
    (7, "Cheap Loans", "", "Best rates!!! http://loans.example http://loans.example/2", "Too many links"),
    (4, "Jan Kowalski", "", "From when is the apartment free? I have a quiet cat.", ""),
)
# fmt: on
#: A record that cannot be stored, as many feeds have some.
BROKEN = {"ListingKey": "DM-0999", "StandardStatus": "Active", "City": "Putney", "StateOrProvince": "VT"}
_FRONTS = {place: f"{HOST}house-{place + 1}.jpg" for place, each in enumerate(PLAN) if each.kind[0] != "Land"}
#: The photos by their URLs: names of drawings.
PHOTOS = {
    **{url: f"house-{place + 1}" for place, url in _FRONTS.items()},
    **{f"{HOST}{room}.jpg": room for room in ROOMS},
}


def key_of(number: int) -> str:
    return f"DM-{FIRST_KEY + number}"


def days_listed(number: int) -> int:
    """Return for how many days a listing has been on the market."""
    return PLAN[number % len(PLAN)].days + number // len(PLAN) % 30


def record_of(number: int, now: datetime) -> dict[str, Any]:
    """Return a listing as a record. Those of further scales have no photos."""
    further, place = divmod(number, len(PLAN))
    planned, city = PLAN[place], PLAN[place].city
    shift, listed = THOUSANDTHS_APART * further / 1000, now - timedelta(days=days_listed(number))
    agent, office = AGENTS[planned.agent], OFFICES[planned.agent]
    found = {
        "ListingKey": key_of(number),
        "StandardStatus": planned.status,
        "PropertyType": planned.kind[0],
        "PropertySubType": planned.kind[1],
        "ListPrice": planned.price + 1_000 * (further % 50) * (planned.price > 10_000),
        "BedroomsTotal": planned.beds,
        "BathroomsTotalDecimal": planned.baths,
        "LivingArea": planned.area,
        "LotSizeSquareFeet": planned.lot,
        "YearBuilt": planned.year,
        "StreetNumber": str(planned.number + NUMBERS_APART * further),
        "StreetName": planned.street,
        "City": city.name,
        "StateOrProvince": city.state,
        "PostalCode": city.postal_code,
        "Country": "US",
        "Latitude": round(city.latitude + 0.0011 * (place % 5) - shift, 6),
        "Longitude": round(city.longitude + 0.0017 * (place % 7) + shift, 6),
        "InternetAddressDisplayYN": planned.shows_address,
        "InternetEntireListingDisplayYN": planned.is_displayed,
        "ListAgentMlsId": agent[0],
        "ListAgentFullName": agent[1],
        "ListAgentDirectPhone": agent[2],
        "ListAgentEmail": agent[3],
        "ListOfficeMlsId": office[0],
        "ListOfficeName": office[1],
        "ListOfficePhone": office[2],
        "ListOfficeEmail": office[3],
        "OnMarketDate": listed.date().isoformat(),
        "ModificationTimestamp": (listed + (now - listed) * 3 / 5).isoformat(),
        "PublicRemarks": planned.text,
        "Media": [{"MediaURL": url, "Order": order} for order, url in enumerate(_photos(place))] if not further else [],
    }
    return {name: value for name, value in found.items() if value is not None}


def _photos(place: int) -> list[str]:
    """Return the URLs of the photos: the front, and some rooms; of land the garden."""
    if place not in _FRONTS:
        return [f"{HOST}garden.jpg"]
    count = 1 + (place * 2 + 3) % 4
    return [_FRONTS[place], *(f"{HOST}{ROOMS[(place + step) % len(ROOMS)]}.jpg" for step in range(count))]
