"""`manage.py startmodule`: the modules that it writes work, and it refuses names that it cannot use."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from cms_api.core.management.scaffold import merging, names, ranks
from cms_api.core.management.scaffold.names import Names, plural, singular
from cms_api.core.vocabulary import ABILITIES, FEATURES
from tests.conftest import database_of_this_run
from tests.laws.language import places_in

MODULES, CONTRACTS = "site/config/settings/modules.py", "pyproject.toml"
VOCABULARY = "cms_api/core/vocabulary.py"
#: The parts of the project that the tests and the laws of a new module need.
PROJECT = ("cms_api", "commerce", "events", "home", "site", "templates", "tests", "docs", "benchmarks", "README.md", "manage.py")

#: An announced module, which has a feature and abilities of its own.
DECLARATION = '''"""The orchard module: trees, and the harvest of each."""

from cms_api.core.module import Api, Event, Module

HARVEST = "commerce.orchard.resources.HarvestResource"

MODULE = Module(
    name="orchard",
    title="Orchard and press",
    description="Trees and their harvests.",
    feature="orchard",
    api=Api(group="Commerce", events=(Event("harvest.weighed", "A harvest is weighed.", document=HARVEST),)),
)
'''
DOCUMENT = '''"""The wire shape of harvests."""

from rest_framework import serializers

from cms_api.http.serializers import RecordResource


class HarvestResource(RecordResource):
    """The harvest of a tree."""

    kilos = serializers.IntegerField()

    example = {
        "id": 4,
        "kilos": 120,
        "created_at": "2026-03-01T18:29:00+00:00",
        "updated_at": "2026-03-01T18:30:00+00:00",
    }
'''


def add_announced_module(project: Path) -> None:
    """Add the announced module to a copy of the project."""
    folder = project / "commerce" / "orchard"
    folder.mkdir(parents=True)
    for name, text in (("__init__.py", ""), ("module.py", DECLARATION), ("resources.py", DOCUMENT)):
        (folder / name).write_text(text)
    for path, text, changed in (
        (MODULES, "ANNOUNCED_MODULES: list[str] = []\n", 'ANNOUNCED_MODULES: list[str] = [\n    "commerce.orchard",\n]\n'),
        (CONTRACTS, '    "invoicing",\n', '    "invoicing",\n    "orchard | (nursery)",\n'),
        (
            CONTRACTS,
            '    "commerce.marketing",\n    "home",\n',
            '    "commerce.orchard",\n    "commerce.marketing",\n    "home",\n',
        ),
    ):
        source = (project / path).read_text()
        assert source.count(text) == 1, (path, text)
        (project / path).write_text(source.replace(text, changed))


@contextmanager
def vocabulary_of_orchards() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(names, "FEATURES", (*FEATURES, "orchard"))
        patch.setattr(names, "ABILITIES", (*ABILITIES, "orchard:read", "orchard:write"))
        yield


def start(project: Path, *arguments: str) -> str:
    """Run the command in a copy of the project; return its output."""
    output = StringIO()
    with vocabulary_of_orchards():
        call_command("startmodule", *arguments, "--base-dir", str(project), stdout=output)
    return output.getvalue()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the files that the command changes, and an announced module."""
    for name in (CONTRACTS, MODULES):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(settings.BASE_DIR / name, tmp_path / name)
    add_announced_module(tmp_path)
    return tmp_path


def contracts(project: Path) -> dict[str, Any]:
    found = tomllib.loads((project / CONTRACTS).read_text())["tool"]["importlinter"]["contracts"]
    return {contract["id"]: contract for contract in found}


# The modules that it writes, in a copy of the whole project.


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with two new modules: one that was announced, and one with no feature in the other package."""
    copied = tmp_path_factory.mktemp("project")
    for name in (*PROJECT, CONTRACTS):
        source = settings.BASE_DIR / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, copied / name)
    add_announced_module(copied)
    vocabulary = (copied / VOCABULARY).read_text()
    (copied / VOCABULARY).write_text(vocabulary.replace('"shop",', '"shop", "orchard",'))
    start(copied, "orchard", "--record", "AppleTree")
    start(copied, "polls", "--package", "cms_api")
    return copied


def run(project: Path, *command: str, **environment: str) -> None:
    """Run a Python module in a copy of the project, which must succeed."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "DATABASE_URL"))}
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=project,
        env=inherited | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


