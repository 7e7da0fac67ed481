"""Adds the rooms of the templates to those that an announced module has."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NamedTuple

from cms_api.core.module import Admin, Api, Module, Pages, Records

PARTS: dict[str, type[Any]] = {"api": Api, "pages": Pages, "admin": Admin, "records": Records}


class Room(NamedTuple):
    """The source of a room, in parts."""

    docstring: str
    imports: str
    body: str


def merge_rooms(existing: str, added: str) -> str:
    """Return the source of a room with what another one imports and defines; imports are left unsorted."""
    ours, theirs = _parts(existing), _parts(added)
    return _join(ours, theirs.imports, f"{ours.body.rstrip()}\n\n\n{theirs.body}")


def merge_declarations(existing: str, added: str) -> str:
    """Return an announced declaration with the fields that another one adds, and with the events of both."""
    merged = {**_texts(added), **_texts(existing)}
    merged["api.events"] = "(" + "".join(f"{event}," for source in (existing, added) for event in _events(source)) + ")"
    parts = _parts(existing)
    constants = parts.body[: parts.body.index("MODULE = ")]
    return _join(parts, _parts(added).imports, constants + _declaration(merged))


def title(declaration: str) -> str:
    """Return the title of a declared module."""
    return str(ast.literal_eval(_fields(declaration)["title"]))


def event_kinds(declaration: str) -> list[str]:
    """Return the kinds of webhook events that a module declares."""
    calls = [ast.parse(event, mode="eval").body for event in _events(declaration)]
    return [str(ast.literal_eval(call.args[0])) for call in calls if isinstance(call, ast.Call)]


def leave_out(source: str, field: str) -> str:
    """Return a declaration without one of its fields, `feature` or `api.abilities`."""
    kept = {name: text for name, text in _texts(source).items() if name != field}
    return _join(_parts(source), "", _declaration(kept))


def _parts(source: str) -> Room:
    lines = source.splitlines(keepends=True)
    statements = ast.parse(source).body
    docstring = statements[0].end_lineno or 0
    imports = max(node.end_lineno or 0 for node in statements if isinstance(node, ast.Import | ast.ImportFrom))
    return Room("".join(lines[:docstring]), "".join(lines[docstring:imports]), "".join(lines[imports:]).strip() + "\n")


def _join(room: Room, more_imports: str, body: str) -> str:
    return f"{room.docstring}\n{room.imports.strip()}\n{more_imports.strip()}\n\n{body}"


def _fields(source: str) -> dict[str, ast.expr]:
    """Return what a declaration says, by field; those of its parts as `api.routes`."""
    calls = (node.value for node in ast.parse(source).body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call))
    declared = next(call for call in calls if ast.unparse(call.func) == "Module")
    found: dict[str, ast.expr] = {}
    for name, value in _keywords(declared):
        if name in PARTS and isinstance(value, ast.Call):
            found |= {f"{name}.{field}": part for field, part in _keywords(value)}
        else:
            found[name] = value
    return found


def _keywords(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    return ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)


def _texts(source: str) -> dict[str, str]:
    """Return what a declaration says as it is written there, by field."""
    return {name: ast.get_source_segment(source, value) or "" for name, value in _fields(source).items()}


def _events(source: str) -> list[str]:
    events = _fields(source).get("api.events")
    return [ast.get_source_segment(source, event) or "" for event in (events.elts if isinstance(events, ast.Tuple) else ())]


def _declaration(texts: dict[str, str]) -> str:
    """Return the source of a declaration, in the order of the fields of `Module`."""
    said = "".join(_argument(each.name, texts) for each in fields(Module))
    return f"MODULE = Module(\n{said})\n"


def _argument(field: str, texts: dict[str, str]) -> str:
    """Return what a declaration says about a field or a part, as an argument; empty if it says nothing."""
    part = PARTS.get(field)
    if part is None:
        return f"    {field}={texts[field]},\n" if field in texts else ""
    paths = {each.name: f"{field}.{each.name}" for each in fields(part)}
    said = "".join(f"        {name}={texts[path]},\n" for name, path in paths.items() if path in texts)
    return f"    {field}={part.__name__}(\n{said}    ),\n" if said else ""
