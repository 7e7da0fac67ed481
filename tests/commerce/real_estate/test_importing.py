"""Files become listings, once: an unchanged record is not written, a broken one is named, and nothing private is stored."""

import csv
import io
import json
from decimal import Decimal
from typing import Any

import pytest
from django.apps import apps
from django.db import connection, models
from django.test.utils import CaptureQueriesContext

from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting
from commerce.real_estate.models import FeedRun, Property, PropertyPhoto
from commerce.real_estate.services import batches
from commerce.real_estate.services.running import run_feed
from commerce.real_estate.types.listings import VERSION

from .builders import import_content, import_records, lines, make_feed, make_property, record

PHOTOS = [{"MediaURL": f"https://photos.example.com/{name}.jpg", "Order": order} for order, name in ((2, "b"), (1, "a"))]


@pytest.mark.both_databases
def test_it_works() -> None:
    run = import_records(make_feed(), record(1), record(2, StandardStatus="Closed"))
    assert (run.status, run.figures) == ("finished", {**dict.fromkeys(run.figures, 0), "read": 2, "created": 2})
    row = Property.objects.get(listing_key="RE-1")
    assert (row.title, row.slug) == ("101 Canal Street, Brattleboro, VT 05301", "101-canal-street-brattleboro-vt-re-1")
    assert (row.list_price, row.beds, row.baths_text, row.sqft, row.status) == (400_001, 3, "2", 1840, "active")
    assert Property.objects.get(listing_key="RE-2").status == "sold"


@pytest.mark.both_databases
def test_a_second_import_writes_nothing() -> None:
    feed, records = make_feed(), [record(number, Media=PHOTOS) for number in range(1, 6)]
    import_records(feed, *records)
    before, version = list(Property.objects.order_by("pk").values()), versions.version(VERSION)
    with CaptureQueriesContext(connection) as captured:
        run = import_records(feed, *records)
    assert (run.unchanged, run.updated, run.created) == (5, 0, 0)
    assert list(Property.objects.order_by("pk").values()) == before
    assert versions.version(VERSION) == version
    written = [each["sql"] for each in captured if not each["sql"].startswith(("SELECT", "SAVEPOINT", "RELEASE", "BEGIN"))]
    assert not [sql for sql in written if "real_estate_property" in sql or "indexentry" in sql]


@pytest.mark.both_databases
def test_changes_are_taken_over() -> None:
    feed = make_feed()
    import_records(feed, *(record(number) for number in range(1, 21)))
    before = {row.listing_key: row for row in Property.objects.all()}
    stamp = {"ModificationTimestamp": "2026-03-02T08:00:00Z"}
    run = import_records(feed, *(record(number, **({"ListPrice": 1, **stamp} if number == 7 else {})) for number in range(1, 21)))
    assert (run.updated, run.unchanged) == (1, 19)
    after = {row.listing_key: row for row in Property.objects.all()}
    changed = after.pop("RE-7")
    assert (changed.pk, changed.slug, changed.created_at) == (before["RE-7"].pk, before["RE-7"].slug, before["RE-7"].created_at)
    assert (changed.list_price, changed.updated_at > before["RE-7"].updated_at) == (1, True)
    assert all(row.updated_at == before[key].updated_at for key, row in after.items())


@pytest.mark.both_databases
def test_a_batch_takes_a_constant_number_of_statements() -> None:
    def statements(number: int) -> int:
        feed = make_feed()
        records = [record(place, Media=PHOTOS) for place in range(number)]
        import_records(feed, record(999))
        with CaptureQueriesContext(connection) as captured:
            import_records(feed, *records)
        with CaptureQueriesContext(connection) as again:
            import_records(feed, *(each | {"ListPrice": 5} for each in records))
        # SQLite takes rows of a limited number of values at once.
        return sum(not each["sql"].startswith('INSERT INTO "real_estate_') for each in [*captured, *again])

    assert statements(3) == statements(60)


def texts_of_the_database() -> str:
    found = []
    for model in apps.get_models():
        names = [
            field.attname
            for field in model._meta.concrete_fields
            if isinstance(field, models.TextField | models.CharField | models.JSONField | models.BinaryField)
        ]
        if names:
            found.append(repr(list(model._default_manager.values_list(*names))))
    return "".join(found)


