"""Finds what no transaction may wait for: imports of modules, connections to servers, name look-ups, and other programs.

`watch` looks at the audit events of this process, which Python raises for all of these. Each is noted with the place in
our code, and not prevented: an error could be caught there.
"""

import ast
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import connection

ROOT = Path(__file__).resolve().parents[1]
#: Our code, but for that of tests, which may import what they like.
OURS = tuple(f"{ROOT / name}/" for name in ("cms_api", "commerce", "events", "home", "site"))

#: Small modules that Python imports when it needs them: tables of encodings, empty packages of time zones, parsing of dates.
_SMALL = re.compile(r"/(encodings|tzdata)/|/_strptime\.py$")

#: The work done in transactions, and its place, since this was last cleared.
found: list[str] = []
_state = threading.local()
_is_watching = False


def watch() -> None:
    """Look at what this process does from now on. It cannot be ended."""
    global _is_watching
    if not _is_watching:
        _is_watching = True
        sys.addaudithook(_audit)


def _module(code: Any) -> str:
    # Other code that is executed is that of data classes and the like.
    is_module = code.co_name == "<module>" and code.co_filename.endswith(".py")
    return f"imports {code.co_filename}" if is_module and not _SMALL.search(code.co_filename) else ""


def _extension(name: str, path: str | None, *_: Any) -> str:
    return f"imports {path}" if path else ""


def _connection(_: Any, address: Any) -> str:
    return "" if _is_ours(address) else f"connects to {address}"


def _look_up(host: Any, port: Any, *_: Any) -> str:
    return "" if _is_ours((host, port)) else f"looks {host} up"


def _program(program: Any, *_: Any) -> str:
    # A backup copies the database as one transaction sees it, which only reads.
    return "" if program == "pg_dump" else f"runs {program}"


#: A function of the arguments of each audit event that returns what is done, if it is too much.
_EVENTS: dict[str, Callable[..., str]] = {
    "exec": _module,
    "import": _extension,
    "socket.connect": _connection,
    "socket.getaddrinfo": _look_up,
    "subprocess.Popen": _program,
}


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    describe = _EVENTS.get(event)
    if describe is None or getattr(_state, "is_looking", False):
        return
    _state.is_looking = True
    try:
        if (done := describe(*arguments)) and is_in_transaction() and (place := _place()):
            found.append(f"{done}\n{place}")
    finally:
        _state.is_looking = False


def is_in_transaction() -> bool:
    """Return whether this thread is in a transaction, other than the one that is around a test."""
    return connection.in_atomic_block and not connection.atomic_blocks[-1]._from_testcase


def _is_ours(address: Any) -> bool:
    """Return whether this is the address of the database or of Redis, or a path."""
    if not isinstance(address, tuple):
        return True
    host, port = address[:2]
    database, redis = settings.DATABASES["default"], urlsplit(settings.REDIS_URL or "")
    known = {(database.get("HOST"), str(database.get("PORT") or 5432)), (redis.hostname, str(redis.port or 6379))}
    return (host, str(port)) in known


def imports_in_functions() -> Iterator[tuple[Path, str]]:
    """Yield the modules that functions of ours import, but for those that run when the apps are set up, or in other processes."""
    for folder in OURS:
        for path in sorted(Path(folder).rglob("*.py")):
            if path.name != "apps.py" and not {"migrations", "module_template", "processing"} & set(path.parts):
                for function in ast.walk(ast.parse(path.read_text())):
                    if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                        yield from ((path, name) for node in ast.walk(function) for name in _imported(path, node))


def _imported(path: Path, node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names)
    elif isinstance(node, ast.ImportFrom):
        package = ".".join(path.relative_to(ROOT).with_suffix("").parts[: -node.level]) if node.level else ""
        yield ".".join(filter(None, (package, node.module)))


def _place() -> str:
    """Return the lines of our code that have led here, the last one first; none if a test did this itself."""
    frames = [frame for frame, _ in traceback.walk_stack(None) if frame.f_code.co_filename.startswith(str(ROOT))]
    ours = [frame for frame in frames if frame.f_code.co_filename.startswith(OURS)]
    return "\n".join(f"  {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_qualname}" for frame in ours[:8])


@contextmanager
def noted() -> Iterator[list[str]]:
    """Yield a list that has at the end of the block what was found in it, which no test fails for."""
    before, mine = found.copy(), list[str]()
    found.clear()
    try:
        yield mine
    finally:
        mine += found
        found[:] = before
