"""The catalogue of events: every kind there is, and a sample of each that is what its document says and agrees with itself."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from cms_api.core import registry
from cms_api.flags.services import switch_feature
from cms_api.gateway import openapi
from cms_api.gateway.answers import inline_parts
from tests.client import documented
from tests.features import switch_all_on

pytestmark = pytest.mark.django_db

#: Every kind of the contract, and the feature that has to be on beside webhooks.
CONTRACT = {
    "content_item.created": "",
    "content_item.updated": "",
    "content_item.deleted": "",
    "form.submitted": "",
    "crm.contact.created": "crm",
    "crm.contact.updated": "crm",
    "subscriber.created": "marketing",
    "subscriber.unsubscribed": "marketing",
    "order.created": "shop",
    "order.paid": "shop",
    "order.status_changed": "shop",
    "project.completed": "projects",
    "booking.created": "booking",
    "booking.cancelled": "booking",
    "booking.completed": "booking",
    "restaurant_order.placed": "restaurant",
    "ticket_order.paid": "events",
    "donation.received": "donations",
    "invoice.paid": "invoicing",
    "ticket.created": "support",
    "ticket.closed": "support",
    "review.received": "reviews",
    "directory_listing.paid": "directory",
    "member.created": "members",
    "member.cancelled": "members",
}

#: Every kind; modules may have more than the contract names.
KINDS = {kind: registry.event_feature(kind) for kind in registry.event_kinds()}

#: The status that each sample shows, and which moments have passed by then.
MOMENTS = {
    "subscriber.created": ("active", {"confirmed_at"}),
    "subscriber.unsubscribed": ("unsubscribed", {"confirmed_at", "unsubscribed_at"}),
    "order.created": ("pending", {"placed_at"}),
    "order.paid": ("paid", {"placed_at", "paid_at"}),
    "order.status_changed": ("fulfilled", {"placed_at", "paid_at", "fulfilled_at"}),
    "project.completed": ("completed", {"started_at", "due_at", "completed_at"}),
    "booking.created": ("confirmed", {"starts_at", "ends_at"}),
    "booking.cancelled": ("cancelled", {"starts_at", "ends_at", "cancelled_at"}),
    "booking.completed": ("completed", {"starts_at", "ends_at", "completed_at"}),
    "restaurant_order.placed": ("placed", {"placed_at", "ready_at"}),
    "ticket_order.paid": ("paid", {"paid_at"}),
    "donation.received": ("paid", {"paid_at"}),
    "invoice.paid": ("paid", {"sent_at", "paid_at"}),
    "ticket.created": ("open", {"last_message_at"}),
    "ticket.closed": ("closed", {"last_message_at", "first_response_at", "resolved_at", "closed_at"}),
    "directory_listing.paid": ("published", {"expires_at"}),
    "member.created": ("active", {"joined_at"}),
    "member.cancelled": ("cancelled", {"joined_at", "cancelled_at"}),
}

#: Times in the future when the event happens.
AHEAD = {"starts_at", "ends_at", "ready_at", "expires_at", "timestamp"}

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00")
DAY = re.compile(r"\d{4}-\d\d-\d\d")

Path = tuple[str, ...]


@pytest.fixture
def document(api_on: None) -> dict[str, Any]:
    switch_all_on()
    return documented().document


def body(document: dict[str, Any], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of what is sent, and the sample."""
    content = document["webhooks"][kind]["post"]["requestBody"]["content"]["application/json"]
    (sample,) = content["examples"].values()
    return content["schema"], sample["value"]


def leaves(document: dict[str, Any], schema: dict[str, Any], value: Any, path: Path = ()) -> Iterator[tuple[Path, Any, Any]]:
    """Every place inside a value with its schema and what stands there; objects of free keys are one place."""
    schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    yield path, schema, value
    if value is None:
        return
    for choice in schema.get("oneOf", ()):
        if choice != {"type": "null"}:
            yield from leaves(document, choice, value, path)
    for key, inner in schema.get("properties", {}).items():
        if key in value:
            yield from leaves(document, inner, value[key], (*path, key))
    if isinstance(value, list):
        for each in value:
            yield from leaves(document, schema["items"], each, (*path, "[]"))


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects inside a value, itself included."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


