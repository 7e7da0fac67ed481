"""The public pages: all reviews, those of a record, and reviews on the pages of records, with their structured data."""

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from cms_api.flags.services import switch_feature
from commerce.reviews.services import approve_review, hide_review, reply_to_review
from commerce.reviews.types import Subject
from commerce.shop.models import Product
from commerce.shop.services import save_product
from tests.builders import make_page
from tests.commerce.booking.builders import make_service, make_staff
from tests.commerce.loyalty.conftest import make_member
from tests.commerce.shop.builders import make_product
from tests.events.event_pages import at, make_event

from .builders import hidden_review, make_review, public_review, synced_review

pytestmark = pytest.mark.django_db


def html(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, (path, answer.status_code)
    return answer.content.decode()


def linked(page: str) -> list[dict[str, Any]]:
    return [json.loads(found) for found in re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)]


def product() -> Subject:
    switch_feature(name="shop", on=True)
    made = make_product("Mug")
    return Subject("product", made.pk, "Mug", "/shop/products/mug")


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    public_review(title="Lovely", rating=5)
    public_review(title="Crowded", rating=2)
    make_review(title="Pending", rating=1)
    hidden_review(title="Hidden", rating=1)
    synced_review(1, title="From Google", url="https://google.example/1")
    page = html(client, "/reviews")
    for words in ("Lovely", "Crowded", "From Google", "3.7", "3 reviews", "Ruth Adeyemi", 'aria-label="2 out of 5 stars"'):
        assert words in page, words
    assert '<a href="https://google.example/1" rel="nofollow noopener">On Google</a>' in page
    for words in ("Pending", "Hidden", "dana@example.com", "Verified customer", "loyalty points"):
        assert words not in page, words


def test_no_rating_of_the_business_is_marked_up(client: Client) -> None:
    public_review()
    home = make_page({"type": "reviews", "value": {"heading": "", "count": 3}})
    for path in ("/reviews", home.url):
        assert "aggregateRating" not in json.dumps(linked(html(client, path)))


def test_one_rating(client: Client) -> None:
    public_review(title="Lovely", rating=5)
    public_review(title="Crowded", rating=2)
    page = html(client, "/reviews?rating=2")
    assert ("Crowded" in page, "Lovely" in page, "2 reviews" in page) == (True, False, True)
    assert '<meta name="robots" content="noindex, follow">' in page
    assert "No reviews with 3 stars" in html(client, "/reviews?rating=3")
    for nonsense in ("9", "x", "%00", "-1"):
        assert "Lovely" in html(client, f"/reviews?rating={nonsense}")


def test_pages(client: Client) -> None:
    for number in range(21):
        public_review(title=f"Title {number}.")
    assert "Title 0." not in html(client, "/reviews")
    assert "Title 0." in html(client, "/reviews?page=2")
    assert "Title 0." in html(client, "/reviews?page=99")
    assert '"?rating=5&amp;page=2"' in html(client, "/reviews?rating=5")


def test_no_reviews(client: Client) -> None:
    page = html(client, "/reviews")
    assert "No reviews yet" in page
    assert '<a href="/reviews/new"' in page


def test_hostile_texts_are_escaped(client: Client) -> None:
    subject = product()
    review = public_review(subject=subject, title="<b>x", body="</script><i>y", author_name="<u>z")
    reply_to_review(review=review, reply="<s>r")
    for path in ("/reviews", "/shop/products/mug"):
        page = html(client, path)
        for tag in ("<b>x", "<i>y", "<u>z", "<s>r"):
            assert tag not in page


def test_a_page_lasts_until_a_review_changes(client: Client) -> None:
    review = public_review(title="Lovely")
    html(client, "/reviews")
    with CaptureQueriesContext(connection) as again:
        html(client, "/reviews")
    assert len(again) == 1
    reply_to_review(review=review, reply="See you soon.")
    assert "See you soon." in html(client, "/reviews")
    hide_review(review=review, reason="Off topic.")
    assert "Lovely" not in html(client, "/reviews")


