"""The page of a listing: what visitors and machines read, what nobody reads, its reviews, and when it is made again."""

import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import set_setting, switch_feature
from commerce.directory.models import Listing
from commerce.directory.resources.pages import description_html, phone_url, website_name
from commerce.directory.services.saving import save_listing
from commerce.reviews.models import Review
from commerce.reviews.types import Subject
from tests.builders import make_image
from tests.commerce.reviews.builders import public_review
from tests.visitor import hidden

from .builders import ADDRESS, DAILY, HERE, make_category, make_listing, make_owner
from .conftest import Clock

pytestmark = pytest.mark.django_db

PATH = "/directory/reyes-ceramics"


def html(path: str = PATH) -> str:
    answer = Client().get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split()).replace("\xa0", " ")


def linked_data(page: str) -> dict[str, Any]:
    found = [json.loads(text) for text in re.findall(r'<script type="application/ld\+json">(.*?)</script>', page)]
    return next(each for each in found if each["@type"] == "LocalBusiness")


def make_full(**values: Any) -> Listing:
    given = {
        "categories": [make_category("Crafts").pk],
        "description": "Stoneware.\n\nSee https://example.com/x or <b>ask</b>.",
        "phone": "+1 (802) 555-0142",
        "email": "secret@example.com",
        "website": "https://www.example.com/shop/",
        "hours": DAILY,
        "timezone": "UTC",
        **ADDRESS,
        **HERE,
    }
    return make_listing(values.pop("name", "Reyes Ceramics"), **given | values)


def test_it_works(clock: Clock) -> None:
    clock("2027-02-01 08:00")
    set_setting(key="site.country", value="US")
    special = [{"date": "2027-01-30", "hours": []}, {"date": "2027-12-24", "hours": [{"open": "09:00", "close": "12:00"}]}]
    images = {"logo": make_image().pk, "cover": make_image().pk, "pictures": [make_image().pk]}
    make_full(special_hours=special, featured=True, **images)
    page = html()
    text = words(page)
    for shown in ("Stoneware.", "14 Canal Street Brattleboro, VT 05301", "Featured", "Claim this listing", "Crafts"):
        assert shown in text
    assert "Closed · opens at 9:00 AM" in text
    assert "Monday Today 9:00 AM to 5:00 PM" in text
    assert "Fri, Dec 24 9:00 AM to 12:00 PM" in text
    assert "Jan 30" not in text
    assert 'href="tel:+18025550142"' in page
    assert '<a href="https://www.example.com/shop/" rel="nofollow ugc noopener">example.com/shop</a>' in page
    assert '<a href="https://example.com/x" rel="nofollow ugc noopener">' in page
    assert "&lt;b&gt;ask&lt;/b&gt;" in page
    assert f'href="{PATH}/contact"' in page
    assert f'href="{PATH}/claim"' in page
    assert "openstreetmap.org/?mlat=42.850900" in page
    assert "secret@example.com" not in page


def test_linked_data(clock: Clock) -> None:
    clock("2027-02-01 08:00")
    closed = [{"date": "2027-12-24", "hours": []}]
    make_full(special_hours=closed, cover=make_image(width=1200, height=800).pk)
    found = linked_data(html())
    assert found["name"] == "Reyes Ceramics"
    assert found["telephone"] == "+1 (802) 555-0142"
    assert found["sameAs"] == "https://www.example.com/shop/"
    assert found["url"].endswith(PATH)
    assert found["image"][0].startswith("http")
    assert found["geo"] == {"@type": "GeoCoordinates", **HERE}
    assert found["address"]["addressLocality"] == "Brattleboro"
    hours = found["openingHoursSpecification"]
    assert len(hours) == 8
    assert hours[0] == {
        "@type": "OpeningHoursSpecification",
        "dayOfWeek": "https://schema.org/Monday",
        "opens": "09:00",
        "closes": "17:00",
    }
    assert hours[-1]["validFrom"] == hours[-1]["validThrough"] == "2027-12-24"
    assert hours[-1]["opens"] == hours[-1]["closes"] == "00:00"
    assert "email" not in json.dumps(found)


def test_a_bare_listing() -> None:
    make_listing(owner=make_owner())
    page = html()
    for absent in ("Opening hours", "data-map", "Send a message", "Claim this listing", "Phone", "Pictures"):
        assert absent not in page
    assert set(linked_data(page)) == {"@context", "@type", "name", "url"}


@pytest.mark.parametrize("status", ["pending", "archived"])
def test_hidden_listings(status: str) -> None:
    make_full(status=status)
    assert Client().get(PATH).status_code == 404
    assert Client().get(f"{PATH}/contact").status_code == 404


