"""The product's import graph, its contracts, and the imports between modules."""

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import grimp
from importlinter.configuration import configure
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

CONTRACTS = {"layers": LayersContract, "forbidden": ForbiddenContract}

# Import Linter's own command does this first.
configure()

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
PACKAGES: list[str] = CONFIGURATION["root_packages"]

#: Rooms that other modules above may import.
OPEN_ROOMS = {"services", "selectors", "types"}
#: The kit of all business modules: its abstract models, its resources and its form fields are there to be imported.
SHARED = "commerce.common"
#: Rooms of support modules that are open, too. Views of all modules that sell redirect to the payment page in the same way.
OPEN_TOO = {("commerce.payments", "views")}


@cache
def _graph() -> grimp.ImportGraph:
    return grimp.build_graph(*PACKAGES, cache_dir=None)


def graph(*planted: tuple[str, str]) -> grimp.ImportGraph:
    """Every import of the product, and those that a test adds as pairs of importer and imported.

    Each call returns a copy of its own.
    """
    found = _graph().__deepcopy__({})
    for importer, imported in planted:
        found.add_import(importer=importer, imported=imported, line_number=1, line_contents="planted")
    return found


def contract_ids() -> list[str]:
    return [each["id"] for each in CONFIGURATION["contracts"]]


def is_kept(contract_id: str, of: grimp.ImportGraph) -> bool:
    """Whether an import graph keeps a contract of pyproject.toml."""
    options = next(each for each in CONFIGURATION["contracts"] if each["id"] == contract_id)
    # Import Linter expects every value as a string.
    texts = {name: str(value) if isinstance(value, bool) else value for name, value in options.items()}
    contract = CONTRACTS[options["type"]](options["name"], {"root_packages": PACKAGES}, texts)
    return bool(contract.check(graph=of, verbose=False).kept)


@cache
def modules() -> tuple[str, ...]:
    """The packages that declare themselves as modules, installed or not."""
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("module.py"))
    return tuple(sorted(".".join(path.parent.relative_to(ROOT).parts) for path in files if path.parent.name != "core"))


def room_of(dotted: str) -> tuple[str, str] | None:
    """The module and the room of a Python file: `("cms_api.content", "views")`."""
    for module in modules():
        if f"{dotted}.".startswith(f"{module}."):
            return module, dotted.removeprefix(module).lstrip(".").partition(".")[0]
    return None


def foreign_imports(of: grimp.ImportGraph) -> set[tuple[str, str]]:
    """Pairs of dotted names: a room, and a room of another module that it imports although it is not open."""
    return set(_foreign_imports(of))


def _foreign_imports(of: grimp.ImportGraph) -> Iterator[tuple[str, str]]:
    for dotted in of.modules:
        importer = room_of(dotted)
        if importer is None:
            continue
        for imported in map(room_of, of.find_modules_directly_imported_by(dotted)):
            if imported and imported[0] != importer[0] and not _is_open(*imported):
                yield ".".join(importer), ".".join(imported).rstrip(".")


def _is_open(module: str, room: str) -> bool:
    return module == SHARED or room in OPEN_ROOMS or (module, room) in OPEN_TOO
