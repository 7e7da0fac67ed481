"""No private member of another package: the next version may do without it."""

import ast
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from drf_spectacular.openapi import AutoSchema

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("cms_api", "commerce", "events", "home", "config")
#: Documented, or as good as public: parts of named tuples, and of Django's models.
ALLOWED = {"_meta", "_default_manager", "_base_manager", "_state", "_replace", "_make", "_asdict", "_fields"}
#: Methods of other packages that are overridden, with the reason.
OVERRIDDEN = {
    # Django's hook after the fields of a form, which no other can replace: its own writes what was sent into the record.
    ("cms_api.adminkit.forms", "_post_clean"),
    ("cms_api.content.admin.forms", "_post_clean"),
    # https://docs.djangoproject.com/en/5.2/howto/custom-file-storage/ asks for it.
    ("cms_api.media.services.storage", "_save"),
    # https://drf-spectacular.readthedocs.io/en/latest/customization.html: "override methods of AutoSchema".
    ("cms_api.gateway.openapi", "_get_request_body"),
    ("cms_api.gateway.openapi", "_get_serializer_field_meta"),
    ("cms_api.gateway.openapi", "_map_basic_serializer"),
    # Django has no other place for the queue of the threads that write; see the test below.
    ("cms_api.core.sqlite.base", "_start_transaction_under_autocommit"),
    ("cms_api.core.sqlite.base", "_commit"),
    ("cms_api.core.sqlite.base", "_rollback"),
    ("cms_api.core.sqlite.base", "_close"),
}


def is_private(name: str) -> bool:
    # Python's enumerations have hooks that end alike.
    return name.startswith("_") and not name.startswith("__") and not name.endswith("_") and name not in ALLOWED


#: A private name, and where a line begins by giving one to something.
WORD = re.compile(r"(?<!\w)_\w+")
GIVEN = re.compile(r"^\s*(?:(?:async )?def |class )(_\w+)|^\s*(?:self\.)?(_\w+)(?:: [^=\n]+)? = ", re.MULTILINE)


def sources() -> Iterator[tuple[str, ast.AST]]:
    """The files in which some private name might be that of another module: the others need not be parsed."""
    for package in PACKAGES:
        folder = ROOT / ("site/config" if package == "config" else package)
        for path in sorted(folder.rglob("*.py")):
            text = path.read_text() if "migrations" not in path.parts else ""
            given = {name for names in GIVEN.findall(text) for name in names}
            if any(is_private(name) for name in {*WORD.findall(text)} - given):
                yield str(path.relative_to(ROOT)), ast.parse(text)


def defined(tree: ast.AST) -> Iterator[str]:
    """The names that a module gives to functions, classes, variables and attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def used(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The private names that a module reads from others, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("__future__"):
            for name in (*(node.module or "").split("."), *(alias.name for alias in node.names)):
                yield node.lineno, name
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"getattr", "setattr", "hasattr"}:
            named = node.args[1] if len(node.args) > 1 else None
            if isinstance(named, ast.Constant) and isinstance(named.value, str):
                yield node.lineno, named.value


def foreign(tree: ast.AST, own: set[str]) -> list[tuple[int, str]]:
    return [(line, name) for line, name in used(tree) if is_private(name) and name not in own]


def test_no_private_name_of_others_is_used() -> None:
    overridden = {name for _, name in OVERRIDDEN}
    found = []
    for path, tree in sources():
        # A name with an underscore is that of its own module.
        found += [f"{path}:{line}: {name}" for line, name in foreign(tree, set(defined(tree))) if name not in overridden]
    assert found == []


def test_a_planted_use_is_found() -> None:
    for source in ("from x import _y", "from x._y import z", "import x\nx.z._y", "getattr(x, '_y')", "setattr(x.z, '_y', 1)"):
        assert [name for _, name in foreign(ast.parse(source), set())] == ["_y"], source
    assert foreign(ast.parse("class A:\n    def _y(self): ...\n    def z(self): self._y()"), {"_y"}) == []


@cache
def classes() -> list[type[Any]]:
    """The classes of the product that stand in modules or in other classes."""
    for package in PACKAGES:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            if not any(part in module.name for part in (".migrations", "__main__", ".settings.")):
                import_module(module.name)
    found: dict[type[Any], None] = {}

    def visit(namespace: Any, module: str) -> None:
        for each in list(vars(namespace).values()):
            if isinstance(each, type) and each.__module__ == module and each not in found:
                found[each] = None
                visit(each, module)

    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in PACKAGES:
            visit(module, name)
    return list(found)


def overrides(cls: type[Any]) -> Iterator[str]:
    """The private members of a class that replace those of a base class of another package."""
    for name, member in vars(cls).items():
        is_written = inspect.isfunction(member) or isinstance(member, property | classmethod | staticmethod)
        if not is_written or not is_private(name):
            continue
        bases = (base for base in cls.__mro__[1:] if base.__module__.partition(".")[0] not in PACKAGES)
        if any(name in vars(base) for base in bases):
            yield name


@pytest.mark.django_db
def test_no_private_member_of_others_is_overridden() -> None:
    found = {(cls.__module__, name): cls.__qualname__ for cls in classes() for name in overrides(cls)}
    assert {place: name for place, name in found.items() if place not in OVERRIDDEN} == {}
    assert OVERRIDDEN - found.keys() == set(), "These are overridden no longer."
    assert len(classes()) > 1000


def test_a_planted_override_is_found() -> None:
    class Planted(AutoSchema):
        def _get_request_body(self, direction: str = "request") -> None: ...

        def _own(self) -> None: ...

    assert list(overrides(Planted)) == ["_get_request_body"]


def test_django_still_calls_what_is_overridden_for_the_embedded_database() -> None:
    """Each begins, ends or gives up a transaction. If Django changed that, the queue would wait for ever, or not at all."""
    assert "self._start_transaction_under_autocommit()" in inspect.getsource(BaseDatabaseWrapper.set_autocommit)
    for public, private in (("commit", "_commit"), ("rollback", "_rollback"), ("close", "_close")):
        assert f"self.{private}()" in inspect.getsource(getattr(BaseDatabaseWrapper, public))
