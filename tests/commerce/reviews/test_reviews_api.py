"""Reviews over the API: list, retrieve, approve, hide."""

from datetime import UTC, datetime

import pytest

from cms_api.webhooks.models import OutboxEvent
from commerce.reviews.models import Review
from commerce.reviews.resources.records import ReviewResource
from tests.client import Api

from .builders import hidden_review, make_review, public_review, synced_review

pytestmark = pytest.mark.django_db
LIST = "/reviews"


def ids(api: Api, query: str = "") -> list[int]:
    return [row["id"] for row in api.get(f"{LIST}?{query}").json()["data"]]


@pytest.mark.both_databases
def test_it_works(reviews_api: Api) -> None:
    row = make_review()
    found = reviews_api.get(f"{LIST}/{row.pk}").json()["data"]
    assert found.keys() == ReviewResource.example.keys()
    assert (found["provider"], found["rating"], found["author_email"]) == ("site", 5, "dana@example.com")
    assert (found["is_visible"], found["pending"], found["is_public"]) == (True, True, False)
    assert reviews_api.get(LIST).json()["data"] == [found]
    approved = reviews_api.post(f"{LIST}/{row.pk}/approve")
    assert approved.status_code == 200
    assert (approved.json()["data"]["pending"], approved.json()["data"]["is_public"]) == (False, True)
    hidden = reviews_api.post(f"{LIST}/{row.pk}/hide").json()["data"]
    assert (hidden["is_visible"], hidden["pending"], hidden["is_public"]) == (False, False, False)


def test_a_synced_review(reviews_api: Api) -> None:
    found = reviews_api.get(f"{LIST}/{synced_review(title='', comment='').pk}").json()["data"]
    assert (found["provider"], found["rating"], found["left_at"]) == ("google", 4, "2026-01-01T10:00:00+00:00")
    assert found["synced_at"] is not None
    assert [found[name] for name in ("author_email", "title", "body", "reply", "url")] == [None] * 5
    assert found["is_public"] is True


@pytest.mark.both_databases
def test_filters(reviews_api: Api) -> None:
    pending, public, hidden = make_review(rating=1), public_review(rating=3), hidden_review(rating=5)
    synced = synced_review()
    assert ids(reviews_api, "status=pending") == [pending.pk]
    assert ids(reviews_api, "status=public") == [public.pk, synced.pk]
    assert ids(reviews_api, "status=hidden") == [hidden.pk]
    assert ids(reviews_api, "provider=google") == [synced.pk]
    assert ids(reviews_api, "provider=site&min_rating=2&max_rating=3") == [public.pk]
    assert ids(reviews_api, "min_rating=5") == [hidden.pk]
    assert ids(reviews_api, "since=2026-01-01T10:00:01Z") == [hidden.pk, public.pk, pending.pk]
    assert ids(reviews_api, "since=2026-01-01") == [hidden.pk, public.pk, pending.pk, synced.pk]


@pytest.mark.both_databases
def test_the_order_is_that_of_leaving_them(reviews_api: Api) -> None:
    first, second = make_review(), make_review()
    old = synced_review()
    Review.objects.filter(pk=second.pk).update(left_at=datetime(2025, 6, 1, tzinfo=UTC))
    assert ids(reviews_api) == [first.pk, old.pk, second.pk]
    assert ids(reviews_api, "sort=left_at") == [second.pk, old.pk, first.pk]
    assert ids(reviews_api, "sort=-rating")[-1] == old.pk


@pytest.mark.parametrize(
    "query", ["status=approved", "provider=tripadvisor", "min_rating=0", "max_rating=6", "since=yesterday", "sort=author"]
)
def test_filters_that_are_malformed(reviews_api: Api, query: str) -> None:
    answer = reviews_api.get(f"{LIST}?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (422, [query.partition("=")[0]])


@pytest.mark.both_databases
def test_decisions_are_idempotent(reviews_api: Api) -> None:
    row = make_review()
    first = reviews_api.post(f"{LIST}/{row.pk}/approve").json()
    assert reviews_api.post(f"{LIST}/{row.pk}/approve").json() == first
    hidden = reviews_api.post(f"{LIST}/{row.pk}/hide").json()
    assert reviews_api.post(f"{LIST}/{row.pk}/hide").json() == hidden
    assert Review.objects.get().hidden_reason == "Hidden over the API."
    # A hidden review can be published again.
    assert reviews_api.post(f"{LIST}/{row.pk}/approve").json()["data"]["is_public"] is True
    assert OutboxEvent.objects.filter(kind="review.received").count() == 1