@pytest.mark.django_db
def test_it_works(copy: Path) -> None:
    """The tests of the new modules pass, and so do the laws that are about their source."""
    laws = (
        "tests/laws/test_imports.py::test_it_works",
        "tests/laws/test_imports.py::test_modules_use_each_other_by_their_open_rooms",
        "tests/laws/test_declared_names.py::test_it_works",
        "tests/laws/test_structure.py::test_migrations_are_complete",
        "tests/gateway/test_module_checks.py::test_the_installed_modules_have_no_mistake",
    )
    run(copy, "pytest", "tests/commerce/orchard", "tests/polls", *laws, TESTS_BEGIN_WITH=str(database_of_this_run()))


def test_its_modules_use_plain_words(copy: Path) -> None:
    folders = ("commerce/orchard", "cms_api/polls", "tests/commerce/orchard", "tests/polls")
    written = [path for folder in folders for path in sorted((copy / folder).rglob("*.py")) if "migrations" not in path.parts]
    assert len(written) > 25
    assert [place for path in written for place in places_in(path.read_text(), str(path.relative_to(copy)))] == []


@pytest.mark.parametrize("arguments", [("check", "--quiet"), ("format", "--check", "--quiet")])
def test_its_modules_are_in_order(copy: Path, arguments: tuple[str, ...]) -> None:
    run(copy, "ruff", *arguments, "commerce/orchard", "cms_api/polls", "tests/commerce/orchard", "tests/polls", "site")


@pytest.mark.long
@pytest.mark.django_db
def test_its_modules_keep_the_laws(copy: Path) -> None:
    chosen = "orchard or polls or openapi or catalogue or menu"
    begin = str(database_of_this_run())
    places = ("tests/laws", "tests/webhooks/test_catalogue.py", "tests/gateway/test_menu.py")
    run(copy, "pytest", *places, "-k", chosen, TESTS_BEGIN_WITH=begin)


@pytest.mark.long
def test_its_modules_are_typed(copy: Path) -> None:
    run(copy, "mypy", "-p", "commerce.orchard", "-p", "cms_api.polls")


# The files that it writes and changes.


def test_an_announced_module_keeps_its_declaration(project: Path) -> None:
    said = start(project, "orchard", "--record", "AppleTree")
    declaration = (project / "commerce/orchard/module.py").read_text()
    for kept in ('title="Orchard and press"', 'feature="orchard"', "document=HARVEST", "trees, and the harvest of each"):
        assert kept in declaration
    assert '"orchard:read": "Read apple trees"' in declaration
    assert merging.event_kinds(declaration) == ["harvest.weighed", "apple_tree.published"]
    resources = (project / "commerce/orchard/resources.py").read_text()
    assert resources.index("class HarvestResource") < resources.index("class AppleTreeResource")
    assert "harvest.weighed is announced" in said
    assert "/admin/orchard/apple-trees/" in said


def test_an_announced_module_is_installed_at_its_rank(project: Path) -> None:
    before = contracts(project)
    start(project, "orchard", "--record", "AppleTree")
    installed, announced = (project / MODULES).read_text().split("ANNOUNCED_MODULES")
    assert '"commerce.orchard"' in installed
    assert '"commerce.orchard"' not in announced
    assert contracts(project) == before


@pytest.mark.parametrize(
    ("package", "name", "contract"), [("commerce", "greenhouse", "business"), ("cms_api", "polls", "platform")]
)
def test_a_new_module_gets_a_rank(project: Path, package: str, name: str, contract: str) -> None:
    said = start(project, name, "--package", package)
    assert contracts(project)[contract]["layers"].count(name) == 1
    assert f"{package}.{name}" in contracts(project)["rooms"]["containers"]
    types = tomllib.loads((project / CONTRACTS).read_text())["tool"]["mypy"]["packages"]
    assert (f"cms_api.{name}" in types) == (package == "cms_api")
    assert "needs those of content" in said
    assert f"no feature {name}" in said
    declaration = (project / package / name / "module.py").read_text()
    assert "feature=" not in declaration
    assert "abilities=" not in declaration
    assert '{"GET": "content:read", "POST": "content:write"}' in declaration


