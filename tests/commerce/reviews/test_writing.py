"""The public form, the form of an invitation, and declining invitations."""

import re
from typing import Any

import pytest
from django.test import Client

from cms_api.accounts.services import create_member
from cms_api.flags.services import set_setting, switch_feature
from commerce.reviews.models import OptOut, Review
from commerce.reviews.selectors import DECLINE_LINK, INVITATION_LINK
from commerce.reviews.types import Subject
from tests.visitor import hidden

from .builders import make_invitation, make_review

pytestmark = pytest.mark.django_db

FORM = "/reviews/new"
MUG, BOWL = Subject("product", 7, "Mug"), Subject("product", 8, "Bowl")


@pytest.fixture(autouse=True)
def named(reviews: None) -> None:
    set_setting(key="site.name", value="The Mill")


def send(client: Client, path: str = FORM, **changes: str) -> Any:
    """Open the form, read it for a while, and submit it."""
    typed = {
        "rating": "4 stars: Good",
        "title": "Lovely",
        "body": "We'll be back.",
        "author_name": "Dana",
        "author_email": "dana@example.com",
    }
    return client.post(path, {**hidden(client, path), **typed, **changes})


def errors(answer: Any) -> list[tuple[str, str]]:
    assert answer.status_code == 422
    return list(answer.context["errors"])


@pytest.mark.both_databases
def test_it_works(client: Client) -> None:
    answer = send(client)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/reviews/thanks")
    review = Review.objects.get()
    assert (review.rating, review.title, review.author_email, review.status) == (4, "Lovely", "dana@example.com", "pending")
    assert "once it&#x27;s approved" in client.get("/reviews/thanks").content.decode()
    page: Any = client.get(FORM)
    assert page.headers["Cache-Control"] == "no-store, private" or "no-store" in page.headers["Cache-Control"]
    assert "What are you reviewing?" not in page.content.decode()


def test_what_is_missing_is_asked_for_at_its_input(client: Client) -> None:
    answer = send(client, rating="", body="", author_name="", author_email="dana@")
    assert {id for _, id in errors(answer)} == {"review-rating", "review-body", "review-author_name", "review-author_email"}
    page = answer.content.decode()
    assert ("Error: " in page, 'value="Lovely"' in page) == (True, True)
    assert not Review.objects.exists()


@pytest.mark.parametrize("rating", ["6 stars", "0", "\0", "4 stars: Good\r\n"])
def test_ratings_that_were_not_offered(rating: str, client: Client) -> None:
    assert [id for _, id in errors(send(client, rating=rating))] == ["review-rating"]


def test_robots_are_thanked(client: Client) -> None:
    assert send(client, hp_url="http://x.example").status_code == 302
    assert Review.objects.get().is_spam


def test_hostile_input(client: Client) -> None:
    for value in ("a\0b", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "x" * 30_000):
        assert send(client, body=value, author_name=value).status_code in {302, 422}


def test_a_signed_in_visitor_need_not_type_their_name(client: Client) -> None:
    switch_feature(name="members", on=True)
    client.force_login(create_member(email="mia@example.com", password="a-long-passphrase", name="Mia Sand"))
    page = client.get(FORM).content.decode()
    assert ('value="Mia Sand"' in page, 'value="mia@example.com"' in page) == (True, True)


def test_the_bonus_is_named(client: Client) -> None:
    assert "loyalty points" not in client.get(FORM).content.decode()
    switch_feature(name="loyalty", on=True)
    assert "Members receive 50 loyalty points for a published review, whatever the rating." in client.get(FORM).content.decode()


def test_an_invitation(client: Client) -> None:
    invitation = make_invitation(MUG, BOWL)
    path = INVITATION_LINK.path(invitation)
    page: Any = client.get(path)
    assert page.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert re.findall(r'name="subject" value="([^"]*)"', page.content.decode()) == ["Mug", "Bowl", "The Mill, as a whole"]
    assert "author_email" not in page.content.decode()
    assert [id for _, id in errors(send(client, path, subject="Kiln"))] == ["review-subject"]
    answer = send(client, path, subject="Bowl", author_email="mallory@example.com")
    assert (answer.status_code, answer.headers["Location"]) == (302, path)
    review = Review.objects.get()
    assert (review.subject_id, review.author_email, review.invitation) == (8, "dana@example.com", invitation)
    again = client.get(path).content.decode()
    assert "Thank you! Your review will appear" in again
    assert re.findall(r'name="subject" value="([^"]*)"', again) == ["Mug", "The Mill, as a whole"]
    send(client, path, subject="Mug")
    assert "How was" not in client.get(path).content.decode()
    send(client, path)
    assert "approved" in client.get(path).content.decode()
    assert Review.objects.filter(invitation=invitation).count() == 3


def test_a_form_that_was_sent_twice(client: Client) -> None:
    invitation = make_invitation(MUG)
    path = INVITATION_LINK.path(invitation)
    open_form = hidden(client, path)
    make_review(subject=MUG, invitation=invitation)
    values = {"subject": "Mug", "rating": "4 stars: Good", "body": "Good.", "author_name": "Dana"}
    # By now only the business is left to review. It does not get the review of the mug.
    answer: Any = client.post(path, {**open_form, **values})
    assert (answer.status_code, answer.context["notice"]) == (422, "You've already reviewed this. Thank you!")
    assert Review.objects.get().subject_kind == "product"


def test_declining(client: Client) -> None:
    path = DECLINE_LINK.path(make_invitation(MUG))
    assert "Unsubscribe</button>" in client.get(path).content.decode()
    assert not OptOut.objects.exists()
    for _ in range(2):
        assert "We won't ask" in client.post(path, {"List-Unsubscribe": "One-Click"}).content.decode()
    assert OptOut.objects.get().email == "dana@example.com"
    assert "We won't ask" in client.get(path).content.decode()
