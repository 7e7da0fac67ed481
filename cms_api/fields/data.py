"""Validation of the whole `data` object of a content item against the fields of its type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cms_api.core.errors import ErrorCollector, Invalid, required_message
from cms_api.fields.base import FIELD_TYPES
from cms_api.fields.definition import Context, Field


def clean_data(
    fields: Iterable[Field], data: Any, *, context: Context, partial: bool = False, enforce_required: bool = True
) -> dict[str, Any]:
    """Return the values to store, by key. Raises Invalid with all errors, under `data.<key>`.

    `partial` (a PATCH) returns and checks only the keys that were sent; otherwise missing keys get their default or null.
    `enforce_required=False` lets a draft omit required fields.
    """
    if not isinstance(data, Mapping):
        raise Invalid({"data": "The data field must be an object."})
    errors = ErrorCollector()
    cleaned: dict[str, Any] = {}
    for field in fields:
        if field.key not in data:
            if partial:
                continue
            value = field.default
        else:
            value = data[field.key]
        kind = FIELD_TYPES[field.type]
        with errors.under(f"data.{field.key}"):
            if field.required and enforce_required and value in ([], {}):
                raise Invalid({"": required_message(field.key)})
            stored = kind.clean(field, value, context)
            if field.required and enforce_required and kind.lacks(stored):
                raise Invalid({"": required_message(field.key)})
            cleaned[field.key] = stored
    errors.raise_if_any()
    return cleaned
