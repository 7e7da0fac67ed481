"""Writes a line of JSON about each transaction on SQLite: where it began, its milliseconds, and what it should not have done."""

import cProfile
import json
import os
import pstats
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cms_api.core.sqlite import base
from tests import transactions

TRACE = Path(os.environ["TRANSACTIONS_TRACE"])
#: Milliseconds from which on a transaction's functions are listed; it takes twice as long if they are.
PROFILED = float(os.environ.get("TRANSACTIONS_PROFILE") or 0)


@dataclass
class Open:
    """A transaction that goes on."""

    kind: str
    places: list[str]
    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=time.thread_time)
    found: int = field(default_factory=lambda: len(transactions.found))
    statements: int = 0
    profile: cProfile.Profile | None = None


class DatabaseWrapper(base.DatabaseWrapper):
    """Ours, measured from the moment that it has SQLite's lock until the commit has returned."""

    _open: Open | None = None

    def set_autocommit(self, autocommit: bool, force_begin_transaction_with_broken_autocommit: bool = False) -> None:
        super().set_autocommit(autocommit, force_begin_transaction_with_broken_autocommit)
        if autocommit:
            return
        self._open = Open(*_origin())
        if PROFILED:
            self._open.profile = cProfile.Profile()
            try:
                self._open.profile.enable()
            except ValueError:
                self._open.profile = None

    def create_cursor(self, name: str | None = None) -> Any:
        if self._open:
            self._open.statements += 1
        return super().create_cursor(name)

    def commit(self) -> None:
        super().commit()
        self._end("commit")

    def rollback(self) -> None:
        super().rollback()
        self._end("rollback")

    def _end(self, how: str) -> None:
        ended, self._open = self._open, None
        if ended is None:
            return
        wall, cpu = time.perf_counter() - ended.wall, time.thread_time() - ended.cpu
        line = {
            "kind": ended.kind,
            "places": ended.places,
            "how": how,
            "wall_ms": 1000 * wall,
            "cpu_ms": 1000 * cpu,
            "statements": ended.statements,
            "found": transactions.found[ended.found :],
        }
        if ended.profile:
            ended.profile.disable()
            if 1000 * cpu >= PROFILED:
                line["profile"] = _functions(ended.profile)
        with TRACE.open("a") as file:
            file.write(json.dumps(line) + "\n")


def _origin() -> tuple[str, list[str]]:
    """Return the function that a transaction is around, and the lines of our code that led there."""
    kind, places = "", list[str]()
    for frame, line in traceback.walk_stack(None):
        code = frame.f_code
        if code.co_filename.endswith("contextlib.py") and code.co_name == "inner" and not kind and not places:
            # The wrapper of a decorated function.
            function = frame.f_locals["func"]
            kind = f"{function.__module__}.{function.__qualname__}"
        elif code.co_filename.startswith(transactions.OURS) and "/core/sqlite/" not in code.co_filename:
            path = Path(code.co_filename).relative_to(transactions.ROOT).with_suffix("")
            kind = kind or f"{'.'.join(path.parts)}.{code.co_qualname}"
            places.append(f"{path}.py:{line} {code.co_qualname}")
    return kind or "unknown", places[:12]


def _functions(profile: cProfile.Profile) -> list[str]:
    stats: Any = pstats.Stats(profile)
    rows = sorted(stats.stats.items(), key=lambda item: -item[1][3])[:60]
    return [
        f"{1000 * each[3]:8.1f} ms {each[1]:6} x {name[0].rpartition('site-packages/')[2]}:{name[1]} {name[2]}"
        for name, each in rows
    ]
