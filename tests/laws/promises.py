"""The promises of the API to integrations, as lines: operations, parameters, keys of bodies and answers, and their types."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "promises.txt"
COMMAND = "KEEP_PROMISES=1 .venv/bin/python -m pytest tests/laws/test_api_promises.py"


def kept_lines() -> list[str]:
    return FILE.read_text().splitlines()


def promised_lines(document: dict[str, Any]) -> list[str]:
    """The promises of a document whose references to parameters and responses are resolved."""
    lines = set(_schemas(document))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            name = f"{method.upper()} {path}"
            lines.add(f"{name} {operation['operationId']} {operation.get('x-required-ability', 'public')}")
            lines |= set(_parameters(name, operation.get("parameters", ())))
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                lines.add(f"{name} takes {kind}: {_type(content['schema'])}")
            for status, answer in operation["responses"].items():
                for content in answer.get("content", {}).values():
                    lines.add(f"{name} {status}")
                    lines |= set(_keys(f"{name} {status}", content["schema"]))
    lines |= {f"webhook {kind}: {_type(_payload(methods))}" for kind, methods in document["webhooks"].items()}
    return sorted(lines)


def _payload(methods: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = methods["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]["data"]
    return body


def _schemas(document: dict[str, Any]) -> Iterator[str]:
    for name, schema in document["components"]["schemas"].items():
        yield from _keys(name, schema)


def _parameters(operation: str, parameters: Any) -> Iterator[str]:
    for each in parameters:
        # Taxonomies are data.
        if not each["name"].startswith("term."):
            required = ", required" if each.get("required") else ""
            place = f"{operation} {each['in']} {each['name']}"
            yield f"{place}: {_type(each['schema'])}{required}"
            yield from _values(place, each["schema"])


def _keys(place: str, schema: dict[str, Any]) -> Iterator[str]:
    """The keys of an object and of those in it."""
    for name, found in schema.get("properties", {}).items():
        required = ", always" if name in schema.get("required", ()) else ""
        yield f"{place}.{name}: {_type(found)}{required}"
        yield from _values(f"{place}.{name}", found)
        yield from _keys(f"{place}.{name}", found)
    if isinstance(schema.get("items"), dict):
        yield from _keys(f"{place}[]", schema["items"])


def _values(place: str, schema: dict[str, Any]) -> Iterator[str]:
    values = schema.get("enum") or schema.get("items", {}).get("enum") or ()
    return (f"{place} = {value}" for value in values if value is not None)


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    choices = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
    if choices:
        return " or ".join(map(_type, choices))
    kinds = schema.get("type", "any")
    words = [kinds] if isinstance(kinds, str) else kinds
    text = " or ".join(
        f"array of {_type(schema['items'])}" if word == "array" and schema.get("items") else word for word in words
    )
    return f"{text} ({schema['format']})" if "format" in schema else text
