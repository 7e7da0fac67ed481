"""Adds the rooms of the templates to those that an announced module has."""

import ast
from dataclasses import fields
from typing import NamedTuple

from cms_api.core.module import Module


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
    merged["events"] = "(" + "".join(f"{event}," for source in (existing, added) for event in _events(source)) + ")"
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
    """Return a declaration without one of its fields."""
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
    """Return what a declaration says, by field."""
    calls = (node.value for node in ast.parse(source).body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call))
    declared = next(call for call in calls if ast.unparse(call.func) == "Module")
    return {keyword.arg: keyword.value for keyword in declared.keywords if keyword.arg}


def _texts(source: str) -> dict[str, str]:
    """Return what a declaration says as it is written there, by field."""
    return {name: ast.get_source_segment(source, value) or "" for name, value in _fields(source).items()}


def _events(source: str) -> list[str]:
    events = _fields(source).get("events")
    return [ast.get_source_segment(source, event) or "" for event in (events.elts if isinstance(events, ast.Tuple) else ())]


def _declaration(texts: dict[str, str]) -> str:
    """Return the source of a declaration, in the order of the fields of `Module`."""
    said = [f"    {field.name}={texts[field.name]},\n" for field in fields(Module) if field.name in texts]
    return f"MODULE = Module(\n{''.join(said)})\n"