def test_it_works(document: dict[str, Any]) -> None:
    assert CONTRACT.items() <= KINDS.items()
    assert set(document["webhooks"]) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_is_what_its_document_says(document: dict[str, Any], kind: str) -> None:
    schema, sample = body(document, kind)
    whole: Any = Registry().with_resource("urn:api", Resource(contents=document, specification=DRAFT202012))
    local = json.loads(json.dumps(schema).replace('"#/', '"urn:api#/'))
    assert list(Draft202012Validator(local, registry=whole).iter_errors(sample)) == []
    assert sample["data"] == registry.event_sample(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_has_the_documented_keys_and_no_others(document: dict[str, Any], kind: str) -> None:
    for path, schema, value in leaves(document, *body(document, kind)):
        if isinstance(value, dict) and "properties" in schema:
            assert list(value) == list(schema["properties"]), (kind, path)
            optional = {"url"} if kind.startswith("content_item.") and path == ("data",) else set()
            assert set(schema["required"]) == set(value) - optional, (kind, path)


@pytest.mark.parametrize("kind", KINDS)
def test_moments_and_days_have_their_wire_forms(document: dict[str, Any], kind: str) -> None:
    found = 0
    for path, schema, value in leaves(document, *body(document, kind)):
        form = {"date-time": INSTANT, "date": DAY}.get(schema.get("format", ""))
        found += form is not None
        if form and value is not None:
            assert form.fullmatch(value), (kind, path, value)
        if isinstance(value, str) and INSTANT.fullmatch(value):
            assert schema.get("format") == "date-time", (kind, path)
        if path and path[-1].endswith("_at"):
            assert form, (kind, path)
    assert found


@pytest.mark.parametrize("kind", KINDS)
def test_amounts_are_whole_and_beside_their_currency(document: dict[str, Any], kind: str) -> None:
    for path, schema, value in leaves(document, *body(document, kind)):
        if path and path[-1].endswith("_cents"):
            assert schema["type"] == "integer", (kind, path)
            assert type(value) is int, (kind, path)
    data = registry.event_sample(kind)
    for each in objects(data):
        if any(key.endswith("_cents") for key in each):
            assert re.fullmatch("[a-z]{3}", (each if "currency" in each else data)["currency"]), (kind, each)


@pytest.mark.parametrize("kind", KINDS)
def test_sums_add_up(kind: str) -> None:
    data = registry.event_sample(kind)
    for each in objects(data):
        if "unit_price_cents" in each:
            price = each["unit_price_cents"] + sum(modifier["price_cents"] for modifier in each.get("modifiers", ()))
            assert each["total_cents"] == each["quantity"] * price, each
    lines = data.get("items") or data.get("lines")
    if lines:
        assert data["subtotal_cents"] == sum(line["total_cents"] for line in lines)
        added = ("subtotal_cents", "shipping_cents", "delivery_fee_cents", "fee_cents", "tax_cents", "tip_cents")
        assert data["total_cents"] == sum(data.get(key, 0) for key in added) - data["discount_cents"]
    if "balance_due_cents" in data:
        owed = data["total_cents"] if "total_cents" in data else data["price_cents"] - data["discount_cents"]
        assert data["balance_due_cents"] == owed - data["amount_paid_cents"]
    if "payments" in data:
        assert data["amount_paid_cents"] == sum(payment["amount_cents"] for payment in data["payments"])
        assert {payment["invoice_id"] for payment in data["payments"]} == {data["id"]}
    if "fee_cover_cents" in data:
        assert data["total_cents"] == data["amount_cents"] + data["fee_cover_cents"]


@pytest.mark.parametrize("kind", MOMENTS)
def test_statuses_and_moments_agree(kind: str) -> None:
    status, passed = MOMENTS[kind]
    data = registry.event_sample(kind)
    assert data["status"] == status
    own = {"created_at", "updated_at"}
    assert {key for key in data if key.endswith("_at") and data[key] is not None} - own == passed


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_happened_after_the_event(document: dict[str, Any], kind: str) -> None:
    schema, sample = body(document, kind)
    for path, inner, value in leaves(document, schema, sample):
        if inner.get("format") == "date-time" and value is not None and not AHEAD & set(path):
            assert value <= sample["timestamp"], (kind, path)


@pytest.mark.both_databases
def test_counts_and_names_agree() -> None:
    tickets = registry.event_sample("ticket_order.paid")
    assert tickets["ticket_count"] == len(tickets["tickets"]) == sum(item["quantity"] for item in tickets["items"])
    assert {(each["order_id"], each["event_id"]) for each in tickets["tickets"]} == {(tickets["id"], tickets["event_id"])}
    assert tickets["event"]["id"] == tickets["event_id"]
    for kind in ("ticket.created", "ticket.closed"):
        ticket = registry.event_sample(kind)
        assert ticket["message_count"] == len(ticket["messages"])
        assert ticket["last_message_at"] == ticket["messages"][-1]["created_at"]
    project = registry.event_sample("project.completed")
    assert project["progress_percent"] == 100
    review = registry.event_sample("review.received")
    assert review["is_public"] == (review["is_visible"] and not review["pending"])
    invoice = registry.event_sample("invoice.paid")
    assert (invoice["client"]["id"], invoice["paid_at"]) == (invoice["client_id"], invoice["payments"][-1]["paid_at"])
    for kind in KINDS:
        for each in objects(registry.event_sample(kind)):
            if "first_name" in each:
                assert each["name"] == f"{each['first_name']} {each['last_name']}"


def test_a_module_that_is_off_is_not_in_the_document(document: dict[str, Any]) -> None:
    schemas = set(document["components"]["schemas"])
    """A third of the modules is off at a time."""
    features = sorted(set(KINDS.values()) - {""})
    for number in range(3):
        for feature in features[number::3]:
            switch_feature(name=feature, on=False)
        without = json.loads(openapi.document())
        assert set(without["webhooks"]) == {kind for kind, needed in KINDS.items() if needed not in features[number::3]}
        assert set(without["components"]["schemas"]) < schemas
        for feature in features:
            switch_feature(name=feature, on=True)
    assert inline_parts(json.loads(openapi.document())) == document


def test_without_webhooks_there_is_no_catalogue(document: dict[str, Any]) -> None:
    switch_feature(name="webhooks", on=False)
    assert json.loads(openapi.document())["webhooks"] == {}