def test_nothing_private_is_stored() -> None:
    feed = make_feed()
    import_records(feed, record(1), record(2, ListPrice="secret-price"), record(3, Latitude="secret-place", Media=PHOTOS))
    everything = texts_of_the_database()
    assert "Canal Street" in everything
    assert "secret" not in everything


BROKEN: list[tuple[Any, str]] = [
    ("text", "The record is no object."),
    (None, "The record is no object."),
    ([], "The record is no object."),
    ({"ListPrice": 1}, "The ListingKey is missing."),
    (record(2, ListPrice="Call us"), "The ListPrice is no number."),
    (record(2, ListPrice=None), "The ListPrice is missing."),
    (record(2, ListPrice=10**30), "The ListPrice is out of range."),
    (record(2, ListPrice=-1), "The ListPrice is out of range."),
    (record(2, ListPrice=True), "The ListPrice is no number."),
    (record(2, StandardStatus="Maybe"), "The StandardStatus is unknown."),
    (record(2, StandardStatus=None), "The StandardStatus is missing."),
    (record(2, ModificationTimestamp="9999-99-99"), "The ModificationTimestamp is no date."),
]
#: Values that cost themselves alone: the field, the value, the message, and the column with what it then has.
LEFT_OUT: list[tuple[str, Any, str, str, Any]] = [
    ("Latitude", 91, "The Latitude is out of range.", "latitude", None),
    ("Longitude", -272.5, "The Longitude is out of range.", "latitude", None),
    ("YearBuilt", "1890s", "The YearBuilt is no number.", "year_built", None),
    ("City", {"name": "Brattleboro"}, "The City is no text.", "city", ""),
    ("OnMarketDate", "soon", "The OnMarketDate is no date.", "on_market_date", None),
    ("BedroomsTotal", 10**9, "The BedroomsTotal is out of range.", "beds", None),
    ("BathroomsTotalDecimal", -1, "The BathroomsTotalDecimal is out of range.", "baths", None),
    ("LivingAreaUnits", "Cubits", "The LivingAreaUnits is unknown.", "sqft", None),
    ("PublicRemarks", ["a"], "The PublicRemarks is no text.", "description", ""),
    ("InternetAddressDisplayYN", "perhaps", "The InternetAddressDisplayYN is neither yes nor no.", "street", ""),
    ("InternetEntireListingDisplayYN", "perhaps", "The InternetEntireListingDisplayYN is neither yes nor no.", "is_shown", False),
    ("MlgCanView", "perhaps", "The MlgCanView is neither yes nor no.", "is_shown", False),
    ("MlgCanUse", 7, "The MlgCanUse is no list.", "is_shown", False),
]


@pytest.mark.parametrize(("broken", "message"), BROKEN)
def test_a_broken_record_is_skipped_and_named(broken: Any, message: str) -> None:
    run = import_records(make_feed(), record(1), broken, record(3))
    assert (run.status, run.created, run.skipped) == ("finished", 2, 1)
    key = "RE-2" if isinstance(broken, dict) and "ListingKey" in broken else ""
    assert (run.problems["total"], run.problems["named"]) == (1, [{"key": key, "message": message}])


@pytest.mark.both_databases
@pytest.mark.parametrize(("name", "value", "message", "column", "expected"), LEFT_OUT)
def test_a_value_that_cannot_be_read_costs_itself_alone(name: str, value: Any, message: str, column: str, expected: Any) -> None:
    feed = make_feed()
    row = make_property(feed, 2, Media=PHOTOS)
    run = import_records(feed, record(2, StandardStatus="Closed", ListPrice=9, **{name: value}))
    assert (run.updated, run.skipped, run.read) == (1, 0, 1)
    assert run.problems == {"total": 1, "named": [{"key": "RE-2", "message": f"{message} It was left out."}]}
    row.refresh_from_db()
    assert (row.status, row.list_price, getattr(row, column)) == ("sold", 9, expected)


