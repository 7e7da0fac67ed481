"""Cost of lists and searches among few and many listings, and of importing a file: `python -m benchmarks.real_estate`.

On SQLite or, with --postgresql or DATABASE_URL, on databases of its own there.
"""

import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from .growth import CHANGED as AFTER
from .growth import OLDEST_DAYS, RENDERED, Growth, compare, parser_of
from .recurrence import migrated_site

#: How much more CPU a list may take among so many more listings.
MAX_CPU_RATIO = 1.5
MANY_LISTINGS = 50_000
#: The file is imported, imported again after one listing in so many has changed, and once more as it is.
CHANGED_EVERY = 20
#: Seconds that the first import may take.
MAX_IMPORT_SECONDS = 180
CITIES = ("Brattleboro", "Putney", "Dummerston", "Newfane", "Guilford", "Vernon", "Marlboro", "Dover", "Wilmington", "Jamaica")
TYPES = ("Residential",) * 7 + ("Land", "Commercial", "Residential Lease")
STATUSES = ("Active",) * 60 + ("Pending",) * 10 + ("Closed",) * 20 + ("Withdrawn",) * 10
STREETS = ("Canal", "River", "Main", "Elm", "Maple", "Spring", "Church", "High", "Forest", "Mill")
PHOTOS = 5
#: In the remarks of as many listings of either set, and the listings of one agent among the few.
RARE, SOME, OF_AGENT = "Zephyr", 20, 40

LIST = "/api/v1/real-estate/listings"
SEARCH = "/real-estate"
BOX = "42.80,-72.60,43.00,-72.30"
PAGES = {
    "": "",
    "page 10": "page=10",
    "page 20": "page=20",
    "city": "area=Putney",
    "state": "area=VT",
    "city and state": "area=Putney,+VT",
    "postal code": "area=05303",
    "type": "type=Land",
    "prices": "min_price=300000&max_price=340000",
    "prices, sorted by price": "min_price=300000&max_price=340000&sort=price",
    "bedrooms": "beds=3",
    "bathrooms": "baths=2",
    "bedrooms and bathrooms": "beds=5&baths=3",
    "pending": "status=pending",
    "rare word": f"q={RARE}",
    "frequent words": "q=canal+brattleboro",
    "word of all": "q=garden",
    # A whole page in either set.
    "frequent words and prices": "q=canal+brattleboro&max_price=500000",
    "a part of the map": f"box={BOX}",
    "a part of the map, sorted by price": f"box={BOX}&sort=price",
    "a part of the map and bedrooms": f"box={BOX}&beds=2",
    "sort=price": "sort=price",
    "sort=-price": "sort=-price",
    "sort=beds": "sort=beds",
    "sort=updated": "sort=updated",
    "city, type, prices, rooms": "area=Putney&type=Land&min_price=200000&max_price=900000&beds=1&baths=1",
}
#: Each is requested by its number of the page, and with a cursor.
LISTS = {
    "": "",
    "status=all": "status=all",
    "status=sold": "status=sold",
    "status=withdrawn": "status=withdrawn",
    "city": "city=putney",
    "city, status=all": "city=putney&status=all",
    "state": "state=vt",
    "postal_code": "postal_code=05303",
    "property_type": "property_type=land",
    "property_type, sort=list_price": "property_type=land&sort=list_price",
    "min_price, max_price": "min_price=300000&max_price=340000",
    "min_price, sort=list_price": "min_price=300000&sort=list_price",
    "min_beds": "min_beds=3",
    "min_baths": "min_baths=2",
    "min_beds, min_baths": "min_beds=5&min_baths=3",
    "agent_mls_id": "agent_mls_id=A7",
    "since": "since={since}",
    "since, city": "since={since}&city=putney",
    "sort=list_price": "sort=list_price",
    "sort=-on_market_date": "sort=-on_market_date",
    "sort=created_at": "sort=created_at",
    "sort=updated_at": "sort=updated_at",
}
PATHS = {
    **{f"page: {name or 'all'}, {RENDERED}": f"{SEARCH}?{query}" for name, query in PAGES.items()},
    f"page: all, {RENDERED} {AFTER}": SEARCH,
    "page: all, cached": SEARCH,
    f"search of the site: word of all, {RENDERED}": "/search?q=garden",
    **{f"API: {name or 'all'}": f"{LIST}?{query}" for name, query in LISTS.items()},
    **{f"API: {name or 'all'}, cursor": f"{LIST}?{query}&cursor=" for name, query in LISTS.items()},
    f"API: all {AFTER}": LIST,
    f"API: status=all {AFTER}": f"{LIST}?status=all",
}


