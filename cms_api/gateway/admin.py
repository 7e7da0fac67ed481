"""The API documentation in the admin, generated from the OpenAPI document that the API serves."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import camel_case_to_spaces, slugify
from django.views.generic import TemplateView
from wagtail.admin.menu import MenuItem
from wagtail.admin.views.generic import WagtailAdminTemplateMixin
from wagtail.admin.viewsets.base import ViewSet

from cms_api.auth.services.idempotency import MAX_KEY_LENGTH, RETENTION
from cms_api.core import registry, versions
from cms_api.core.module import ANY
from cms_api.flags import selectors as flags
from cms_api.http.query import DEFAULT_PER_PAGE, MAX_PER_PAGE
from cms_api.http.serializers import NOT_BLANK

from .openapi import ERRORS, document
from .roles import app_label
from .routing import PREFIX

Schema = dict[str, Any]

#: How many levels of nested objects are expanded.
DEPTH = 3
PLACES = {"path": "In the path", "query": "Query parameters", "header": "Headers"}
_BOUNDS = {
    "minimum": "At least {}.",
    "maximum": "At most {}.",
    "minItems": "At least {} entries.",
    "maxItems": "At most {} entries.",
    "maxLength": "At most {} characters.",
    "pattern": "Matches `{}`.",
}
#: Bounds that are not shown: none, empty, that of all required text, or the largest integer that the database stores.
_UNDOCUMENTED = (None, "", NOT_BLANK, 2**63 - 1)


class Row(NamedTuple):
    """A parameter or a key of an object."""

    name: str
    type: str
    required: bool
    about: SafeString


class Record(NamedTuple):
    """A schema that responses and events refer to."""

    anchor: str
    title: str
    rows: list[Row]


class Operation(NamedTuple):
    """A method of a path, or a webhook event (whose `path` is its kind). Several `methods` if PUT and PATCH are the same.

    `record` is the `data` of a response or an event.
    """

    anchor: str
    methods: list[tuple[str, str]]
    path: str
    summary: SafeString
    ability: str
    description: SafeString
    parameters: list[tuple[str, list[Row]]]
    body: list[Row]
    body_example: str
    record: Record | None
    answer_example: str
    statuses: list[tuple[str, SafeString]]


class Group(NamedTuple):
    """A tag of the document with its operations."""

    anchor: str
    title: str
    description: str
    operations: list[Operation]


@dataclass(frozen=True)
class Documentation:
    """The contents of the page."""

    groups: list[Group]
    records: list[Record]
    events: list[Operation]
    #: The headers and keys that all events share.
    message: list[tuple[str, list[Row]]]

    @property
    def count(self) -> int:
        return sum(len(group.operations) for group in self.groups)


class Reader:
    """Converts an OpenAPI document to Documentation."""

    def __init__(self, source: Schema) -> None:
        self.source = source
        self.records = {
            f"#/components/schemas/{name}": Record(f"record-{name}", _title(name), list(self.rows(schema)))
            for name, schema in source.get("components", {}).get("schemas", {}).items()
            if name.endswith("Resource")
        }

    def read(self) -> Documentation:
        groups = {
            tag["name"]: Group(f"group-{slugify(tag['name'])}", tag["name"], tag["description"], [])
            for tag in self.source["tags"]
        }
        for where, methods in self.source["paths"].items():
            put_is_patch = _same(methods.get("put"), methods.get("patch"))
            for method, found in methods.items():
                if method == "put" and put_is_patch:
                    continue
                operation = self.operation(method, where, found)
                if method == "patch" and put_is_patch:
                    operation.methods.append(("PUT", methods["put"]["operationId"]))
                groups[found["tags"][0]].operations.append(operation)
        webhooks = self.source.get("webhooks", {})
        events = [self.event(method, kind, found) for kind, methods in webhooks.items() for method, found in methods.items()]
        shown = [group for group in groups.values() if group.operations]
        named = {each.record.anchor for each in [*events, *chain(*(group.operations for group in shown))] if each.record}
        records = [record for record in self.records.values() if record.anchor in named]
        first: Schema = next(iter(webhooks.values()), {})
        return Documentation(shown, records, events, self.message(first.get("post", {})))

    def event(self, method: str, kind: str, found: Schema) -> Operation:
        """Return what is specific to an event: its record and an example."""
        data = _json_content(found["requestBody"])["schema"]["properties"]["data"]
        record = self.records.get(data.get("$ref", ""))
        keys = [] if record else list(self.rows(data, "data."))
        return self.operation(method, kind, found)._replace(description=SafeString(), parameters=[], body=keys, record=record)

    def message(self, found: Schema) -> list[tuple[str, list[Row]]]:
        """Return what all events share, read from any one of them."""
        keys = list(self.rows(_json_content(found.get("requestBody", {})).get("schema", {}), depth=1))
        return [*self.parameters(found.get("parameters", [])), *([("Body", keys)] if keys else [])]

    def operation(self, method: str, where: str, found: Schema) -> Operation:
        ability = found.get("x-required-ability", "")
        needs = {"": "Needs no token.", ANY: "Needs a token of `any` ability."}.get(ability, f"Needs the ability `{ability}`.")
        body = _json_content(found.get("requestBody", {}))
        answer = next((_json_content(each) for status, each in found.get("responses", {}).items() if status.startswith("2")), {})
        anchor = found.get("operationId") or "event-" + slugify(where.replace(".", "-"))
        return Operation(
            anchor=anchor,
            methods=[(method.upper(), anchor)],
            path=where,
            summary=_with_code(found.get("summary", "")),
            ability=ability,
            # The ability is shown separately on the page.
            description=_with_code(found.get("description", "").removesuffix(needs).strip()),
            parameters=list(self.parameters(found.get("parameters", []))),
            body=list(self.rows(body.get("schema", {}))),
            body_example=_example(body),
            record=self.record(answer.get("schema", {})),
            answer_example=_example(answer),
            statuses=[(status, _with_code(each["description"])) for status, each in found.get("responses", {}).items()],
        )

    def parameters(self, found: list[Schema]) -> Iterator[tuple[str, list[Row]]]:
        """Yield the parameters, grouped by location."""
        for place, title in PLACES.items():
            rows = [
                # The pattern of a path parameter only tells routes apart; readers do not need it.
                self.row(
                    each["name"],
                    each.get("schema", {}) | {"pattern": ""},
                    each.get("required", False),
                    each.get("description", ""),
                )
                for each in found
                if each["in"] == place
            ]
            if rows:
                yield title, rows

    def rows(self, schema: Schema, prefix: str = "", depth: int = DEPTH) -> Iterator[Row]:
        """Yield the keys of an object, each followed by those of a nested object as `outer.inner` or `outer[].inner`."""
        schema = self.resolve(_unless_null(schema))
        required = schema.get("required", ())
        for name, inner in schema.get("properties", {}).items():
            inner = self.resolve(inner)
            yield self.row(prefix + name, inner, name in required, inner.get("description", ""))
            if depth > 1:
                yield from self.rows(inner, f"{prefix}{name}.", depth - 1)
                yield from self.rows(inner.get("items", {}), f"{prefix}{name}[].", depth - 1)

    def row(self, name: str, schema: Schema, required: bool, text: str) -> Row:
        schema = self.resolve(schema)
        sentences = [text]
        sentences += [words.format(schema[bound]) for bound, words in _BOUNDS.items() if schema.get(bound) not in _UNDOCUMENTED]
        values = schema.get("enum") or self.resolve(schema.get("items", {})).get("enum")
        if values:
            sentences.append("One of " + ", ".join(f"`{value}`" for value in values if value is not None) + ".")
        if "default" in schema:
            default = schema["default"]
            sentences.append(f"Default `{default if isinstance(default, str) else json.dumps(default)}`.")
        return Row(name, self.type(schema), required, _with_code(" ".join(filter(None, sentences))))

    def type(self, schema: Schema) -> str:
        """Return a schema's type as text: `array of string`, `string or null`."""
        schema = self.resolve(schema)
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            return " or ".join(dict.fromkeys(self.type(choice) for choice in choices))
        kinds = schema.get("type", "any")
        words = []
        for kind in [kinds] if isinstance(kinds, str) else kinds:
            if kind == "array" and schema.get("items"):
                words.append(f"array of {self.type(schema['items'])}")
            elif kind == "string" and "format" in schema:
                words.append(f"string ({schema['format']})")
            else:
                words.append(kind)
        return " or ".join(words)

    def resolve(self, schema: Schema) -> Schema:
        """Resolve a reference; keys beside the reference override those of its target."""
        aside = {key: value for key, value in schema.items() if key not in {"$ref", "allOf"}}
        for reference in [schema, *schema.get("allOf", [])]:
            if "$ref" in reference:
                return self.source["components"]["schemas"][reference["$ref"].rpartition("/")[2]] | aside
        return schema

    def record(self, answer: Schema) -> Record | None:
        """Return the record in a response's `data`, single or a list."""
        data = answer.get("properties", {}).get("data", {})
        one = data.get("items", data)
        # The other alternative has only the keys that `fields=` names.
        return self.records.get(one.get("anyOf", [one])[0].get("$ref", ""))


