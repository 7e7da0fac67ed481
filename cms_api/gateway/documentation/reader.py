"""Reads an OpenAPI document as the contents of the API documentation."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import camel_case_to_spaces, slugify

from cms_api.core.module import ANY
from cms_api.http.serializers import NOT_BLANK

from ..answers import inline_parts
from .calls import call_of, example_of, form
from .samples import samples
from .types import Documentation, Group, Operation, Record, Row

Schema = dict[str, Any]

#: How many levels of nested objects are expanded.
EXPANDED_LEVELS = 3
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


class Reader:
    """Converts an OpenAPI document to Documentation."""

    def __init__(self, source: Schema) -> None:
        self.source = inline_parts(source)
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
        return self.operation(method, kind, found)._replace(
            description=SafeString(), parameters=[], body=keys, record=record, samples=[], form=SafeString()
        )

    def message(self, found: Schema) -> list[tuple[str, list[Row]]]:
        """Return what all events share, read from any one of them."""
        keys = list(self.rows(_json_content(found.get("requestBody", {})).get("schema", {}), depth=1))
        return [*self.parameters(found.get("parameters", [])), *([("Body", keys)] if keys else [])]

    def operation(self, method: str, where: str, found: Schema) -> Operation:
        ability = found.get("x-required-ability", "")
        needs = {"": "Needs no token.", ANY: "Needs a token of `any` ability."}.get(ability, f"Needs the ability `{ability}`.")
        body = _json_content(found.get("requestBody", {}))
        answer = next((_json_content(each) for status, each in found.get("responses", {}).items() if status.startswith("2")), {})
        schema = self.resolve(_unless_null(body.get("schema", {})))
        call = call_of(method, where, found, body=body, schema=schema, answer=answer)
        anchor = found.get("operationId") or "event-" + slugify(where.replace(".", "-"))
        return Operation(
            anchor=anchor,
            methods=[(method.upper(), anchor)],
            path=where,
            summary=with_code(found.get("summary", "")),
            ability=ability,
            # The ability is shown separately on the page.
            description=with_code(found.get("description", "").removesuffix(needs).strip()),
            parameters=list(self.parameters(found.get("parameters", []))),
            body=list(self.rows(body.get("schema", {}))),
            body_example=_example(body),
            record=self.record(answer.get("schema", {})),
            answer_example=_example(answer),
            statuses=[(status, with_code(each["description"])) for status, each in found.get("responses", {}).items()],
            samples=samples(call),
            form=form(call),
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

    def rows(self, schema: Schema, prefix: str = "", depth: int = EXPANDED_LEVELS) -> Iterator[Row]:
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
        return Row(name, self.type(schema), required, with_code(" ".join(filter(None, sentences))))

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
        return self.records.get(data.get("items", data).get("$ref", ""))


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
    example = example_of(content)
    return "" if example is None else json.dumps(example, indent=2, ensure_ascii=False)


def with_code(text: str) -> SafeString:
    """Escape text, and mark its `quoted` parts as code."""
    parts = (f"<code>{escape(part)}</code>" if odd % 2 else escape(part) for odd, part in enumerate(text.split("`")))
    return mark_safe("".join(parts))
