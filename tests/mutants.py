"""Measures which small faults in the functions of a package the tests notice: `python -m tests.mutants --help`.

Each mutant is one change to one function: another comparison, a number one higher, a call left out. All tests run once with
the code as it is, to learn which functions each of them calls. Then a process is forked for each mutant, in which the function
gets the changed code and the tests that call it run, the fastest first, until one fails. The mutants are the same for the same
seed and source.

The tests run in forked processes alone, the first time too: a library that has started threads, as the one that typesets, waits
for them for ever in a process that is forked afterwards, and each test that needs it would seem to have noticed a mutant.
"""

import argparse
import ast
import builtins
import copy
import gc
import json
import os
import random
import shutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from django.db import connections

_NOTE = "_note_call_of_function"
#: Tests that only need a database.
FIRST = "tests/core/test_versions.py"
_OPERATORS: dict[type[Any], type[Any]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    path: str
    function: str
    #: The place of the changed node among those of the function, in the order of `ast.walk`.
    node: int
    line: int
    change: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.function}: {self.change}"


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{each.name}", each) for each in node.body if isinstance(each, ast.FunctionDef))


def _change(node: ast.AST) -> str | None:
    """Change a node in place, and return in words how; None if it is left as it is."""
    before = ast.unparse(node).partition("\n")[0] if isinstance(node, ast.expr | ast.stmt) else ""
    match node:
        case ast.Compare(ops=[first, *_]) if type(first) in _OPERATORS:
            node.ops[0] = _OPERATORS[type(first)]()
        case ast.BoolOp() | ast.BinOp() if type(node.op) in _OPERATORS:
            node.op = _OPERATORS[type(node.op)]()
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.Return(value=ast.expr() as returned) if not _is_none(returned):
            node.value = ast.Constant(None)
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
            return f"{before[:70]} -> left out"
        case _:
            return None
    return f"{before[:70]} -> {ast.unparse(ast.fix_missing_locations(node)).partition(chr(10))[0][:70]}"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def find_mutants(package: Path) -> list[Mutant]:
    """Return all mutants of the functions in the modules of a package."""
    found = []
    for path in sorted(package.rglob("*.py")):
        for name, function in _functions(ast.parse(path.read_text())):
            for place, node in enumerate(ast.walk(function)):
                change = _change(copy.deepcopy(node)) if place and node not in function.decorator_list else None
                if change:
                    found.append(Mutant(str(path), name, place, getattr(node, "lineno", function.lineno), change))
    return found


def _compile(path: str, function: str, edit: Callable[[ast.FunctionDef], object]) -> CodeType:
    """Return the code of a function whose source is edited."""
    tree = ast.parse(Path(path).read_text())
    edit(next(node for name, node in _functions(tree) if name == function))
    module = compile(ast.fix_missing_locations(tree), str(Path(path).resolve()), "exec", dont_inherit=True)
    return next(code for code in _codes(module) if code.co_qualname == function)


def compile_mutant(mutant: Mutant) -> CodeType:
    """Return the code of a mutant's function with its change."""
    return _compile(mutant.path, mutant.function, lambda function: _change(list(ast.walk(function))[mutant.node]))


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


