"""Subscribers over the API: subscribed, matched, found, read and unsubscribed."""

import threading
from typing import Any

import pytest
from django.db import transaction

from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import OutboxEvent
from cms_api.webhooks.services import emit
from commerce.marketing.models import Subscriber
from commerce.marketing.services import unsubscribe
from commerce.marketing.types import Status
from tests.builders import make_endpoint
from tests.client import Api, together

from .conftest import make_subscriber

PATH = "/marketing/subscribers"


@pytest.fixture
def webhook_endpoint() -> None:
    switch_feature(name="webhooks", on=True)
    make_endpoint("*")


def kinds() -> list[str]:
    return list(OutboxEvent.objects.order_by("pk").values_list("kind", flat=True))


def emails(api: Api, **query: Any) -> list[str]:
    answer = api.get(PATH, sort="email", **query)
    assert answer.status_code == 200, answer.content
    return [row["email"] for row in answer.json()["data"]]


@pytest.mark.both_databases
def test_new_and_matched(marketing_api: Api, webhook_endpoint: None) -> None:
    made = marketing_api.post(PATH, {"email": " Dana@Example.com ", "first_name": "Dana", "tags": ["news", "News", "art"]})
    assert made.status_code == 201, made.content
    data = made.json()["data"]
    assert (data["email"], data["status"], data["source"], data["tags"]) == ("dana@example.com", "active", "api", ["news", "art"])
    assert data["confirmed_at"] == data["created_at"]
    matched = marketing_api.post(PATH, {"email": "dana@example.COM", "first_name": "Other", "last_name": "Reyes", "tags": ["x"]})
    assert matched.status_code == 200
    data = matched.json()["data"]
    assert (data["name"], data["tags"], data["status"]) == ("Dana Reyes", ["news", "art"], "active")
    assert kinds() == ["subscriber.created"]


@pytest.mark.parametrize("status", [Status.PENDING, Status.UNSUBSCRIBED])
def test_only_resubscribe_reactivates(marketing_api: Api, webhook_endpoint: None, status: Status) -> None:
    make_subscriber(status=status)
    for more in ({}, {"resubscribe": False}, {"resubscribe": 0}, {"resubscribe": "false"}):
        answer = marketing_api.post(PATH, {"email": "dana@example.com", **more})
        assert (answer.status_code, answer.json()["data"]["status"]) == (200, status)
    assert kinds() == []
    for again in (1, "true", True):
        answer = marketing_api.post(PATH, {"email": "dana@example.com", "resubscribe": again})
        assert (answer.status_code, answer.json()["data"]["status"]) == (200, "active")
        assert answer.json()["data"]["unsubscribed_at"] is None
    assert kinds() == ["subscriber.created"]


@pytest.mark.both_databases
def test_the_list_holds_the_active_ones_unless_others_are_asked_for(marketing_api: Api) -> None:
    for status in Status:
        make_subscriber(f"{status}@example.com", status=status)
    assert emails(marketing_api) == ["active@example.com"]
    for status in Status:
        assert emails(marketing_api, status=status.value) == [f"{status}@example.com"]
    assert len(emails(marketing_api, status="all")) == 3
    assert emails(marketing_api, email="Unsubscribed@example.com") == []
    assert emails(marketing_api, email="Unsubscribed@example.com", status="all") == ["unsubscribed@example.com"]
    assert emails(marketing_api, email="active@example") == []


def test_search_finds_beginnings_of_words(marketing_api: Api) -> None:
    make_subscriber("dana@example.com", first_name="Dana", last_name="Réyes")
    make_subscriber("kim@elsewhere.org", first_name="Kim")
    assert emails(marketing_api, search="rey dan") == ["dana@example.com"]
    assert emails(marketing_api, search="kim@else") == ["kim@elsewhere.org"]
    assert emails(marketing_api, search="ana") == []


@pytest.mark.both_databases
def test_sorts(marketing_api: Api) -> None:
    for name in ("b", "c", "a"):
        make_subscriber(f"{name}@example.com")
    found = {
        sort: [row["email"][0] for row in marketing_api.get(PATH, sort=sort).json()["data"]]
        for sort in ("email", "-email", "created_at", "-created_at", "-updated_at")
    }
    assert found["email"] == ["a", "b", "c"]
    assert found["-email"] == ["c", "b", "a"]
    assert found["created_at"] == ["b", "c", "a"]
    assert found["-created_at"] == found["-updated_at"] == ["a", "c", "b"]
    assert [row["email"][0] for row in marketing_api.get(PATH).json()["data"]] == ["a", "c", "b"]


