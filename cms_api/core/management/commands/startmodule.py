"""`manage.py startmodule NAME`: a module that works, to be changed into the one that is wanted."""

import keyword
import re
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from cms_api.core.management.scaffold import merging, ranks
from cms_api.core.management.scaffold.names import Names, plural, singular

TEMPLATES = Path(__file__).resolve().parents[2] / "module_template"
PACKAGES = ("commerce", "cms_api")
CONTRACTS, MODULES = "pyproject.toml", "site/config/settings/modules.py"
#: Names of indexes, which begin with the record's, have 30 characters at most.
MAX_RECORD = 18


class Command(BaseCommand):
    help = (
        "Writes a module that works: a record with an API, admin and public pages, an email, a webhook event, a demo and tests."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="a new name, or that of an announced module")
        parser.add_argument("--package", choices=PACKAGES, default="commerce")
        parser.add_argument(
            "--record", default="", help="its first record, such as MenuItem; by default the singular of the name"
        )
        parser.add_argument("--base-dir", default=str(settings.BASE_DIR), help="the folder of the project")

    def handle(self, **options: Any) -> None:
        base = Path(options["base_dir"])
        contracts, modules = (base / CONTRACTS).read_text(), (base / MODULES).read_text()
        declaration = base / options["package"] / options["name"] / "module.py"
        is_announced = ranks.is_announced(modules, f"{options['package']}.{options['name']}")
        announced = declaration.read_text() if is_announced else ""
        names = _names(options["name"], options["package"], options["record"], announced)
        _check_free(base, names, is_announced=is_announced)
        files = dict(_rooms(base, names, is_announced=is_announced))
        try:
            files[base / CONTRACTS] = contracts = ranks.rank(contracts, names)
            files[base / MODULES] = ranks.install(modules, contracts, names)
        except ranks.NoPlace as problem:
            raise CommandError(str(problem)) from None
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        is_formatted = _format(base, [path for path in files if path.suffix == ".py" and "migrations" not in path.parts])
        self.stdout.write("\n".join(_next_steps(names, announced, is_formatted=is_formatted)))


def _names(name: str, package: str, record: str, announced: str) -> Names:
    """Return the names that the command was given, or derives. Raises CommandError."""
    if not name.isidentifier() or name != name.lower() or keyword.iskeyword(name):
        raise CommandError("A module's name is a lower-case Python identifier, such as gift_cards.")
    words = name.replace("_", " ")
    record = record or singular(words).title().replace(" ", "")
    if not re.fullmatch("([A-Z][a-z0-9]+)+", record) or len(record) > MAX_RECORD or keyword.iskeyword(record.lower()):
        raise CommandError(f"A record's name is a class name of at most {MAX_RECORD} letters, such as MenuItem: use --record.")
    return Names(package, name, merging.title(announced) if announced else words.capitalize(), record)


def _check_free(base: Path, names: Names, *, is_announced: bool) -> None:
    """Refuse names that are taken. Raises CommandError."""
    folders = [base / package / names.module for package in PACKAGES]
    if not is_announced and (names.module in apps.app_configs or any(folder.exists() for folder in folders)):
        raise CommandError(f"There is a module or an application of the name {names.module} already.")
    clashes = names.clashes(template.read_text() for template in TEMPLATES.rglob("*.py-tpl"))
    if clashes:
        raise CommandError(f"The rooms need the name {min(clashes)} for something else: call the record by a longer name.")
    shape = re.compile(rf"^class {names.record}(Resource|Input)\b", re.MULTILINE)
    for path in (path for package in (*PACKAGES, "events", "home") for path in (base / package).rglob("*.py")):
        if shape.search(path.read_text()):
            taken = f"{path.relative_to(base)} describes {names.one} already."
            raise CommandError(f"{taken} Begin with another record of the module, such as --record Campaign for donations.")


def _rooms(base: Path, names: Names, *, is_announced: bool) -> Iterator[tuple[Path, str]]:
    """Yield every file to write with its text. Raises CommandError if one that is not an announced module's is there."""
    for template in sorted(TEMPLATES.rglob("*-tpl")):
        path = base / names.apply(str(template.relative_to(TEMPLATES)).removesuffix("-tpl"))
        text = names.apply(template.read_text())
        if path.name == "module.py" and not names.has_abilities:
            text = merging.leave_out(text, "api.abilities")
        if path.name == "module.py" and not names.feature:
            text = merging.leave_out(text, "feature")
        if path.exists():
            if not (is_announced and path.parent == base / names.package / names.module):
                raise CommandError(f"{path.relative_to(base)} is there already.")
            merge = merging.merge_declarations if path.name == "module.py" else merging.merge_rooms
            text = merge(path.read_text(), text) if text else path.read_text()
        yield path, text


def _format(base: Path, paths: list[Path]) -> bool:
    """Sort the imports and break the lines, which are as long as the names make them; return whether Ruff is installed."""
    ruff = Path(sys.executable).with_name("ruff")
    if ruff.exists():
        for arguments in (("check", "--fix-only"), ("format",)):
            subprocess.run([ruff, *arguments, "--quiet", "--no-cache", *paths], cwd=base, check=True)
    return ruff.exists()


def _next_steps(names: Names, announced: str, *, is_formatted: bool) -> Iterator[str]:
    folder, tests = names.dotted.replace(".", "/"), names.apply("tests/commerce/seed_bank")
    switch = f" && manage.py feature on {names.feature}" if names.feature else ""
    yield f"{names.dotted} works: {plural(names.words)} have an API, admin pages and public pages."
    yield ""
    yield "Try it:"
    yield f"  manage.py migrate && manage.py setup_site && manage.py load_demo{switch}"
    yield f"  Open /{names.path} and /admin/{names.path}/."
    yield f"  pytest {tests} tests/laws && make lint"
    yield ""
    yield "Make it yours:"
    yield f"- Change {folder} from the bottom up: types, models, selectors, services, resources, then the ways in."
    yield "- Before anybody has migrated, delete 0001_initial.py and run makemigrations; later, only add migrations."
    yield "- Describe it in module.py, and choose the place of its menu entry (menu_group, menu_order)."
    for kind in merging.event_kinds(announced) if announced else ():
        yield f"- {kind} is announced. When services emit it, name its `resource` in module.py."
    if not names.has_abilities:
        yield f"- The product has no abilities to read and write {names.module}, so its API needs those of {names.guard}."
        yield "  If it needs no API, delete api.py, test_api.py, lists.py and the routes."
    if not names.feature:
        yield f"- It is always on, as the product has no feature {names.module}. Name another feature if it belongs to one."
    yield f"- Its rank in {CONTRACTS} says which modules may use it, and which it may use."
    yield "- Write about it in README.md and CHANGELOG.md."
    if not is_formatted:
        yield "- Ruff is not installed: install it, and run `make format`."
