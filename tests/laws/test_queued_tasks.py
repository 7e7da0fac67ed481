"""Periodic jobs do their work alone: no queued task calls the function of a job, and requests name jobs that exist."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from cms_api.core import registry

from .imports import PACKAGES, ROOT


def arguments(called: str) -> Iterator[tuple[str, str]]:
    """The file of each call of a function in the product, and what its first argument is: a text, or a constant's value."""
    for path in (path for package in PACKAGES for path in Path(ROOT, package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or called not in {getattr(node.func, "id", ""), getattr(node.func, "attr", "")}:
                continue
            place, given = str(path.relative_to(ROOT)), node.args[0]
            if isinstance(given, ast.Constant):
                yield place, str(given.value)
            else:
                assert isinstance(given, ast.Name), f"{place}: name the argument of {called}, or write it there."
                yield place, getattr(import_module(place.removesuffix(".py").replace("/", ".")), given.id)


def test_no_task_does_the_work_of_a_job() -> None:
    """A task would do it although the job is paused, as after a restore, where the lost site has done it."""
    functions = {registry.load(job.function) for job in registry.jobs()}
    queued = list(arguments("async_task"))
    assert queued
    assert [(place, path) for place, path in queued if registry.load(path) in functions] == []


def test_jobs_that_are_to_run_soon_are_declared() -> None:
    names = {job.name for job in registry.jobs()}
    wanted = list(arguments("run_soon"))
    assert wanted
    assert [(place, name) for place, name in wanted if name not in names] == []
