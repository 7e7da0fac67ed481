"""The average and the number of reviews are those of the public ones, whatever happens to them."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cms_api.text.formats import formats_for
from commerce.reviews.models import Review
from commerce.reviews.resources.pages import summary_of
from commerce.reviews.selectors import aggregate_of, public_reviews
from commerce.reviews.services import approve_review, hide_review, reply_to_review
from commerce.reviews.services.reading import read
from commerce.reviews.services.syncing import write
from commerce.reviews.types import Aggregate, Subject, stars
from tests.figures import figure

from .builders import google, make_review, sync

pytestmark = pytest.mark.django_db

SUBJECTS = (None, Subject("product", 7, "Mug"), Subject("event", 7, "Concert"))
RATINGS = st.integers(1, 5)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), RATINGS, st.sampled_from(SUBJECTS)),
        st.tuples(st.sampled_from(["approve", "hide", "reply"]), st.integers(0, 5), st.none()),
        st.tuples(st.just("sync"), RATINGS, st.integers(1, 3)),
        st.tuples(st.just("complete"), RATINGS, st.integers(1, 3)),
    ),
    max_size=10,
)
WORDS = {1: "ONE", 2: "TWO", 3: "THREE", 4: "FOUR", 5: "FIVE"}


def do(step: tuple[str, int, Any]) -> None:
    name, number, about = step
    if name == "write":
        make_review(rating=number, subject=about)
    elif name == "sync":
        row = {"provider": "google", "provider_id": f"g-{about}", "rating": str(number), "author_name": "Ruth"}
        write([read({**row, "left_at": f"2026-01-{about:02d}"}, {})], {})
    elif name == "complete":
        sync(google(about, starRating=WORDS[number]), is_complete=True)
    elif rows := list(Review.objects.order_by("pk")):
        review = rows[number % len(rows)]
        if name == "approve":
            approve_review(review=review)
        elif name == "hide":
            hide_review(review=review, reason="Off topic.")
        else:
            reply_to_review(review=review, reply="Thank you!")


@settings(
    max_examples=figure(everyday=5, in_full=100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS)
@pytest.mark.both_databases
def test_it_works(steps: list[tuple[str, int, Any]]) -> None:
    Review.objects.all().delete()
    for step in steps:
        do(step)
    for subject in SUBJECTS:
        shown = [each.rating for each in Review.objects.all() if each.is_visible and not each.pending and is_of(each, subject)]
        found = aggregate_of(public_reviews(subject))
        assert found.count == len(shown) == public_reviews(subject).count()
        assert (found.average is None) == (not shown)
        if shown:
            assert found.average
            assert abs(found.average - Decimal(sum(shown)) / len(shown)) <= Decimal("0.05")
            assert sum(map(found.percent, range(1, 6))) in range(98, 103)


def is_of(review: Review, subject: Subject | None) -> bool:
    return subject is None or (review.subject_kind, review.subject_id) == (subject.kind, subject.id)


@pytest.mark.parametrize(
    ("counts", "average"),
    [({5: 1}, "5.0"), ({5: 1, 4: 1}, "4.5"), ({4: 3, 5: 1}, "4.3"), ({1: 2, 2: 1}, "1.3"), ({5: 19, 4: 1}, "5.0")],
)
@pytest.mark.both_databases
def test_averages_are_rounded_half_up(counts: dict[int, int], average: str) -> None:
    assert str(Aggregate(counts).average) == average


def test_an_average_has_one_decimal() -> None:
    summary = summary_of(Aggregate({2: 1}))
    assert summary
    assert (summary.average, summary.stars) == ("2.0", ["full"] * 2 + ["empty"] * 3)
    assert formats_for("de", "DE").number(Decimal("4.5"), decimals=1) == "4,5"


def test_nothing_to_show_without_reviews() -> None:
    assert (Aggregate({}).average, summary_of(Aggregate({})), Aggregate({}).percent(5)) == (None, None, 0)


@pytest.mark.parametrize(
    ("rating", "shown"),
    [("1.0", "feeee"), ("4.2", "ffffe"), ("4.3", "ffffh"), ("4.7", "ffffh"), ("4.8", "fffff"), ("5.0", "fffff")],
)
def test_stars(rating: str, shown: str) -> None:
    assert "".join(star[0] for star in stars(Decimal(rating))) == shown
