"""Moderation: approve, hide and reply. Each counts once; the bonus does not depend on the rating."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from wagtail.models import ModelLogEntry

from cms_api.core.errors import Invalid
from cms_api.core.not_found import NotFound
from cms_api.flags.services import set_setting, switch_feature
from cms_api.mail.types import NOT_QUOTED
from commerce.loyalty import services as loyalty
from commerce.loyalty.models import PointsEntry
from commerce.reviews.models import Review
from commerce.reviews.services import approve_review, hide_review, moderation, reply_to_review, submit_review
from commerce.reviews.services.moderation import clear_spam_reviews
from tests import people
from tests.client import together
from tests.commerce.loyalty.conftest import make_member, points
from tests.commerce.shop.outcomes import emitted
from tests.unprotected import meet_before, without_transactions

from .builders import hidden_review, mails, make_review, public_review, synced_review, visit, written

pytestmark = pytest.mark.django_db

AT_ONCE = 50
REASON = "Insults a member of our staff."


def actions(review: Review) -> list[str]:
    entries = ModelLogEntry.objects.filter(object_id=str(review.pk), content_type__model="review").order_by("pk")
    return list(entries.values_list("action", flat=True))


@pytest.fixture
def dana(reviews: None) -> Any:
    """A member with the address of the reviews."""
    switch_feature(name="loyalty", on=True)
    return make_member("dana@example.com", "Dana Reyes")


@pytest.mark.both_databases
def test_it_works() -> None:
    review, alice = make_review(), people.alice()
    assert approve_review(review=review, user=alice)
    assert (review.is_public, review.decided_by, review.decided_at is not None) == (True, alice, True)
    assert not approve_review(review=review, user=alice)
    assert hide_review(review=review, reason=f" {REASON} ", user=alice)
    assert not hide_review(review=review, reason="Again", user=alice)
    review.refresh_from_db()
    assert (review.status, review.hidden_reason) == ("hidden", REASON)
    assert actions(review) == ["reviews.approve", "reviews.hide"]
    logged = ModelLogEntry.objects.get(action="reviews.hide")
    assert (logged.user, logged.data) == (alice, {"reason": REASON})


@pytest.mark.parametrize("reason", ["", "  ", "x" * 301, "two\nlines", "a\0b"])
def test_hiding_asks_for_a_reason(reason: str) -> None:
    review = public_review()
    with pytest.raises(Invalid) as refusal:
        hide_review(review=review, reason=reason)
    assert set(refusal.value.errors) == {"reason"}
    assert Review.objects.get().is_public


def test_hiding_takes_out_of_the_queue() -> None:
    review = hidden_review()
    assert (review.pending, review.is_visible) == (False, False)
    assert approve_review(review=review)
    review.refresh_from_db()
    assert (review.is_public, review.hidden_reason) == (True, "")


@pytest.mark.parametrize("rating", [1, 5])
def test_the_bonus_does_not_depend_on_the_rating(rating: int, dana: Any) -> None:
    review = make_review(rating=rating)
    assert points(dana) == 0
    approve_review(review=review)
    assert points(dana) == 50
    assert (review.received_points, Review.objects.get().received_points) == (True, True)


@pytest.mark.both_databases
def test_the_bonus_is_given_once(dana: Any) -> None:
    review = public_review()
    hide_review(review=review, reason=REASON)
    approve_review(review=review)
    assert points(dana) == 50
    assert Review.objects.get().received_points
    public_review()
    assert points(dana) == 100


def test_no_bonus(dana: Any) -> None:
    assert not public_review(author_email="stranger@example.com").received_points
    hidden_review()
    synced_review()
    set_setting(key="loyalty.review_bonus_points", value=0)
    assert not public_review().received_points
    switch_feature(name="loyalty", on=False)
    set_setting(key="loyalty.review_bonus_points", value=50)
    assert not public_review().received_points
    assert points(dana) == 0


@pytest.mark.django_db(transaction=True)
def test_fifty_approvals_at_once_give_one_bonus(dana: Any) -> None:
    review = make_review()
    done = together(lambda number: approve_review(review=Review(pk=review.pk)), AT_ONCE)
    assert sum(done) == 1
    assert points(dana) == 50
    assert actions(review) == ["reviews.approve"]


@pytest.mark.django_db(transaction=True)
def test_control_reading_before_writing_would_give_several(dana: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: without locks, and without the ledger's own constraint, the test above fails."""
    review, threads = make_review(), 8

    def write(member: Any, number: int, reason: str, *others: Any) -> bool:
        PointsEntry.objects.create(member=member, points=number, reason=reason, created_at=timezone.now())
        return True

    monkeypatch.setattr(loyalty, "_write", write)
    meet_before(monkeypatch, moderation, "_decide", threads=threads)
    without_transactions(monkeypatch)
    assert sum(together(lambda number: approve_review(review=Review(pk=review.pk)), threads)) > 1
    assert PointsEntry.objects.count() > 1


