"""The OpenAPI 3.1 document, generated from the declarations and the operations that serve the routes."""

import re
import threading
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import orjson
from django.conf import settings
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse
from rest_framework.serializers import BaseSerializer

from cms_api.content.selectors import TYPES
from cms_api.core import registry, versions
from cms_api.core.module import ANY, PUBLIC, Module, Restriction, Route
from cms_api.flags import selectors as flags
from cms_api.http.endpoint import Endpoint, Operation
from cms_api.http.serializers import NOT_BLANK, Resource, TextInput

from .answers import DELETED, answer_of_list, answer_of_record, error_reference, headers, share_parts
from .descriptions import describe_keys
from .examples import success_examples
from .operation_ids import operation_id
from .parameters import has_sparse_answers, query_parameters
from .routing import PREFIX, restricted_views, url_patterns

_ID = "The id of the record."
_REFERENCE = "The id of the record, or its slug, number, code or email address if it has one."

#: The generator keeps its state in module globals.
_one_at_a_time = threading.Lock()


def current_document() -> bytes:
    """Return the document, cached until a feature, a setting or a content type changes."""
    return versions.load_once(flags.VERSION, document, slot="openapi.json", also=(TYPES,))


def document() -> bytes:
    """Return the document as JSON: the routes of every group whose feature is on."""
    with _one_at_a_time:
        return _document()


def _document() -> bytes:
    visible = [(module, route) for module, route in registry.routes() if flags.is_on(route.feature or module.feature)]
    generator = SchemaGenerator(patterns=url_patterns(iter([route for _, route in visible])))
    webhooks = _webhooks(generator)
    schema = generator.get_schema(request=None, public=True)
    schema["webhooks"] = webhooks
    share_parts(schema)
    # Some schemas are constants of modules.
    schema["components"]["schemas"] = deepcopy(schema["components"]["schemas"])
    describe_keys(schema["components"]["schemas"])
    schema["servers"] = [{"url": settings.BASE_URL}]
    names = {module.title: module.description for module, _ in visible}
    schema["tags"] = [{"name": title, "description": text} for title, text in names.items()]
    return orjson.dumps(schema)


def _webhooks(generator: SchemaGenerator) -> dict[str, Any]:
    """Return the payload of every webhook event whose module is on."""
    inspector = EndpointSchema()
    inspector.registry, inspector.method, inspector.path, inspector.view = generator.registry, "POST", "", Endpoint(request=None)
    found = {}
    for kind in registry.event_kinds():
        if not (flags.is_on("webhooks") and flags.is_on(registry.event_feature(kind))):
            continue
        event = registry.event(kind)
        resource: type[Resource] = registry.load(event.document)
        reference = resource.json_schema or inspector.resolve_serializer(resource(), "response").ref
        found[kind] = {"post": _webhook(kind, event.summary, reference, registry.event_sample(kind))}
    return found


