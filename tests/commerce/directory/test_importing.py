"""Listings from CSV files: what the admin exports is imported again without a loss, and a second import changes nothing."""

import csv
import io
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from cms_api.core import registry
from cms_api.core.errors import Invalid
from cms_api.flags.services import set_setting, switch_feature
from commerce.directory.models import Category, Listing
from commerce.directory.services.importing import match, read, write
from commerce.imports.services.reading import plain_cell
from commerce.imports.types import match_columns

from .admin_builders import category, listing, submission

pytestmark = pytest.mark.django_db

LISTINGS = "/admin/listings/"


@pytest.fixture(autouse=True)
def switched_on(db: None) -> None:
    switch_feature(name="directory", on=True)
    set_setting(key="site.timezone", value="UTC")


def kind() -> Any:
    """The declared import."""
    [module] = [each for each in registry.modules() if each.name == "directory"]
    return module.records.imports[0]


def exported(client: Client) -> list[list[str]]:
    text = client.get(LISTINGS, {"export": "csv"}).getvalue().decode()
    return list(csv.reader(io.StringIO(text)))


def imported(*rows: dict[str, str]) -> list[str]:
    return [str(outcome) for outcome in write([read(row, {}) for row in rows], {})]


def stored() -> list[dict[str, Any]]:
    """Every listing without its times and ids, in the order of the slugs."""
    left_out = {"id", "created_at", "updated_at", "published_at", "opens_at", "closes_at"}
    return [
        {name: value for name, value in values.items() if name not in left_out}
        | {"categories": sorted(Category.objects.filter(listings=values["id"]).values_list("name", flat=True))}
        for values in Listing.objects.order_by("slug").values()
    ]


def make_all() -> None:
    crafts, shops = category(), category("Shops & more")
    listing(
        description='Stoneware, "seconds",\nand more; =1+1',
        categories=[crafts.pk, shops.pk],
        featured=True,
        expires_at=datetime(2199, 3, 1, 12, 30, 15, tzinfo=UTC),
        street="14 Canal Street",
        street2="Second floor",
        city="Brattleboro",
        state="VT",
        postal_code="05301",
        country="US",
        latitude=42.850912345,
        longitude=-72.5579,
        phone="+1 802 555 0142",
        email="dana@example.com",
        website="https://example.com",
        timezone="America/New_York",
        hours={
            "mon": [{"open": "09:00", "close": "12:00"}, {"open": "13:00", "close": "18:00"}],
            "fri": [{"open": "17:00", "close": "02:00"}],
            "sun": [{"open": "00:00", "close": "00:00"}],
        },
    )
    submission("=Formula", timezone="Pacific/Auckland")
    listing("Ömer's Küche", status="archived", expires_at=datetime(2020, 1, 1, tzinfo=UTC), categories=[shops.pk])


@pytest.mark.both_databases
def test_an_export_is_imported_again(admin_client: Client) -> None:
    make_all()
    before = stored()
    header, *lines = exported(admin_client)
    columns = match_columns(kind(), header)
    assert set(columns) == {column.name for column in kind().columns}
    rows = [{name: plain_cell(line[place]) for name, place in columns.items()} for line in lines]
    # Over the same records.
    assert imported(*rows) == ["unchanged"] * 3
    assert stored() == before
    # And into an empty directory.
    Listing.objects.all().delete()
    Category.objects.all().delete()
    assert imported(*rows) == ["created"] * 3
    assert stored() == before
    assert imported(*rows) == ["unchanged"] * 3
    assert stored() == before


@pytest.mark.both_databases
def test_missing_values_change_nothing() -> None:
    assert imported({"name": "Reyes Ceramics", "city": "Brattleboro", "categories": "Crafts; crafts;;Shops"}) == ["created"]
    made = Listing.objects.get()
    assert (made.slug, made.status, made.featured, made.timezone) == ("reyes-ceramics", "published", False, "UTC")
    assert set(made.categories.values_list("name", flat=True)) == {"Crafts", "Shops"}
    assert imported({"slug": "Reyes-Ceramics", "phone": "1", "featured": "YES", "expires_at": "2030-01-31"}) == ["updated"]
    made.refresh_from_db()
    assert (made.city, made.phone, made.featured, made.expires_at) == (
        "Brattleboro",
        "1",
        True,
        datetime(2030, 1, 31, 23, 59, 59, tzinfo=UTC),
    )
    assert made.categories.count() == 2


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ({"name": ""}, "name"),
        ({"name": "A", "slug": "Not a slug"}, "slug"),
        ({"name": "A", "slug": "123"}, "slug"),
        ({"name": "A", "latitude": "north"}, "latitude"),
        ({"name": "A", "status": "expired"}, "status"),
        ({"name": "A", "featured": "maybe"}, "featured"),
        ({"name": "A", "expires_at": "soon"}, "expires_at"),
        ({"name": "A", "expires_at": "9" * 50}, "expires_at"),
        ({"name": "A", "hours_mon": "morning"}, "hours.mon.0.open"),
        ({"name": "A", "hours_mon": "09:00-12:00, 11:00-13:00"}, "hours.mon"),
    ],
)
def test_a_row_that_makes_no_sense_is_refused(row: dict[str, str], column: str) -> None:
    with pytest.raises(Invalid) as refusal:
        read(row, {})
    assert column in refusal.value.errors


