"""Requests that assume versions answer as if they had read them: a change elsewhere takes effect with the next request."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from cms_api.auth.models import ApiToken
from cms_api.auth.services.tokens import revoke_token
from cms_api.content.models import ContentItem, ContentType
from cms_api.content.services.items import delete_item
from cms_api.content.services.types import save_type
from cms_api.core import versions
from cms_api.flags.services import switch_feature
from tests.builders import make_item, make_type
from tests.client import Api

pytestmark = pytest.mark.django_db(transaction=True)

LIST, CURSOR, ITEM, TYPE = "/content-items", "/content-items?cursor=", "/content-items/one?type=things", "/content-types/things"
NONE = "/content-items/none?type=things"


@pytest.fixture(autouse=True)
def one(api: Api) -> ContentItem:
    """An item. Whatever the requests below read has been cached, by versions that were the same several times."""
    item = make_item(make_type(slug="things", name="Thing"), title="One")
    for _ in range(3):
        for path in (LIST, CURSOR, ITEM, TYPE, NONE):
            api.get(path)
    return item


def delete(item: ContentItem) -> None:
    delete_item(item=item)


def rename_type(item: ContentItem) -> None:
    save_type(slug="things", values={"name": "Object"}, item_type=ContentType.objects.get(slug="things"))


def switch_off(item: ContentItem) -> None:
    switch_feature(name="api", on=False)


def revoke(item: ContentItem) -> None:
    revoke_token(token=ApiToken.objects.get())


def status(response: Any) -> Any:
    return response.status_code


def total(response: Any) -> Any:
    return response.json()["meta"]["total"]


def name(response: Any) -> Any:
    return response.json()["data"]["name"]


#: Of each change: what makes it, a path, and what its answer shows after the change.
CHANGES = [
    pytest.param(delete, LIST, total, 0, id="total"),
    pytest.param(rename_type, TYPE, name, "Object", id="type"),
    pytest.param(revoke, LIST, status, 401, id="token"),
    pytest.param(revoke, NONE, status, 401, id="token, without a record"),
    pytest.param(switch_off, LIST, status, 404, id="feature"),
    pytest.param(switch_off, ITEM, status, 404, id="feature, one record"),
]
Change = Callable[[ContentItem], None]
Show = Callable[[Any], Any]


@pytest.mark.parametrize("path", [LIST, CURSOR, ITEM])
def test_it_works(api: Api, path: str) -> None:
    """Rows and versions are read in one statement."""
    with CaptureQueriesContext(connection) as queries:
        assert api.get(path).status_code == 200
    assert len([query for query in queries if "budget" not in query["sql"]]) == 1


@pytest.mark.parametrize(("change", "path", "show", "after"), CHANGES)
def test_a_change_takes_effect_at_once(api: Api, one: ContentItem, change: Change, path: str, show: Show, after: Any) -> None:
    change(one)
    assert show(api.get(path)) == after


@pytest.mark.parametrize(("change", "path", "show", "after"), CHANGES)
def test_control_unconfirmed_versions_would_be_noticed(
    api: Api, one: ContentItem, change: Change, path: str, show: Show, after: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "confirm_by", lambda checksum: None)
    change(one)
    monkeypatch.setattr(versions, "confirm", lambda: None)
    assert show(api.get(path)) != after


def test_a_request_that_is_answered_again_is_charged_once(api: Api, one: ContentItem) -> None:
    def left() -> int:
        return int(api.get(LIST).headers["X-RateLimit-Remaining"])

    before = left()
    delete_item(item=one)
    assert [left() for _ in range(3)] == [before - 1, before - 2, before - 3]


def test_a_copy_is_current_only_by_confirmed_versions(api: Api, one: ContentItem) -> None:
    tag = api.get(LIST).headers["ETag"]
    assert api.request("GET", LIST, if_none_match=tag).status_code == 304
    delete_item(item=one)
    assert api.request("GET", LIST, if_none_match=tag).status_code == 200
