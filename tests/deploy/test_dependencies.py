"""The packages of production: those that the code imports, in the versions of development, as a list, and audited."""

import ast
import json
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from deploy import audit_dependencies
from deploy.sbom import document

ROOT = Path(__file__).resolve().parents[2]
OURS = ("cms_api", "commerce", "events", "home", "site/config", "deploy")
_PIN = re.compile(r"^([a-z0-9][a-z0-9.-]*)==([^\s;\\]+)", re.MULTILINE)


def pins(name: str) -> dict[str, str]:
    return dict(_PIN.findall((ROOT / name).read_text()))


def imported(path: Path) -> set[str]:
    """The top-level packages that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_it_works() -> None:
    production, development = pins("requirements.lock"), pins("requirements-dev.lock")
    assert len(production) > 50
    assert production.items() < development.items()
    assert {"django", "wagtail", "uvicorn"} <= production.keys()
    assert not {"pytest", "mypy", "ruff", "playwright", "uv", "pip-audit"} & production.keys()


def test_production_imports_nothing_of_development() -> None:
    production, known = pins("requirements.lock"), packages_distributions()
    ours = {each.partition("/")[2] or each for each in OURS}
    files = [path for folder in OURS for path in (ROOT / folder).rglob("*.py") if "module_template" not in path.parts]
    assert len(files) > 500
    names = {name for path in files for name in imported(path)} - ours - set(sys.stdlib_module_names)
    assert {"django", "wagtail", "orjson"} <= names
    missing = {name for name in names if not {each.lower().replace("_", "-") for each in known.get(name, [])} & production.keys()}
    assert missing == set()


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_locks_have_hashes_and_name_no_index(name: str) -> None:
    lock = (ROOT / name).read_text()
    assert "index-url" not in lock
    for package in lock.split("\n    # via")[0:-1]:
        assert "--hash=sha256:" in package, package[-200:]


def test_a_bill_of_materials() -> None:
    command = [sys.executable, "deploy/sbom.py", "requirements.lock"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    made = json.loads(printed)
    assert (made["bomFormat"], made["specVersion"], made["version"]) == ("CycloneDX", "1.6", 1)
    assert {each["name"]: each["version"] for each in made["components"]} == pins("requirements.lock")
    django = next(each for each in made["components"] if each["name"] == "django")
    assert django["purl"] == f"pkg:pypi/django@{pins('requirements.lock')['django']}"
    assert django["licenses"] == [{"expression": "BSD-3-Clause"}]
    assert all(each["externalReferences"][0]["hashes"] for each in made["components"])
    assert made == document((ROOT / "requirements.lock").read_text())
    assert len(made["dependencies"][0]["dependsOn"]) == len(made["components"])


def test_only_findings_fail() -> None:
    found = [
        {"name": "pkg", "version": "1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["1.1"]}, {"id": "X", "fix_versions": []}]}
    ]
    assert audit_dependencies.report(found) == (
        ["pkg 1.0: PYSEC-1, fixed in 1.1", "pkg 1.0: X, fixed in no version"],
        1,
    )
    assert audit_dependencies.report([]) == (["No package has a known vulnerability."], 0)
    skipped = {"name": "other", "skip_reason": "Not found"}
    assert audit_dependencies.report([*found, skipped])[1] == 1
    assert audit_dependencies.report([{"name": "pkg", "version": "1.0", "vulns": []}, skipped]) == (
        ["No package has a known vulnerability.", "1 packages could not be audited: other."],
        0,
    )
    assert audit_dependencies.report([skipped]) == (["Nothing was audited: Not found"], 0)
    lines, status = audit_dependencies.report("the service is away")
    assert ("Nothing was audited" in lines[0], status) == (True, 0)


def test_what_gives_no_answer_audits_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys; print('no way out', file=sys.stderr); sys.exit(1)"
    monkeypatch.setattr(audit_dependencies, "COMMAND", [sys.executable, "-c", code])
    assert audit_dependencies.audit([ROOT / "requirements.lock"]) == "no way out"
