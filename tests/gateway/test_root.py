"""The root of the API, which a new integration reads first."""

from typing import Any

import pytest
from django.conf import settings

from cms_api.flags.services import switch_feature
from tests.builders import make_token
from tests.client import Api

pytestmark = pytest.mark.django_db


def ask(*abilities: str) -> Any:
    answer = Api(make_token(*abilities, name="Website")).get("")
    assert answer.status_code == 200, answer.content
    return answer.json()["data"]


def test_it_works(api_on: None) -> None:
    data = ask("content:read", "crm:read")
    assert data["token"] | {"last_used_at": ""} == {
        "name": "Website",
        "abilities": ["content:read", "crm:read"],
        "restriction": None,
        "expires_at": None,
        "last_used_at": "",
    }
    assert data["openapi"] == f"{settings.BASE_URL}/api/v1/openapi.json"
    assert set(data["groups"]) == {"content", "forms", "media"}
    assert data["token"]["last_used_at"] is not None


def test_groups_come_and_go_with_their_features(api_on: None) -> None:
    for on in (True, False):
        switch_feature(name="crm", on=on)
        assert ("crm" in ask("forms:read")["groups"]) is on


def test_every_group_answers_at_its_address(api_on: None) -> None:
    for feature in ("crm", "marketing", "webhooks"):
        switch_feature(name=feature, on=True)
    groups = ask("content:read")["groups"]
    api = Api(make_token("content:read", "forms:read", "media:read", "crm:read", "marketing:read", "webhooks:manage"))
    assert {"crm", "marketing", "webhooks"} < set(groups)
    for address in groups.values():
        assert api.get(address.removeprefix(f"{settings.BASE_URL}/api/v1")).status_code == 200


def test_it_needs_a_token_and_the_feature(api_on: None, anonymous: Api) -> None:
    assert anonymous.get("").status_code == 401
    assert Api(make_token("media:read")).request("POST", "", {}, query=None).status_code == 405
    switch_feature(name="api", on=False)
    assert anonymous.request("GET", "").status_code == 404


def test_a_trailing_slash_and_fields(api_on: None) -> None:
    api = Api(make_token("media:read"))
    assert api.get("/").json() == api.get("").json()
    assert set(api.get("", fields="openapi").json()["data"]) == {"openapi"}