def test_media_that_cannot_be_read_leave_the_photos() -> None:
    feed = make_feed()
    row = make_property(feed, 2, Media=PHOTOS)
    for media in ("photo.jpg", [7]):
        run = import_records(feed, record(2, Media=media))
        assert (run.skipped, run.problems["total"], row.photos.count()) == (0, 1, len(PHOTOS))


@pytest.mark.both_databases
def test_an_update_without_a_price_keeps_the_former_one() -> None:
    feed = make_feed()
    row = make_property(feed, 2)
    run = import_records(feed, record(2, StandardStatus="Closed", ListPrice="?"), record(3, ListPrice=None))
    assert (run.updated, run.skipped, run.problems["named"][0]["key"]) == (1, 1, "RE-3")
    former = row.list_price
    row.refresh_from_db()
    assert (row.status, row.list_price) == ("sold", former)
    assert import_records(feed, record(2, StandardStatus="Closed", ListPrice="?")).unchanged == 1


def test_the_numbers_of_a_run_add_up() -> None:
    feed = make_feed()
    import_records(feed, record(1), record(2), record(3))
    rows = [record(1), record(2, ListPrice=7), record(2, ListPrice=8), record(3, StandardStatus="Delete")]
    run = import_records(feed, *rows, record(4), record(5, StandardStatus="Delete"), record(6, ListPrice=None), None)
    assert (run.created, run.updated, run.unchanged, run.removed, run.skipped) == (1, 1, 3, 1, 2)
    assert run.read == 8


def test_a_record_without_a_key_stops_removals() -> None:
    feed = make_feed()
    import_records(feed, *(record(number) for number in range(10)))
    rest = [*(record(number) for number in range(9)), record(9, ListingKey=None)]
    run = import_records(feed, *rest, is_complete=True)
    assert (run.status, run.removed, run.unchanged, run.skipped) == ("failed", 0, 9, 1)
    assert run.error.startswith("1 records have no key, and may be listings. Nothing was removed.")
    assert import_records(feed, *rest, is_complete=True, allow_removals=True).removed == 1


def test_a_hundred_problems_are_named() -> None:
    run = import_records(make_feed(), *(record(number, ListPrice="?") for number in range(120)))
    assert (run.problems["total"], len(run.problems["named"]), run.skipped) == (120, 100, 120)


def test_harmless_mistakes_are_mended() -> None:
    row = make_property(PublicRemarks="A\0 house. " + "x" * 30_000, City="Brattle\0boro\n", BedroomsTotal="3")
    assert row.description.startswith("A house. xx")
    assert (len(row.description), row.city, row.beds) == (20_000, "Brattleboro", 3)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"@odata.context": {"value": 1}, "value": [record(1), record(2)], "more": 1}).encode(),
        json.dumps([record(1), record(2)], indent=2).encode(),
        lines(record(1), record(2)),
        b"\xef\xbb\xbf \n" + lines(record(1), record(2)),
    ],
)
def test_all_forms_of_json_are_read(content: bytes) -> None:
    run = import_content(make_feed(), content)
    assert (run.status, run.created, run.skipped) == ("finished", 2, 0)


def test_a_broken_line_is_skipped() -> None:
    run = import_content(make_feed(), lines(record(1)) + b"\n{broken\n\n" + lines(record(2)))
    assert (run.created, run.skipped) == (2, 1)


@pytest.mark.parametrize("content", [b"", b"  ", b"{", b"{]", b"ListPrice\n5", b"\x00\x01", b"[" * 100_000, b"\xff\xfe\x00"])
def test_other_files_fail(content: bytes) -> None:
    run = import_content(make_feed(), content)
    assert run.status == "failed"
    assert run.error
    assert not Property.objects.exists()


def test_a_file_that_breaks_off_keeps_what_was_read() -> None:
    content = json.dumps([record(number) for number in range(700)]).encode()
    run = import_content(make_feed(), content[:-50], is_complete=True)
    assert run.status == "failed"
    assert "after record 699" in run.error
    assert Property.objects.count() == 500


