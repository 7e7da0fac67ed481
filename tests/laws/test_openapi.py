"""The OpenAPI document: valid 3.1, complete, and only of what is switched on."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012
from rest_framework.exceptions import ValidationError

from cms_api.core import registry
from cms_api.core.module import PUBLIC, Module
from cms_api.core.vocabulary import ABILITIES
from cms_api.flags.services import switch_feature
from cms_api.gateway import openapi
from cms_api.gateway.routing import find
from cms_api.http import serializers
from cms_api.http.endpoint import Operation
from cms_api.http.serializers import TextInput
from tests.builders import field, make_token, make_type
from tests.client import Api, documented, together
from tests.features import switch_all_on

from .exercised import declared_operations, is_whole, unused_operations

pytestmark = pytest.mark.django_db

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture
def document(api_on: None) -> dict[str, Any]:
    switch_all_on()
    return json.loads(json.dumps(documented().document))


def each(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (method.upper(), path, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]


def validator(document: dict[str, Any], schema: Any) -> Draft202012Validator:
    whole: Any = Registry().with_resource("urn:api", Resource(contents=document, specification=DRAFT202012))
    return Draft202012Validator(json.loads(json.dumps(schema).replace('"#/', '"urn:api#/')), registry=whole)


def test_only_reads_have_sparse_fields(document: dict[str, Any]) -> None:
    sparse = [
        (method, path)
        for path, operations in document["paths"].items()
        for method in METHODS
        for parameter in operations.get(method, {}).get("parameters", ())
        if parameter["name"] == "fields"
    ]
    assert {method for method, _ in sparse} == {"get"}
    assert ("get", "/api/v1/marketing/subscribers/{subscriber}") in sparse


def test_it_works(anonymous: Api) -> None:
    found = anonymous.get("/openapi.json")
    assert found.status_code == 200
    assert found.json()["openapi"].startswith("3.1")
    assert found.headers["ETag"]


def test_it_is_valid(document: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(json.loads(openapi.document())).validate()


def test_it_names_every_declared_operation_and_no_other(document: dict[str, Any]) -> None:
    assert {(method, path) for method, path, _ in each(document)} == declared_operations()


def test_no_two_resources_share_a_name(document: dict[str, Any]) -> None:
    """The document knows them by their names alone, so one would stand for the other."""
    places: dict[str, set[str]] = {}
    for kind in kinds_of(serializers.Resource):
        if not kind.__module__.startswith("tests."):
            places.setdefault(kind.__name__, set()).add(kind.__module__)
    assert set(document["components"]["schemas"]) & set(places)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def kinds_of(base: type) -> Iterator[type]:
    for kind in base.__subclasses__():
        yield kind
        yield from kinds_of(kind)


def test_operation_ids_are_unique(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in each(document)]
    assert len(set(ids)) == len(ids)


def test_each_operation_has_a_summary_and_its_ability(document: dict[str, Any]) -> None:
    wanted = {
        (method, ("/api/v1/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route.path)).rstrip("/")): route.ability(method)
        for _, route in registry.routes()
        for method in route.methods
    }
    for method, path, operation in each(document):
        ability = wanted[method, path]
        assert operation["summary"], (method, path)
        assert operation["tags"], (method, path)
        if ability == PUBLIC:
            assert "x-required-ability" not in operation
            assert "no token" in operation["description"]
        else:
            assert operation["x-required-ability"] == ability
            assert f"`{ability}`" in operation["description"]
            assert operation["security"] == [{"token": []}]


def test_each_operation_names_the_errors_of_every_request(document: dict[str, Any]) -> None:
    for method, path, operation in each(document):
        expected = {"400", "404", "405", "429", "500", "503"}
        if "x-required-ability" in operation:
            expected |= {"401", "403"}
        if "requestBody" in operation:
            expected |= {"413", "415", "422"}
        if method == "POST":
            expected |= {"409", "413", "422"}
        assert expected <= set(operation["responses"]), (method, path)
        assert any(status.startswith("2") for status in operation["responses"]), (method, path)


def test_each_answer_has_a_description_and_an_example_that_is_valid(document: dict[str, Any]) -> None:
    for method, path, operation in each(document):
        for status, answer in operation["responses"].items():
            assert answer["description"], (method, path, status)
            if status == "304" or (path.endswith("openapi.json") and status == "200"):
                continue
            content = answer["content"]["application/json"]
            assert content.get("examples"), (method, path, status)
            for example in content["examples"].values():
                errors = list(validator(document, content["schema"]).iter_errors(example["value"]))
                assert not errors, (method, path, status, errors[:2])


def test_each_body_has_a_schema_and_an_example_that_is_valid(document: dict[str, Any]) -> None:
    bodies = [
        (method, path, operation["requestBody"]) for method, path, operation in each(document) if "requestBody" in operation
    ]
    assert bodies
    for method, path, body in bodies:
        for content in body["content"].values():
            assert content["examples"], (method, path)
            for example in content["examples"].values():
                errors = list(validator(document, content["schema"]).iter_errors(example["value"]))
                assert not errors, (method, path, errors[:2])


def test_each_parameter_has_a_schema_and_a_description(document: dict[str, Any]) -> None:
    for method, path, operation in each(document):
        for parameter in operation.get("parameters", ()):
            assert parameter["schema"], (method, path, parameter["name"])
            assert parameter.get("required") is True or parameter["in"] != "path"
            assert parameter["description"], (method, path, parameter["name"])
        assert set(re.findall(r"{(\w+)}", path)) == {
            parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "path"
        }


def test_an_empty_parameter_is_answered_as_its_schema_says(document: dict[str, Any], subtests: pytest.Subtests) -> None:
    api, refused = Api(make_token(*ABILITIES)), 0
    for method, path, operation in each(document):
        if method != "GET" or "{" in path:
            continue
        for parameter in operation.get("parameters", ()):
            name, schema = parameter["name"], parameter["schema"]
            others = [other for other in operation["parameters"] if other.get("required") and other is not parameter]
            if others:
                continue
            with subtests.test(f"{path}?{name}="):
                empty = [] if schema["type"] == "array" else ""
                answer = api.get(path.removeprefix("/api/v1"), **{name: ""})
                assert answer.status_code in {200, 422}
                is_refused = name in answer.json().get("errors", ())
                assert is_refused != validator(document, schema).is_valid(empty), answer.content
                refused += is_refused
    assert refused > 20


@pytest.mark.parametrize("text", ["", " ", " \t\n"])
def test_empty_text_in_a_body_is_accepted_where_its_schema_accepts_it(document: dict[str, Any], text: str) -> None:
    accepted = []
    for method, path, operation in each(document):
        body = operation_of(path, method).body
        if body is None:
            continue
        (content,) = operation["requestBody"]["content"].values()
        schema = document["components"]["schemas"][content["schema"]["$ref"].rpartition("/")[2]]
        for name, found in body().fields.items():
            if isinstance(found, TextInput):
                accepts = runs(found, text)
                assert validator(document, schema["properties"][name]).is_valid(text) is accepts, (method, path, name)
                accepted += [name] * accepts
    assert {"source", "description", "alt"} <= set(accepted)


def operation_of(path: str, method: str) -> Operation:
    """The operation that a path of the document describes."""
    match = find(re.sub("{[^}]+}", "1", path))
    assert match is not None, path
    found: Operation = getattr(match.endpoint, method.lower()).operation
    return found


def runs(field: TextInput, text: str) -> bool:
    try:
        field.run_validation(text)
    except ValidationError:
        return False
    return True


def test_reads_answer_whole_records(document: dict[str, Any]) -> None:
    """Clients are generated from the schemas: alternatives would make each key optional."""
    assert "/properties/" not in "".join(re.findall(r'"\$ref": "([^"]+)"', json.dumps(document)))
    for method, path, operation in each(document):
        if method != "GET" or path.endswith("openapi.json"):
            continue
        schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
        for part in (schema, *schema["properties"].values()):
            assert not {"anyOf", "oneOf"} & {*part, *part.get("items", ())}, (method, path)
    read = document["paths"]["/api/v1/shop/orders/{reference}"]["get"]
    order = read["responses"]["200"]["content"]["application/json"]["schema"]
    assert not validator(document, order).is_valid({"data": {"id": 1}})


def test_sparse_reads_are_described(document: dict[str, Any]) -> None:
    described = document["paths"]["/api/v1/shop/orders"]["get"]["description"]
    assert "`fields`" in described
    assert "`cursor`" in described


def test_each_key_of_a_record_has_a_description(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        for key, found in schema.get("properties", {}).items():
            assert found.get("description") or "$ref" in found, (name, key)


def test_answers_name_their_headers(document: dict[str, Any]) -> None:
    for method, path, operation in each(document):
        for status, answer in operation["responses"].items():
            wanted = {"X-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining"}
            wanted |= {"Retry-After", "X-RateLimit-Reset"} if status == "429" else set()
            wanted |= {"ETag"} if (method, status) == ("GET", "200") else set()
            assert wanted <= set(answer["headers"]), (method, path, status)


def test_ids_of_operations_read_well(document: dict[str, Any]) -> None:
    ids = {operation["operationId"] for _, _, operation in each(document)}
    assert {"contacts_list", "contacts_create", "orders_fulfill", "ticket_orders_get", "analytics_summary"} <= ids
    assert {"forms_submissions_list", "attendee_tickets_check_in", "support_tickets_status"} <= ids


def test_it_describes_what_the_code_reads(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    formats = [each.get("format") for each in schemas["PaymentInputRequest"]["properties"]["paid_at"]["anyOf"]]
    assert formats == ["date-time", "date", None]
    kinds = schemas["WebhookInputRequest"]["properties"]["events"]["items"]["enum"]
    assert {"*", "order.paid"} <= set(kinds)
    images = document["paths"]["/api/v1/pages/images"]
    for method in ("put", "patch"):
        body = images[method]["requestBody"]["content"]["application/json"]["schema"]
        assert not validator(document, body).is_valid({})
    for method in ("get", "put", "patch", "delete"):
        named = document["paths"]["/api/v1/content-items/{item}"][method]["parameters"]
        assert "type" in {parameter["name"] for parameter in named}


def test_each_taxonomy_is_a_parameter(api: Api, document: dict[str, Any]) -> None:
    def names() -> set[str]:
        parameters = api.get("/openapi.json").json()["paths"]["/api/v1/content-items"]["get"]["parameters"]
        return {each["name"] for each in parameters if each.get("name", "").startswith("term.")}

    before = names()
    make_type(field("mood", "taxonomy"))
    assert names() == before | {"term.mood"}


def test_lists_have_bounds_and_defaults(document: dict[str, Any]) -> None:
    sorted_lists = [
        operation
        for _, route in registry.routes()
        for operation in [declared(route.view, "get")]
        if operation and operation.query.sort
    ]
    assert sorted_lists
    paged = [
        operation for _, _, operation in each(document) if any(p["name"] == "per_page" for p in operation.get("parameters", ()))
    ]
    assert len(paged) >= len(sorted_lists)
    for operation in paged:
        named = {parameter["name"]: parameter["schema"] for parameter in operation["parameters"]}
        assert {"page", "per_page", "sort", "cursor", "fields"} <= set(named)
        assert (named["per_page"]["default"], named["per_page"]["minimum"]) == (15, 1)
        assert named["sort"]["default"] in named["sort"]["enum"]


def declared(view: str, method: str) -> Operation | None:
    return getattr(getattr(registry.load(view), method, None), "operation", None)


def test_a_group_that_is_off_leaves_no_trace(planted: Module, api_on: None, anonymous: Api) -> None:
    before = anonymous.get("/openapi.json")
    assert b"planted" not in before.content
    assert b"Planted" not in before.content
    switch_feature(name="crm", on=True)
    after = anonymous.get("/openapi.json")
    assert "/api/v1/crm/planted" in after.json()["paths"]
    assert after.headers["ETag"] != before.headers["ETag"]


def test_its_etag_answers_304(anonymous: Api) -> None:
    tag = anonymous.get("/openapi.json").headers["ETag"]
    kept = anonymous.request("GET", "/openapi.json", if_none_match=tag)
    assert (kept.status_code, kept.content, kept.headers["ETag"]) == (304, b"", tag)


@pytest.mark.django_db(transaction=True)
def test_threads_can_read_it_at_the_same_time() -> None:
    assert len(set(together(lambda _: openapi.document(), 4))) == 1


def test_an_unused_operation_is_reported(planted: Module) -> None:
    assert "GET /api/v1/crm/planted" in unused_operations()


def test_a_partial_run_is_not_checked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request.config.option, "keyword", "some")
    assert not is_whole(request.config)
