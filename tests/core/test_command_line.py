"""A command that cannot write ends with one sentence and status 1."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing

import pytest
from django.db import connection

from cms_api.auth.models import ApiToken
from cms_api.core.command_line import run

pytestmark = pytest.mark.django_db(transaction=True)

COMMANDS = [
    ["create_token", "till", "--all-abilities"],
    ["setting", "set", "site.name", "Millrace"],
    ["feature", "on", "api"],
]
#: Databases refuse every write with these.
READ_ONLY = {"sqlite": "PRAGMA query_only = 1", "postgresql": "SET default_transaction_read_only = on"}


def refusal(words: Sequence[str]) -> str:
    """Return what a command says that exits with status 1: Python writes a text there on standard error."""
    with pytest.raises(SystemExit) as caught:
        run(["manage.py", *words])
    assert isinstance(caught.value.code, str)
    return caught.value.code


def make_read_only() -> None:
    with connection.cursor() as cursor:
        cursor.execute(READ_ONLY[connection.vendor])


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_it_works(words: list[str]) -> None:
    make_read_only()
    said = refusal(words)
    assert said.startswith("The database is unavailable (")
    assert said.endswith("). Try again later.")
    assert "\n" not in said
    assert not ApiToken.objects.exists()


@pytest.mark.once
@pytest.mark.skipif(connection.vendor != "sqlite", reason="Only SQLite locks the whole database.")
@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_locked_database(words: list[str]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 10")
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("BEGIN IMMEDIATE")
        assert refusal(words) == "The database is unavailable (database is locked). Try again later."
        other.rollback()


def test_with_traceback_the_error_is_raised() -> None:
    make_read_only()
    with pytest.raises(Exception, match=r"read-?only") as caught:
        run(["manage.py", *COMMANDS[0], "--traceback"])
    assert not isinstance(caught.value, SystemExit)


def test_mistakes_in_the_code_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise LookupError("a mistake")

    monkeypatch.setattr("cms_api.auth.management.commands.create_token.create_token", fail)
    with pytest.raises(LookupError, match="a mistake"):
        run(["manage.py", *COMMANDS[0]])


def test_commands_that_can_write_work(capsys: pytest.CaptureFixture[str]) -> None:
    run(["manage.py", *COMMANDS[0]])
    assert ApiToken.objects.get().name == "till"
    assert capsys.readouterr().out.startswith("swt_")