def test_a_rank_that_is_kept_free_is_taken(project: Path) -> None:
    start(project, "nursery")
    assert "orchard | nursery" in contracts(project)["business"]["layers"]


def test_modules_are_installed_below_those_that_may_use_them() -> None:
    text, modules = (
        (settings.BASE_DIR / CONTRACTS).read_text(),
        '\nMODULES = [\n    "commerce.members",\n    "home",\n]\nANNOUNCED_MODULES = [\n]\n',
    )
    for name in ("loyalty", "crm", "marketing"):
        modules = ranks.install(modules, text, Names("commerce", name, "", "Record"))
    order = [line.strip(' ",') for line in modules.splitlines() if "commerce." in line]
    assert order == ["commerce.crm", "commerce.marketing", "commerce.members", "commerce.loyalty"]


def test_every_name_of_the_templates_is_replaced(project: Path) -> None:
    start(project, "greenhouse", "--record", "UnitPlan")
    written = [path for path in project.rglob("*") if path.is_file() and "orchard" not in path.parts]
    assert len(written) > 25
    for path in written:
        assert "seed" not in f"{path.relative_to(project)} {path.read_text()}".lower(), path


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("Greenhouse",), "lower-case Python identifier"),
        (("two words",), "lower-case Python identifier"),
        (("class",), "lower-case Python identifier"),
        (("../greenhouse",), "lower-case Python identifier"),
        (("loyalty",), "already"),
        (("forms",), "already"),
        (("sessions",), "already"),
        (("taken",), "already"),
        (("greenhouse", "--record", "glassPane"), "class name"),
        (("greenhouse", "--record", "Class"), "class name"),
        (("greenhouse", "--record", "VeryLongRecordNames"), "class name"),
        (("greenhouse", "--record", "Page"), "longer name"),
        (("greenhouse", "--record", "Form"), "longer name"),
        (("greenhouse", "--record", "Status"), "longer name"),
        (("orchard", "--record", "Harvest"), "Begin with another record"),
        (("mailed", "--record", "Letter"), "letter_published.txt is there already"),
    ],
)
def test_refusals_write_nothing(project: Path, arguments: tuple[str, ...], sentence: str) -> None:
    for path in ("cms_api/taken/module.py", "templates/mail/letter_published.txt"):
        (project / path).parent.mkdir(parents=True)
        (project / path).touch()
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    with pytest.raises(CommandError, match=sentence):
        start(project, *arguments)
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_contracts_without_a_place_are_reported(project: Path) -> None:
    text = (project / CONTRACTS).read_text()
    (project / CONTRACTS).write_text(text.replace('    "home",\n]', '    "home"\n]'))
    with pytest.raises(CommandError, match="beside which"):
        start(project, "greenhouse")
    assert not (project / "commerce/greenhouse").exists()


# Names.


@pytest.mark.parametrize(
    ("one", "many"), [("poll", "polls"), ("story", "stories"), ("day", "days"), ("box", "boxes"), ("address", "addresses")]
)
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many


@pytest.mark.parametrize(("many", "one"), [("polls", "poll"), ("stories", "story"), ("press", "press"), ("support", "support")])
def test_singulars(many: str, one: str) -> None:
    assert singular(many) == one


def test_names_are_replaced_in_every_form() -> None:
    applied = Names("cms_api", "gift_cards", "Gift cards", "OrderItem").apply
    assert applied("class SeedPackets: a seed packet. A seed packet in data seed packets") == (
        "class OrderItems: an order item. An order item in data order items"
    )
    assert applied("SEED_PACKETS _seed_packet_or_404 seed-packet Seed packets") == (
        "ORDER_ITEMS _order_item_or_404 order-item Order items"
    )
    assert applied("tests.commerce.seed_bank commerce.seed_bank SeedBank Seed bank") == (
        "tests.gift_cards cms_api.gift_cards GiftCards Gift cards"
    )
    assert applied("/seed-bank/seed-packets") == "/gift-cards/order-items"


def test_a_module_of_one_kind_of_record_has_a_short_path() -> None:
    assert Names("commerce", "gift_cards", "Gift cards", "GiftCard").path == "gift-cards"
