"""Idempotency-Key: a repeat gets the first answer again, and has no second effect."""

import hashlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone

from cms_api.auth.models import ApiToken, IdempotencyRecord
from cms_api.auth.services import idempotency
from cms_api.content import api as content_api
from cms_api.content.models import ContentItem
from cms_api.core.module import Module
from cms_api.flags.services import switch_feature
from tests.builders import blog_post, make_item, make_token
from tests.client import Api, together

pytestmark = pytest.mark.django_db

BODY = {"type": "blog-post", "data": {"title": "Once"}}


@pytest.fixture(autouse=True)
def _a_type(request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("api_on")
    blog_post()


def post(api: Api, body: Any = None, *, key: str = "one", path: str = "/content-items", **headers: str) -> Any:
    return api.post(path, BODY if body is None else body, idempotency_key=key, **headers)


def is_replay(response: Any) -> bool:
    return response.headers.get("Idempotency-Replayed") == "true"


@pytest.mark.both_databases
def test_it_works(api: Api) -> None:
    first, again = post(api), post(api)
    assert (first.status_code, again.status_code) == (201, 201)
    assert (is_replay(first), is_replay(again)) == (False, True)
    assert again.content == first.content
    assert again.headers["Content-Type"] == "application/json"
    assert again.headers["X-RateLimit-Remaining"]
    assert ContentItem.objects.count() == 1


@pytest.mark.both_databases
def test_without_a_key_each_post_counts(api: Api) -> None:
    for headers in ({}, {"idempotency_key": ""}):
        for _ in range(2):
            assert api.post("/content-items", BODY, **headers).status_code == 201
    assert ContentItem.objects.count() == 4


@pytest.mark.both_databases
def test_the_first_answer_comes_also_when_the_item_has_changed_or_gone(api: Api) -> None:
    first = post(api)
    api.patch(f"/content-items/{first.json()['data']['id']}", {"data": {"title": "Changed"}})
    assert post(api).content == first.content
    api.delete(f"/content-items/{first.json()['data']['id']}")
    assert post(api).content == first.content
    assert not ContentItem.objects.exists()


def test_the_same_key_with_another_body_is_refused(api: Api) -> None:
    post(api)
    for body in ({**BODY, "excerpt": "x"}, {}, b"", b"{not json"):
        refused = post(api, body)
        assert (refused.status_code, list(refused.json()["errors"])) == (422, ["idempotency_key"])
    assert ContentItem.objects.count() == 1
    assert is_replay(post(api))


def test_another_key_is_another_post(api: Api) -> None:
    assert post(api, key="one").json()["data"]["id"] != post(api, key="two").json()["data"]["id"]


def test_a_slash_at_the_end_makes_no_other_post(api: Api) -> None:
    assert post(api).content == post(api, path="/content-items/").content
    assert ContentItem.objects.count() == 1


def test_another_token_is_another_post(api: Api) -> None:
    other = Api(make_token("content:read", "content:write"))
    assert not is_replay(post(api))
    assert not is_replay(post(other))
    assert ContentItem.objects.count() == 2


def test_another_path_is_another_post(planted: Module) -> None:
    switch_feature(name="crm", on=True)
    api = Api(make_token("content:write", "crm:write"))
    assert post(api).status_code == post(api, path="/crm/planted").status_code == 201
    assert is_replay(post(api, path="/crm/planted"))
    assert ContentItem.objects.count() == 2


def test_a_key_has_at_most_255_characters(api: Api) -> None:
    assert post(api, key="k" * 255).status_code == 201
    assert is_replay(post(api, key="k" * 255))
    refused = post(api, key="k" * 256)
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["idempotency_key"])
    assert ContentItem.objects.count() == 1


def test_a_key_may_hold_anything_a_header_can(api: Api) -> None:
    for key in ("é\u00ff", " spaced ", '"quoted"', "a,b", "%00", "0"):
        assert not is_replay(post(api, key=key))
        assert is_replay(post(api, key=key))


def test_a_refusal_of_the_values_is_kept(api: Api) -> None:
    taken = {**BODY, "slug": "taken"}
    item = make_item(slug="taken")
    first = post(api, taken)
    assert first.status_code == 422
    api.delete(f"/content-items/{item.pk}")
    again = post(api, taken)
    assert (again.status_code, again.content, is_replay(again)) == (422, first.content, True)
    assert post(api, taken, key="two").status_code == 201


def test_a_body_that_cannot_be_read_is_not_kept(api: Api) -> None:
    for raw, status in ((b"{", 400), (b'"' + b"a" * (2 * 1024 * 1024), 413)):
        assert post(api, raw).status_code == status
        assert post(api, raw).status_code == status
    assert post(api, BODY, content_type="text/plain").status_code == 415
    assert post(api).status_code == 201


