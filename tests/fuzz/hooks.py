"""Hooks of schemathesis: three of four requests name records that exist, so that more than 404s is tested."""

import os
import zlib
from functools import cache
from typing import Any

import requests
import schemathesis

API, TOKEN = os.environ["FUZZ_API"], os.environ["FUZZ_TOKEN"]


@schemathesis.hook
def map_path_parameters(context: Any, path_parameters: dict[str, Any] | None) -> dict[str, Any] | None:
    """Replace valid values only: values that are meant to be refused stay as they are."""
    for parameter in context.operation.path_parameters if path_parameters else ():
        name, value = parameter.name, path_parameters[parameter.name]
        draw = zlib.crc32(repr(value).encode("utf-8", "surrogatepass"))
        is_valid = isinstance(value, str) or (
            parameter.definition["schema"]["type"] == "integer" and type(value) is int and value > 0
        )
        found = known(context.operation.path, name) if is_valid and draw % 4 else ()
        if found:
            path_parameters[name] = found[draw // 4 % len(found)]
    return path_parameters


@schemathesis.hook
def map_query(context: Any, query: dict[str, Any] | None) -> dict[str, Any] | None:
    """Image slots are those of a page."""
    if query and context.operation.path.endswith("/pages/images") and len(str(query.get("page", ""))) % 2:
        query["page"] = "home"
    return query


@cache
def known(path: str, name: str) -> tuple[Any, ...]:
    """The records in the list above a path parameter: their slugs, or their ids."""
    above = path.partition("/{" + name + "}")[0].removeprefix("/api/v1")
    for part in above.split("/"):
        if part.startswith("{"):
            above = above.replace(part, str(known(path, part[1:-1])[0]))
    headers = {"Authorization": f"Bearer {TOKEN}"}
    records = requests.get(f"{API}{above}?per_page=100&status=all", headers=headers, timeout=20).json().get("data", [])
    return tuple(record["slug" if name == "slug" else "id"] for record in records)