def a_csv(*records: dict[str, Any], delimiter: str = ",") -> bytes:
    text = io.StringIO()
    names = list(dict.fromkeys(name for each in records for name in each))
    writer = csv.DictWriter(text, names, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().encode()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    "photos",
    [
        {"Media": json.dumps(PHOTOS)},
        {"Photo1": "https://photos.example.com/a.jpg", "Photo2": "https://photos.example.com/b.jpg"},
        {"MediaURL": "https://photos.example.com/a.jpg|https://photos.example.com/b.jpg"},
    ],
)
def test_csv_is_read(photos: dict[str, str], delimiter: str) -> None:
    run = import_content(make_feed(), a_csv(record(1, **photos), record(2, City="Zürich; Stadt"), delimiter=delimiter))
    assert (run.status, run.created, run.skipped) == ("finished", 2, 0), run.problems
    row = Property.objects.get(listing_key="RE-1")
    assert (row.list_price, row.sqft, row.on_market_date is not None) == (400_001, 1840, True)
    assert list(row.photos.values_list("url", flat=True)) == [each["MediaURL"] for each in reversed(PHOTOS)]


def test_csv_without_photos_leaves_them() -> None:
    feed = make_feed()
    make_property(feed, 1, Media=PHOTOS)
    import_content(feed, a_csv(record(1, ListPrice=7)))
    assert Property.objects.get().list_price == 7
    assert PropertyPhoto.objects.filter(listing__isnull=False).count() == 2


#: Country, currency, field and cell, and the column with its value, or what is said of the cell.
CELLS: list[tuple[str, str, str, str, tuple[str, Any] | str]] = [
    ("DE", "eur", "ListPrice", "500.000", ("list_price", 500_000)),
    ("DE", "eur", "ListPrice", "1.250.000", ("list_price", 1_250_000)),
    ("DE", "eur", "ListPrice", "350.000,00 €", ("list_price", 350_000)),
    ("DE", "eur", "ListPrice", "350000.00", ("list_price", 350_000)),
    ("DE", "eur", "ListPrice", "1,500", "The ListPrice must be a number such as 1.250,5."),
    ("DE", "eur", "ListPrice", "500,000.00", "The ListPrice must be a number such as 1.250,5."),
    ("US", "usd", "ListPrice", "$1,500", ("list_price", 1500)),
    ("US", "usd", "ListPrice", "400000.0000", ("list_price", 400_000)),
    ("US", "usd", "ListPrice", "500.000", "The ListPrice can be read in two ways. Write it as in 1250 or 1.25."),
    ("FR", "eur", "ListPrice", "500.000", "The ListPrice can be read in two ways. Write it as in 1250 or 1,25."),
    ("DE", "kwd", "ListPrice", "1.500", "The ListPrice can be read in two ways. Write it as in 1250 or 1,25."),
    ("DE", "kwd", "ListPrice", "1.500,000", ("list_price", 1500)),
    ("DE", "eur", "LivingArea", "1.840", ("sqft", 1840)),
    ("DE", "eur", "LivingArea", "1840.0", ("sqft", 1840)),
    ("US", "usd", "LivingArea", "840.125", ("sqft", 840)),
    ("DE", "eur", "LotSizeSquareFeet", "10.890,4", ("lot_size", 10_890)),
    ("DE", "eur", "LotSizeAcres", "0.250", ("lot_size", 10_890)),
    ("DE", "eur", "LotSizeAcres", "1,5", ("lot_size", 65_340)),
    ("DE", "eur", "LotSizeAcres", "1.250", "The LotSizeAcres can be read in two ways. Write it as in 1250 or 1,25."),
    ("US", "usd", "LotSizeAcres", "1.250", ("lot_size", 54_450)),
    ("DE", "eur", "YearBuilt", "1912.0", ("year_built", 1912)),
    ("DE", "eur", "BathroomsTotalDecimal", "2,5", ("baths", Decimal("2.5"))),
    ("DE", "eur", "BathroomsTotalDecimal", "2.500", ("baths", Decimal("2.5"))),
    ("DE", "eur", "BathroomsTotal", "2,5 baths", ("baths", Decimal("2.5"))),
    ("DE", "eur", "Latitude", "52.520", ("latitude", 52.52)),
    ("DE", "eur", "Latitude", "52,520008", ("latitude", 52.520008)),
    ("DE", "eur", "Latitude", "-52.520", ("latitude", -52.52)),
    ("US", "usd", "Latitude", "52,520", "The Latitude is out of range."),
]