def test_a_failure_of_the_server_is_not_kept(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.http.raise_request_exception = False
    create = content_api.services.create_item

    def fail(**named: Any) -> None:
        create(**named)
        raise RuntimeError("after the work")

    monkeypatch.setattr(content_api.services, "create_item", fail)
    assert post(api).status_code == 500
    assert not ContentItem.objects.exists()
    monkeypatch.setattr(content_api.services, "create_item", create)
    again = post(api)
    assert (again.status_code, is_replay(again)) == (201, False)
    assert ContentItem.objects.count() == 1


@pytest.mark.usefixtures("own_budgets")
@pytest.mark.both_databases
def test_too_many_attempts_are_not_kept(api: Api, settings: Any) -> None:
    settings.API_RATE_PER_MINUTE = 1
    api.get("/content-items")
    assert post(api).status_code == 429
    settings.API_RATE_PER_MINUTE = 100
    assert (post(api).status_code, ContentItem.objects.count()) == (201, 1)


@pytest.mark.usefixtures("own_budgets")
def test_a_replay_is_charged_like_any_request(api: Api, settings: Any) -> None:
    settings.API_RATE_PER_MINUTE = 2
    assert [post(api).status_code for _ in range(3)] == [201, 201, 429]


def test_a_token_without_the_ability_gets_no_replay(api: Api) -> None:
    post(api)
    assert post(Api(make_token("content:read"))).status_code == 403
    assert post(Api()).status_code == 401


def test_only_posts_have_keys(api: Api) -> None:
    item = make_item()
    for excerpt in ("One", "Two"):
        answer = api.patch(f"/content-items/{item.pk}", {"excerpt": excerpt}, idempotency_key="one")
        assert (answer.json()["data"]["excerpt"], is_replay(answer)) == (excerpt, False)
    assert not IdempotencyRecord.objects.exists()


def age(minutes: float, status: int | None) -> None:
    """Make the one record that there is so old."""
    began = timezone.now() - timedelta(minutes=minutes)
    assert IdempotencyRecord.objects.update(started_at=began, status=status) == 1


@pytest.mark.both_databases
def test_what_a_former_release_left_is_no_answer(api: Api) -> None:
    """It wrote a record before the work began, which stayed if its process was killed."""
    post(api)
    ContentItem.objects.all().delete()
    age(1, None)
    again = post(api, {**BODY, "excerpt": "x"})
    assert (again.status_code, is_replay(again)) == (201, False)
    assert is_replay(post(api, {**BODY, "excerpt": "x"}))
    assert ContentItem.objects.count() == 1


@pytest.mark.both_databases
def test_an_answer_is_kept_for_24_hours(api: Api) -> None:
    post(api)
    age(24 * 60 - 1, status=201)
    idempotency.expire_records()
    assert is_replay(post(api))
    age(24 * 60 + 1, status=201)
    assert not is_replay(post(api))
    assert ContentItem.objects.count() == 2
    age(24 * 60 + 1, status=201)
    idempotency.expire_records()
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.parametrize("is_another_host", [False, True])
@pytest.mark.both_databases
def test_a_response_that_another_request_has_stored_meanwhile_counts(
    api: Api, monkeypatch: pytest.MonkeyPatch, is_another_host: bool
) -> None:
    """Hosts whose database cannot tell them that the key is in use: the one that stores its response later has no effect."""
    create = content_api.services.create_item

    def meanwhile(**named: Any) -> Any:
        made = create(**named)
        if is_another_host:
            scope = hashlib.sha256(b"/api/v1/content-items\0one").hexdigest()
            token = ApiToken.objects.get()
            IdempotencyRecord.objects.create(token=token, scope=scope, status=201, started_at=timezone.now())
        return made

    monkeypatch.setattr(content_api.services, "create_item", meanwhile)
    assert post(api).status_code == (409 if is_another_host else 201)
    assert ContentItem.objects.exists() != is_another_host


@pytest.mark.django_db(transaction=True)
class TestAtTheSameTime:
    """With real transactions, in threads."""

    @pytest.fixture
    def token(self) -> Iterator[str]:
        return make_token("content:read", "content:write")

    def test_twenty_posts_with_one_key_make_one_item(self, token: str) -> None:
        answers = together(lambda _: post(Api(token)), 20)
        statuses = {answer.status_code for answer in answers}
        assert statuses <= {201, 409}
        made = {answer.content for answer in answers if answer.status_code == 201}
        assert len(made) == 1
        assert ContentItem.objects.count() == 1
        assert sum(answer.status_code == 201 and not is_replay(answer) for answer in answers) == 1

    def test_twenty_posts_without_a_key_make_twenty(self, token: str) -> None:
        answers = together(lambda _: Api(token).post("/content-items", BODY), 20)
        assert [answer.status_code for answer in answers] == [201] * 20
        assert ContentItem.objects.count() == 20
        assert len(set(ContentItem.objects.values_list("slug", flat=True))) == 20

    def test_a_repeat_while_the_first_runs_is_a_conflict(self, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
        claimed, may_go_on = threading.Event(), threading.Event()
        real = content_api.services.create_item

        def pause(**named: Any) -> Any:
            claimed.set()
            assert may_go_on.wait(10)
            return real(**named)

        def first() -> Any:
            try:
                return post(Api(token))
            finally:
                connections.close_all()

        monkeypatch.setattr(content_api.services, "create_item", pause)
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(first)
            assert claimed.wait(10)
            refused = post(Api(token))
            assert (refused.status_code, set(refused.json())) == (409, {"message"})
            may_go_on.set()
            assert running.result().status_code == 201
        assert is_replay(post(Api(token)))
        assert ContentItem.objects.count() == 1
