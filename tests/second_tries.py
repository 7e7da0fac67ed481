"""A pytest plugin that lists the browser tests which needed a second try, and fails a run with three of them."""

from typing import Any

import pytest

#: Second tries from which on a run fails.
TOO_MANY_TESTS = 3


def pytest_sessionfinish(session: pytest.Session) -> None:
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and len(_names(terminal)) >= TOO_MANY_TESTS and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any) -> None:
    found = _names(terminalreporter)
    if found:
        terminalreporter.section("Tests that needed a second try")
        for name in found:
            terminalreporter.write_line(name)
    if len(found) >= TOO_MANY_TESTS:
        terminalreporter.write_line(f"{len(found)} tests needed a second try, which fails the run.", red=True)


def _names(terminal: Any) -> list[str]:
    """The tests of this run, in all of its processes, that were tried again."""
    return sorted({report.nodeid for report in terminal.stats.get("rerun", ())})
