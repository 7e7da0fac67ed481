"""Listings, inquiries and saved searches in the admin: lists, filters, files, pages, and who may see them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.models import OutgoingMail
from commerce.real_estate.models import Feed, Inquiry, Property, PropertyPhoto
from commerce.real_estate.services import save_search
from commerce.real_estate.types.searches import SearchFilter
from tests import people
from tests.builders import make_image

from .builders import import_records, make_feed, make_property, private, record

LISTINGS = "/admin/real-estate/listings/"
FEEDS = "/admin/real-estate/feeds/"
IMPORTS = "/admin/real-estate/imports/"
INQUIRIES = "/admin/real-estate/inquiries/"
SEARCHES = "/admin/real-estate/searches/"


def inquiry(listing: Property | None = None, **values: Any) -> Inquiry:
    given = {"title": "14 Canal Street", "listing_key": "RE-1", "name": "Noor de Vries", "email": "noor@example.com", **values}
    return Inquiry.objects.create(listing=listing, message="Can we see it?", created_at=timezone.now(), **given)


def titles(client: Client, query: str = "") -> list[str]:
    """The listing keys of the list, in its order."""
    answer = client.get(f"{LISTINGS}?{query}")
    assert answer.status_code == 200
    return [each.listing_key for each in answer.context["object_list"]]


@pytest.fixture
def several(db: None) -> Feed:
    """An active house, a pending condominium, a sold house elsewhere, and a hidden one."""
    feed = make_feed(name="Valley MLS")
    import_records(
        feed,
        record(1, ListPrice=300_000, ModificationTimestamp="2026-03-04T10:00:00Z"),
        record(2, StandardStatus="Pending", PropertyType="Land", ListPrice=500_000, ModificationTimestamp="2026-03-03T10:00:00Z"),
        record(3, StandardStatus="Closed", City="Putney", ListPrice=700_000, ModificationTimestamp="2026-03-02T10:00:00Z"),
        record(4, InternetEntireListingDisplayYN=False, ListPrice=900_000, ModificationTimestamp="2026-03-01T10:00:00Z"),
    )
    return feed


def test_it_works(several: Feed, admin_client: Client) -> None:
    assert titles(admin_client) == ["RE-1", "RE-2", "RE-3", "RE-4"]
    page = admin_client.get(LISTINGS).content.decode()
    for words in (
        "Property listings",
        "$300,000",
        "101 Canal Street",
        "Valley MLS",
        "Hidden: not for the internet",
        "3 bd",
    ):
        assert words in page, words
    assert "Listings are not edited here" in page
    assert "/edit/" not in page
    assert "/new/" not in page


def test_the_list_is_filtered(several: Feed, admin_client: Client) -> None:
    for query, found in [
        ("status=pending", ["RE-2"]),
        ("property_type=land", ["RE-2"]),
        ("city=PUTNEY", ["RE-3"]),
        ("min_price=500000&max_price=700000", ["RE-2", "RE-3"]),
        ("min_price=500,000&max_price=700,000", ["RE-2", "RE-3"]),
        ("visibility=shown", ["RE-1", "RE-2", "RE-3"]),
        ("visibility=no_display", ["RE-4"]),
        ("visibility=coming_soon", []),
        ("q=putney", ["RE-3"]),
        ("q=nowhere", []),
        ("ordering=-list_price", ["RE-4", "RE-3", "RE-2", "RE-1"]),
        ("modified_at_from=2026-03-03", ["RE-1", "RE-2"]),
    ]:
        assert titles(admin_client, query) == found, query
    assert titles(admin_client, f"city=PUTNEY&feed={several.pk}") == ["RE-3"]
    assert titles(admin_client, f"city=PUTNEY&feed={make_feed().pk}") == []


@pytest.mark.both_databases
def test_hostile_filters_are_refused(several: Feed, admin_client: Client) -> None:
    for query in ("property_type=%00", "min_price=1e400", f"feed={10**30}", "visibility=x", "modified_at_from=9999-12-31"):
        assert admin_client.get(f"{LISTINGS}?{query}").status_code in {200, 404}
    everything = "ordering=feed__token&feed=x&status=%00&is_spam=%00&frequency=%00"
    for address in (LISTINGS, FEEDS, IMPORTS, INQUIRIES, SEARCHES):
        assert admin_client.get(f"{address}results/?{everything}").status_code in {200, 404}


def test_the_file_has_the_filtered_listings(several: Feed, admin_client: Client) -> None:
    answer = admin_client.get(f"{LISTINGS}?export=csv&status=sold")
    lines = b"".join(answer).decode().splitlines()  # type: ignore[call-overload]
    assert lines[0].startswith("Listing key,Feed,Status,Status in the feed,Hidden")
    assert len(lines) == 2
    assert lines[1].startswith("RE-3,Valley MLS,sold,Closed,,Residential")
    assert "700000,usd,3,2," in lines[1]


def test_a_listing_has_a_page_with_everything_that_is_stored(admin_client: Client) -> None:
    media = [{"MediaURL": f"https://photos.example.com/{number}.jpg", "Order": number} for number in range(4)]
    made = make_property(number=1, Media=media, StandardStatus="Active Under Contract")
    photos = list(made.photos.order_by("position"))
    PropertyPhoto.objects.filter(pk=photos[0].pk).update(image=make_image(), next_attempt_at=None)
    PropertyPhoto.objects.filter(pk=photos[1].pk).update(failures=2, error="The host does not answer.")
    PropertyPhoto.objects.filter(pk=photos[2].pk).update(failures=4, error="The file is no photo.", next_attempt_at=None)
    asked = inquiry(made)
    page = admin_client.get(f"{LISTINGS}inspect/{made.pk}/").content.decode()
    for words in (
        *("Active Under Contract", "Pending", "$400,001", "101 Canal Street", "1,840 sq ft", "10,890 sq ft", "1912"),
        *("Dana Reyes · MLS ID A1187", "Green Mountain Realty", "42.850900, -72.557900", "A brick house by the canal."),
        *("Copied", "Tried 2 times: The host does not answer.", "Not copied: The file is no photo.", "Waiting to be copied"),
        *("Noor de Vries", f"{INQUIRIES}inspect/{asked.pk}/", f"{FEEDS}inspect/{made.feed_id}/", "Nothing is edited here"),
    ):
        assert words in page, words
    for secret in filter(None, private().values()):
        assert secret not in page
    assert f'href="/real-estate/listings/{made.slug}"' in page
    for page_name in ("edit", "delete", "history"):
        assert admin_client.get(f"{LISTINGS}{page_name}/{made.pk}/").status_code == 404


def test_a_hidden_listing_says_why(admin_client: Client) -> None:
    made = make_property(InternetEntireListingDisplayYN=False, InternetAddressDisplayYN=False)
    page = admin_client.get(f"{LISTINGS}inspect/{made.pk}/").content.decode()
    assert "Hidden: The feed does not allow it to be shown on the internet" in page
    assert "Not stored: the feed does not allow it to be shown." in page
    assert "View page" not in page
    assert "The feed has no photos of this listing." in page


def test_texts_of_the_feed_are_escaped(admin_client: Client) -> None:
    attack = "<script>alert(1)</script>"
    made = make_property(PublicRemarks=attack, City=attack, ListAgentFullName=attack, PropertyType=attack)
    for address in (LISTINGS, f"{LISTINGS}inspect/{made.pk}/"):
        assert attack not in admin_client.get(address).content.decode()


def test_lists_take_a_constant_number_of_statements(admin_client: Client) -> None:
    def statements(number: int) -> dict[str, int]:
        for _ in range(number):
            made = make_property(Media=[{"MediaURL": "https://photos.example.com/a.jpg"}])
            made.photos.update(image=make_image(f"{made.pk}.png"))
            inquiry(made)
        admin_client.get(LISTINGS)
        counts = {}
        for address in (LISTINGS, FEEDS, IMPORTS, INQUIRIES):
            with CaptureQueriesContext(
                connection,
            ) as found:
                assert admin_client.get(f"{address}results/").status_code == 200
            counts[address] = len(found)
        return counts

    statements(1)
    assert statements(2) == statements(3)


def test_inquiries_are_listed_released_and_deleted(admin_client: Client) -> None:
    set_setting(key="real_estate.inquiries_to", value="agency@example.com")
    made = make_property()
    real, spam = inquiry(made), inquiry(made, name="Cheap Loans", is_spam=True, spam_reason="Too many links")
    assert list(admin_client.get(f"{INQUIRIES}?is_spam=True").context["object_list"]) == [spam]
    assert list(admin_client.get(f"{INQUIRIES}?q=Loans").context["object_list"]) == [spam]
    page = admin_client.get(f"{INQUIRIES}inspect/{spam.pk}/").content.decode()
    assert "Too many links" in page
    assert "Not spam" in page
    assert "Not spam" not in admin_client.get(f"{INQUIRIES}inspect/{real.pk}/").content.decode()
    answer = admin_client.post(f"{INQUIRIES}release/{spam.pk}/", follow=True)
    assert "no longer spam" in answer.content.decode()
    assert OutgoingMail.objects.get().template == "property_inquiry"
    assert "was not spam" in admin_client.post(f"{INQUIRIES}release/{spam.pk}/", follow=True).content.decode()
    assert OutgoingMail.objects.count() == 1
    assert admin_client.post(f"{INQUIRIES}delete/{spam.pk}/").status_code == 302
    assert list(Inquiry.objects.all()) == [real]
    lines = b"".join(admin_client.get(f"{INQUIRIES}?export=csv")).decode().splitlines()  # type: ignore[call-overload]
    assert lines[1].startswith("Noor de Vries,noor@example.com,,Can we see it?,14 Canal Street,RE-1")


def test_an_inquiry_outlives_its_listing(admin_client: Client) -> None:
    made = inquiry(make_property())
    Property.objects.all().delete()
    page = admin_client.get(f"{INQUIRIES}inspect/{made.pk}/").content.decode()
    assert "14 Canal Street (removed)" in page


def test_an_inquiry_leads_to_its_contact(admin_client: Client) -> None:
    switch_feature(name="crm", on=True)
    made = inquiry(make_property(), is_spam=True)
    assert "Open in the CRM" not in admin_client.get(f"{INQUIRIES}inspect/{made.pk}/").content.decode()
    admin_client.post(f"{INQUIRIES}release/{made.pk}/")
    assert "Open in the CRM" in admin_client.get(f"{INQUIRIES}inspect/{made.pk}/").content.decode()


def test_saved_searches_are_listed(admin_client: Client) -> None:
    user = get_user_model().objects.create_user("dana", "dana@example.com", "x", first_name="Dana", last_name="Reyes")
    wanted = SearchFilter(city="Putney", max_price=450_000, status="active")
    save_search(user=user, values={"name": "Near the station", "frequency": "weekly", "filter": wanted})
    save_search(user=user, values={"name": "Everything", "frequency": "never"})
    page = admin_client.get(SEARCHES).content.decode()
    for words in (
        "Near the station",
        "City: Putney · Price to: 450,000 · Status: active",
        "All listings",
        "Dana Reyes",
        "Weekly",
    ):
        assert words in page, words
    assert [each.name for each in admin_client.get(f"{SEARCHES}?frequency=never").context["object_list"]] == ["Everything"]


ADDRESSES = (LISTINGS, FEEDS, IMPORTS, INQUIRIES, SEARCHES)


def test_managers_may_and_editors_may_not(sign_in: Callable[[Any], Client]) -> None:
    made, asked = make_property(), inquiry(is_spam=True)
    pages = (f"{LISTINGS}inspect/{made.pk}/", f"{FEEDS}inspect/{made.feed_id}/", f"{INQUIRIES}inspect/{asked.pk}/")
    manager = sign_in(people.mallory_manager())
    for address in (*ADDRESSES, *pages, f"{FEEDS}new/", f"{FEEDS}edit/{made.feed_id}/"):
        assert manager.get(address).status_code == 200, address
    assert manager.post(f"{INQUIRIES}release/{asked.pk}/", follow=True).status_code == 200
    editor = sign_in(people.bob())
    for address in (*ADDRESSES, *pages, f"{FEEDS}new/"):
        assert editor.get(address).status_code == 302, address
    assert editor.post(f"{FEEDS}delete/{made.feed_id}/").status_code == 302
    assert Feed.objects.exists()
