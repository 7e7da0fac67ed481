"""`manage.py startmodule NAME`: the rooms of a new module, its rank, and a failing test."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.core.management.templates import TemplateCommand

from cms_api.core.vocabulary import FEATURES

TEMPLATES = Path(__file__).resolve().parents[2] / "module_template"
PACKAGES = ("commerce", "cms_api")


class Command(TemplateCommand):
    help = "Writes the rooms of a module, ranks it, and adds a test that fails until the module has a route."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--package", choices=PACKAGES, default="commerce")
        parser.add_argument("--base-dir", default=str(settings.BASE_DIR), help="where the project lies")

    def handle(self, **options: Any) -> None:  # type: ignore[override]
        name, package, base = options["name"], options["package"], Path(options["base_dir"])
        if not name.isidentifier() or name != name.lower():
            raise CommandError("A module's name is a lower-case Python identifier.")
        rooms, tests = base / package / name, base / "tests" / package / name
        if rooms.exists():
            raise CommandError(f"{package}.{name} is there already.")
        context = {
            "package": package,
            "title": name.replace("_", " ").capitalize(),
            "feature": name if name in FEATURES else "",
            "group": "Commerce" if package == "commerce" else "Content",
        }
        for target, template in ((rooms, "rooms"), (tests, "tests")):
            self._render(name, target, template, context)
        for folder in (tests.parent, tests):
            (folder / "__init__.py").touch()
        self._rank(base, package, name)
        self.stdout.write(f"{package}.{name} is written; its test is tests/{package}/{name}/test_module.py.")

    def _render(self, name: str, target: Path, template: str, context: dict[str, str]) -> None:
        target.mkdir(parents=True)
        super().handle(
            "app",
            name,
            str(target),
            template=str(TEMPLATES / template),
            extensions=["py"],
            files=[],
            exclude=[],
            verbosity=0,
            **context,
        )

    @staticmethod
    def _rank(base: Path, package: str, name: str) -> None:
        """Add the module to the installed modules and to the import contracts."""
        _insert(base / "site/config/settings/modules.py", '    "cms_api.gateway",\n', f'    "{package}.{name}",\n')
        contracts = base / "pyproject.toml"
        _insert(contracts, '    "home",\n]\nlayers', f'    "{package}.{name}",\n')
        if package == "cms_api":
            _insert(contracts, '    "comments",\n    "forms",\n', f'    "{name}",\n')
        elif f"({name})" not in contracts.read_text():
            _insert(contracts, '    "support | ', f'    "({name})",\n')


def _insert(path: Path, anchor: str, text: str, *, instead: bool = False) -> None:
    """Insert text before the anchor, or replace the anchor with it (`instead`)."""
    content = path.read_text()
    if anchor not in content:
        raise CommandError(f"{path.name} has no {anchor.strip()!r} beside which {text.strip()!r} belongs.")
    path.write_text(content.replace(anchor, text if instead else text + anchor, 1))
