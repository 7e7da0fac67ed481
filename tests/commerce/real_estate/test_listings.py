"""Hidden addresses and listings, and listings of the same place under another key."""

from typing import Any

import pytest

from cms_api.http.found import find
from commerce.real_estate.models import Feed, Property
from commerce.real_estate.selectors import listings as selectors
from commerce.real_estate.selectors.listings import (
    Facet,
    Facets,
    find_property,
    properties,
    shown_properties,
)
from commerce.real_estate.services import delete_feed
from commerce.real_estate.types.searches import Box, SearchFilter

from .builders import import_records, make_feed, make_property, record

#: Two keys of the same place.
OLD: dict[str, Any] = {"number": 1, "OnMarketDate": "2026-01-01", "StandardStatus": "Expired"}
NEW: dict[str, Any] = {"ListingKey": "NEW", "OnMarketDate": "2026-03-01"}


def shown() -> set[str]:
    return set(properties().values_list("listing_key", flat=True))


def test_a_hidden_address() -> None:
    row = make_property(number=1, InternetAddressDisplayYN=False)
    assert (row.street, row.latitude, row.shows_address) == ("", None, False)
    assert row.slug == "brattleboro-vt-re-1"
    assert str(row) == "Brattleboro, VT 05301"


def test_an_address_that_is_hidden_later_leaves_the_slug() -> None:
    feed = make_feed()
    assert "canal" in make_property(feed, 1).slug
    row = make_property(feed, 1, InternetAddressDisplayYN=False)
    assert row.slug == "brattleboro-vt-re-1"
    assert make_property(feed, 1).slug == row.slug


def test_the_slug_stays() -> None:
    feed = make_feed()
    slug = make_property(feed, 1).slug
    assert make_property(feed, 1, StreetName="River").slug == slug


@pytest.mark.both_databases
def test_slugs_are_unique() -> None:
    rows = [make_property(make_feed(), 1, ListingKey=key) for key in ("a/1", "a-1", "a-1", "77")]
    assert len({row.slug for row in rows}) == 4
    assert (
        make_property(
            make_feed(), 1, ListingKey="77", City=None, InternetAddressDisplayYN=False, StateOrProvince=None
        ).slug.isdecimal()
        is False
    )


@pytest.mark.both_databases
@pytest.mark.parametrize("at_once", [True, False])
def test_slugs_of_equal_listings(at_once: bool) -> None:
    """Their keys differ where slugs are cut, or in what slugs leave out, and they are alike in all else."""
    feed = make_feed()
    same = {"InternetAddressDisplayYN": False}
    long = [record(1, ListingKey="Q" * 45 + end, **same) for end in "abcdef"]
    short = [record(1, ListingKey=key, **same) for key in ("A/1", "A.1", "A#1", "a 1")]
    parts = [[*long, *short]] if at_once else [[each] for each in (*long, *short)]
    assert [import_records(feed, *each).status for each in parts] == ["finished"] * len(parts)
    assert len(set(Property.objects.values_list("slug", flat=True))) == 10
    # Those of another feed, and one that is made to have the slug of another.
    taken = Property.objects.filter(listing_key="A.1").get().slug
    run = import_records(make_feed(), *long, *short, record(1, ListingKey=taken, City=None, StateOrProvince=None, **same))
    assert (run.status, run.created, run.skipped) == ("finished", 11, 0)


@pytest.mark.both_databases
def test_slugs_that_somebody_has_made_up() -> None:
    feed = make_feed()
    same: dict[str, Any] = {"InternetAddressDisplayYN": False, "City": None, "StateOrProvince": None}
    first, second = (make_property(feed, 1, ListingKey=key, **same) for key in ("A/1", "A.1"))
    delete_feed(feed=feed)
    Feed.objects.bulk_create([feed])
    # Any feed may have keys such as these.
    made_up = [second.slug.removeprefix("listing-"), first.slug.removeprefix("listing-")]
    import_records(make_feed(), *(record(number, ListingKey=key, **same) for number, key in enumerate(made_up)))
    assert set(Property.objects.values_list("slug", flat=True)) == {first.slug, second.slug}
    run = import_records(feed, *(record(1, ListingKey=key, **same) for key in ("A/1", "A.1", "A#1")))
    assert (run.created, len(set(Property.objects.values_list("slug", flat=True)))) == (3, 5)


def test_hidden_listings() -> None:
    feed = make_feed()
    make_property(feed, 1, InternetEntireListingDisplayYN=False)
    make_property(feed, 2, StandardStatus="Coming Soon")
    make_property(make_feed(shows_coming_soon=True), 3, StandardStatus="Coming Soon")
    make_property(feed, 4, StandardStatus="Withdrawn")
    assert shown() == {"RE-3", "RE-4"}
    assert set(shown_properties().values_list("listing_key", flat=True)) == {"RE-3"}


def test_a_listing_of_the_same_place_replaces_the_old_one() -> None:
    feed = make_feed()
    old = make_property(feed, **OLD)
    import_records(feed, record(1, **NEW))
    assert shown() == {"NEW"}
    old.refresh_from_db()
    assert (old.hidden_reason, old.is_shown) == ("relisted", False)
    # A change of the old one does not bring it back.
    import_records(feed, record(**OLD, ListPrice=7))
    assert shown() == {"NEW"}
    import_records(feed, record(1, **NEW, MlgCanView=False))
    assert shown() == {"RE-1"}


def test_both_in_one_file() -> None:
    run = import_records(make_feed(), record(1, **NEW), record(**OLD), record(2))
    assert (run.created, run.hidden) == (3, 1)
    assert shown() == {"NEW", "RE-2"}


