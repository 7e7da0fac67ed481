"""The API documentation page of the admin."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from cms_api.flags.services import switch_feature
from cms_api.gateway.answers import inline_parts
from cms_api.gateway.documentation.reader import Reader, with_code
from cms_api.gateway.documentation.rendering import render_documentation
from cms_api.gateway.openapi import document
from tests import people

pytestmark = pytest.mark.django_db

PAGE = "/admin/api-documentation/"


def shown(client: Client) -> str:
    return unescape(client.get(PAGE).content.decode())


def articles(page: str) -> dict[str, str]:
    """The operations of the page by their anchors, of which one shown together with another has its own."""
    found = {}
    for anchor, text in re.findall(r'<article class="api-operation" id="([^"]+)"(.*?)</article>', page, re.DOTALL):
        for each in (anchor, *re.findall(r'class="api-method[^>]* id="([^"]+)"', text)):
            found[each] = text
    return found


def test_it_works(admin_client: Client, api_on: None) -> None:
    found = articles(shown(admin_client))["content_items_create"]
    for part in ("POST", "/api/v1/content-items", "content:write", "Idempotency-Key", "Spring opening", "422", "published_at"):
        assert part in found


def test_every_operation_of_the_document_is_there(admin_client: Client, api_on: None) -> None:
    found = articles(shown(admin_client))
    operations = [
        (method, path, operation)
        for path, methods in inline_parts(json.loads(document()))["paths"].items()
        for method, operation in methods.items()
    ]
    assert set(found) == {operation["operationId"] for _, _, operation in operations}
    for method, path, operation in operations:
        text = found[operation["operationId"]]
        assert f">{method.upper()}</span>" in text
        assert f">{path}</code>" in text
        assert with_code(operation["summary"]) in text
        assert operation.get("x-required-ability", "needs no token") in text
        for parameter in operation.get("parameters", []):
            assert f"<code>{parameter['name']}</code>" in text
        for status in operation["responses"]:
            assert f"<dt>{status}</dt>" in text


def test_every_key_of_every_body_is_there(admin_client: Client, api_on: None) -> None:
    whole = json.loads(document())
    found = articles(shown(admin_client))
    for methods in whole["paths"].values():
        for operation in methods.values():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body:
                schema = whole["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]]
                for key in schema["properties"]:
                    assert f"<code>{key}</code>" in found[operation["operationId"]]


@pytest.mark.parametrize("person", [people.alice, people.mallory_manager])
def test_admins_and_managers_may_read_it(sign_in: Callable[[Any], Client], person: Callable[[], Any]) -> None:
    client = sign_in(person())
    page = client.get(PAGE)
    assert page.status_code == 200
    assert PAGE in client.get("/admin/").content.decode()
    assert ("/admin/api-tokens/" in page.content.decode()) == (person is people.alice)


def test_editors_may_not(sign_in: Callable[[Any], Client]) -> None:
    client = sign_in(people.bob())
    answer = client.get(PAGE)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/")
    assert PAGE not in client.get("/admin/").content.decode()


@pytest.mark.parametrize("person", [people.charlie, None])
def test_strangers_may_not(sign_in: Callable[[Any], Client], person: Callable[[], Any] | None) -> None:
    answer = (sign_in(person()) if person else Client()).get(PAGE)
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/admin/login/")


def test_it_says_when_the_api_is_off(admin_client: Client) -> None:
    assert "The API is switched off." in shown(admin_client)
    switch_feature(name="api", on=True)
    page = shown(admin_client)
    assert "The API is switched off." not in page
    assert "/api/v1/openapi.json" in page


def test_every_link_inside_the_page_has_its_target(admin_client: Client) -> None:
    page = shown(admin_client)
    anchors = re.findall(r' id="([^"]+)"', page)
    assert len(anchors) == len(set(anchors))
    main = page[page.index('<nav class="api-toc"') :]
    assert set(re.findall(r'<a [^>]*href="#([^"]+)"', main)) <= set(anchors)


def test_webhook_events_come_from_the_document() -> None:
    whole = json.loads(document())
    schema = {
        "type": "object",
        "required": ["event"],
        "properties": {
            "event": {"type": "string", "const": "order.paid"},
            "data": {"type": "object", "properties": {"total": {"type": "integer"}}},
        },
    }
    content = {"application/json": {"schema": schema, "examples": {"Example": {"value": {"event": "order.paid"}}}}}
    event = {"summary": "An order is paid", "requestBody": {"content": content}, "responses": {"200": {"description": "Taken."}}}
    whole["webhooks"] = {"order.paid": {"post": event}}
    found = articles(unescape(render_documentation(Reader(whole).read()).reference))["event-order-paid"]
    for part in ("order.paid", "An order is paid", "<code>data.total</code>", '"event": "order.paid"'):
        assert part in found


def test_what_all_events_have_is_said_once_and_the_rest_by_their_records(admin_client: Client, api_on: None) -> None:
    for feature in ("webhooks", "shop"):
        switch_feature(name=feature, on=True)
    page = shown(admin_client)
    for words in ("Headers of every event", "Body of every event", "<code>webhook-signature</code>", "<code>timestamp</code>"):
        assert page.count(words) == 1
    found = articles(page)
    for kind in ("created", "paid", "status_changed"):
        text = found[f"webhook_order_{kind}"]
        assert 'holds the record <a href="#record-OrderResource">Order</a>' in text
        assert f'"event": "order.{kind}"' in text
    assert page.count('id="record-OrderResource"') == 1
    assert "<code>items[].unit_price_cents</code>" in page
    assert "<code>shipping_address.postal_code</code>" in page


def test_parts_of_records_are_no_records(admin_client: Client, api_on: None) -> None:
    for feature in ("webhooks", "shop"):
        switch_feature(name=feature, on=True)
    assert "OrderItemResource" in json.loads(document())["components"]["schemas"]
    assert "OrderItemResource" not in shown(admin_client)


def test_put_that_says_the_same_as_patch_is_shown_with_it() -> None:
    answer = {"responses": {"200": {"description": "Changed."}}, "tags": ["Shop"], "summary": "Change it"}
    methods = {"put": answer | {"operationId": "put_it"}, "patch": answer | {"operationId": "patch_it"}}
    whole = {"tags": [{"name": "Shop", "description": ""}], "paths": {"/it": methods}}
    assert [operation.methods for operation in Reader(whole).read().groups[0].operations] == [
        [("PATCH", "patch_it"), ("PUT", "put_it")]
    ]
    methods["put"]["summary"] = "Replace it"
    assert len(Reader(whole).read().groups[0].operations) == 2


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": ["string", "null"], "format": "date-time"}, "string (date-time) or null"),
        ({"type": "array", "items": {"type": "integer"}}, "array of integer"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "integer or string"),
        ({"$ref": "#/components/schemas/Colour"}, "string"),
        ({}, "any"),
    ],
)
def test_types_in_words(schema: dict[str, Any], words: str) -> None:
    reader = Reader({"components": {"schemas": {"Colour": {"type": "string", "enum": ["red", "blue"]}}}})
    assert reader.type(schema) == words


def test_rows_say_what_a_value_may_be() -> None:
    reader = Reader({"components": {"schemas": {"Colour": {"type": "string", "enum": ["red", "<b>"]}}}})
    inner = {"type": "object", "properties": {"colour": {"$ref": "#/components/schemas/Colour", "description": "Of the `lid`."}}}
    rows = list(reader.rows({"type": "object", "required": ["lids"], "properties": {"lids": {"type": "array", "items": inner}}}))
    assert [(row.name, row.type, row.required) for row in rows] == [
        ("lids", "array of object", True),
        ("lids[].colour", "string", False),
    ]
    assert rows[1].about == "Of the <code>lid</code>. One of <code>red</code>, <code>&lt;b&gt;</code>."
