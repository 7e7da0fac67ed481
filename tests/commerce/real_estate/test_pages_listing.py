"""The page of a listing and the form for inquiries: what they show, what they never show, and what is no longer there."""

import json
import re
import time
from dataclasses import replace
from html import unescape
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.auth.services import visitors
from cms_api.flags.services import set_setting
from cms_api.mail.models import OutgoingMail
from commerce.real_estate.models import Inquiry, Property, PropertyPhoto
from commerce.real_estate.resources.facts import facts_of, lot_text
from commerce.real_estate.services import inquiries
from tests.builders import make_image
from tests.refusals import is_refused_for
from tests.visitor import hidden

from .builders import import_records, make_feed, make_property, record

pytestmark = pytest.mark.django_db


def path_of(row: Property) -> str:
    return f"/real-estate/listings/{row.slug}"


def html(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, (path, answer.status_code)
    return unescape(answer.content.decode())


def linked(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    row = make_property(
        None, 1, BathroomsTotalInteger=10, ListOfficePhone="+1 802 555 0100", PublicRemarks="A <b>house</b>.\n\nBy the canal."
    )
    set_setting(key="real_estate.disclaimer", value="Information deemed reliable but not guaranteed.")
    raw = client.get(path_of(row)).content.decode()
    page = unescape(raw)
    for words in (
        *(
            "101 Canal Street, Brattleboro, VT 05301",
            "$400,001",
            "For sale",
            "1,840 sq ft",
            "10,890 sq ft",
            "1912",
            "RE-1",
            "10 baths",
        ),
        *("Dana Reyes", "Green Mountain Realty", 'href="tel:+18025550100"', f'href="{path_of(row)}/inquire"', "By the canal."),
        *("Information deemed reliable but not guaranteed.", "Listings last updated:", "data-map="),
    ):
        assert words in page, words
    assert "<b>house" not in raw
    assert "secret" not in page
    data = linked(raw)
    assert (data["@type"], data["offers"]["price"], data["offers"]["priceCurrency"]) == ("RealEstateListing", 400_001, "USD")
    assert data["offers"]["availability"] == "https://schema.org/InStock"
    assert data["mainEntity"]["address"]["streetAddress"] == "101 Canal Street"
    assert (data["mainEntity"]["numberOfBedrooms"], data["mainEntity"]["geo"]["latitude"]) == (3, 42.8509)


def test_an_address_that_may_not_be_shown(client: Client) -> None:
    row = make_property(None, 1, InternetAddressDisplayYN=False)
    page = html(client, path_of(row))
    for words in ("Canal Street", "42.85", "data-map=", "geo", "PostalAddress"):
        assert words not in page, words
    assert "Brattleboro, VT 05301" in page


@pytest.mark.parametrize(
    ("changes", "label", "can_inquire"),
    [
        ({}, "For sale", True),
        ({"PropertyType": "Residential Lease"}, "For rent", True),
        ({"StandardStatus": "Pending"}, "Pending", True),
        ({"StandardStatus": "Closed"}, "Sold", False),
    ],
)
def test_the_status_is_plain(client: Client, changes: dict[str, Any], label: str, can_inquire: bool) -> None:
    row = make_property(None, 1, **changes)
    page = html(client, path_of(row))
    assert re.findall(r'class="property-mark[^>]*>([^<]*)', page) == [label]
    assert ("Send an inquiry" in page) == can_inquire
    html(client, f"{path_of(row)}/inquire", 200 if can_inquire else 404)


@pytest.mark.parametrize("changes", [{"StandardStatus": "Withdrawn"}, {"InternetEntireListingDisplayYN": False}])
def test_listings_that_are_not_shown(client: Client, changes: dict[str, Any]) -> None:
    row = make_property(None, 1, **changes)
    html(client, path_of(row), 404)
    html(client, f"{path_of(row)}/inquire", 404)
    html(client, "/real-estate/listings/unknown", 404)


def test_a_former_listing_leads_to_the_one_that_replaced_it(client: Client) -> None:
    feed = make_feed()
    old = make_property(feed, 1, ListingKey="OLD", OnMarketDate="2026-01-01", StandardStatus="Closed")
    new = make_property(feed, 1, ListingKey="NEW", OnMarketDate="2026-02-01")
    answer = client.get(path_of(old))
    assert (answer.status_code, answer.headers["Location"], answer.headers["Cache-Control"]) == (301, path_of(new), "no-cache")
    html(client, f"{path_of(old)}/inquire", 404)
    import_records(feed, record(1, ListingKey="NEW", OnMarketDate="2026-02-01", StandardStatus="Withdrawn"))
    html(client, path_of(old))
    assert client.get(path_of(new)).headers["Location"] == path_of(old)


def test_similar_listings(client: Client) -> None:
    row = make_property(None, 1)
    for number in range(2, 7):
        make_property(None, number, OnMarketDate=f"2026-03-0{number}")
    make_property(None, 7, City="Keene")
    make_property(None, 8, PropertyType="Land")
    page = html(client, path_of(row))
    similar = page[page.index("Similar listings") :]
    assert re.findall(r">(\d+) Canal Street", similar) == ["106", "105", "104"]


def test_photos_are_links_to_the_large_ones(client: Client) -> None:
    media = [{"MediaURL": f"https://photos.example.com/{number}.jpg", "Order": number} for number in range(7)]
    row = make_property(None, 1, Media=media)
    assert "<img" not in html(client, path_of(row))
    image = make_image()
    PropertyPhoto.objects.filter(listing=row).update(image=image.pk)
    set_setting(key="site.name", value="Another name")
    page = html(client, path_of(row))
    assert page.count(f'href="{image.file.url}') == 7
    assert [f"Photo {number} of 7" in page for number in (1, 7, 8)] == [True, True, False]
    assert "Show 2 more photos" in page


@pytest.mark.both_databases
def test_the_number_of_statements_does_not_depend_on_photos(client: Client) -> None:
    def statements(row: Property) -> int:
        set_setting(key="site.name", value=f"{row.pk} {PropertyPhoto.objects.count()}")
        client.get("/real-estate")
        with CaptureQueriesContext(connection) as captured:
            html(client, path_of(row))
        return len(captured)

    media = [{"MediaURL": f"https://photos.example.com/{number}.jpg"} for number in range(20)]
    one, many = make_property(None, 1, Media=media[:1]), make_property(None, 2, Media=media)
    PropertyPhoto.objects.update(image=make_image().pk)
    statements(one)
    assert statements(one) == statements(many)


def send(client: Client, row: Property, **changes: Any) -> Any:
    path = f"{path_of(row)}/inquire"
    typed = {"name": "Dana Reyes", "email": "dana@example.com", "phone": "", "message": "Can I see it?"}
    return client.post(path, {**hidden(client, path), **typed, **changes})


def test_an_inquiry(client: Client, settings: Any) -> None:
    settings.BUSINESS_EMAIL = "office@example.org"
    row = make_property()
    answer = send(client, row)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"{path_of(row)}/inquire?sent=1")
    assert "has been sent" in html(client, answer.headers["Location"])
    assert (Inquiry.objects.get().message, OutgoingMail.objects.get().template) == ("Can I see it?", "property_inquiry")


def test_robots_get_the_same_answer(client: Client) -> None:
    answer = send(client, make_property(), hp_url="https://spam.example")
    assert answer.status_code == 302
    assert Inquiry.objects.get().is_spam
    assert not OutgoingMail.objects.exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": " "}, "Enter your name."),
        ({"email": "dana"}, "valid email address"),
        ({"message": ""}, "Enter your message."),
        ({"message": "\0"}, "Null characters are not allowed."),
        ({"phone": "1" * 500}, "at most"),
    ],
)
def test_refused_inquiries(client: Client, changes: dict[str, str], words: str) -> None:
    answer = send(client, make_property(), **changes)
    assert answer.status_code == 422
    assert words in unescape(answer.content.decode())
    assert not Inquiry.objects.exists()