def _same(put: Schema | None, patch: Schema | None) -> bool:
    """Return whether two operations differ only in their ids."""
    return bool(put and patch and put | {"operationId": ""} == patch | {"operationId": ""})


def _unless_null(schema: Schema) -> Schema:
    """Return the schema without its null alternative."""
    choices = [choice for choice in schema.get("oneOf", ()) if choice.get("type") != "null"]
    return choices[0] if len(choices) == 1 else schema


def _title(name: str) -> str:
    return camel_case_to_spaces(name.removesuffix("Resource")).capitalize()


def _json_content(message: Schema) -> Schema:
    """Return the media type object of a body; multipart if there is no JSON."""
    content = message.get("content", {})
    return content.get("application/json") or next(iter(content.values()), {})


def _example(content: Schema) -> str:
    for example in content.get("examples", {}).values():
        return json.dumps(example["value"], indent=2, ensure_ascii=False)
    return json.dumps(content["example"], indent=2, ensure_ascii=False) if "example" in content else ""


def _with_code(text: str) -> SafeString:
    """Escape text, and mark its `quoted` parts as code."""
    parts = (f"<code>{escape(part)}</code>" if odd % 2 else escape(part) for odd, part in enumerate(text.split("`")))
    return mark_safe("".join(parts))


def documentation() -> Documentation:
    """Return the current documentation; cached until a feature or setting changes."""
    return versions.cached(flags.VERSION, lambda: Reader(json.loads(document())).read(), slot="documentation")


