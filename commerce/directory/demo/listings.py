"""The listings of the demo, and what owners and claimants want of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..types.listings import ClaimStatus, ListingStatus
from ..types.terms import PlanKind

PUBLISHED, PENDING, ARCHIVED = ListingStatus
WEEKDAYS, ALL_WEEK = ("mon", "tue", "wed", "thu", "fri"), ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
#: Name, slug and description.
CATEGORIES = (
    ("Crafts", "crafts", "Potters, weavers, printers and woodworkers."),
    ("Food and drink", "food-and-drink", "Cafés, restaurants, bakeries and bars."),
    ("Places to stay", "places-to-stay", "Hotels, rooms and campsites."),
    ("Shops", "shops", "Independent shops."),
    ("Health", "health", "Practices, pharmacies and studios."),
    ("Culture", "culture", "Museums, stages and cinemas."),
)
#: Name, kind, months, price in units of the currency, and description.
YEAR, HALF, BESIDE = "One year", "Six months", "Featured for three months"
PLANS = (
    (YEAR, PlanKind.TERM, 12, 120, "Your listing is online for a year."),
    (HALF, PlanKind.TERM, 6, 70, "Your listing is online for half a year."),
    (BESIDE, PlanKind.FEATURED, 3, 45, "Your listing is shown before the others."),
)


@dataclass(frozen=True, slots=True)
class City:
    name: str
    state: str
    postal_code: str
    country: str
    latitude: float
    longitude: float
    timezone: str = "Europe/London"


HEBDEN = City("Hebden Bridge", "", "HX7 8AA", "GB", 53.7411, -2.0129)
HALIFAX = City("Halifax", "", "HX1 1RE", "GB", 53.7217, -1.8593)
LEEDS = City("Leeds", "", "LS1 4DY", "GB", 53.7997, -1.5492)
MANCHESTER = City("Manchester", "", "M1 1AE", "GB", 53.4794, -2.2453)
LISBON = City("Lisbon", "", "1100-148", "PT", 38.7139, -9.1394, "Europe/Lisbon")
BRATTLEBORO = City("Brattleboro", "VT", "05301", "US", 42.8509, -72.5579, "America/New_York")
SUVA = City("Suva", "", "", "FJ", -18.1416, 178.4419, "Pacific/Fiji")


def _days(days: tuple[str, ...], *hours: tuple[str, str]) -> dict[str, list[dict[str, str]]]:
    return {day: [{"open": opens, "close": closes} for opens, closes in hours] for day in days}


OFFICE = _days(WEEKDAYS, ("09:00", "17:00"))
LUNCH_BREAK = {**_days(WEEKDAYS, ("08:30", "12:30"), ("14:00", "18:00")), **_days(("sat",), ("09:00", "13:00"))}
AROUND_THE_CLOCK = _days(ALL_WEEK, ("00:00", "00:00"))
ACROSS_MIDNIGHT = {**_days(("wed", "thu", "sun"), ("17:00", "23:30")), **_days(("fri", "sat"), ("17:00", "02:00"))}
MEALS = _days(("tue", "wed", "thu", "fri", "sat", "sun"), ("08:00", "11:00"), ("12:00", "14:30"), ("18:00", "22:00"))
WEEKEND = _days(("sat", "sun"), ("10:00", "16:00"))


@dataclass(frozen=True, slots=True)
class Planned:
    """A listing of the demo; `term` is the number of days until its term ends, and None if it never does."""

    name: str
    description: str
    categories: tuple[str, ...]
    city: City
    street: str
    status: ListingStatus = PUBLISHED
    term: int | None = None
    featured: bool = False
    hours: Mapping[str, Any] | None = None
    has_special_days: bool = False
    #: The titles of images of the library, which may not be there: logo, cover and pictures.
    logo: str = ""
    cover: str = ""
    pictures: tuple[str, ...] = ()
    #: The number of a member of the demo.
    owner: int | None = None
    #: The plans that were bought.
    plans: tuple[str, ...] = ()


PLAN = (
    Planned(
        "Reyes Ceramics",
        "Stoneware for the table, thrown by hand and fired with gas.\n\nSeconds are sold on the first Saturday of the month.",
        ("crafts", "shops"),
        HEBDEN,
        "14 Canal Street",
        term=240,
        featured=True,
        hours=LUNCH_BREAK,
        has_special_days=True,
        logo="Tile wall",
        cover="Two shelves of pots",
        pictures=("Kiln glow", "Tool wall", "Studio wall"),
        owner=1,
        plans=(YEAR, BESIDE),
    ),
    Planned(
        "The Weir Café",
        "Breakfast, lunch and dinner beside the water.",
        ("food-and-drink",),
        HEBDEN,
        "2 Weir Lane",
        term=100,
        featured=True,
        hours=MEALS,
        has_special_days=True,
        cover="Weir garden",
        pictures=("River at dusk",),
        owner=2,
        plans=(HALF, BESIDE),
    ),
    Planned(
        "Night Chemist",
        "A pharmacy that never closes.",
        ("health", "shops"),
        LEEDS,
        "80 Boar Lane",
        featured=True,
        hours=AROUND_THE_CLOCK,
        logo="Brass and drums",
    ),
    Planned(
        "The Loom",
        "A bar in the old weaving shed, with music on Fridays.",
        ("food-and-drink", "culture"),
        MANCHESTER,
        "5 Weavers Row",
        term=12,
        hours=ACROSS_MIDNIGHT,
        has_special_days=True,
        logo="On the loom",
        cover="Stage lights",
        owner=3,
        plans=(HALF,),
    ),
    Planned(
        "Brandt Bookbinding",
        "Books bound, repaired and boxed.",
        ("crafts",),
        HALIFAX,
        "3 Piece Hall",
        term=2,
        hours=OFFICE,
        logo="Cut paper",
        owner=1,
        plans=(HALF,),
    ),
    Planned(
        "Turbine Hall",
        "Concerts, plays and films in a former power station.",
        ("culture",),
        LEEDS,
        "1 Turbine Square",
        hours=WEEKEND,
        has_special_days=True,
        cover="Turbine Hall",
        pictures=("Stage lights", "Voices"),
    ),
    Planned(
        "Casa do Rio",
        "Six rooms above the river. The reception is always open.",
        ("places-to-stay",),
        LISBON,
        "Rua do Rio 7",
        hours=AROUND_THE_CLOCK,
        cover="River at dusk",
    ),
    Planned(
        "Vermont Letterpress",
        "Cards and posters, printed one at a time.",
        ("crafts", "shops"),
        BRATTLEBORO,
        "22 Elliot Street",
        hours=OFFICE,
        logo="Two-colour print",
    ),
    Planned(
        "Coral Coast Divers",
        "Trips to the reef for beginners and old hands.",
        ("health",),
        SUVA,
        "9 Marine Drive",
        hours=LUNCH_BREAK,
        cover="Night walk",
    ),
    Planned(
        "Mill Instrument Repairs", "Guitars, violins and drums.", ("crafts",), HALIFAX, "12 Mill Yard", pictures=("Instruments",)
    ),
    Planned("Calder Yoga", "Classes for every age.", ("health",), HEBDEN, "8 Bridge Gate", PENDING, 0, hours=MEALS, owner=4),
    Planned(
        "Dye House Yarns",
        "Wool, dyed with plants.",
        ("shops", "crafts"),
        HALIFAX,
        "Dye House Yard",
        PENDING,
        0,
        hours=OFFICE,
        cover="Dye house yard",
        owner=2,
        plans=(YEAR,),
    ),
    Planned(
        "Moonlight Cinema", "Films under the sky.", ("culture",), MANCHESTER, "The Meadow", PENDING, 0, hours=WEEKEND, owner=5
    ),
    Planned("Nair Bakery", "Bread and cakes.", ("food-and-drink",), LEEDS, "40 Call Lane", PENDING, hours=LUNCH_BREAK),
    Planned("Old Mill Hostel", "Closed since the autumn.", ("places-to-stay",), HEBDEN, "The Mill", ARCHIVED, cover="The mill"),
    Planned("Hale Joinery", "Retired after forty years.", ("crafts",), HALIFAX, "6 Horton Street", ARCHIVED, 60, owner=3),
    Planned("Valley Records", "Moved to another town.", ("shops",), MANCHESTER, "19 Oldham Street", ARCHIVED, hours=OFFICE),
    Planned(
        "Saw-tooth Gallery",
        "Prints and paintings from the valley.",
        ("culture", "shops"),
        HEBDEN,
        "4 Roof Street",
        term=-9,
        hours=WEEKEND,
        cover="Saw-tooth roof",
        owner=1,
        plans=(HALF,),
    ),
    Planned(
        "Güneş Kitchen", "Supper clubs.", ("food-and-drink",), LEEDS, "77 Kirkgate", term=-40, hours=ACROSS_MIDNIGHT, owner=4
    ),
    Planned("Garden Rooms", "Two huts in an orchard.", ("places-to-stay",), HALIFAX, "Orchard Lane", term=-100),
)
#: What owners want to change, by the name of the listing.
CHANGES: Mapping[str, Mapping[str, Any]] = {
    "The Weir Café": {"name": "The Weir Café and Bakery"},
    "The Loom": {"street": "7 Weavers Row", "postal_code": "M1 2AB"},
    "Brandt Bookbinding": {"name": "Brandt & Daughter, Bookbinders", "latitude": 53.7219},
}
MESSAGE = "I run this place. You can reach me at the number of the listing, and my name is on the website."
#: Of members: the listing, the member, the status and the reason.
CLAIMS = (
    ("Turbine Hall", 5, ClaimStatus.PENDING, ""),
    ("Vermont Letterpress", 6, ClaimStatus.PENDING, ""),
    ("Casa do Rio", 4, ClaimStatus.PENDING, ""),
    ("Night Chemist", 3, ClaimStatus.REJECTED, "The pharmacy has told us that somebody else answers for it."),
)
