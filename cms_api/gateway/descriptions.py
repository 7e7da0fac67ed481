"""Descriptions of keys that mean the same in every record of the OpenAPI document."""

from collections.abc import Iterator
from typing import Any

#: By key; a description of the record's own goes first.
BY_KEY = {
    "id": "The record's id.",
    "slug": "The record's part of addresses, of lower-case letters, digits and hyphens.",
    "name": "The name, as people see it.",
    "title": "The title, as people see it.",
    "description": "The description, as people see it.",
    "status": "The current state.",
    "created_at": "The time at which the record was created, in UTC.",
    "updated_at": "The time at which the record was last changed, in UTC.",
    "url": "The absolute address.",
    "email": "The email address, in lower case.",
    "first_name": "The given name.",
    "last_name": "The family name.",
    "phone": "The phone number, as it was entered.",
    "street": "The first line of the address.",
    "street2": "The second line of the address.",
    "city": "The city or town.",
    "state": "The state, province or region.",
    "postal_code": "The postal code.",
    "country": "The country: its ISO 3166 code, or its name as it was entered.",
    "latitude": "Degrees north of the equator.",
    "longitude": "Degrees east of Greenwich.",
    "notes": "Notes, as plain text.",
    "note": "A note, as plain text.",
    "body": "The text.",
    "message": "The message, as plain text.",
    "tags": "The tags, each once.",
    "quantity": "The number of pieces.",
    "visitors": "The number of visitors.",
    "pageviews": "The number of pages that were viewed.",
    "sessions": "The number of visits.",
    "conversions": "The number of goals that were reached.",
    "position": "The place in the order, from 0.",
    "open": "The time of opening, as `HH:MM`.",
    "close": "The time of closing, as `HH:MM`.",
    **{day[:3]: f"The opening hours on {day.capitalize()}." for day in ("monday", "tuesday", "wednesday", "thursday", "friday")},
    **{day[:3]: f"The opening hours on {day.capitalize()}." for day in ("saturday", "sunday")},
}


def describe_keys(schema: Any) -> None:
    """Add a description to each property in a schema that lacks one."""
    for properties in _properties(schema):
        for name, found in properties.items():
            if not found.get("description") and "$ref" not in found:
                found["description"] = BY_KEY.get(name) or _sentence(name)


def _properties(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, list):
        for each in schema:
            yield from _properties(each)
    elif isinstance(schema, dict):
        for key, each in schema.items():
            if key == "properties":
                yield each
                yield from _properties(list(each.values()))
            elif key not in {"example", "examples", "default", "enum", "const", "required"}:
                yield from _properties(each)


def _sentence(name: str) -> str:
    """Return a key as a sentence: that a time is in UTC, that a reference is an id."""
    words = name.replace("_", " ")
    if name.endswith("_at"):
        return f"{words.removesuffix(' at').capitalize()} at this time, in UTC; null if not."
    if name.endswith("_id"):
        return f"The id of the {words.removesuffix(' id')}."
    return f"The {words}."
