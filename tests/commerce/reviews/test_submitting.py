"""Reviews that visitors write: stored once, moderated, and announced."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from cms_api.auth.services.visitors import Stale, Visit
from cms_api.core.errors import Invalid, TooManyAttempts
from commerce.reviews.models import Review
from commerce.reviews.services import submit_review, submitting
from commerce.reviews.types import Subject
from tests.commerce.shop.outcomes import emitted

from .builders import mails, make_invitation, make_review, visit, written

pytestmark = pytest.mark.django_db

MUG, BOWL = Subject("product", 7, "Mug"), Subject("product", 8, "Bowl")


def refused(**changes: Any) -> set[str]:
    with pytest.raises(Invalid) as refusal:
        submit_review(values=written(**changes), visit=visit())
    assert not Review.objects.exists()
    return set(refusal.value.errors)


@pytest.mark.both_databases
def test_it_works(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "owner@example.com"
    review = make_review(author_email=" Dana@Example.com ", body=" My bowl\r\nholds soup. ")
    assert (review.pending, review.is_visible, review.is_public, review.status) == (True, True, False, "pending")
    assert (review.author_email, review.body) == ("dana@example.com", "My bowl\nholds soup.")
    assert (review.subject_id, review.invitation, review.received_points) == (None, None, False)
    (event,) = emitted("review.")
    assert (event[0], event[1]["id"], event[1]["pending"]) == ("review.received", review.pk, True)
    (mail,) = mails("review_received")
    assert f"/admin/reviews/inspect/{review.pk}/" in mail.text
    assert "5 of 5 stars" in mail.text
    assert mail.reply_to == "dana@example.com"


@pytest.mark.parametrize("rating", [None, "", 0, 6, -1, "five stars", 4.5, True, "²", 10**30])
def test_a_rating_is_one_to_five(rating: Any) -> None:
    assert refused(rating=rating) == {"rating"}


@pytest.mark.parametrize(
    ("changes", "keys"),
    [
        ({"author_name": "", "body": " ", "author_email": None}, {"author_name", "body", "author_email"}),
        ({"author_name": "x" * 101, "title": "x" * 151, "body": "x" * 5001}, {"author_name", "title", "body"}),
        ({"author_email": "dana@"}, {"author_email"}),
        ({"author_name": "Da\0na", "body": "a\ud800b"}, {"author_name", "body"}),
        ({"title": "two\nlines", "author_email": 7}, {"title", "author_email"}),
    ],
)
def test_refusals(changes: dict[str, Any], keys: set[str]) -> None:
    assert refused(**changes) == keys


def test_invisible_characters_in_a_name_do_not_break_the_mail(settings: Any) -> None:
    settings.BUSINESS_EMAIL = "owner@example.com"
    make_review(author_name="Dana\u200b\u00adReyes")
    assert len(mails("review_received")) == 1


@pytest.mark.parametrize(
    "sent", [visit(honeypot="http://x.example"), Visit("10.9.9.9", "", "forged")], ids=["honeypot", "no stamp"]
)
def test_spam_is_kept_and_says_nothing(sent: Visit) -> None:
    review = submit_review(values=written(), visit=sent)
    assert (review.is_spam, review.status, bool(review.hidden_reason)) == (True, "hidden", True)
    assert emitted("review.") == []
    assert mails("review_received") == []


def test_links_make_spam() -> None:
    links = " ".join(f"https://{number}.example" for number in range(4))
    assert submit_review(values=written(body=links), visit=visit()).is_spam


def test_an_old_form_must_be_sent_again() -> None:
    with pytest.raises(Stale):
        submit_review(values=written(), visit=visit(seconds=25 * 3600))
    assert submit_review(values=written(), visit=visit(seconds=1)).is_spam


def test_a_flood_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submitting, "LIMITS", submitting.Limits(a_minute=1, an_hour=1, flood=1))
    sent = visit()
    submit_review(values=written(), visit=sent)
    with pytest.raises(TooManyAttempts):
        submit_review(values=written(), visit=sent)


def test_an_invited_review_has_the_address_of_the_invitation() -> None:
    invitation = make_invitation(MUG, email="ruth@example.com")
    review = make_review(subject=MUG, invitation=invitation, author_email="mallory@example.com")
    assert (review.author_email, review.subject_name, review.invitation) == ("ruth@example.com", "Mug", invitation)


@pytest.mark.both_databases
def test_each_subject_of_an_invitation_is_reviewed_once() -> None:
    invitation = make_invitation(MUG, BOWL)
    for subject in (MUG, BOWL, None):
        make_review(subject=subject, invitation=invitation)
        with pytest.raises(Invalid) as refusal:
            make_review(subject=subject, invitation=invitation)
        assert set(refusal.value.errors) == {"subject"}
    assert Review.objects.count() == 3
    # Without an invitation, anybody may review the business as often as they like: somebody reads it.
    make_review()
    make_review()


@pytest.mark.parametrize("invited", [True, False])
def test_other_subjects_are_refused(invited: bool) -> None:
    invitation = make_invitation(BOWL) if invited else None
    with pytest.raises(Invalid) as refusal:
        submit_review(values=written(), visit=visit(), invitation=invitation, subject=MUG)
    assert set(refusal.value.errors) == {"subject"}


@pytest.mark.parametrize(
    "broken",
    [
        {"rating": 6},
        {"pending": True, "is_visible": False},
        {"subject_kind": "product"},
        {"provider": "google"},
        {"provider_key": "google:1"},
        {"is_spam": True},
    ],
)
@pytest.mark.both_databases
def test_the_database_refuses_what_makes_no_sense(broken: dict[str, Any]) -> None:
    review = make_review()
    with pytest.raises(IntegrityError), transaction.atomic():
        Review.objects.filter(pk=review.pk).update(**broken)
