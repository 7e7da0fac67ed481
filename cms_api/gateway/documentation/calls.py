"""The request of an operation, with examples from the OpenAPI document, and the JSON of the form that sends it."""

import json
import re
from collections.abc import Iterator
from typing import Any

from django.utils.safestring import SafeString, mark_safe

from .types import Call, Field

Schema = dict[str, Any]

_FILE_NAME = re.compile(r"[\w-]+\.\w+")
#: As in Django's `json_script`: no text can end the element.
_IN_SCRIPT = {ord(sign): f"\\u{ord(sign):04X}" for sign in "<>&"}


def call_of(method: str, path: str, found: Schema, *, body: Schema, schema: Schema, answer: Schema) -> Call:
    """Return the request of an operation; `schema` is that of the body, without references."""
    record = _record(example_of(answer))
    is_multipart = "multipart/form-data" in found.get("requestBody", {}).get("content", {})
    body_example = example_of(body)
    fields = [_parameter(each, record) for each in found.get("parameters", [])]
    if is_multipart:
        fields += _parts(schema, body_example or {})
    return Call(
        method=method.upper(),
        path=path,
        needs_token="x-required-ability" in found,
        fields=fields,
        body={} if body and body_example is None else body_example,
        is_multipart=is_multipart,
    )


def form(call: Call) -> SafeString:
    """Return what a script needs to build the form, as JSON that is safe inside a script element."""
    fields = [
        {"name": each.name, "place": each.place}
        | ({"required": True} if each.required else {})
        | ({"example": each.example} if each.example else {})
        | ({"options": each.options} if each.options else {})
        | ({"file": True} if each.is_file else {})
        for each in call.fields
    ]
    values: dict[str, Any] = {"method": call.method, "path": call.path, "token": call.needs_token, "fields": fields}
    if call.is_multipart:
        values["multipart"] = True
    elif call.body is not None:
        values["body"] = call.body
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return mark_safe(text.translate(_IN_SCRIPT))


def example_of(content: Schema) -> Any:
    """Return the example of a media type object, None if it has none."""
    for example in content.get("examples", {}).values():
        return example["value"]
    return content.get("example")


def _record(answer: Any) -> dict[str, Any]:
    """Return the record in an example of a response, single or the first of a list."""
    data = answer.get("data") if isinstance(answer, dict) else None
    one = data[0] if isinstance(data, list) and data else data
    return one if isinstance(one, dict) else {}


def _parameter(found: Schema, record: dict[str, Any]) -> Field:
    name, schema, place = found["name"], found.get("schema", {}), found["in"]
    # The values of filters are examples only where they are needed: a request has none of the others.
    needed = found.get("required", False)
    return Field(
        name=name,
        place=place,
        required=needed,
        example=_value(name, schema, record) if needed else str(schema.get("default", "")),
        options=[str(value) for value in schema.get("enum", ())],
    )


def _value(name: str, schema: Schema, record: dict[str, Any]) -> str:
    """Return a value for a required parameter: that of the example's record, or else its name."""
    known = [*schema.get("examples", ()), *schema.get("enum", ()), record.get(f"{name}_id"), record.get(name), record.get("id")]
    return next((str(value) for value in known if isinstance(value, int | str)), name)


def _parts(schema: Schema, example: Schema) -> Iterator[Field]:
    """Yield the parts of a multipart body."""
    for name, inner in schema.get("properties", {}).items():
        value, is_file = example.get(name, ""), inner.get("format") == "binary"
        text = value if isinstance(value, str) else json.dumps(value)
        if is_file:
            # The example of a file is a sentence that names it.
            named = _FILE_NAME.search(text)
            text = named[0] if named else name
        yield Field(name, "body", name in schema.get("required", ()), text, is_file=is_file)
