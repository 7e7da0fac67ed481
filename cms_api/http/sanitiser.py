"""Reads a JSON body and refuses at once any value that some part of the stack cannot handle.

Lone surrogates corrupt SQLite rows, PostgreSQL refuses NUL, deep nesting exhausts the stack, and numbers beyond 64 bits fit
no column.
"""

import math
from typing import Any

import orjson

from cms_api.core.errors import BadRequest, ErrorCollector

MAX_DEPTH = 64
MAX_NODES = 10_000
LARGEST_INTEGER = 2**63 - 1


def read_json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in a body.

    Raises BadRequest if it is not a JSON object (NaN, invalid UTF-8 and nesting over 64 included), Invalid for values that
    cannot be stored.
    """
    try:
        value = orjson.loads(body)
    except (orjson.JSONDecodeError, RecursionError) as problem:
        raise BadRequest from problem
    if not isinstance(value, dict):
        raise BadRequest("The request body must be a JSON object.")
    inspect(value)
    return value


def inspect(value: dict[str, Any]) -> None:
    """Refuse a parsed object that is too deep or too large, or contains text or numbers that cannot be stored."""
    collector = ErrorCollector()
    nodes = 0
    stack: list[tuple[Any, tuple[str, ...]]] = [(value, ())]
    while stack:
        current, path = stack.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise BadRequest(f"The request body contains more than {MAX_NODES} values.")
        if isinstance(current, dict | list):
            if len(path) >= MAX_DEPTH:
                raise BadRequest(f"The request body is nested more than {MAX_DEPTH} levels deep.")
            pairs = current.items() if isinstance(current, dict) else enumerate(current)
            stack.extend((inner, (*path, str(key))) for key, inner in pairs)
            if isinstance(current, dict) and any("\0" in key for key in current):
                collector.add(".".join(path), "A key contains a NUL character.")
        elif isinstance(current, str):
            if "\0" in current:
                collector.add(".".join(path), f"The {path[-1]} field must not contain NUL characters.")
        elif isinstance(current, float):
            if not math.isfinite(current):
                raise BadRequest
        elif isinstance(current, int) and abs(current) > LARGEST_INTEGER:
            collector.add(".".join(path), f"The {path[-1]} field is out of range.")
    collector.raise_if_any()