@pytest.mark.parametrize(
    "changes",
    [
        {"UnitNumber": "4"},
        {"PropertyType": "Residential Lease"},
        {"PostalCode": "05302"},
        {"StreetNumber": "9"},
        {"InternetAddressDisplayYN": False},
    ],
)
def test_other_places(changes: dict[str, Any]) -> None:
    feed = make_feed()
    make_property(feed, **OLD)
    import_records(feed, record(1, **NEW, **changes))
    assert shown() == {"NEW", "RE-1"}


@pytest.mark.parametrize("number", [None, "TBD", "0", "Lot 5", "XXX"])
def test_land_without_a_number(number: str | None) -> None:
    same: dict[str, Any] = {"StreetNumber": number, "StreetName": "County Road 12"}
    import_records(make_feed(), *(record(each, **same, StandardStatus="Expired") for each in range(4)))
    assert len(shown()) == 4


def test_the_other_side_of_the_town() -> None:
    street: dict[str, Any] = {"StreetNumber": "123", "StreetDirPrefix": "E", "StreetName": "500", "StreetSuffix": None}
    feed = make_feed()
    import_records(feed, *(record(n, **street, StreetDirSuffix=way, StandardStatus="Expired") for n, way in enumerate("SN")))
    assert {row.street for row in Property.objects.filter(is_shown=True)} == {"123 E 500 S", "123 E 500 N"}


def test_two_that_are_on_the_market_are_shown() -> None:
    feed = make_feed()
    import_records(feed, record(1), record(1, **NEW), record(1, ListingKey="PENDING", StandardStatus="Pending"))
    assert shown() == {"RE-1", "NEW", "PENDING"}
    # Until one of them is sold: then it has a successor.
    import_records(feed, record(1, StandardStatus="Closed"))
    assert shown() == {"NEW", "PENDING"}


def test_other_feeds() -> None:
    make_property(make_feed(), **OLD)
    import_records(make_feed(), record(1, **NEW))
    assert shown() == {"NEW", "RE-1"}


def test_one_on_the_market_wins() -> None:
    feed = make_feed()
    make_property(feed, 1)
    import_records(feed, record(1, **NEW, StandardStatus="Canceled"))
    assert shown() == {"RE-1"}


def test_an_id_wins_then_a_slug_then_a_key() -> None:
    feed = make_feed()
    first = make_property(feed, 1)
    second = make_property(feed, 2, ListingKey=str(first.pk))
    third = make_property(feed, 3, ListingKey=first.slug)
    assert find_property(str(first.pk)) == first
    assert find_property(first.slug) == first
    assert find_property("RE-1") == first
    Property.objects.filter(pk=first.pk).update(is_shown=False, is_on_market=False, hidden_reason="no_display")
    assert find_property(str(first.pk)) == second
    assert find_property(first.slug) == third
    assert [find_property(text) for text in ("9" * 40, "a\0", "\ud800", "RE-1")] == [None] * 4


def facets(wanted: SearchFilter) -> Facets:
    return Facets(wanted, find(shown_properties(wanted)))


@pytest.mark.both_databases
def test_facets(django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = make_feed()
    for number, city in enumerate(("Brattleboro", "BRATTLEBORO", "Putney")):
        make_property(feed, number, City=city, ListPrice=100 + number)
    make_property(feed, 9, StandardStatus="Closed")
    every, cheap = SearchFilter(), SearchFilter(max_price=101)
    with django_assert_num_queries(1 + 1 + 1):
        # The count, and one for each column.
        found = facets(every)
        assert found.cities(every) == [Facet("BRATTLEBORO", 2), Facet("Putney", 1)]
        assert found.property_types(every) == [Facet("Residential", 3)]
    with django_assert_num_queries(1):
        assert facets(every).cities(every) == [Facet("BRATTLEBORO", 2), Facet("Putney", 1)]
    with django_assert_num_queries(2):
        found = facets(cheap)
        assert [each.count for each in found.cities(cheap)] == [2]
        assert found.property_types(cheap) == [Facet("Residential", 2)]
    monkeypatch.setattr("cms_api.http.found.MAX_LISTED_RECORDS", 1)
    assert facets(cheap).cities(cheap) == [Facet("BRATTLEBORO", None), Facet("Putney", None)]
    make_property(feed, 10, City="Putney")
    make_property(feed, 11, City="Putney")
    assert facets(every).cities(every) == [Facet("Putney", 3), Facet("BRATTLEBORO", 2)]
    monkeypatch.setattr(selectors, "MAX_FACET_LISTINGS", 2)
    make_property(feed, 12, City="Guilford")
    # Those with as many as are counted, by name.
    assert facets(every).cities(every) == [Facet("Putney", 2, True), Facet("BRATTLEBORO", 2), Facet("Guilford", 1)]


def test_words_and_boxes() -> None:
    feed = make_feed()
    canal, river = make_property(feed, 1), make_property(feed, 2, StreetName="River", Latitude=-17, Longitude=179.5)
    assert list(shown_properties(SearchFilter(search="riv"))) == [river]
    assert list(shown_properties(SearchFilter(search="house"), sort="price")) == [canal, river]
    assert list(shown_properties(SearchFilter(box=Box.read("42,-73,43,-72")))) == [canal]
    assert list(shown_properties(SearchFilter(box=Box.read("-18,179,-16,-179")))) == [river]


@pytest.mark.both_databases
def test_a_feed_is_deleted_with_its_listings() -> None:
    feed, other = make_feed(), make_property(make_feed(), 9)
    make_property(feed, 1)
    delete_feed(feed=feed)
    assert list(Property.objects.all()) == [other]