@pytest.mark.parametrize(("country", "currency", "name", "cell", "expected"), CELLS)
def test_numbers_of_tables_are_those_of_the_country(
    country: str, currency: str, name: str, cell: str, expected: tuple[str, Any] | str
) -> None:
    """Of what may mean two numbers, neither is guessed."""
    set_setting(key="site.country", value=country)
    others = {"LotSizeSquareFeet": None, "BathroomsTotalInteger": None}
    run = import_content(make_feed(currency=currency), a_csv(record(1, **{**others, name: cell}), delimiter=";"))
    if isinstance(expected, str):
        assert [each["message"].removesuffix(" It was left out.") for each in run.problems["named"]] == [expected]
    else:
        assert not run.skipped, run.problems
        assert Property.objects.values_list(expected[0], flat=True).get() == expected[1]


@pytest.mark.both_databases
def test_numbers_of_json_are_plain_in_all_countries() -> None:
    set_setting(key="site.country", value="DE")
    import_records(make_feed(currency="eur"), record(1, ListPrice="500.000", LivingArea="1,840"))
    assert Property.objects.values_list("list_price", "sqft").get() == (500, 1840)


class Killed(BaseException):
    """The end of a process."""


def kill_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let the process die at the end of the transaction of a batch."""
    whole, calls = batches._save, []

    def save(run: FeedRun, changes: dict[str, Any]) -> None:
        calls.append(run)
        if len(calls) == number:
            raise Killed
        whole(run, changes)

    monkeypatch.setattr(batches, "_save", save)


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.both_databases
def test_a_killed_import_is_continued(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    feed, records = make_feed(), [record(place) for place in range(25)]
    monkeypatch.setattr("commerce.real_estate.services.reading.BATCH_ROWS", 10)
    with monkeypatch.context() as patch:
        kill_at(patch, number)
        with pytest.raises(Killed):
            import_records(feed, *records)
    assert Property.objects.count() == 10 * (number - 1)
    run = run_feed(feed=feed)
    assert (run.status, run.created, run.read, run.unchanged) == ("finished", 25, 25, 0)
    assert Property.objects.count() == 25


def test_a_complete_file_removes_the_others() -> None:
    feed, other = make_feed(), make_property(make_feed(), 99)
    import_records(feed, *(record(number) for number in range(20)))
    run = import_records(feed, *(record(number) for number in range(16)), record(16, ListPrice="?"), is_complete=True)
    assert (run.status, run.removed, run.unchanged + run.updated, run.problems["total"]) == ("finished", 3, 17, 0)
    assert set(Property.objects.filter(feed=feed).values_list("listing_key", flat=True)) == {f"RE-{place}" for place in range(17)}
    assert Property.objects.filter(pk=other.pk).exists()


@pytest.mark.both_databases
def test_many_removals_must_be_confirmed() -> None:
    feed = make_feed()
    import_records(feed, *(record(number) for number in range(10)))
    run = import_records(feed, *(record(number) for number in range(7)), is_complete=True)
    assert (run.status, run.removed, Property.objects.count()) == ("failed", 0, 10)
    assert "3 of 10 listings would be removed" in run.error
    run = import_records(feed, *(record(number) for number in range(7)), is_complete=True, allow_removals=True)
    assert (run.status, run.removed, Property.objects.count()) == ("finished", 3, 7)


@pytest.mark.both_databases
def test_one_import_of_a_feed_at_a_time() -> None:
    feed = make_feed()
    FeedRun.objects.create(feed=feed, kind="file", status="paused", started_at=feed.created_at)
    with pytest.raises(Invalid, match="not finished"):
        import_records(feed, record(1))


@pytest.mark.both_databases
def test_the_file_is_deleted_afterwards() -> None:
    run = import_records(make_feed(), record(1))
    assert (run.file.name, run.filename) == ("", "listings.json")
