"""Links to taxonomy terms and content items. Only the format is checked; the content module checks that targets exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cms_api.core.errors import Invalid, invalid_choice
from cms_api.fields.base import LINE_LIMIT, FieldPath, FieldType, JsonSchema, read_line, read_list, register
from cms_api.fields.numeric import INTEGER_MAX

if TYPE_CHECKING:
    from cms_api.fields.definition import Context, Field

REFERENCES_LIMIT = 1000
_ID: JsonSchema = {"type": "integer", "minimum": 1, "maximum": INTEGER_MAX}


@register("taxonomy")
class Taxonomy(FieldType):
    takes_multiple = True

    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> list[int | str]:
        entries = read_list(value, where, REFERENCES_LIMIT) if isinstance(value, list) else [value]
        refs = list(dict.fromkeys(_read_term(entry, where) for entry in entries))
        if len(refs) > 1 and not field.multiple:
            raise where.refusal("must not have more than 1 item.")
        return refs

    def nothing(self) -> list[int | str]:
        return []

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        ref = {"anyOf": [_ID, {"type": "string", "minLength": 1, "maxLength": LINE_LIMIT}]}
        refs: JsonSchema = {"type": "array", "items": ref, "maxItems": REFERENCES_LIMIT if field.multiple else 1}
        if not writing:
            return refs
        return {"anyOf": [ref, refs | {"minItems": 1} if field.required else refs]}


@register("relation")
class Relation(FieldType):
    takes_multiple = True

    def parse(self, field: Field, value: Any, where: FieldPath, context: Context) -> int | list[int]:
        if not field.multiple:
            return _read_id(value, where)
        entries = read_list(value, where, REFERENCES_LIMIT) if isinstance(value, list) else [value]
        return list(dict.fromkeys(_read_id(entry, where) for entry in entries))

    def shape(self, field: Field, *, writing: bool) -> JsonSchema:
        if not field.multiple:
            return _ID
        ids: JsonSchema = {"type": "array", "items": _ID, "maxItems": REFERENCES_LIMIT}
        if not writing:
            return ids
        return {"anyOf": [_ID, ids | {"minItems": 1} if field.required else ids]}


def _read_id(value: Any, where: FieldPath) -> int:
    if isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value <= INTEGER_MAX and value == int(value):
        return int(value)
    raise Invalid({where.path: invalid_choice(where.key)})


def _read_term(value: Any, where: FieldPath) -> int | str:
    if not isinstance(value, str):
        return _read_id(value, where)
    if (slug := read_line(value, where)) is None:
        raise Invalid({where.path: invalid_choice(where.key)})
    return slug