@pytest.mark.parametrize(
    ("email", "reference"),
    [
        ("dana+news@example.com", "dana+news@example.com"),
        ("dana+news@example.com", "dana%2Bnews%40example.com"),
        ("dana+news@example.com", "DANA+News@Example.COM"),
        ("o'hara&co=1@example.com", "o'hara%26co=1@example.com"),
        ("100%@example.com", "100%25@example.com"),
        ("12345@example.com", "12345@example.com"),
    ],
)
@pytest.mark.both_databases
def test_by_email_in_any_spelling(marketing_api: Api, email: str, reference: str) -> None:
    subscriber = make_subscriber(email)
    assert marketing_api.get(f"{PATH}/{reference}").json()["data"]["id"] == subscriber.pk
    assert marketing_api.get(f"{PATH}/{subscriber.pk}").json()["data"]["email"] == email
    left = marketing_api.post(f"{PATH}/{reference}/unsubscribe")
    assert (left.status_code, left.json()["data"]["status"]) == (200, "unsubscribed")
    assert marketing_api.get(f"{PATH}/{reference}").json()["data"]["status"] == "unsubscribed"


@pytest.mark.both_databases
def test_an_unknown_one_is_404(marketing_api: Api) -> None:
    make_subscriber()
    for reference in (
        *("0", "00", "-1", "01", "99", "9223372036854775807", "9223372036854775808", "99999999999999999999999", "1e3", "1.0"),
        *("%D9%A1", "nobody@example.com", "dana", "dana%40example", "%20", "%00", "dana@example.com%00", "%F0%9F%98%80", "%FF"),
        *("%25", "' OR 1=1 --", "a" * 3000, "*", "null", "@"),
    ):
        assert marketing_api.get(f"{PATH}/{reference}").status_code == 404, reference
        assert marketing_api.post(f"{PATH}/{reference}/unsubscribe").status_code == 404, reference
    assert Subscriber.objects.get().status == Status.ACTIVE


def test_hostile_bodies(marketing_api: Api) -> None:
    hostile: list[dict[str, Any]] = [
        {},
        *({"email": value} for value in (None, "", " ", 7, True, [], {}, "dana", "dana@", "a@b", "dana@exa mple.com")),
        *({"email": value} for value in ("a" * 250 + "@example.com", "da\0na@example.com", "x@y.z\r\nBcc: a@b.c")),
        *({"email": "a@example.com", "first_name": value} for value in (7, [], {}, "a" * 101, "\0", "\ud800", True)),
        *(
            {"email": "a@example.com", "tags": value}
            for value in ("news", 7, {}, [7], [[]], [None], ["a" * 51], ["\0"], [f"t{n}" for n in range(51)])
        ),
        *({"email": "a@example.com", "resubscribe": value} for value in ("maybe", 2, [], {}, 1.5)),
        {"email": "a@example.com", "source": "s" * 101},
    ]
    for body in hostile:
        answer = marketing_api.post(PATH, body)
        assert 400 <= answer.status_code < 500, (body, answer.content)
    assert not Subscriber.objects.exists()
    assert marketing_api.get(PATH, status="all").status_code == 200


@pytest.mark.both_databases
def test_hostile_queries(marketing_api: Api) -> None:
    hostile: list[dict[str, Any]] = [
        {"status": "gone"},
        {"sort": "name"},
        {"email": "a" * 255},
        {"email": "\0"},
        {"search": "\0"},
        {"search": "a" * 201},
        {"per_page": "0"},
        {"page": "9" * 30},
        {"cursor": "nonsense"},
        {"fields": "password"},
    ]
    for query in hostile:
        assert marketing_api.get(PATH, **query).status_code == 422, query


def test_what_only_the_product_sets_is_dropped(marketing_api: Api) -> None:
    body = {"email": "a@example.com", "status": "unsubscribed", "confirmed_at": None, "id": 99, "unsubscribed_at": "2020-01-01"}
    data = marketing_api.post(PATH, body).json()["data"]
    assert (data["status"], data["unsubscribed_at"]) == ("active", None)
    assert data["id"] != 99


@pytest.mark.both_databases
def test_unsubscribing_again_changes_nothing(marketing_api: Api, webhook_endpoint: None) -> None:
    subscriber = make_subscriber()
    first = marketing_api.post(f"{PATH}/{subscriber.pk}/unsubscribe")
    second = marketing_api.post(f"{PATH}/{subscriber.pk}/unsubscribe")
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json() == second.json()
    assert kinds() == ["subscriber.created", "subscriber.unsubscribed"]


@pytest.mark.django_db(transaction=True)
def test_twenty_unsubscribe_one_at_once(webhook_endpoint: None) -> None:
    subscriber = make_subscriber()
    together(lambda number: unsubscribe(subscriber=subscriber), 20)
    assert kinds() == ["subscriber.created", "subscriber.unsubscribed"]


@pytest.mark.django_db(transaction=True)
def test_control_reading_before_writing_emits_more_than_once(webhook_endpoint: None) -> None:
    """The same callers without the lock: the race is real."""
    subscriber, looked = make_subscriber(), threading.Barrier(8)

    def leave(number: int) -> None:
        seen = Subscriber.objects.get(pk=subscriber.pk)
        looked.wait(20)
        if seen.status == Status.ACTIVE:
            with transaction.atomic():
                Subscriber.objects.filter(pk=subscriber.pk).update(status=Status.UNSUBSCRIBED)
                emit("subscriber.unsubscribed", seen)

    together(leave, 8)
    assert kinds().count("subscriber.unsubscribed") == 8
