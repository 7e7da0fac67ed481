"""Writes a module into the settings and into the contracts of `pyproject.toml`."""

import re
import tomllib

from .names import Names


class NoPlace(Exception):
    """A file lacks the text beside which a module belongs."""


def rank(contracts: str, names: Names) -> str:
    """Return `pyproject.toml` with the module's rank, its rooms, and its types checked.

    A rank that is kept free, `(payments)`, is taken. Other new modules are ranked at the top of their package.
    """
    if names.package == "cms_api":
        contracts = _insert(contracts, f'    "{names.module}",\n', after='containers = ["cms_api"]\nlayers = [\n    "gateway",\n')
        contracts = _insert(contracts, f'    "{names.dotted}",\n', before='    "cms_api.gateway",\n    "commerce",\n')
    else:
        contracts = _rank_business(contracts, names.module)
    if f'"{names.dotted}"' in contracts[contracts.index('id = "rooms"') :]:
        return contracts
    return _insert(contracts, f'    "{names.dotted}",\n', before='    "home",\n]\nlayers')


def install(modules: str, contracts: str, names: Names) -> str:
    """Return the settings with the module installed, below the modules of its package that rank higher."""
    ranked = _read_ranks(contracts, names.package)
    higher = {f"{names.package}.{each}" for each in ranked[ranked.index(names.module) + 1 :]}
    start, end = modules.index("\nMODULES = ["), modules.index("ANNOUNCED_MODULES")
    installed, announced = modules[start:end], modules[end:]
    below = next((each for each in re.findall('"(.+)"', installed) if each in higher), "home")
    entry = f'    "{names.dotted}",\n'
    return modules[:start] + _insert(installed, entry, before=f'    "{below}",\n') + announced.replace(entry, "")


def is_announced(modules: str, dotted: str) -> bool:
    return f'"{dotted}"' in modules[modules.index("ANNOUNCED_MODULES") :]


def _read_ranks(contracts: str, package: str) -> list[str]:
    """Return the modules of a package, lowest first."""
    found = tomllib.loads(contracts)["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in found if each.get("containers") == [package])
    return [name.strip(" ()") for layer in reversed(layers) for name in layer.split("|")]


def _rank_business(contracts: str, module: str) -> str:
    start = contracts.index('id = "business"')
    end = contracts.index("[[", start)
    business = contracts[start:end].replace(f"({module})", module)
    if module not in _read_ranks(contracts, "commerce"):
        business = _insert(business, f'    "{module}",\n', after="layers = [\n")
    return contracts[:start] + business + contracts[end:]


def _insert(content: str, text: str, *, before: str = "", after: str = "") -> str:
    anchor = before or after
    if anchor not in content:
        raise NoPlace(f"There is no {anchor.strip()!r} beside which {text.strip()!r} belongs.")
    return content.replace(anchor, text + anchor if before else anchor + text, 1)