def test_an_ended_term(clock: Clock) -> None:
    clock("2027-02-01 08:00")
    owner = make_owner()
    listing = make_full(expires_at=datetime(2027, 2, 1, 9, tzinfo=UTC), owner=owner)
    html()
    clock("2027-02-01 09:00")
    answer = Client().get(PATH)
    page = answer.content.decode()
    assert (answer.status_code, "No longer listed" in page, "noindex" in page) == (404, True, True)
    assert f"/accounts/listings/{listing.pk}/" in page
    assert "Stoneware" not in page
    assert Client().get(f"{PATH}/contact").status_code == 404
    set_setting(key="directory.expired_page", value="not_found")
    answer = Client().get(PATH)
    assert (answer.status_code, "No longer listed" in answer.content.decode()) == (404, False)


def test_special_hours_of_today_replace_those_of_the_week(clock: Clock) -> None:
    clock("2027-02-01 11:00")
    make_full(special_hours=[{"date": "2027-02-01", "hours": [{"open": "10:00", "close": "12:00"}]}])
    set_setting(key="site.country", value="US")
    text = words(html())
    assert "Monday Today 10:00 AM to 12:00 PM (special hours)" in text
    assert "Open now · closes at 12:00 PM" in text


def test_the_zone_is_named_where_it_differs(clock: Clock) -> None:
    # It is Monday in Paris, and a minute before midnight in Los Angeles.
    clock("2027-02-01 07:59")
    set_setting(key="site.timezone", value="Europe/Paris")
    make_full(timezone="America/Los_Angeles")
    make_full(name="Paris", timezone="Europe/Berlin")
    page = html()
    assert "Hours are in Los Angeles time." in page
    assert "Sunday Today" in words(page)
    clock("2027-02-01 08:00")
    assert "Monday Today" in words(html())
    assert "Hours are in" not in html("/directory/paris")


def test_the_page_is_made_again_at_midnight(clock: Clock) -> None:
    clock("2027-02-01 23:59")
    make_full()
    assert "Monday Today" in words(html())
    clock("2027-02-02 00:00")
    assert "Tuesday Today" in words(html())


def test_a_description_cannot_carry_markup() -> None:
    make_full(description='"><script>alert(1)</script> javascript:alert(1) rel="nofollow" https://e.org/?a="b')
    page = html()
    assert "<script>alert" not in page
    assert 'href="javascript' not in page
    assert str(description_html("a\n\nb")) == "<p>a</p>\n\n<p>b</p>"


@pytest.mark.parametrize(
    ("phone", "url"),
    [("+1 802 555", "tel:+1802555"), ("(0)7-1 ext", "tel:071"), ("call us", ""), ('"onx="1', "tel:1"), ("\u0662", "")],
)
def test_phone_urls(phone: str, url: str) -> None:
    assert phone_url(phone) == url


def test_website_names() -> None:
    assert website_name("https://www.example.com/") == "example.com"
    assert website_name("http://example.com/a") == "example.com/a"


def test_addresses_are_written_as_in_their_country() -> None:
    set_setting(key="site.country", value="US")
    make_full(street="Gasse 5", city="Wien", state="", postal_code="1010", country="AT")
    assert "Gasse 5<br>1010 Wien<br>Austria" in html()


def test_reviews_of_a_listing() -> None:
    switch_feature(name="reviews", on=True)
    listing = make_full()
    assert "No reviews yet." in html()
    client = Client()
    form = f"/reviews/new?listing={listing.pk}"
    assert f'href="{form}"' in html()
    values = {"rating": "4 stars: Good", "body": "Bowls that last.", "author_name": "Dana", "author_email": "d@example.com"}
    answer: Any = client.post(form, {**hidden(client, form), **values})
    assert (answer.status_code, answer.url) == (302, "/reviews/thanks")
    review = Review.objects.get()
    assert (review.subject_kind, review.subject_id, review.pending) == ("listing", listing.pk, True)
    assert "Bowls that last." not in html()
    public_review(subject=Subject("listing", listing.pk, listing.name), rating=3, body="Lovely.")
    page = html()
    assert "Lovely." in page
    assert linked_data(page)["aggregateRating"]["ratingValue"] == "3.0"
    # It is about another business than the site's own.
    assert "Lovely." not in html("/reviews")
    assert "Lovely." in html(f"/reviews/about/listing/{listing.pk}")
    save_listing(listing=listing, values={"status": "archived"})
    assert Client().get(form).status_code == 404


@pytest.mark.parametrize("value", ["x", "0", "-1", "9" * 30, "²", "\0", ""])
def test_reviews_of_unknown_listings(value: str) -> None:
    switch_feature(name="reviews", on=True)
    assert Client().get("/reviews/new", {"listing": value}).status_code == 404


@pytest.mark.both_databases
def test_statements_of_a_page(django_assert_max_num_queries: Any) -> None:
    switch_feature(name="reviews", on=True)
    make_full(pictures=[make_image().pk for _ in range(8)], logo=make_image().pk)
    html()
    with django_assert_max_num_queries(14):
        Client().get(PATH, {"again": "1"})
