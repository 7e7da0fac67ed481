"""The parts of sent data that no field takes: clients are told of them, since they are often misspelt."""

from collections.abc import Iterable, Mapping
from typing import Any

from .base import FIELD_TYPES, JsonSchema
from .definition import Field


def ignored_keys(fields: Iterable[Field], data: Mapping[str, Any], path: str) -> list[str]:
    """Return the dotted paths of the keys, at any depth, that the fields drop from data that they have accepted."""
    known = {field.key: field for field in fields}
    found = []
    for key, value in data.items():
        if key not in known:
            found.append(f"{path}.{key}")
        elif isinstance(value, str):
            found += [f"{path}.{key}.{part}" for part in FIELD_TYPES[known[key].type].find_ignored(value)]
        elif isinstance(value, dict | list):
            found += _outside(FIELD_TYPES[known[key].type].json_schema(known[key], writing=True), value, f"{path}.{key}")
    return found


def _outside(schema: JsonSchema, value: Any, path: str) -> list[str]:
    shapes = (schema, *schema.get("anyOf", ()))
    found = []
    if isinstance(value, list):
        items: JsonSchema = next((shape["items"] for shape in shapes if "items" in shape), {})
        for number, each in enumerate(value):
            found += _outside(items, each, f"{path}.{number}")
    elif isinstance(value, dict):
        # Objects without known keys, such as a document of rich text, take any.
        anything: JsonSchema = {key: {} for key in value}
        properties: JsonSchema = next((shape["properties"] for shape in shapes if "properties" in shape), anything)
        for key, each in value.items():
            found += _outside(properties[key], each, f"{path}.{key}") if key in properties else [f"{path}.{key}"]
    return found
