"""Check after a run of the whole suite that tests used every declared operation with success.

Workers of pytest-xdist send their answers to the controller; a run of a part of the suite is not checked.
"""

import re
from typing import Any

import pytest
from django.db import connection

from cms_api.core import registry
from tests.client import SEEN

_UNUSED = pytest.StashKey[list[str]]()


def declared_operations() -> set[tuple[str, str]]:
    """Method and path template of every operation, HEAD left out."""
    found = set()
    for _, route in registry.routes():
        template = ("/api/v1/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route.path)).rstrip("/")
        found |= {(method, template) for method in route.methods if method != "HEAD"}
    return found


def unused_operations() -> list[str]:
    succeeded = {(method, template) for method, template, status in SEEN if 200 <= status < 300}
    return sorted(f"{method} {template}" for method, template in declared_operations() - succeeded)


def is_whole(config: pytest.Config) -> bool:
    """Whether the run takes the whole suite, with or without browser tests; on PostgreSQL it is always a part."""
    everything = {"", "tests", "tests/", str(config.rootpath), str(config.rootpath / "tests")}
    options = config.option
    narrowed = options.keyword or options.markexpr not in {"", "not browser"} or options.maxfail or options.collectonly
    is_selected = connection.vendor == "postgresql" or bool(getattr(options, "deselect", None))
    return set(config.args) <= everything and not narrowed and not is_selected


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["seen"] = [list(answer) for answer in SEEN]
    elif exitstatus == pytest.ExitCode.OK and is_whole(session.config):
        session.config.stash[_UNUSED] = unused_operations()
        if session.config.stash[_UNUSED]:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_testnodedown(node: Any) -> None:
    SEEN.update(tuple(answer) for answer in getattr(node, "workeroutput", {}).get("seen", ()))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    unused = config.stash.get(_UNUSED, [])
    if unused:
        terminalreporter.section("Operations that no test used with success", red=True)
        for operation in unused:
            terminalreporter.write_line(operation)
