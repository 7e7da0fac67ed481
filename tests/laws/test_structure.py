"""Structure: limits of files, names of rooms, complete migrations, and production settings."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [ROOT / name for name in ("cms_api", "commerce", "events", "home", "site")]

#: The rooms of a module, and what Django itself asks for beside them. Each may be a file or a package of the same name.
ROOMS = {
    *(
        "module",
        "mails",
        "types",
        "models",
        "selectors",
        "services",
        "resources",
        "api",
        "admin",
        "views",
        "urls",
        "feeds",
        "rows",
        "tasks",
        "demo",
    ),
    *("__init__", "apps", "migrations", "management"),
}
#: Folders of a module that hold no code of ours.
FOLDERS = {"static", "templates", "templatetags", "__pycache__"}
#: The platform's own parts, whose rooms are their own.
PLATFORM = {ROOT / "cms_api" / "core", ROOT / "cms_api" / "gateway"}

FORBIDDEN = {"utils", "util", "helpers", "helper", "signals", "common", "misc", "tools", "receivers", "handlers"}


def files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*.py")) if "migrations" not in path.parts and "__pycache__" not in path.parts)


def long_files(folders: list[Path], ceiling: int) -> dict[str, int]:
    lengths = {path: len(path.read_text().splitlines()) for folder in folders for path in files(folder)}
    return {str(path.relative_to(ROOT)): length for path, length in lengths.items() if length > ceiling}


def test_it_works_in_files_of_at_most_400_lines() -> None:
    assert long_files([*PACKAGES, ROOT / "benchmarks"], 400) == {}


def test_tests_are_in_files_of_at_most_500_lines() -> None:
    assert long_files([ROOT / "tests"], 500) == {}


def module_folders() -> list[Path]:
    return [path.parent for package in PACKAGES for path in sorted(package.rglob("module.py")) if path.parent not in PLATFORM]


def test_every_installed_module_is_covered() -> None:
    looked_at = {str(folder.relative_to(ROOT)).replace("/", ".") for folder in [*module_folders(), *PLATFORM]}
    assert set(settings.MODULES) <= looked_at


@pytest.mark.parametrize("folder", module_folders(), ids=lambda folder: str(folder.relative_to(ROOT)))
def test_a_module_has_only_known_rooms(folder: Path) -> None:
    rooms = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - FOLDERS <= ROOMS


def test_no_file_has_a_forbidden_name() -> None:
    named = {path.stem for package in PACKAGES for path in package.rglob("*") if path.suffix == ".py" or path.is_dir()}
    allowed = {"common"} if (ROOT / "commerce" / "common").is_dir() else set()
    assert named & FORBIDDEN <= allowed


def test_a_room_is_a_file_or_a_package() -> None:
    for folder in module_folders():
        both = {path.stem for path in folder.glob("*.py")} & {path.name for path in folder.iterdir() if path.is_dir()}
        assert not both, folder


def test_every_source_file_has_a_docstring() -> None:
    silent = []
    for package in PACKAGES:
        for path in files(package):
            text = path.read_text().strip()
            is_plain = path.name in {"__init__.py", "apps.py", "models.py"} or not text
            if not is_plain and not text.startswith(('"""', 'r"""')):
                silent.append(str(path.relative_to(ROOT)))
    assert silent == []


@pytest.mark.django_db
def test_migrations_are_complete(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=1)
    assert "No changes detected" in capsys.readouterr().out


def production(tmp_path: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "VIRTUAL_ENV"}}
    given = {"DJANGO_SETTINGS_MODULE": "config.settings.production", "VAR_DIR": str(tmp_path), **environment}
    return subprocess.run(
        [sys.executable, "manage.py", *command], cwd=ROOT, env={**inherited, **given}, capture_output=True, text=True, check=False
    )


KEY = "x7" + "0123456789abcdefghijklmnopqrstuvwxyz" * 2
READY = {"SECRET_KEY": KEY, "BASE_URL": "https://example.org"}


def test_production_settings_pass_the_deployment_checks(tmp_path: Path) -> None:
    checked = production(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **READY)
    assert checked.returncode == 0, checked.stderr
    assert "no issues" in checked.stdout


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"SECRET_KEY": ""}, "SECRET_KEY must be a random text of at least 50 characters"),
        ({"SECRET_KEY": "x" * 49}, "SECRET_KEY must be a random text of at least 50 characters"),
        ({"SECRET_KEY": "only-for-development-" + "0123456789abcdef" * 3}, "not the development key"),
        ({"BASE_URL": ""}, "BASE_URL must be set"),
        ({"BASE_URL": "example.org"}, "BASE_URL must be set"),
        ({"BASE_URL": "http://example.org"}, "BASE_URL must begin with https://"),
        ({"BASE_URL": "http://[example"}, "BASE_URL must be set"),
    ],
)
def test_production_settings_refuse_to_start_half_configured(tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    refused = production(tmp_path, "migrate", **{**READY, **changes})
    assert refused.returncode != 0
    assert reason in refused.stderr
    assert not list(tmp_path.glob("*.sqlite3"))


def test_a_private_network_may_do_without_https(tmp_path: Path) -> None:
    """Its logs are JSON, as those of all sites."""
    code = "from django.conf import settings; print(settings.SECURE_SSL_REDIRECT, settings.ALLOWED_HOSTS)"
    code += "; import logging; logging.warning('Said %s.', 'so')"
    changes = {"BASE_URL": "http://site.local", "INSECURE_BASE_URL": "1"}
    allowed = production(tmp_path, "shell", "--no-imports", "-c", code, **{**READY, **changes})
    assert allowed.stdout.strip() == "False ['site.local']", allowed.stderr
    line = json.loads(allowed.stderr)
    assert (line["level"], line["logger"], line["message"]) == ("WARNING", "root", "Said so.")