@pytest.mark.both_databases
def test_the_number_of_statements_stays_the_same(client: Client) -> None:
    subject = product()
    counts = []
    # Loads the theme.
    html(client, "/reviews")
    for number in (1, 5):
        for _ in range(number):
            public_review(subject=subject)
            public_review()
        with CaptureQueriesContext(connection) as queries:
            html(client, "/reviews")
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_reviews_of_a_product(client: Client) -> None:
    subject = product()
    for number in range(6):
        public_review(subject=subject, title=f"Title {number}.", rating=4 + number % 2)
    make_review(subject=subject, title="Pending")
    public_review(title="Of the business")
    page = html(client, subject.path)
    assert ("4.5" in page, "6 reviews" in page, "Verified customer" in page) == (True, True, True)
    assert [f"Title {number}." in page for number in range(6)] == [False, *[True] * 5]
    assert ("Pending" in page, "Of the business" in page) == (False, False)
    data = linked(page)[0]
    assert (data["@type"], data["name"]) == ("Product", "Mug")
    assert data["aggregateRating"] == {
        **{"@type": "AggregateRating", "ratingValue": "4.5", "reviewCount": 6},
        **{"bestRating": 5, "worstRating": 1},
    }
    assert [each["name"] for each in data["review"]] == [f"Title {number}." for number in range(5, 0, -1)]
    first = data["review"][0]
    assert (first["author"], first["reviewRating"]["ratingValue"]) == ({"@type": "Person", "name": "Dana Reyes"}, 5)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", first["datePublished"])
    every = html(client, f"/reviews/about/product/{subject.id}")
    assert "Title 0." in every
    assert ("Pending" in every, "Of the business" in every) == (False, False)
    assert f'<a href="{subject.path}">Mug</a>' in html(client, "/reviews")


def test_a_product_without_reviews_says_nothing_of_them(client: Client) -> None:
    subject = product()
    review = make_review(subject=subject)
    page = html(client, subject.path)
    assert ("reviews.css" in page, "aggregateRating" in page) == (False, False)
    # The page is made again once there is one.
    approve_review(review=review)
    assert "A patient teacher" in html(client, subject.path)
    switch_feature(name="reviews", on=False)
    assert "A patient teacher" not in html(client, subject.path)


def test_reviews_of_an_event(client: Client) -> None:
    event = make_event("Concert", at(48))
    public_review(subject=Subject("event", event.pk, "Concert"))
    page = html(client, f"/events/{event.slug}")
    assert "A patient teacher" in page
    assert (linked(page)[0]["@type"], linked(page)[0]["aggregateRating"]["reviewCount"]) == ("Event", 1)
    assert 'id="rsvp"' in page
    assert "A patient teacher" in html(client, f"/reviews/about/event/{event.pk}")
    assert f'<a href="/events/{event.slug}">Concert</a>' in html(client, "/reviews")


def test_reviews_of_a_service_are_not_marked_up(client: Client) -> None:
    switch_feature(name="booking", on=True)
    service = make_service("Throwing class")
    make_staff(service)
    public_review(subject=Subject("service", service.pk, "Throwing class"))
    page = html(client, f"/booking/services/{service.slug}")
    assert "A patient teacher" in page
    assert "aggregateRating" not in page


def test_a_record_that_is_gone_is_named_without_a_link(client: Client) -> None:
    subject = product()
    public_review(subject=subject)
    assert f'href="{subject.path}"' in html(client, "/reviews")
    save_product(product=Product.objects.get(), values={"status": "archived"})
    page = html(client, "/reviews")
    assert (f'href="{subject.path}"' in page, "Mug" in page) == (False, True)
    html(client, f"/reviews/about/product/{subject.id}", 404)


@pytest.mark.parametrize("path", ["product/999", "event/1", "order/1", "site/1"])
def test_unknown_records(path: str, client: Client) -> None:
    html(client, f"/reviews/about/{path}", 404)


def test_points_are_disclosed(client: Client) -> None:
    switch_feature(name="loyalty", on=True)
    make_member("dana@example.com")
    public_review()
    assert "Received loyalty points for this review" in html(client, "/reviews")


def test_the_row(client: Client) -> None:
    page = make_page({"type": "reviews", "value": {"heading": "Said of us", "count": 3}})
    assert "Said of us" not in html(client, page.url)
    for number in range(4):
        review = public_review(title=f"Title {number}.", rating=2)
    shown = html(client, page.url)
    assert ("Said of us" in shown, "4 reviews" in shown, "Title 3." in shown, "Title 0." in shown) == (True, True, True, False)
    hide_review(review=review, reason="Off topic.")
    assert "3 reviews" in html(client, page.url)
    switch_feature(name="reviews", on=False)
    assert "Said of us" not in html(client, page.url)


def test_the_sitemap_and_the_footer(client: Client) -> None:
    assert "/reviews</loc>" in html(client, "/sitemap.xml")
    assert 'href="/reviews"' in html(client, "/search")
