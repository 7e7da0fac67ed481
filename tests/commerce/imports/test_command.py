"""`manage.py import_csv`: the same import, in the foreground."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django_q.models import OrmQ

from cms_api.flags.services import switch_feature
from commerce.crm.models import Contact
from commerce.imports.models import ImportRun
from commerce.imports.services import working
from commerce.marketing.models import Subscriber

from .files import guests, table

pytestmark = pytest.mark.django_db

NOT_CONFIRMED = (
    "Confirm to continue: “These people have agreed to receive emails”. Do so with --option confirmed=1. "
    "They become active subscribers without a confirmation email."
)


def run(kind: str, file: Path, content: bytes | None = None, **options: Any) -> tuple[str, str, str]:
    """Run the command, and return its standard output, its standard error and the reason of a failure."""
    if content is not None:
        file.write_bytes(content)
    out, err, failed = io.StringIO(), io.StringIO(), ""
    try:
        call_command("import_csv", kind, str(file), stdout=out, stderr=err, **options)
    except CommandError as problem:
        failed = str(problem)
    return out.getvalue(), err.getvalue(), failed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "guests.csv"


@pytest.mark.both_databases
def test_it_works(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "BATCH", 2)
    said, _, failed = run("contacts", file, guests(5))
    assert "5 of 5 rows" in said
    assert "5 new, 0 updated, 0 unchanged, 0 refused." in said
    assert failed == ""
    assert Contact.objects.count() == 5
    assert not OrmQ.objects.exists()


def test_refused_rows_are_said_and_end_with_an_error(file: Path) -> None:
    said, problems, failed = run("contacts", file, table("a@example.com", "bad"))
    assert "1 new, 0 updated, 0 unchanged, 1 refused." in said
    assert problems == "Line 3: The email must be a valid email address.\n"
    assert failed == "1 rows were refused."


def test_columns_and_options(file: Path) -> None:
    options = {"map": ["email=Kontakt", "first_name=Rufname"], "option": ["confirmed=1", "all_tags=fair"]}
    _, _, failed = run("subscribers", file, b"Kontakt,Rufname\na@example.com,Dana\n", **options)
    assert failed == ""
    found = Subscriber.objects.get()
    assert (found.first_name, found.tags, found.status) == ("Dana", ["fair"], "active")


@pytest.mark.parametrize(
    ("kind", "content", "options", "said"),
    [
        ("people", guests(1), {}, "There is no import of 'people'"),
        ("subscribers", guests(1), {}, NOT_CONFIRMED),
        ("subscribers", guests(1), {"option": ["confirmed=no"]}, NOT_CONFIRMED),
        ("contacts", guests(1), {"option": ["x=1"]}, "Unknown option: 'x'."),
        ("contacts", guests(1), {"map": ["email=Nothing"]}, "The file has no column 'Nothing'."),
        ("contacts", guests(1), {"map": ["nothing=Email"]}, "Unknown column: 'nothing'."),
        ("contacts", b"Name\nDana\n", {}, "Choose the column with the email."),
        ("contacts", b"", {}, "The file is empty."),
        ("contacts", None, {}, "No such file or directory."),
    ],
)
def test_what_is_wrong_is_said(file: Path, kind: str, content: bytes | None, options: dict[str, Any], said: str) -> None:
    assert said in run(kind, file, content, **options)[2]
    assert not ImportRun.objects.exclude(state="cancelled").exists()
    assert not Contact.objects.exists()
    assert not Subscriber.objects.exists()


@pytest.mark.both_databases
def test_nothing_is_imported_while_the_feature_is_off(file: Path) -> None:
    switch_feature(name="crm", on=False)
    assert "its feature is off" in run("contacts", file, guests(1))[2]
    assert not ImportRun.objects.exists()


@pytest.mark.both_databases
def test_an_interrupted_import_does_not_go_on_by_itself(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any) -> list[bool]:
        raise KeyboardInterrupt

    monkeypatch.setattr("commerce.crm.services.importing.write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("contacts", file, guests(1))
    assert ImportRun.objects.get().state == "cancelled"
