"""Tests of what the database decides run on PostgreSQL, too: each file that calls services, selectors or migrations has some."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import selection

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
#: Rooms whose functions send statements.
ROOMS = ("services", "selectors", "migrations")
#: A test that runs on both databases has one of these: the mark, a commit, or a database of its own on PostgreSQL's server.
RUNS_ON_BOTH = re.compile(r"\bboth_databases\b|\btransaction=True\b|\btransactional_db\b|\bpostgresql: str\b")
#: A file whose tests need PostgreSQL would run nowhere without one of these.
NEEDS_POSTGRESQL = re.compile(r"skipif\(\"?connection\.vendor != .postgresql")
EXEMPT = {
    # They use no database.
    *("commerce/common/test_qr.py", "commerce/support/test_reading.py"),
    *("mail/test_console.py", "media/test_processing.py"),
    "webhooks/test_rebinding.py",
    # It is about plans of SQLite.
    "commerce/real_estate/test_plans.py",
}


def package_of(path: Path) -> str:
    """The module that a file of tests is about, as its folder says; nothing for other folders."""
    folders = path.relative_to(TESTS).parts[:-1]
    for parent in ("", "cms_api"):
        if folders and (ROOT / parent / Path(*folders) / "module.py").exists():
            return ".".join(filter(None, (parent, *folders)))
    return ""


def imported(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{each.name}" for each in node.names)


def is_forgotten(package: str, source: str) -> bool:
    """Whether no test of a file runs on PostgreSQL, although some should."""
    if RUNS_ON_BOTH.search(source):
        return False
    rooms = tuple(f"{package}.{room}" for room in ROOMS)
    calls = package and any(f"{name}.".startswith(tuple(f"{room}." for room in rooms)) for name in imported(source))
    return bool(calls or NEEDS_POSTGRESQL.search(source))


def test_it_works() -> None:
    """The walk of the admin loads the demo of every module on both databases, so files about demos need no mark."""
    files = [path for path in sorted(TESTS.rglob("test_*.py")) if not path.name.startswith("test_demo")]
    forgotten = {path.relative_to(TESTS).as_posix() for path in files if is_forgotten(package_of(path), path.read_text())}
    assert forgotten == EXEMPT


@pytest.mark.parametrize(
    "source",
    [
        "from commerce.shop.services import place_order",
        "from commerce.shop import services",
        "from commerce.shop.selectors.carts import find_cart",
        "from commerce.shop.migrations import something",
        'pytestmark = pytest.mark.skipif(connection.vendor != "postgresql", reason="Locks.")',
    ],
)
def test_a_forgotten_mark_is_reported(source: str) -> None:
    assert is_forgotten("commerce.shop", source)
    assert not is_forgotten("commerce.shop", f"{source}\n@pytest.mark.both_databases\ndef test_it_works(): ...")
    assert not is_forgotten("commerce.shop", f"{source}\npytestmark = pytest.mark.django_db(transaction=True)")


def test_what_other_modules_have_needs_no_mark() -> None:
    assert not is_forgotten("commerce.shop", "from commerce.crm.services import upsert_contact")
    assert not is_forgotten("commerce.shop", "from commerce.shop.services_of_others import something")
    assert not is_forgotten("", "from commerce.shop.services import place_order")


def test_the_module_is_that_of_the_folder() -> None:
    assert package_of(TESTS / "commerce/shop/test_prices.py") == "commerce.shop"
    assert package_of(TESTS / "content/test_terms.py") == "cms_api.content"
    assert package_of(TESTS / "events/test_moves.py") == "events"
    assert package_of(TESTS / "laws/test_links.py") == ""


@pytest.mark.django_db(transaction=True)
def test_a_test_that_commits_runs_on_both(request: pytest.FixtureRequest) -> None:
    assert selection.runs_on_both(request.node)


@pytest.mark.django_db
def test_a_test_without_a_mark_does_not(request: pytest.FixtureRequest) -> None:
    assert not selection.runs_on_both(request.node)


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_marked_one_does(request: pytest.FixtureRequest) -> None:
    assert selection.runs_on_both(request.node)


@pytest.mark.once
@pytest.mark.django_db(transaction=True)
def test_one_that_cannot_differ_does_not(request: pytest.FixtureRequest) -> None:
    assert not selection.runs_on_both(request.node)
