"""One or several of the options that the field declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cms_api.core.errors import Invalid, invalid_choice
from cms_api.fields.base import FieldPath, FieldType, JsonSchema, read_list, register
from cms_api.fields.definition import OPTIONS_LIMIT

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field


@register("radio")
class Radio(FieldType):
    takes_options = True

    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> Any:
        return _read_many(field, value, where) if self.is_many(field) else _read_one(field, value, where)

    def is_many(self, field: Field) -> bool:
        return False

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        one: JsonSchema = {"type": "string"}
        # Options may have been removed since a value was stored, so responses are not restricted to the current list.
        if writing:
            one["enum"] = [option.value for option in field.options]
        if not self.is_many(field):
            return one
        many: JsonSchema = {"type": "array", "items": one}
        return many | {"minItems": 1} if writing and field.required else many

    def search_text(self, field: Field, stored: Any) -> str:
        chosen = stored if isinstance(stored, list) else [stored]
        return " ".join(option.label for option in field.options if option.value in chosen)


@register("select")
class Select(Radio):
    takes_multiple = True

    def is_many(self, field: Field) -> bool:
        return field.multiple


@register("checkbox")
class Checkbox(Radio):
    takes_multiple = True

    def is_many(self, field: Field) -> bool:
        return True


def _read_one(field: Field, value: Any, where: FieldPath) -> str:
    if isinstance(value, str):
        for option in field.options:
            if option.value == value.strip():
                return option.value
    raise Invalid({where.path: invalid_choice(where.key, (option.value for option in field.options))})


def _read_many(field: Field, value: Any, where: FieldPath) -> list[str]:
    chosen = [_read_one(field, entry, where) for entry in read_list(value, where, OPTIONS_LIMIT)]
    return list(dict.fromkeys(chosen))
