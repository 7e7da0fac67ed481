"""The base class of field types, their registry, and the checks that all of them share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from cms_api.core.errors import Invalid, attribute

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field

JsonSchema = dict[str, Any]

LINE_LIMIT = 255


class FieldPath(NamedTuple):
    """The position of a value: its path relative to the field ("" is the field itself) and its name in error messages."""

    path: str
    key: str

    def inside(self, key: str) -> FieldPath:
        return FieldPath(f"{self.path}.{key}" if self.path else key, key)

    def refusal(self, rest: str) -> Invalid:
        return Invalid({self.path: f"The {attribute(self.key)} field {rest}"})


class FieldType:
    """One kind of field. `clean` does not enforce required fields: `clean_data` does, through `lacks`."""

    name: ClassVar[str] = ""
    takes_options: ClassVar[bool] = False
    takes_multiple: ClassVar[bool] = False

    def clean(self, field: Field, value: Any, context: Context) -> Any:
        """Return the JSON-serializable value to store. Raises Invalid with paths relative to the field."""
        where = FieldPath("", field.key)
        if isinstance(value, str):
            value = storable(value, where).strip()
        if value is None or value == "":
            return self.nothing()
        return self.parse(field, value, where, context)

    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> Any:
        """Parse a value that is neither null nor empty. Strings arrive trimmed and storable."""
        raise NotImplementedError

    def nothing(self) -> Any:
        """Return the value stored for null and the empty string."""
        return None

    def lacks(self, stored: Any) -> bool:
        """Return whether this stored value leaves a required field unfilled."""
        return stored is None or stored == []

    def clean_default(self, field: Field, value: Any, context: Context) -> Any:
        return self.clean(field, value, context)

    def serialize(self, field: Field, stored: Any, context: Context) -> Any:
        return stored

    def json_schema(self, field: Field, *, writing: bool) -> JsonSchema:
        """Return a JSON Schema 2020-12 fragment of the value as it is sent (`writing`) or returned."""
        fragment = self.shape(field, writing=writing)
        if not (writing and field.required):
            fragment = nullable(fragment)
        described = {"title": field.label, "description": field.help_text}
        return {key: text for key, text in described.items() if text} | fragment

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        raise NotImplementedError

    def find_ignored(self, sent: Any) -> list[str]:
        """Return the parts of a sent text that are not stored."""
        return []

    def search_text(self, field: Field, stored: Any) -> str:
        return ""


FIELD_TYPES: dict[str, FieldType] = {}


def register(name: str) -> Callable[[type[FieldType]], type[FieldType]]:
    def add(cls: type[FieldType]) -> type[FieldType]:
        cls.name = name
        FIELD_TYPES[name] = cls()
        return cls

    return add


def nullable(fragment: JsonSchema) -> JsonSchema:
    if "type" not in fragment:
        return {"anyOf": [fragment, {"type": "null"}]}
    widened = fragment | {"type": [fragment["type"], "null"]}
    if "enum" in fragment:
        widened["enum"] = [*fragment["enum"], None]
    return widened


def storable(text: str, where: FieldPath) -> str:
    """Refuse characters that PostgreSQL or UTF-8 cannot store: NUL and lone surrogates."""
    if "\0" not in text:
        if text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            pass
        else:
            return text
    raise where.refusal("contains characters that are not allowed.")


def read_text(value: Any, where: FieldPath, limit: int) -> str | None:
    """Return a trimmed string, or None for null and the empty string."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise where.refusal("must be a string.")
    text = storable(value, where).strip()
    if len(text) > limit:
        raise where.refusal(f"must not be greater than {limit} characters.")
    return text or None


def read_line(value: Any, where: FieldPath, limit: int = LINE_LIMIT) -> str | None:
    text = read_text(value, where, limit)
    if text is not None and len(text.splitlines()) > 1:
        raise where.refusal("must be a single line.")
    return text


def read_object(value: Any, where: FieldPath) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise where.refusal("must be an object.")
    return value


def read_list(value: Any, where: FieldPath, limit: int) -> list[Any]:
    if not isinstance(value, list):
        raise where.refusal("must be an array.")
    if len(value) > limit:
        raise where.refusal(f"must not have more than {limit} items.")
    return value
