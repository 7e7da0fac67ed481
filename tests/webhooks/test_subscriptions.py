"""GET, POST and DELETE /webhooks."""

import base64
import re
from typing import Any

import pytest

from cms_api.core import registry
from cms_api.flags.services import switch_feature
from cms_api.webhooks.models import Attempt, Delivery, Endpoint
from cms_api.webhooks.services.deliveries import deliver_due
from cms_api.webhooks.types import new_secret
from tests.builders import make_item, make_token
from tests.client import Api

from .conftest import Subscribe
from .receiver import Receiver

pytestmark = pytest.mark.django_db

URL = "https://93.184.216.34/hooks"
KINDS = ["content_item.created", "content_item.deleted"]


def create(api: Api, **changes: Any) -> Any:
    return api.post("/webhooks", {"url": URL, "events": KINDS, **changes})


def errors(answer: Any) -> dict[str, list[str]]:
    assert answer.status_code == 422, answer.content
    found: dict[str, list[str]] = answer.json()["errors"]
    return found


@pytest.mark.both_databases
def test_it_works(manager: Api) -> None:
    made = create(manager, description="Ours")
    assert made.status_code == 201
    record = made.json()["data"]
    secret = record.pop("secret")
    assert re.fullmatch(r"whsec_[A-Za-z0-9]{40}", secret)
    assert (record["url"], record["events"], record["description"], record["enabled"]) == (URL, KINDS, "Ours", True)
    assert (record["failure_count"], record["disabled_at"], record["last_delivery_at"]) == (0, None, None)
    assert manager.data("/webhooks") == [record]
    gone = manager.delete(f"/webhooks/{record['id']}")
    assert (gone.status_code, gone.json()) == (200, {"data": {"id": record["id"], "deleted": True}})
    assert manager.data("/webhooks") == []
    assert manager.delete(f"/webhooks/{record['id']}").status_code == 404


@pytest.mark.both_databases
def test_the_secret_is_shown_once(manager: Api) -> None:
    secret = create(manager).json()["data"]["secret"]
    assert Endpoint.objects.get().secret == secret
    assert secret not in manager.get("/webhooks").content.decode()


def test_secrets_are_letters_and_digits_of_thirty_bytes() -> None:
    made = {new_secret() for _ in range(50)}
    assert len(made) == 50
    for secret in made:
        assert secret.removeprefix("whsec_").isalnum()
        assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 30


def test_the_smallest_input(manager: Api) -> None:
    record = create(manager, events=["*"]).json()["data"]
    assert (record["events"], record["description"], record["enabled"]) == (["*"], None, True)


def test_one_that_begins_disabled_gets_nothing(manager: Api) -> None:
    assert create(manager, enabled=False).json()["data"]["enabled"] is False
    make_item()
    assert not Delivery.objects.exists()


def test_every_kind_can_be_subscribed(manager: Api) -> None:
    kinds = registry.event_kinds()
    assert create(manager, events=kinds).json()["data"]["events"] == kinds


@pytest.mark.both_databases
def test_kinds_in_any_order_and_more_than_once(manager: Api) -> None:
    assert create(manager, events=[KINDS[1], KINDS[0], KINDS[1]]).json()["data"]["events"] == KINDS


@pytest.mark.parametrize("events", [["nothing.happened"], ["*", "x"], ["content_item.*"], [""], ["CONTENT_ITEM.CREATED"]])
@pytest.mark.both_databases
def test_unknown_kinds(manager: Api, events: list[str]) -> None:
    assert [key.split(".")[0] for key in errors(create(manager, events=events))] == ["events"]


@pytest.mark.parametrize("events", [[], None, "*", {}, 1, [None], [1], [["*"]], ["*"] * 201])
def test_events_that_are_no_list_of_kinds(manager: Api, events: Any) -> None:
    assert {key.split(".")[0] for key in errors(create(manager, events=events))} == {"events"}


@pytest.mark.parametrize(
    "url", ["", None, 1, [], {}, "example", "https://", "http://93.184.216.34/", "https://a:b@93.184.216.34/"]
)
def test_what_is_no_address(manager: Api, url: Any) -> None:
    assert list(errors(create(manager, url=url))) == ["url"]


def test_how_long_an_address_may_be(manager: Api) -> None:
    longest = URL + "/" + "x" * (2048 - len(URL) - 1)
    assert create(manager, url=longest).status_code == 201
    assert list(errors(create(manager, url=longest + "x"))) == ["url"]


@pytest.mark.parametrize("changes", [{"description": "x" * 256}, {"enabled": "perhaps"}, {"description": 5}])
def test_other_values(manager: Api, changes: dict[str, Any]) -> None:
    assert list(errors(create(manager, **changes))) == list(changes)


def test_all_that_is_wrong_is_told_at_once(manager: Api) -> None:
    assert list(errors(manager.post("/webhooks", {}))) == ["url", "events"]
    assert list(errors(create(manager, url="https://127.0.0.1/", events=["nothing"]))) == ["url", "events"]


def test_refusals_come_in_their_order(manager: Api, anonymous: Api) -> None:
    """Off before unauthenticated, that before missing abilities, that before what was sent."""
    other = Api(make_token("content:read", "content:write"))
    wrong: dict[str, Any] = {"url": "", "events": []}
    assert [client.post("/webhooks", wrong).status_code for client in (anonymous, other, manager)] == [401, 403, 422]
    assert other.post("/webhooks", wrong).json()["required_ability"] == "webhooks:manage"
    assert [client.delete("/webhooks/987654321").status_code for client in (anonymous, other, manager)] == [401, 403, 404]
    switch_feature(name="webhooks", on=False)
    unknown = manager.get("/no-such-thing")
    for client in (other, manager):
        answers = [client.get("/webhooks"), client.post("/webhooks", wrong), client.delete("/webhooks/1")]
        assert {(answer.status_code, answer.content) for answer in answers} == {(404, unknown.content)}


@pytest.mark.both_databases
def test_a_list_in_pages_newest_first(manager: Api) -> None:
    made = [create(manager).json()["data"]["id"] for _ in range(3)]
    assert [record["id"] for record in manager.data("/webhooks")] == made[::-1]
    first = manager.get("/webhooks", per_page=2).json()
    assert ([record["id"] for record in first["data"]], first["meta"]["total"]) == (made[:0:-1], 3)


@pytest.mark.both_databases
def test_what_is_deleted_takes_its_log_with_it(manager: Api, subscribe: Subscribe, receiver: Receiver) -> None:
    endpoint = subscribe()
    make_item()
    deliver_due()
    assert (Delivery.objects.count(), Attempt.objects.count()) == (1, 1)
    assert manager.delete(f"/webhooks/{endpoint.pk}").status_code == 200
    assert (Delivery.objects.count(), Attempt.objects.count()) == (0, 0)
    make_item()
    assert (deliver_due(), len(receiver.requests)) == (0, 1)


def test_a_record_tells_of_its_last_delivery(manager: Api, subscribe: Subscribe, receiver: Receiver) -> None:
    subscribe()
    make_item()
    deliver_due()
    (record,) = manager.data("/webhooks")
    assert record["last_response_code"] == 200
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", record["last_delivery_at"])