@pytest.mark.both_databases
def test_a_reply_is_public_and_emailed_once() -> None:
    review = public_review()
    assert reply_to_review(review=review, reply=" Thank you!\r\nSee you. ", user=people.alice())
    assert (review.reply, review.replied_at is not None) == ("Thank you!\nSee you.", True)
    (mail,) = mails("review_answered")
    assert (mail.recipient, "See you." in mail.text, "holds soup" in mail.text) == ("dana@example.com", True, True)
    assert not reply_to_review(review=review, reply="Thank you!\nSee you.")
    assert reply_to_review(review=review, reply="Thanks!")
    assert reply_to_review(review=review, reply="")
    assert reply_to_review(review=review, reply="Thanks again!")
    assert len(mails("review_answered")) == 1
    assert actions(review) == ["reviews.approve", *["reviews.reply"] * 2, "reviews.remove_reply", "reviews.reply"]


@pytest.mark.both_databases
def test_a_reply_to_an_address_that_may_be_a_strangers() -> None:
    """It is limited, and has no link of the author's."""
    for text in ("Prizes at https://evil.example", "My bowl even holds soup."):
        reply_to_review(review=public_review(body=text), reply="Thank you, see https://mill.example")
    first, second = mails("review_answered")
    assert (first.is_limited, second.is_limited) == (True, True)
    for part in (first.text, first.html):
        assert ("evil" in part, "https://mill.example" in part, NOT_QUOTED in part) == (False, True, True)
    assert ("holds soup" in second.text, NOT_QUOTED in second.text) == (True, False)


def test_a_reply_to_a_synced_review_is_emailed_to_nobody() -> None:
    assert reply_to_review(review=synced_review(), reply="Thank you!")
    assert mails("review_answered") == []


@pytest.mark.parametrize("reply", ["x" * 5001, "a\0b"])
def test_replies_that_are_refused(reply: str) -> None:
    with pytest.raises(Invalid):
        reply_to_review(review=make_review(), reply=reply)


def test_spam_that_was_a_mistake_arrives_when_it_is_approved() -> None:
    review = submit_review(values=written(), visit=visit(honeypot="x"))
    assert approve_review(review=review)
    assert (review.is_spam, review.is_public) == (False, True)
    assert [kind for kind, _ in emitted("review.")] == ["review.received"]


@pytest.mark.both_databases
def test_old_spam_is_deleted_and_hidden_reviews_are_kept() -> None:
    spam = submit_review(values=written(), visit=visit(honeypot="x"))
    hidden = hidden_review()
    clear_spam_reviews()
    assert Review.objects.count() == 2
    Review.objects.update(decided_at=timezone.now() - timedelta(days=31))
    clear_spam_reviews()
    assert Review.objects.get() == hidden
    with pytest.raises(NotFound):
        approve_review(review=spam)