def test_a_flood(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inquiries, "LIMITS", replace(inquiries.LIMITS, flood=2))
    row = make_property()
    answers = [send(client, row) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert is_refused_for(answers[-1], 3600)
    assert "Can I see it?" in answers[-1].content.decode()


def test_a_form_that_was_open_for_days(client: Client) -> None:
    with mock.patch("time.time", return_value=time.time() - 3 * 24 * 3600):
        stamp = visitors.stamp(inquiries.PURPOSE)
    answer = send(client, make_property(), _stamp=stamp)
    assert answer.status_code == 422
    assert stamp not in answer.content.decode()
    assert not Inquiry.objects.exists()


def test_facts() -> None:
    row = make_property(None, 1, BedroomsTotal=0, BathroomsTotalInteger=None, LotSizeSquareFeet=108900)
    facts = dict(facts_of(row))
    assert (facts["Bedrooms"], facts["Lot"], "Bathrooms" in facts) == ("0", "2.5 acres", False)
    assert (lot_text(43_559), lot_text(43_560), lot_text(871_200)) == ("43,559 sq ft", "1 acre", "20 acres")


def test_a_page_whose_address_told_a_hidden_street_is_gone(client: Client) -> None:
    feed = make_feed()
    row = make_property(feed, 1)
    import_records(feed, record(1, InternetAddressDisplayYN=False))
    html(client, path_of(row), 404)
    former = row.slug
    row.refresh_from_db()
    assert "canal" not in row.slug
    assert "Canal Street" not in html(client, path_of(row))
    assert client.get("/api/v1/real-estate/listings/" + former).status_code in (401, 404)