@pytest.mark.parametrize(
    ("values", "column"),
    [
        ({"latitude": "nan", "longitude": "0"}, "latitude"),
        ({"latitude": "inf", "longitude": "0"}, "latitude"),
        ({"latitude": "91", "longitude": "0"}, "latitude"),
        ({"latitude": "1"}, "longitude"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"timezone": "../../etc/passwd"}, "timezone"),
        ({"email": "nobody"}, "email"),
        ({"website": "javascript:alert(1)"}, "website"),
        ({"description": "a\0b"}, "description"),
        ({"categories": ";".join(map(str, range(6)))}, "categories"),
        ({"categories": "x" * 101}, "name"),
        ({"slug": "submit"}, "slug"),
    ],
)
def test_values_that_the_service_refuses(values: dict[str, str], column: str) -> None:
    with pytest.raises(Invalid) as refusal:
        imported({"name": "Reyes Ceramics", **values})
    assert column in refusal.value.errors
    assert not Listing.objects.exists()


@pytest.mark.parametrize("typed", ["2030-01-31", "31/01/2030"])
def test_a_listing_is_shown_on_its_last_day(typed: str) -> None:
    set_setting(key="site.country", value="GB")
    set_setting(key="site.timezone", value="America/New_York")
    imported({"name": "Reyes Ceramics", "expires_at": typed})
    assert Listing.objects.get().expires_at == datetime(2030, 2, 1, 4, 59, 59, tzinfo=UTC)


PIZZA = {"name": "Joe's Pizza", "city": "Boston", "email": "boston@example.com", "categories": "Food"}


@pytest.mark.both_databases
def test_only_a_slug_leads_to_a_listing() -> None:
    member = listing("Joe's Pizza", city="Austin", email="joe@example.com")
    denver = {**PIZZA, "city": "Denver", "email": "denver@example.com"}
    assert imported(PIZZA, denver, PIZZA) == ["created", "created", "unchanged"]
    assert imported(PIZZA, denver) == ["unchanged"] * 2
    assert {each.city: each.email for each in Listing.objects.all()} == {
        "Austin": "joe@example.com",
        "Boston": "boston@example.com",
        "Denver": "denver@example.com",
    }
    # Anything that differs makes another listing, as it may be another branch.
    assert imported({**PIZZA, "phone": "617 555 0100"}) == ["created"]
    assert imported({"slug": member.slug, "email": "new@example.com"}) == ["updated"]
    member.refresh_from_db()
    assert (member.email, member.city) == ("new@example.com", "Austin")


@pytest.mark.both_databases
def test_a_day_without_hours_in_a_row_keeps_its_own() -> None:
    made = listing(hours={"mon": [{"open": "09:00", "close": "12:00"}], "tue": [{"open": "10:00", "close": "16:00"}]})
    assert imported({"slug": made.slug, "hours_mon": "08:00-11:00"}) == ["updated"]
    made.refresh_from_db()
    assert (made.hours["mon"], made.hours["tue"]) == (
        [{"open": "08:00", "close": "11:00"}],
        [{"open": "10:00", "close": "16:00"}],
    )
    assert imported({"slug": made.slug, "hours_mon": "Closed", "hours_tue": " "}) == ["updated"]
    made.refresh_from_db()
    assert (made.hours["mon"], made.hours["tue"]) == ([], [{"open": "10:00", "close": "16:00"}])
    assert imported({"slug": made.slug, "hours_mon": "closed"}) == ["unchanged"]


@pytest.mark.both_databases
def test_the_preview_has_what_each_row_would_change() -> None:
    made = listing("Reyes Ceramics", city="Boston", hours={"mon": [{"open": "09:00", "close": "12:00"}]})
    rows = [
        {"slug": made.slug, "city": "Denver", "hours_mon": "closed", "categories": "Crafts"},
        {"slug": made.slug, "city": "Boston"},
        {"name": "Reyes Ceramics", "city": "Boston"},
        {"name": "Reyes Ceramics", "city": "Austin"},
    ]
    update, *same, new = match([read(row, {}) for row in rows], {})
    assert update is not None
    assert update.changes == {"city": ("Boston", "Denver"), "mon": ("09:00-12:00", "closed"), "categories": ("", "Crafts")}
    assert [each is not None and each.changes for each in same] == [{}, {}]
    assert new is None
    assert not Category.objects.exists()
