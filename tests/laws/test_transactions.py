"""No transaction waits for an import, a connection, a name or another program: a law that every test checks, and its mistakes."""

import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import transaction

from tests import transactions
from tests.conftest import copy_database
from tests.serving import environment

pytestmark = pytest.mark.django_db

#: Modules of Python's own that nothing imports. The second is an extension, whose file is only read once in a process.
RARE, EXTENSION = "this", "_xxsubinterpreters"
PLANTED = """
import importlib, socket, subprocess, sys

def import_module():
    import {rare}

def import_by_name():
    importlib.import_module("{rare}")

def import_extension():
    import {extension}

def connect():
    with socket.socket() as client:
        client.settimeout(0.1)
        client.connect_ex(("127.0.0.1", 9))

def look_up():
    socket.getaddrinfo("127.0.0.1", 9)

def run_program():
    subprocess.run([sys.executable, "--version"], capture_output=True)
"""
DONE = {
    "import_module": "imports ",
    "import_by_name": "imports ",
    "import_extension": "imports ",
    "connect": "connects to ('127.0.0.1', 9)",
    "look_up": "looks 127.0.0.1 up",
    "run_program": "runs ",
}


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Callable[[], None]]]:
    """Functions that stand in a file of ours, as far as the law can see, and modules that are not loaded yet."""
    for name in (RARE, EXTENSION):
        monkeypatch.delitem(sys.modules, name, raising=False)
    found: dict[str, Callable[[], None]] = {}
    exec(
        compile(PLANTED.format(rare=RARE, extension=EXTENSION), f"{transactions.ROOT}/commerce/shop/services/planted.py", "exec"),
        found,
    )
    yield found
    for name in (RARE, EXTENSION):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", DONE)
def test_it_works(planted: dict[str, Callable[[], None]], name: str) -> None:
    with transactions.noted() as found, transaction.atomic():
        planted[name]()
    assert [each for each in found if each.startswith(DONE[name])], found
    assert all("planted.py:" in each for each in found)


@pytest.mark.parametrize("name", DONE)
def test_nothing_is_noted_outside_of_transactions(planted: dict[str, Callable[[], None]], name: str) -> None:
    with transactions.noted() as found:
        planted[name]()
    assert found == []


@pytest.mark.django_db(transaction=True)
def test_the_same_where_no_transaction_is_around_the_test(planted: dict[str, Callable[[], None]]) -> None:
    with transactions.noted() as found, transaction.atomic():
        planted["look_up"]()
    assert len(found) == 1


def test_what_a_test_does_itself_is_not_noted() -> None:
    with transactions.noted() as found, transaction.atomic():
        socket.getaddrinfo("127.0.0.1", 9)
        subprocess.run([sys.executable, "--version"], capture_output=True, check=True)
    assert found == []


FRESH = """
import sys
sys.path[:0] = ["site", "."]
import django
django.setup()
from cms_api.core.first_write import prepare_to_write
prepare_to_write()
print(*sys.modules)
"""


def test_a_process_that_writes_has_loaded_what_functions_import(tmp_path: Path) -> None:
    """In a process of its own, where no other test has loaded anything."""
    copy_database(tmp_path / "db.sqlite3")
    done = subprocess.run(
        [sys.executable, "-c", FRESH],
        cwd=transactions.ROOT,
        env=environment(tmp_path),
        check=True,
        capture_output=True,
        text=True,
    )
    loaded = set(done.stdout.split())
    late = {
        f"{path.relative_to(transactions.ROOT)}: {name}"
        for path, name in transactions.imports_in_functions()
        if name not in loaded and (str(path.relative_to(transactions.ROOT)), name) not in OUTSIDE
    }
    assert late == set()


#: Imports in functions that are not called in a transaction, or not on this database and storage.
OUTSIDE = {
    ("cms_api/gateway/wsgi.py", "cms_api.gateway.messages"),
    ("cms_api/media/services/private.py", "cms_api.media.services.object_storage"),
    ("cms_api/text/entries.py", "modelsearch.backends.database.postgres.postgres"),
    ("cms_api/text/search.py", "django.contrib.postgres.expressions"),
    ("commerce/common/services/documents.py", "fontTools.ttLib"),
    ("commerce/support/types/quotes.py", "mailparser_reply"),
    ("home/models/theme.py", "home.views.preview"),
    ("home/services/fonts.py", "fontTools.subset"),
    ("home/services/fonts.py", "fontTools.ttLib"),
}