def may_read(user: Any) -> bool:
    """Return whether the user works with the records of every module that the API serves."""
    served = (module for module in registry.modules() if module.routes and module.roles)
    return all(user.has_module_perms(app_label(module.name)) for module in served)


class DocumentationMenuItem(MenuItem):
    def is_shown(self, request: HttpRequest) -> bool:
        return may_read(request.user)


class DocumentationView(WagtailAdminTemplateMixin, TemplateView):
    template_name = "gateway/documentation.html"
    page_title = "API documentation"
    header_icon = "doc-full"
    document_url = f"/{PREFIX}openapi.json"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not may_read(request.user):
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    def get_breadcrumbs_items(self) -> list[dict[str, Any]]:
        return [*self.breadcrumbs_items, {"url": "", "label": self.page_title}]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(
            documentation=documentation(),
            document_url=self.document_url,
            base=f"{settings.BASE_URL}/{PREFIX}".rstrip("/"),
            api_is_on=flags.is_on("api"),
            errors=[(status, _with_code(text)) for status, text in ERRORS.items()],
            rate=settings.API_RATE_PER_MINUTE,
            anonymous_rate=settings.API_ANON_RATE_PER_MINUTE,
            default_per_page=DEFAULT_PER_PAGE,
            max_per_page=MAX_PER_PAGE,
            key_length=MAX_KEY_LENGTH,
            kept_hours=int(RETENTION.total_seconds() // 3600),
            **kwargs,
        )


class DocumentationViewSet(ViewSet):
    icon = "doc-full"
    menu_item_class = DocumentationMenuItem
    menu_label = "API documentation"

    def get_urlpatterns(self) -> list[URLPattern]:
        return [path("", DocumentationView.as_view(), name="index")]


DOCUMENTATION = DocumentationViewSet("api_documentation", url_prefix="api-documentation")
