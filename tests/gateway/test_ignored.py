"""`meta.ignored`: the keys of a body that were dropped, which are often misspelt."""

from typing import Any

import pytest

from cms_api.content.services.types import save_type
from cms_api.flags.services import switch_feature
from tests.builders import make_form, make_token
from tests.client import Api

pytestmark = pytest.mark.django_db

FIELDS = [
    {"key": "title", "label": "Title", "type": "text"},
    {"key": "date", "label": "Date", "type": "datetime"},
    {"key": "place", "label": "Place", "type": "address"},
    {"key": "hours", "label": "Hours", "type": "hours"},
    {"key": "body", "label": "Body", "type": "richtext_tiptap"},
]
DATA = {
    "title": "Fair",
    "titel": "Fair",
    "date": {"start": "2026-05-01T10:00:00", "ends": "x", "repeat": {"frequency": "daily", "count": 3, "every": 2}},
    "place": {"city": "Leeds", "town": "Leeds"},
    "hours": {"mon": [{"open": "09:00", "close": "17:00", "closed": False}], "monday": []},
    "body": {"type": "doc", "content": []},
}
DROPPED = [
    "data.date.ends",
    "data.date.repeat.every",
    "data.hours.mon.0.closed",
    "data.hours.monday",
    "data.place.town",
    "data.titel",
]


@pytest.fixture
def api(api_on: None) -> Api:
    save_type(slug="fair", values={"name": "Fair", "name_plural": "Fairs", "fields": FIELDS})
    return Api(make_token("content:read", "content:write", "forms:read", "forms:write", "crm:write"))


def ignored(answer: Any) -> list[str]:
    assert answer.status_code in {200, 201}, answer.content
    return sorted(answer.json().get("meta", {}).get("ignored", ()))


def test_it_works(api: Api) -> None:
    created = api.post("/content-items", {"type": "fair", "titel": "Fair", "data": DATA})
    assert ignored(created) == [*DROPPED, "titel"]
    path = f"/content-items/{created.json()['data']['id']}"
    for method in ("PATCH", "PUT"):
        assert ignored(api.request(method, path, {"data": DATA, "id": 7})) == [*DROPPED, "id"]


def test_what_is_known_is_not_named(api: Api) -> None:
    created = api.post("/content-items", {"type": "fair", "slug": "fair", "data": {"title": "Fair", "place": {"city": "Leeds"}}})
    assert "meta" not in created.json()


def test_submissions_and_contacts(api: Api) -> None:
    form = make_form()
    assert ignored(
        api.post(
            f"/forms/{form.pk}/submissions", {"data": {"name": "Dana", "email": "dana@example.com", "nmae": "x"}, "source": "x"}
        )
    ) == [
        "data.nmae",
        "source",
    ]
    switch_feature(name="crm", on=True)
    assert ignored(api.post("/crm/contacts", {"email": "dana@example.com", "firstname": "Dana"})) == ["firstname"]


def test_a_repeated_request_is_answered_the_same(api: Api) -> None:
    body = {"type": "fair", "data": {"title": "Fair"}, "colour": "red"}
    first, second = (api.post("/content-items", body, idempotency_key="k") for _ in range(2))
    assert ignored(first) == ["colour"]
    assert (second.content, second.headers["Idempotency-Replayed"]) == (first.content, "true")