def main() -> int:
    parser = parser_of("python -m benchmarks.real_estate", __doc__)
    parser.set_defaults(many=MANY_LISTINGS)
    parser.add_argument("--case", action="append", choices=("lists", "import"), help="only this one; may be repeated")
    parser.add_argument("--rows", type=int, default=MANY_LISTINGS, help=f"listings of the imported file ({MANY_LISTINGS})")
    options = parser.parse_args()
    cases, missed = options.case or ["lists", "import"], False
    if "lists" in cases:
        missed |= compare(Growth("listings", fill, ("real_estate",), "real_estate:read", PATHS, MAX_CPU_RATIO), options)
    if "import" in cases:
        with migrated_site(options.postgresql, "real_estate"):
            missed |= importing(options.rows)
    return 1 if missed else 0


def fill(total: int) -> None:
    """Import so many listings."""
    with tempfile.TemporaryDirectory() as folder:
        imported(make_feed(), write(Path(folder) / "listings.json", total))


def importing(rows: int) -> bool:
    """Import a file, the same with changes, and that again; print seconds and peak memory. Return whether it took too long."""
    feed = make_feed()
    with tempfile.TemporaryDirectory() as folder:
        first = write(Path(folder) / "first.json", rows)
        changed = write(Path(folder) / "changed.json", rows, changed=True)
        seconds = timed(f"{rows:,} new", feed, first, {"created": rows})
        share = len(range(0, rows, CHANGED_EVERY))
        timed(f"{share:,} of {rows:,} changed", feed, changed, {"updated": share, "unchanged": rows - share})
        timed("nothing changed", feed, changed, {"unchanged": rows})
    return seconds > MAX_IMPORT_SECONDS


def timed(name: str, feed: Any, path: Path, expected: dict[str, int]) -> float:
    begin = time.perf_counter()
    run = imported(feed, path)
    seconds = time.perf_counter() - begin
    found = {key: getattr(run, key) for key in expected}
    assert found == expected, (found, run.problems, run.error)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = path.stat().st_size / 1024 / 1024
    print(f"{name:30} {seconds:7.1f} s for {size:6.1f} MiB, peak memory {peak:6.1f} MiB", flush=True)
    return seconds


def imported(feed: Any, path: Path) -> Any:
    from commerce.real_estate.services import import_file

    with path.open("rb") as file:
        return import_file(feed=feed, file=file, name=path.name)


def make_feed() -> Any:
    from commerce.real_estate.services import save_feed

    return save_feed(values={"name": "Benchmark", "kind": "file"})


def write(path: Path, count: int, *, changed: bool = False) -> Path:
    with path.open("w") as file:
        file.write('{"@odata.context": "$metadata#Property", "value": [\n')
        for number, record in enumerate(records(count, changed=changed)):
            file.write((",\n" if number else "") + json.dumps(record))
        file.write("\n]}\n")
    return path


def records(count: int, *, changed: bool) -> Iterator[dict[str, Any]]:
    """Yield records, the same with each call but for those that have changed."""
    today = date.today()
    for number in range(count):
        is_changed = changed and number % CHANGED_EVERY == 0
        day = today - timedelta(days=number * OLDEST_DAYS // count)
        yield {
            "ListingKey": f"RE-{number}",
            "StandardStatus": STATUSES[number * 37 % 100],
            "PropertyType": TYPES[number * 7 % 10],
            "ListPrice": 100_000 + number * 7919 % 900_000 + is_changed,
            "BedroomsTotal": number % 6,
            "BathroomsTotalInteger": 1 + number % 4,
            "LivingArea": 800 + number % 3000,
            "StreetNumber": str(number),
            "StreetName": STREETS[number * 3 % 10],
            "StreetSuffix": "Street",
            "City": CITIES[number % 10],
            "StateOrProvince": "VT",
            "PostalCode": f"053{number % 10:02}",
            "Latitude": 42.8 + number % 1000 / 1000,
            "Longitude": -72.6 + number % 997 / 997,
            "ListAgentMlsId": f"A{number % (1_000 // OF_AGENT)}",
            "ListAgentFullName": f"Agent {number % 500}",
            "ListOfficeName": f"Office {number % 50}",
            "OnMarketDate": f"{day}",
            "ModificationTimestamp": f"{today if is_changed else day}T08:00:00Z",
            "PhotosChangeTimestamp": f"{day}T08:00:00Z",
            "PublicRemarks": f"A house in {CITIES[number % 10]}, with a garden and a view of the hills. " * 5
            + (RARE if number % max(1, count // SOME) == 0 else ""),
            "PrivateRemarks": "Not to be shown. " * 10,
            "Media": [
                {"MediaURL": f"https://photos.example.com/{number}/{place}.jpg", "Order": place} for place in range(PHOTOS)
            ],
        }


if __name__ == "__main__":
    sys.exit(main())
