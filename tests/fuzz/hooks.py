"""Hooks of schemathesis: three of four requests name records that exist, so that more than 404s is tested."""

import os
import re
import zlib
from collections.abc import Iterator
from functools import cache
from typing import Any

import requests
import schemathesis

API, TOKEN = os.environ["FUZZ_API"], os.environ["FUZZ_TOKEN"]


@schemathesis.hook
def map_path_parameters(context: Any, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Replace valid values only: values that are meant to be refused stay as they are."""
    for parameter in context.operation.path_parameters:
        if parameter.name not in (path_parameters or {}):
            continue
        name, value = parameter.name, path_parameters[parameter.name]
        draw = zlib.crc32(repr(value).encode("utf-8", "surrogatepass"))
        if draw % 4 and is_valid(value, parameter.definition["schema"]):
            found = known(context.operation.label, context.operation.path, name)
            path_parameters[name] = found[draw // 4 % len(found)] if found else value
    return path_parameters


def is_valid(value: Any, schema: dict[str, Any]) -> bool:
    if schema["type"] == "integer":
        return type(value) is int and value > 0
    return isinstance(value, str) and re.search(schema.get("pattern", ""), value) is not None


@schemathesis.hook
def filter_body(context: Any, body: Any) -> bool:
    """Leave out what a schema says and a request cannot, or the other way round.

    The length of a text is counted without white space around it. A form has only texts: an empty list is not sent at all, and a
    number is sent as a text.
    """
    is_form = any(each.media_type == "multipart/form-data" for each in context.operation.body)
    if is_form and isinstance(body, dict) and any(isinstance(value, list | dict | int | float) for value in body.values()):
        return False
    return all(text == text.strip() for text in texts(body))


@schemathesis.hook
def filter_query(context: Any, query: Any) -> bool:
    return all(text == text.strip() for text in texts(query))


def texts(body: Any) -> Iterator[str]:
    if isinstance(body, str):
        yield body
    elif isinstance(body, dict | list):
        for each in body.values() if isinstance(body, dict) else body:
            yield from texts(each)


@schemathesis.hook
def map_query(context: Any, query: dict[str, Any] | None) -> dict[str, Any] | None:
    """Image slots are those of a page."""
    if query and context.operation.path.endswith("/pages/images") and len(str(query.get("page", ""))) % 2:
        query["page"] = "home"
    return query


@cache
def known(operation: str, path: str, name: str) -> tuple[Any, ...]:
    """The records in the list above a path parameter, as an operation finds them: their slugs, or their ids."""
    above = path.partition("/{" + name + "}")[0].removeprefix("/api/v1")
    for part in above.split("/"):
        if part.startswith("{"):
            found = known(operation, path, part[1:-1])
            if not found:
                return ()
            above = above.replace(part, str(found[0]))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    records = requests.get(f"{API}{above}?per_page=100&status=all", headers=headers, timeout=20).json().get("data", [])
    return tuple(record["slug" if name == "slug" else "id"] for record in records)
