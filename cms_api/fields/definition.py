"""The definition of one field of a content type, read from JSON and shown as JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar
from zoneinfo import ZoneInfo

from cms_api.core.errors import ErrorCollector, Invalid, invalid_choice, required_message, taken_message
from cms_api.fields.base import FIELD_TYPES, FieldPath, FieldType, read_line, read_text
from cms_api.fields.numeric import read_flag

HELP_LIMIT = 1000
OPTIONS_LIMIT = 500
_KEY = re.compile(r"[a-z][a-z0-9_]{0,49}")


@dataclass(frozen=True, slots=True)
class Context:
    """The context that a value is interpreted in besides its field: the site's timezone."""

    timezone: ZoneInfo


class Option(NamedTuple):
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    key: str
    label: str
    type: str
    required: bool = False
    help_text: str = ""
    default: Any = None
    options: tuple[Option, ...] = ()
    multiple: bool = False
    facet: bool = False
    unique: bool = False
    hierarchical: bool = False

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any]) -> Field:
        """Read a definition. Raises Invalid with every mistake in it, including an invalid default."""
        if not isinstance(mapping, Mapping):
            raise Invalid({"": "The field must be an object."})
        errors = ErrorCollector()
        parts: dict[str, Any] = {}
        with errors.under():
            parts["key"] = read_key(mapping.get("key"))
        with errors.under():
            parts["label"] = read_required_line(mapping.get("label"), "label")
        with errors.under():
            parts["help_text"] = read_text(mapping.get("help_text"), FieldPath("help_text", "help_text"), HELP_LIMIT) or ""
        for flag in ("required", "multiple", "facet", "unique", "hierarchical"):
            with errors.under():
                parts[flag] = bool(read_flag(mapping.get(flag), FieldPath(flag, flag)))
        with errors.under():
            parts["type"] = _read_type(mapping.get("type"))
            kind = FIELD_TYPES[parts["type"]]
            with errors.under():
                parts["options"] = _read_options(kind, mapping.get("options"))
            if parts.get("multiple") and not kind.takes_multiple:
                errors.add("multiple", f"The multiple field does not apply to the type {kind.name}.")
            if parts.get("hierarchical") and kind.name != "taxonomy":
                errors.add("hierarchical", f"The hierarchical field does not apply to the type {kind.name}.")
        errors.raise_if_any()
        if (default := mapping.get("default")) is not None:
            with errors.under("default"):
                parts["default"] = kind.clean_default(cls(**parts), default, Context(ZoneInfo("UTC")))
        errors.raise_if_any()
        return cls(**parts)

    def as_dict(self) -> dict[str, Any]:
        """Return the field as content types show it over the API."""
        return {
            "key": self.key,
            "label": self.label,
            "type": self.type,
            "required": self.required,
            "help_text": self.help_text,
            "default": self.default,
            "options": [option._asdict() for option in self.options] or None,
            "multiple": self.multiple,
            "facet": self.facet,
            "unique": self.unique,
        }


def parse_fields(definitions: Any) -> tuple[Field, ...]:
    """Read a type's whole list of fields. Errors are keyed by the index of the definition, as in `2.key`."""
    return parse_definitions(definitions, Field.from_dict)


class Keyed(Protocol):
    @property
    def key(self) -> str: ...


Definition = TypeVar("Definition", bound=Keyed)


def parse_definitions(definitions: Any, read: Callable[[Any], Definition]) -> tuple[Definition, ...]:
    """Read each definition of a list and refuse duplicate keys. Raises Invalid with errors keyed by index."""
    if not isinstance(definitions, list | tuple):
        raise Invalid({"": "The fields must be an array."})
    errors = ErrorCollector()
    found: dict[str, Definition] = {}
    for index, definition in enumerate(definitions):
        with errors.under(str(index)):
            each = read(definition)
            if each.key in found:
                raise Invalid({"key": taken_message("key")})
            found[each.key] = each
    errors.raise_if_any()
    return tuple(found.values())


def read_key(value: Any) -> str:
    key = read_required_line(value, "key")
    if not _KEY.fullmatch(key):
        raise Invalid(
            {"key": "The key field must be a letter followed by letters, digits and underscores, all lowercase, at most 50."}
        )
    return key


def _read_type(value: Any) -> str:
    name = read_required_line(value, "type")
    if name not in FIELD_TYPES:
        raise Invalid({"type": invalid_choice("type")})
    return name


def read_required_line(value: Any, path: str) -> str:
    text = read_line(value, FieldPath(path, path.rsplit(".", 1)[-1]))
    if text is None:
        raise Invalid({path: required_message(path)})
    return text


def _read_options(kind: FieldType, value: Any) -> tuple[Option, ...]:
    if not kind.takes_options:
        if value:
            raise Invalid({"options": f"The options field does not apply to the type {kind.name}."})
        return ()
    if not value:
        raise Invalid({"options": required_message("options")})
    if not isinstance(value, list | tuple) or len(value) > OPTIONS_LIMIT:
        raise Invalid({"options": f"The options field must be an array of at most {OPTIONS_LIMIT} items."})
    errors = ErrorCollector()
    options: dict[str, Option] = {}
    for index, entry in enumerate(value):
        path = f"options.{index}"
        if not isinstance(entry, Mapping):
            errors.add(path, "Each option must be an object with value and label.")
            continue
        with errors.under():
            option_value = read_required_line(entry.get("value"), f"{path}.value")
            label = read_line(entry.get("label"), FieldPath(f"{path}.label", "label")) or option_value
            if option_value in options:
                raise Invalid({f"{path}.value": taken_message("value")})
            options[option_value] = Option(option_value, label)
    errors.raise_if_any()
    return tuple(options.values())