class Mutants:
    """A plugin of pytest that runs the chosen tests once, and then those of each mutant."""

    def __init__(self, mutants: list[Mutant], report: Path) -> None:
        self.mutants, self.report = mutants, report
        self.called: set[tuple[str, str]] = set()
        self.loaded: dict[tuple[str, str], list[FunctionType]] = defaultdict(list)
        self.has_failed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._find_functions()
        for key, functions in self.loaded.items():
            code = _compile(*key, partial(_begin_with_note, key))
            for function in functions:
                function.__code__ = code
        setattr(builtins, _NOTE, self.called.add)
        # Makes the database.
        for item in [each for each in session.items if each.path.samefile(FIRST)]:
            session.items.remove(item)
            run(item, session.items[0])
        tests = self._learn(session.items)
        connections.close_all()
        database = Path(connections["default"].settings_dict["NAME"])
        kept = database.with_suffix(".kept")
        shutil.copyfile(database, kept)
        survivors = []
        for number, mutant in enumerate(self.mutants):
            shutil.copyfile(kept, database)
            chosen = sorted(tests[mutant.path, mutant.function])
            items = [session.items[place] for _, place in chosen]
            if not items or not self._is_noticed(mutant, items, 30 + 5 * sum(seconds for seconds, _ in chosen)):
                survivors.append(mutant)
                print(f"\nnot noticed by {len(items)} tests: {mutant}", flush=True)
            self._write(number + 1, survivors)
        return True

    def _learn(self, items: list[Any]) -> dict[tuple[str, str], list[tuple[float, int]]]:
        """Return which tests call each function, with the seconds that they take, by running them all in another process."""
        connections.close_all()
        learned = self.report.with_suffix(".learned")
        learned.unlink(missing_ok=True)
        child = os.fork()
        if not child:
            status = 1
            try:
                found = []
                for number, item in enumerate(items):
                    self.called.clear()
                    began = time.monotonic()
                    run(item, items[(number + 1) % len(items)])
                    found += [(*key, time.monotonic() - began, number) for key in self.called]
                learned.write_text(json.dumps(found))
                status = int(self.has_failed)
            finally:
                sys.stdout.flush()
                os._exit(status)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            raise pytest.UsageError("A test fails without any mutant.")
        tests: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(list)
        for path, function, seconds, number in json.loads(learned.read_text()):
            tests[path, function].append((seconds, number))
        return tests

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.has_failed |= report.failed

    def _find_functions(self) -> None:
        wanted = {(str(Path(each.path).resolve()), each.function): (each.path, each.function) for each in self.mutants}
        gc.unfreeze()
        for found in gc.get_objects():
            # Objects that are made when they are first asked for would be made by `isinstance`.
            if type(found) is FunctionType:
                key = wanted.get((found.__code__.co_filename, found.__code__.co_qualname))
                if key:
                    self.loaded[key].append(found)

    def _is_noticed(self, mutant: Mutant, items: list[Any], seconds: float) -> bool:
        child = os.fork()
        if not child:
            os.setpgid(0, 0)
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 1)
                os.dup2(nowhere.fileno(), 2)
            status = 1
            try:
                status = self._run_changed(mutant, items)
            finally:
                os._exit(status)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status) != 0
            time.sleep(0.02)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return True

    def _run_changed(self, mutant: Mutant, items: list[Any]) -> int:
        """Return 1 if a test fails with the mutant, else 0."""
        code = compile_mutant(mutant)
        for function in self.loaded[mutant.path, mutant.function]:
            function.__code__ = code
        for place, item in enumerate(items):
            run(item, items[(place + 1) % len(items)])
            if self.has_failed:
                return 1
        return 0

    def _write(self, tried: int, survivors: list[Mutant]) -> None:
        found = {"tried": tried, "noticed": tried - len(survivors), "survivors": [each.__dict__ for each in survivors]}
        self.report.write_text(json.dumps(found, indent=1))


def run(item: Any, following: Any) -> None:
    """Run a test, and end what the following one does not need."""
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _begin_with_note(key: tuple[str, str], function: ast.FunctionDef) -> None:
    """Let a function note that it is called."""
    function.body.insert(0, ast.parse(f"{_NOTE}({key!r})").body[0])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("package", type=Path, help="such as commerce/payments/services")
    parser.add_argument("tests", nargs="+", help="files or folders of tests")
    parser.add_argument("--number", type=int, default=150, help="of mutants, chosen by chance (150)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", type=Path, default=Path("var/mutants.json"), help="written as JSON (var/mutants.json)")
    parser.add_argument("--again", type=Path, metavar="REPORT", help="try the mutants that another run's tests did not notice")
    options = parser.parse_args()
    if options.again:
        chosen = [Mutant(**each) for each in json.loads(options.again.read_text())["survivors"]]
    else:
        every = find_mutants(options.package)
        chosen = random.Random(options.seed).sample(every, min(options.number, len(every)))
    options.report.parent.mkdir(parents=True, exist_ok=True)
    plugin = Mutants(chosen, options.report)
    status = pytest.main(
        ["-p", "no:xdist", "-m", "not long and not browser and not audit", FIRST, *options.tests], plugins=[plugin]
    )
    if not status:
        found = json.loads(options.report.read_text())
        print(f"{found['noticed']} of {found['tried']} mutants were noticed.")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
