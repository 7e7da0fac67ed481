"""`manage.py startmodule`."""

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

MODULES = "site/config/settings/modules.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of what the command changes."""
    for name in ("pyproject.toml", MODULES):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(settings.BASE_DIR / name, tmp_path / name)
    return tmp_path


def contracts(project: Path) -> dict[str, Any]:
    found = tomllib.loads((project / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return {contract["id"]: contract for contract in found}


@pytest.mark.parametrize(
    ("package", "name", "contract", "rank"),
    [("commerce", "greenhouse", "business", "(greenhouse)"), ("cms_api", "polls", "platform", "polls")],
)
def test_it_works(project: Path, package: str, name: str, contract: str, rank: str) -> None:
    call_command("startmodule", name, "--package", package, "--base-dir", str(project))
    assert f'name="{name}"' in (project / package / name / "module.py").read_text()
    assert (project / "tests" / package / name / "test_module.py").exists()
    assert contracts(project)[contract]["layers"].count(rank) == 1
    assert f"{package}.{name}" in contracts(project)["rooms"]["containers"]
    assert f'    "{package}.{name}",\n    "cms_api.gateway",\n' in (project / MODULES).read_text()


def test_a_rank_that_is_kept_free_is_taken(project: Path) -> None:
    before = contracts(project)["business"]["layers"]
    call_command("startmodule", "payments", "--base-dir", str(project))
    assert contracts(project)["business"]["layers"] == before


@pytest.mark.parametrize("name", ["Loyalty", "two words", "loyalty"])
def test_what_is_no_name_or_there_already(project: Path, name: str) -> None:
    (project / "commerce" / "loyalty").mkdir(parents=True)
    before = (project / "pyproject.toml").read_text()
    with pytest.raises(CommandError):
        call_command("startmodule", name, "--base-dir", str(project))
    assert (project / "pyproject.toml").read_text() == before