def _webhook(kind: str, summary: str, data: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    body = {
        "type": "object",
        "required": ["event", "delivery_id", "timestamp", "data"],
        "properties": {
            "event": {"type": "string", "const": kind, "description": "The event type."},
            "delivery_id": {
                "type": "integer",
                "description": "The same for every attempt, to detect duplicates.",
            },
            "timestamp": {"type": "string", "format": "date-time", "description": "When the event occurred."},
            "data": data,
        },
    }
    happened = example.get("updated_at") or example.get("created_at")
    sample = {"event": kind, "delivery_id": 1042, "timestamp": happened, "data": example}
    prefix = settings.SIGNATURE_HEADER_PREFIX
    texts = {
        f"{prefix}-Signature": "`sha256=` and the hex HMAC-SHA256 of the raw body, with the whole secret as the key.",
        f"{prefix}-Event": "The event type.",
        f"{prefix}-Delivery": "The delivery's id.",
        "webhook-id": "`msg_` and the delivery's id.",
        "webhook-timestamp": "When this attempt was made, in Unix seconds.",
        "webhook-signature": "Standard Webhooks: `v1,` and a base64 HMAC-SHA256; several while a secret is rotated.",
    }
    return {
        "operationId": "webhook_" + kind.replace(".", "_"),
        "summary": summary,
        "description": f"Sent to subscriptions of `{kind}` or `*`.",
        "tags": ["Webhooks"],
        "parameters": [
            {"in": "header", "name": name, "required": True, "schema": {"type": "string"}, "description": text}
            for name, text in texts.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": body, "examples": {"Example": {"value": sample}}}},
        },
        "responses": {
            "2XX": {"description": "Received. Any other answer, including a redirect, is a failure and is retried."},
            "410": {"description": "Gone: disables the subscription."},
        },
    }


def declaration(view: Endpoint) -> tuple[Module, Route]:
    """Return the module and route that declare a view."""
    dotted = f"{type(view).__module__}.{type(view).__qualname__}"
    return next(
        (module, route) for module, route in registry.routes() if registry.load(route.view) is type(view) or route.view == dotted
    )


class EndpointSchema(AutoSchema):
    """Builds an operation of the document from what the endpoint's method and its route declare."""

    view: Endpoint
    _responses: dict[int, OpenApiResponse] | None = None

    def get_operation(self, *of: Any, **named: Any) -> Any:
        self._responses = None
        found: dict[str, Any] = super().get_operation(*of, **named) or {}
        for parameter in found.get("parameters", ()):
            if parameter["in"] == "path":
                is_id = parameter["schema"].get("type") == "integer"
                parameter.setdefault("description", _ID if is_id else _REFERENCE)
        beside = [*(["ETag"] if self.method == "GET" else []), *(["Idempotency-Replayed"] if self.method == "POST" else [])]
        for response in found["responses"].values():
            response["headers"] = headers(*beside)
        found["responses"] |= {str(status): error_reference(status) for status in self._refusals(self.operation)}
        return found

    @property
    def operation(self) -> Operation:
        found: Operation = getattr(self.view, self.method.lower()).operation
        return found

    @property
    def ability(self) -> str:
        return declaration(self.view)[1].ability(self.method)

    def get_summary(self) -> str:
        return self.operation.summary

    def get_description(self) -> str:
        special = {PUBLIC: "Needs no token.", ANY: "Needs a token of `any` ability."}
        needs = special.get(self.ability, f"Needs the ability `{self.ability}`.")
        restricted = [
            f"A token with the restriction `{each.name}` gets fewer keys. {other.description}".strip()
            for each, other in self.restricted_operations
        ]
        return " ".join(filter(None, (self.operation.description, *restricted, *self._special_reads(), needs)))

    def _special_reads(self) -> Iterator[str]:
        """Yield in words how answers differ from their schema, which clients are generated for."""
        if has_sparse_answers(self.operation):
            yield "With `fields`, each record has only the keys that it names."
        if self.operation.kind == "list" and self.operation.query.sort:
            yield "With `cursor`, `meta` has `per_page`, `next_cursor` and `prev_cursor` alone."

    @property
    def restricted_operations(self) -> list[tuple[Restriction, Operation]]:
        """Return the operations that answer tokens with a restriction."""
        found = restricted_views(declaration(self.view)[1])
        method = self.method.lower()
        return [(each, getattr(view, method).operation) for each, view in found if hasattr(view, method)]

    def get_tags(self) -> list[str]:
        return [declaration(self.view)[0].title]

    def get_operation_id(self) -> str:
        path = self.path.removeprefix("/" + PREFIX.rstrip("/")).removeprefix("/")
        return operation_id(path, self.method.lower(), self.operation, registry.nouns())

    def get_auth(self) -> list[dict[str, list[str]]]:
        return [] if self.ability == PUBLIC else [{"token": []}]

    def get_extensions(self) -> dict[str, Any]:
        """Return the ability, and the records that tokens with a restriction get, by its name."""
        restricted = {each.name: self._record(other) for each, other in self.restricted_operations if other.answer}
        return {
            **({} if self.ability == PUBLIC else {"x-required-ability": self.ability}),
            **({"x-restricted-records": restricted} if restricted else {}),
        }

    def get_override_parameters(self) -> list[OpenApiParameter]:
        found = query_parameters(self.operation)
        if self.method == "POST":
            found.append(
                OpenApiParameter(
                    "Idempotency-Key",
                    {"type": "string", "maxLength": 255},
                    OpenApiParameter.HEADER,
                    description="A request with the same key and body gets the first response again and has no further effect.",
                )
            )
        return found

    def get_filter_backends(self) -> list[Any]:
        return []

    def map_parsers(self) -> list[str]:
        return [self.media_type]

    @property
    def media_type(self) -> str:
        return "multipart/form-data" if self.operation.multipart else "application/json"

    def map_renderers(self, attribute: str) -> list[str]:
        return ["application/json"]

    def get_request_serializer(self) -> Any:
        body = self.operation.body
        return body(partial=self.method in {"PATCH", "PUT"} and not self.operation.whole) if body else None

    def _get_request_body(self, direction: str = "request") -> dict[str, Any] | None:
        method = self.method
        if self.operation.whole:
            # The generator would make all keys of a PATCH optional.
            self.method = "PUT"
        found: dict[str, Any] | None = super()._get_request_body(direction)
        self.method = method
        if found and not self.operation.body_optional:
            found["required"] = True
        return found

    def get_examples(self) -> list[OpenApiExample]:
        body = self.operation.body
        if body is None or not body.example:
            return []
        return [OpenApiExample("Example", value=body.example, request_only=True, media_type=self.media_type)]

    def get_response_serializers(self) -> dict[int, OpenApiResponse]:
        """Return the responses by status; the generator asks for them many times per operation."""
        if self._responses is None:
            self._responses = self._describe_responses()
        return self._responses

    def _describe_responses(self) -> dict[int, OpenApiResponse]:
        operation = self.operation
        statuses = [(operation.status, operation.summary), *operation.also]
        responses = {
            status: OpenApiResponse(self._success(operation), description=text, examples=self._examples(operation))
            for status, text in statuses
        }
        for status, text, answer in operation.instead:
            other = replace(operation, kind="one", answer=answer, meta={})
            responses[status] = OpenApiResponse(self._success(other), description=text, examples=self._examples(other))
        if self.method == "GET":
            responses[304] = OpenApiResponse(None, description="The client's copy, named by `If-None-Match`, is current.")
        return responses

    def _examples(self, operation: Operation) -> list[OpenApiExample]:
        # Addresses may not have braces.
        return success_examples(operation, re.sub(r"{\w+}", "7", self.path))

    def _refusals(self, operation: Operation) -> list[int]:
        found = {400, 404, 405, 414, 429, 500, 503}
        if self.ability != PUBLIC:
            found |= {401, 403}
        if operation.body:
            found |= {413, 415}
        if operation.kind != "raw":
            found.add(422)
        if self.method == "POST":
            found |= {409, 413}
        return sorted(found)

    def _success(self, operation: Operation) -> dict[str, Any]:
        if operation.kind == "raw":
            return {"type": "object"}
        if operation.kind == "deleted":
            return answer_of_record(DELETED)
        record = self._record(operation)
        if operation.kind == "list":
            return answer_of_list(record, has_cursors=bool(operation.query.sort))
        data = record if operation.kind == "one" else {"type": "array", "items": record}
        meta = {name: self._meta(found) for name, found in operation.meta.items()}
        return answer_of_record(data, meta, may_ignore=operation.body is not None)

    def _record(self, operation: Operation) -> dict[str, Any]:
        """Return the schema of a whole record in an operation's answer."""
        assert operation.answer is not None
        whole: dict[str, Any] = getattr(operation.answer, "json_schema", {})
        return whole or self.resolve_serializer(operation.answer(), "response").ref

    def _meta(self, found: type[BaseSerializer[Any]] | Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the schema of a key of `meta`."""
        if isinstance(found, Mapping):
            return found
        reference: dict[str, Any] = self.resolve_serializer(found(), "response").ref
        return reference

    def _get_serializer_field_meta(self, field: Any, direction: str) -> dict[str, Any]:
        meta: dict[str, Any] = super()._get_serializer_field_meta(field, direction)
        if isinstance(field, TextInput):
            # Text is trimmed first: where it may be null, empty text is accepted; elsewhere, spaces alone are refused.
            meta.pop("minLength", None)
            meta |= {} if field.allow_null else {"pattern": NOT_BLANK}
            meta |= {"enum": list(field.among())} if field.among else {}
        return meta

    def _map_basic_serializer(self, serializer: Any, direction: str) -> dict[str, Any]:
        schema: dict[str, Any] = super()._map_basic_serializer(serializer, direction)
        optional: frozenset[str] = getattr(serializer, "optional", frozenset())
        if direction == "response" and "properties" in schema:
            schema["required"] = [name for name in schema["properties"] if name not in optional]
        return schema
