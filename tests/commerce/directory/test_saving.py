"""Saving listings, categories and plans: what is stored, refused, indexed and invalidated."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from cms_api.core import versions
from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.text.search import matching
from commerce.common.types.places import Place, box_between, distance_km
from commerce.directory.models import Category, Listing, Plan, Purchase
from commerce.directory.selectors.listings import (
    ListingFilter,
    distance_from,
    find_listing,
    find_place,
    listings,
    shown_categories,
)
from commerce.directory.services.categories import delete_category, delete_plan, save_category, save_plan
from commerce.directory.services.purchasing import start_purchase
from commerce.directory.services.saving import address_words, delete_listing, save_listing
from commerce.directory.types.listings import VERSION
from commerce.payments.models import Payment
from tests.people import alice

from .builders import (
    ADDRESS,
    DAILY,
    HERE,
    buy,
    make_category,
    make_ended,
    make_listing,
    make_plan,
    make_purchase,
    press,
    reloaded,
    start,
)
from .conftest import Clock

pytestmark = pytest.mark.django_db


def found(words: str) -> list[str]:
    return list(matching(Listing.objects.all(), words).values_list("name", flat=True))


def version() -> int:
    versions.forget()
    return versions.version(VERSION)


@pytest.mark.both_databases
def test_it_works(owner: Any) -> None:
    crafts, food = make_category("Crafts"), make_category("Food")
    before = version()
    listing = make_listing(
        "Réyes  Ceramics",
        description="Stoneware.\nThrown by hand.",
        categories=[food.pk, crafts.pk, food.pk],
        email="Hello@Example.com",
        website="https://example.com",
        phone="+1 802 555 0142",
        hours=DAILY,
        owner=owner,
        **ADDRESS,
        **HERE,
    )
    assert version() != before
    stored = reloaded(listing)
    assert (stored.slug, stored.status, stored.owner, stored.timezone) == ("reyes-ceramics", "published", owner, "Europe/Paris")
    assert (stored.email, stored.sort_key, stored.city_key) == ("hello@example.com", "1reyes  ceramics", "brattleboro")
    assert {category.name for category in stored.categories.all()} == {"Crafts", "Food"}
    assert stored.published_at
    assert address_words(stored) == "14 Canal Street, Brattleboro, VT, 05301, US"
    assert found("thrown canal") == ["Réyes  Ceramics"]
    save_listing(listing=listing, values={"name": "Kiln & Co", "city": "Åmål"})
    stored = reloaded(listing)
    assert (stored.slug, stored.street, stored.city_key) == ("reyes-ceramics", "14 Canal Street", "amal")
    assert (found("reyes"), found("kiln amal food")) == ([], ["Kiln & Co"])


@pytest.mark.parametrize(
    ("values", "paths"),
    [
        ({"name": ""}, ["name"]),
        ({"name": "  "}, ["name"]),
        ({"name": None}, ["name"]),
        ({"name": "x" * 151}, ["name"]),
        ({"name": "a\0b"}, ["name"]),
        ({"name": "\ud800"}, ["name"]),
        ({"name": ["x"]}, ["name"]),
        ({"description": "x" * 10_001}, ["description"]),
        ({"description": "a\0b"}, ["description"]),
        ({"description": "a\ud800b"}, ["description"]),
        ({"description": 7}, ["description"]),
        ({"email": "\ud800@example.com", "website": "https://example.com/\ud800"}, ["email", "website"]),
        ({"email": "a\0@example.com", "website": "https://example.com/\0"}, ["email", "website"]),
        ({"phone": "1\t2", "city": 5, "postal_code": "1" * 31}, ["phone", "city", "postal_code"]),
        ({"email": "noor"}, ["email"]),
        ({"email": "noor@example.com\nBcc: ruth@example.com"}, ["email"]),
        ({"website": "javascript:alert(1)"}, ["website"]),
        ({"website": "https://example.com/" + "x" * 500}, ["website"]),
        ({"latitude": 91, "longitude": 0}, ["latitude"]),
        ({"latitude": 0, "longitude": float("nan")}, ["longitude"]),
        ({"latitude": "1", "longitude": True}, ["latitude", "longitude"]),
        ({"latitude": 10**400, "longitude": float("-inf")}, ["latitude", "longitude"]),
        ({"latitude": 5}, ["longitude"]),
        ({"longitude": 5}, ["latitude"]),
        ({"timezone": "Mars/Olympus"}, ["timezone"]),
        ({"timezone": "../../etc/passwd"}, ["timezone"]),
        ({"timezone": ""}, ["timezone"]),
        ({"timezone": "\0"}, ["timezone"]),
        ({"timezone": "\ud800"}, ["timezone"]),
        ({"timezone": "x" * 10_000}, ["timezone"]),
        ({"timezone": "America"}, ["timezone"]),
        ({"hours": {"mon": [{"open": "9", "close": "17:00"}]}}, ["hours.mon.0.open"]),
        ({"special_hours": "x"}, ["special_hours"]),
        ({"status": "live"}, ["status"]),
        ({"status": None}, ["status"]),
        ({"categories": [999]}, ["categories"]),
        ({"categories": "1"}, ["categories"]),
        ({"categories": [True]}, ["categories"]),
        ({"categories": [2**63]}, ["categories"]),
        ({"categories": [[1]]}, ["categories"]),
        ({"categories": list(range(1, 7))}, ["categories"]),
        ({"logo": 999, "cover": "1"}, ["logo", "cover"]),
        ({"logo": 2**63}, ["logo"]),
        ({"pictures": [999]}, ["pictures.0"]),
        ({"pictures": 5}, ["pictures"]),
        ({"pictures": "12"}, ["pictures"]),
        ({"pictures": [[1]]}, ["pictures"]),
        ({"pictures": [2**63]}, ["pictures.0"]),
        ({"pictures": list(range(1, 14))}, ["pictures"]),
        ({"slug": "42"}, ["slug"]),
        ({"slug": "Not a slug"}, ["slug"]),
        ({"slug": "a\0b"}, ["slug"]),
        ({"slug": "x" * 500}, ["slug"]),
        ({"slug": "submit"}, ["slug"]),
        ({"slug": "category"}, ["slug"]),
    ],
)
def test_values_that_are_refused(values: dict[str, Any], paths: list[str]) -> None:
    with pytest.raises(Invalid) as refusal:
        save_listing(values={"name": "Reyes Ceramics", **values})
    assert list(refusal.value.errors) == paths
    assert not Listing.objects.exists()


def test_an_owner_who_is_gone_is_refused(owner: Any) -> None:
    pk = owner.pk
    owner.delete()
    owner.pk = pk
    with pytest.raises(Invalid) as refusal:
        make_listing(owner=owner)
    assert list(refusal.value.errors) == ["owner"]


def test_a_refusal_changes_nothing() -> None:
    listing = make_listing(categories=[make_category().pk])
    before = version()
    with pytest.raises(Invalid):
        save_listing(listing=listing, values={"name": "Kiln", "categories": [], "email": "x"})
    stored = reloaded(listing)
    assert (stored.name, stored.categories.count(), found("kiln"), version()) == ("Reyes Ceramics", 1, [], before)


@pytest.mark.both_databases
def test_slugs_are_free_and_not_reserved() -> None:
    slugs = [make_listing(name).slug for name in ("Kiln", "Kiln", "Submit", "42", "近江", "!!!", "Near", "Near")]
    assert slugs == ["kiln", "kiln-2", "submit-2", "listing-42", slugs[4], "listing", "near-2", "near-3"]
    assert slugs[4].isascii()
    with pytest.raises(Invalid):
        make_listing(slug="kiln")
    other = make_listing("Other")
    with pytest.raises(Invalid):
        save_listing(listing=other, values={"slug": "kiln"})
    assert save_listing(listing=other, values={"slug": "another"}).slug == "another"


@pytest.mark.both_databases
def test_the_database_refuses_half_of_a_place() -> None:
    make_listing()
    for half in ({"latitude": 5.0}, {"longitude": 5.0}, {"latitude": 91.0, "longitude": 5.0}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Listing.objects.update(**half)


def test_coordinates_are_removed_together() -> None:
    listing = make_listing(**HERE)
    with pytest.raises(Invalid):
        save_listing(listing=listing, values={"latitude": None})
    assert save_listing(listing=listing, values={"latitude": None, "longitude": None}).place is None


def test_a_listing_that_is_gone() -> None:
    listing = make_listing()
    delete_listing(listing=listing)
    with pytest.raises(NotFound):
        save_listing(listing=listing, values={"name": "Kiln"})
    assert found("reyes") == []


@pytest.mark.both_databases
def test_deleting_keeps_what_was_paid(owner: Any) -> None:
    listing = make_ended(owner=owner)
    buy(listing)
    before = version()
    delete_listing(listing=listing, user=alice())
    assert version() != before
    purchase = Purchase.objects.get()
    assert (purchase.listing, purchase.listing_name, purchase.status) == (None, "Reyes Ceramics", "paid")


@pytest.mark.both_databases
def test_a_listing_with_a_payment_on_its_way_is_not_deleted(owner: Any) -> None:
    listing = make_ended(owner=owner)
    make_purchase(listing)
    Purchase.objects.update(is_processing=True)
    with pytest.raises(Invalid, match="on its way"):
        delete_listing(listing=listing)
    assert Listing.objects.exists()


@pytest.mark.both_databases
def test_editing_does_not_touch_the_term(owner: Any) -> None:
    """Forms send all values: the owner is not reminded again of the same term, but of another one."""
    until = timezone.now() + timedelta(days=10)
    listing = make_listing(owner=owner, expires_at=until)
    Listing.objects.update(reminded_days=14)
    assert save_listing(listing=listing, values={"expires_at": until, "name": "Kiln"}).reminded_days == 14
    assert save_listing(listing=listing, values={"expires_at": until + timedelta(days=1)}).reminded_days is None


def test_publishing_in_a_form_begins_what_was_paid(owner: Any, clock: Clock) -> None:
    clock("2026-03-01 12:00")
    listing = save_listing(values={"name": "Noor's Bakery", "owner": owner, "expires_at": timezone.now()})
    buy(listing)
    clock("2026-03-11 12:00")
    stored = save_listing(listing=listing, values={"status": "published", "expires_at": reloaded(listing).expires_at})
    assert f"{stored.expires_at:%Y-%m-%d}" == "2027-03-11"
    other = save_listing(values={"name": "Other", "owner": owner, "expires_at": timezone.now()})
    buy(other)
    until = timezone.now() + timedelta(days=5000)
    assert save_listing(listing=other, values={"status": "published", "expires_at": until}).expires_at == until


# Categories.


@pytest.mark.both_databases
def test_renaming_a_category_changes_search_entries() -> None:
    crafts = make_category("Crafts")
    make_listing(categories=[crafts.pk])
    assert found("crafts") == ["Reyes Ceramics"]
    before = version()
    save_category(category=crafts, values={"name": "Pottery"})
    assert (found("crafts"), found("pottery"), version() != before) == ([], ["Reyes Ceramics"], True)
    assert Category.objects.get().slug == "crafts"
    delete_category(category=crafts)
    assert (found("pottery"), Listing.objects.count()) == ([], 1)
    with pytest.raises(NotFound):
        save_category(category=crafts, values={"name": "Crafts"})


@pytest.mark.both_databases
def test_categories_with_live_listings_are_shown(clock: Clock) -> None:
    clock("2026-03-01 12:00")
    crafts, food, empty = make_category("Crafts", position=2), make_category("Food", position=1), make_category("Empty")
    make_listing(categories=[crafts.pk, food.pk])
    make_listing("Kiln", categories=[crafts.pk], expires_at=timezone.now())
    make_listing("Pending", categories=[crafts.pk, empty.pk], status="pending")
    assert [(category.name, getattr(category, "live_count", 0)) for category in shown_categories()] == [
        ("Food", 1),
        ("Crafts", 1),
    ]


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ({"name": ""}, "name"),
        ({"kind": "life"}, "kind"),
        ({"months": 0}, "months"),
        ({"months": 61}, "months"),
        ({"months": "12"}, "months"),
        ({"price_cents": 0}, "price_cents"),
        ({"price_cents": -1}, "price_cents"),
        ({"price_cents": 2**63}, "price_cents"),
        ({"description": "x" * 501}, "description"),
    ],
)
def test_plans_that_are_refused(values: dict[str, Any], path: str) -> None:
    with pytest.raises(Invalid) as refusal:
        make_plan(**values)
    assert list(refusal.value.errors) == [path]
    assert not Plan.objects.exists()


@pytest.mark.both_databases
def test_later_changes_of_a_plan_change_nothing_that_was_bought(owner: Any) -> None:
    plan = make_plan()
    purchase = buy(make_ended(owner=owner), plan)
    save_plan(plan=plan, values={"name": "Half a year", "months": 6, "price_cents": 1})
    delete_plan(plan=plan)
    purchase.refresh_from_db()
    assert (purchase.plan_name, purchase.months, purchase.total_cents, purchase.plan) == ("One year", 12, 12_000, None)


@pytest.mark.both_databases
def test_a_plan_that_somebody_pays_for_is_not_deleted(owner: Any) -> None:
    plan = make_plan()
    listing = make_ended(owner=owner)
    start(start_purchase(listing=listing, plan=plan, user=owner))
    with pytest.raises(Invalid, match="Switch it off"):
        delete_plan(plan=plan)
    press(Payment.objects.get())
    delete_plan(plan=plan)


# Places.


def near(place: Place, radius_km: float = 25, **more: Any) -> list[Any]:
    return list(ListingFilter(near=place, radius_km=radius_km, **more).queryset())


def put(name: str, latitude: float, longitude: float, **more: Any) -> Listing:
    return make_listing(name, latitude=latitude, longitude=longitude, **more)


PLACES = [
    (0, 0),
    (42.8509, -72.5579),
    (-16.5, 179.99),
    (-16.5, -179.99),
    (89.99, 10),
    (89.99, -170),
    (-90, 0),
    (0, 180),
    (0, -180),
]


@pytest.mark.both_databases
def test_distances_in_the_database_are_those_in_python() -> None:
    for number, (latitude, longitude) in enumerate(PLACES):
        put(f"Listing {number}", latitude, longitude)
    for each in (*PLACES, (12.34, -56.78)):
        here = Place(*each)
        for listing in Listing.objects.annotate(distance=distance_from(here)):
            assert listing.place
            assert listing.distance == pytest.approx(distance_km(here, listing.place), abs=1e-6, rel=1e-9)


@pytest.mark.parametrize("radius", [1, 25, 2000, 30_000])
@pytest.mark.both_databases
def test_what_is_near_is_what_python_finds(radius: float) -> None:
    for number, each in enumerate(PLACES):
        put(f"Listing {number}", *each)
    for each in PLACES:
        here = Place(*each)
        expected = [(distance_km(here, row.place), row.pk) for row in Listing.objects.order_by("pk") if row.place]
        rows = near(here, radius)
        assert {row.pk for row in rows} == {pk for distance, pk in expected if distance <= radius}
        assert [row.distance for row in rows] == sorted(row.distance for row in rows)


@pytest.mark.both_databases
def test_the_nearest_first_and_ties_by_id() -> None:
    far, one, other = put("A", 10.2, 20), put("C", 10.1, 20), put("B", 10.1, 20, featured=True)
    put("Elsewhere", 11, 20)
    make_listing("Without a place")
    assert near(Place(10, 20)) == [one, other, far]


@pytest.mark.both_databases
def test_the_filters_of_the_public_list(clock: Clock) -> None:
    clock("2026-03-02 12:00")
    crafts = make_category()
    first = put("Zebra", 10, 20, featured=True, hours=DAILY, timezone="UTC")
    second = put("Ähre", 10, 179.9, categories=[crafts.pk])
    put("Ended", 10, 20, expires_at=timezone.now(), hours=DAILY, categories=[crafts.pk], featured=True)
    put("Archived", 10, 20, status="archived", hours=DAILY, categories=[crafts.pk], featured=True)

    def public(**filters: Any) -> list[Any]:
        return list(ListingFilter(**filters).queryset())

    assert public() == [first, second]
    assert (
        public(is_open=True)
        == public(is_featured=True)
        == public(search="zeb")
        == public(box=box_between(9, 19, 11, 21))
        == [first]
    )
    assert public(category="crafts") == public(search="crafts") == public(box=box_between(9, 170, 11, 190)) == [second]
    assert public(category="other") == public(box=box_between(11, 19, 12, 21)) == public(is_open=True, category="crafts") == []


def test_finding_a_place() -> None:
    put("A", 42.0, -72.0, city="Brattleboro", postal_code="０５３０１")
    put("B", 44.0, -74.0, city="BRATTLEBORO")
    put("C", 59.0, 12.7, city="Åmål", postal_code="SW1A 1AA")
    put("Without a city", 1.0, 2.0)
    put("Pending", 5.0, 5.0, city="Nowhere", status="pending")
    assert find_place(" brattleboro ") == Place(43.0, -73.0)
    assert (find_place("05301"), find_place("amal"), find_place("sw1a 1aa")) == (Place(42, -72), Place(59, 12.7), Place(59, 12.7))
    assert find_place("０５３０１") == Place(42, -72)
    assert find_place(" 42.85 , -72.5579 ") == Place(42.85, -72.5579)
    for unknown in ("", "  ", "Nowhere", "91, 0", "0, 181", "1e5, 2", "\u0301", "x\0y", "x" * 10_000, "42.85", "nan, nan"):
        assert find_place(unknown) is None, unknown


def test_finding_a_listing() -> None:
    listing = make_listing()
    assert find_listing(str(listing.pk)) == find_listing("reyes-ceramics") == listing
    for unknown in ("0", "007", str(10**30), str(2**63), "٣", "other", ""):
        assert find_listing(unknown) is None


@pytest.mark.both_databases
def test_lists_are_filtered_and_sorted(owner: Any) -> None:
    make_listing("b", owner=owner)
    make_listing("Á", status="archived")
    make_listing("z", featured=True)
    assert [row.name for row in listings()] == ["z", "Á", "b"]
    assert [row.name for row in listings(status="archived")] == ["Á"]
    assert [row.name for row in listings(member_id=owner.pk, featured=False, status="live")] == ["b"]
